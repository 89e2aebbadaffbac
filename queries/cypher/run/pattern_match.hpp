#pragma once
// `=~`: regular expressions of RE2, whose time grows with the text times the pattern, whatever they are.

#include "queries/cypher/state/state.hpp"

#include <string_view>

namespace whence::queries::cypher {

/// Whether the whole text matches, character by character (code points). RE2's syntax, which is Java's but for: no
/// looking ahead or behind, no references back, no possessive quantifiers, no intersection of classes, named groups as
/// `(?P<name>...)`, classes `\p{...}` by Unicode's names only. A pattern that is none, or of which a program of 2 MiB
/// is not enough, is `argument_error`. A text too long for the pattern (their sizes multiplied: 500 million) is
/// `limit_exceeded`. Patterns are compiled once per run.
[[nodiscard]] Value matches_pattern(std::string_view text, std::string_view pattern, RunState& state, Place place);

}  // namespace whence::queries::cypher
