#pragma once
// Texts of telemetry as records may have them: never empty where a name is needed, never longer than a member's bound.

#include "net/capture/spans/captured.hpp"
#include "schema/base/digest.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace whence::net::capture {

/// A name of at most `bytes_max` bytes; a longer one ends in its digest. "unknown" where there is none.
[[nodiscard]] std::string name_text(std::string_view text, std::size_t bytes_max);

/// The id of a chunk, made of what it says: equal passages are one. `document` as the record names it.
[[nodiscard]] std::string chunk_id(schema::SecretKey const& key, Passage const& passage, std::string const& document);

/// As much of a text as a record's `content` may have.
[[nodiscard]] std::string content_of(std::string_view text);

/// The chunks that a retrieval becomes, each once in the order of their ranks: id and text.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> passages_of(schema::SecretKey const& key,
                                                                           CapturedSpan const& span);

}  // namespace whence::net::capture
