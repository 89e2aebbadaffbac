#pragma once
// Files of documents: one a line, or one in all.

#include "tools/cli/transport/caller.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <istream>
#include <string>

namespace whence::tools {

/// Called with each document and the number of the line that it begins on.
using TakeDocument = std::function<CallResult<void>(std::uint64_t line, std::string const& text)>;

/// Reads documents line by line, empty lines and a byte order mark left out; a file whose first line is no JSON is one
/// document, read up to `bytes_max` and what is left of its last line, but where that is no JSON and a line of it is.
/// Ends with the first error of `take`, which gets the line in front of its message.
[[nodiscard]] CallResult<void> read_documents(std::istream& in, std::size_t bytes_max, TakeDocument const& take);

}  // namespace whence::tools
