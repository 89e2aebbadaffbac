#pragma once
// The tokens of a query, each with its place, and the lexer that makes them.

#include "queries/cypher/base/error.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace whence::queries::cypher {

enum class TokenKind : std::uint8_t {
  word,         ///< an identifier or a keyword; which one the parser decides
  quoted_word,  ///< `in backticks`, never a keyword
  integer,
  floating,
  text,
  parameter,  ///< $name; the text is the name
  symbol,     ///< punctuation and operators
  end,
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string text = {};  ///< a word as written, a text without its quotes and escapes, a symbol
  std::size_t begin = 0;  ///< bytes of the source text
  std::size_t end = 0;
  Place place = {};
};

/// All tokens of `text`, the last one of kind `end`.
[[nodiscard]] Outcome<std::vector<Token>> tokens_of(std::string_view text);

}  // namespace whence::queries::cypher
