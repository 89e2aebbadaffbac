#pragma once
// Formatting an event as one line of text.

#include "tools/cli/process/io.hpp"

#include <string>

#include <boost/json/object.hpp>

namespace whence::tools {

/// Time, transaction, operation, ref, then a short description: status, score, the record's most descriptive members,
/// number of edges. Cut to the terminal's width, with colours where `io` has them. Control characters are escaped.
/// Without a line break.
[[nodiscard]] std::string watch_line(boost::json::object const& event, Io const& io);

}  // namespace whence::tools
