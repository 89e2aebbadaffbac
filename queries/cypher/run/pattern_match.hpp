#pragma once
// `=~`: regular expressions whose time grows with the text times the pattern, whatever they are.

#include "queries/cypher/run/state.hpp"

#include <string_view>

namespace whence::queries::cypher {

/// Whether the whole text matches. Knows `.`, `[...]`, `\d \w \s` and their opposites, `*`, `+`, `?`, `{m,n}`, `|`,
/// `(...)`, and `(?i)` in front. Another pattern, or one of more than 1000 steps, is a failure.
[[nodiscard]] Value matches_pattern(std::string_view text, std::string_view pattern, RunState& state, Place place);

}  // namespace whence::queries::cypher
