#pragma once
// Where a statement of openCypher ends.

#include <cstddef>
#include <optional>
#include <string_view>

namespace whence::tools {

/// The place of the first `;` that is in no text, quoted name or comment; nothing where there is none yet. The texts
/// and comments are found by their marks alone: whether the statement is one is said by the parser.
[[nodiscard]] std::optional<std::size_t> find_statement_end(std::string_view text) noexcept;

}  // namespace whence::tools
