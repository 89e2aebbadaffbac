// From the text of a query to tokens with their places, for errors; columns count code points. A number with letters
// behind it is one token, so that the parser reports the whole of it.
#include "queries/cypher/syntax/token.hpp"
#include "schema/encoding/code_points.hpp"

#include <array>
#include <optional>

namespace whence::queries::cypher {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_word_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool is_word_part(char c) {
  return is_word_start(c) || is_digit(c);
}

/// The value of a hexadecimal digit, or -1.
int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// The length of the UTF-8 sequence at `at`; 0 where it is none.
std::size_t sequence_length(std::string_view text, std::size_t at) {
  auto const first = static_cast<unsigned char>(text[at]);
  std::size_t const length = first < 0x80   ? 1
                             : first < 0xC2 ? 0
                             : first < 0xE0 ? 2
                             : first < 0xF0 ? 3
                             : first < 0xF5 ? 4
                                            : 0;
  if (length == 0 || at + length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[at + i]) & 0xC0) != 0x80) return 0;
  }
  return length;
}

constexpr std::array<std::string_view, 9> long_symbols = {"..", "<=", ">=", "<>", "=~", "+=", "::", "!=", "||"};

/// Reads one text from its start to its end. The first failure stays.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Outcome<std::vector<Token>> run() {
    while (!error_ && skip_blank()) next();
    if (error_) return *std::move(error_);
    begin_ = at_;
    place_ = here_;
    add(TokenKind::end, "");
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void step() {
    auto const c = static_cast<unsigned char>(text_[at_++]);
    if (c == '\n') {
      ++here_.line;
      here_.column = 1;
    } else if ((c & 0xC0) != 0x80) {
      ++here_.column;
    }
  }
  void step_over(std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) step();
  }

  void fail(std::string detail, std::string message) {
    if (!error_) error_ = QueryError{.detail = std::move(detail), .message = std::move(message), .place = place_};
  }
  void add(TokenKind kind, std::string text) {
    tokens_.push_back({.kind = kind, .text = std::move(text), .begin = begin_, .end = at_, .place = place_});
  }

  /// Skips white space and comments; whether anything is left.
  bool skip_blank() {
    while (at_ < text_.size()) {
      char const c = peek();
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v') {
        step();
      } else if (c == '\xC2' && peek(1) == '\xA0') {
        step_over(2);
      } else if (c == '/' && peek(1) == '/') {
        while (at_ < text_.size() && peek() != '\n') step();
      } else if (c == '/' && peek(1) == '*') {
        place_ = here_;
        step_over(2);
        while (at_ < text_.size() && !(peek() == '*' && peek(1) == '/')) step();
        if (at_ >= text_.size()) {
          fail("UnexpectedSyntax", "the comment has no end");
          return false;
        }
        step_over(2);
      } else {
        return true;
      }
    }
    return false;
  }

  void next() {
    begin_ = at_;
    place_ = here_;
    char const c = peek();
    if (is_word_start(c)) return word();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)) && !after_dot_or_value())) return number();
    if (c == '\'' || c == '"') return quoted(c);
    if (c == '`') return quoted_name(TokenKind::quoted_word);
    if (c == '$') return parameter();
    for (auto const& symbol : long_symbols) {
      if (text_.substr(at_, 2) == symbol) {
        step_over(2);
        return add(TokenKind::symbol, std::string{symbol});
      }
    }
    if (std::string_view{"()[]{}<>=+-*/%^,.:;|&!?"}.find(c) != std::string_view::npos) {
      step();
      return add(TokenKind::symbol, std::string(1, c));
    }
    fail("UnexpectedSyntax", "the character is no part of the language");
  }

  /// Whether a dot that follows here belongs to the token before it (`a.1`, `1..2`) and starts no number.
  [[nodiscard]] bool after_dot_or_value() const {
    if (tokens_.empty() || tokens_.back().end != at_) return false;
    auto const& last = tokens_.back();
    return last.kind != TokenKind::symbol || last.text == ".." || last.text == "." || last.text == ")" ||
           last.text == "]";
  }

  void word() {
    while (at_ < text_.size() && is_word_part(peek())) {
      auto const length = sequence_length(text_, at_);
      if (length == 0) return fail("InvalidUnicodeCharacter", "the text is not UTF-8");
      // U+2010 to U+201F are dashes and quotation marks: no part of a word.
      if (length == 3 && text_[at_] == '\xE2' && text_[at_ + 1] == '\x80') {
        place_ = here_;
        return fail("InvalidUnicodeCharacter", "the character is no part of the language");
      }
      step_over(length);
    }
    add(TokenKind::word, std::string{text_.substr(begin_, at_ - begin_)});
  }

  void number() {
    bool is_float = false;
    if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'o')) {
      step_over(2);
      while (is_word_part(peek())) step();
      return add(TokenKind::integer, std::string{text_.substr(begin_, at_ - begin_)});
    }
    while (is_digit(peek())) step();
    if (peek() == '.' && is_digit(peek(1))) {
      is_float = true;
      step();
      while (is_digit(peek())) step();
    }
    bool const has_sign = peek(1) == '-' || peek(1) == '+';
    if ((peek() == 'e' || peek() == 'E') && is_digit(peek(has_sign ? 2 : 1))) {
      is_float = true;
      step_over(has_sign ? 2 : 1);
      while (is_digit(peek())) step();
    }
    while (is_word_part(peek())) step();  // `9a`: the parser reports the whole of it
    add(is_float ? TokenKind::floating : TokenKind::integer, std::string{text_.substr(begin_, at_ - begin_)});
  }

  void quoted(char quote) {
    std::string value;
    step();
    while (peek() != quote || at_ >= text_.size()) {
      if (at_ >= text_.size()) return fail("UnexpectedSyntax", "the text has no end");
      if (peek() == '\\') {
        if (!escape(value)) return;
        continue;
      }
      auto const length = sequence_length(text_, at_);
      if (length == 0) return fail("InvalidUnicodeCharacter", "the text is not UTF-8");
      value.append(text_.substr(at_, length));
      step_over(length);
    }
    step();
    add(TokenKind::text, std::move(value));
  }

  bool escape(std::string& value) {
    step();
    char const c = peek();
    if (at_ < text_.size()) step();
    switch (c) {
      case 'b':
        value.push_back('\b');
        return true;
      case 'f':
        value.push_back('\f');
        return true;
      case 'n':
        value.push_back('\n');
        return true;
      case 'r':
        value.push_back('\r');
        return true;
      case 't':
        value.push_back('\t');
        return true;
      case '\\':
      case '\'':
      case '"':
      case '`':
        value.push_back(c);
        return true;
      case 'u':
        return unicode(value, 4);
      case 'U':
        return unicode(value, 8);
      default:
        fail("UnexpectedSyntax", "the escape is unknown");
        return false;
    }
  }

  bool unicode(std::string& value, int digits) {
    std::uint32_t code = 0;
    if (!read_hex(digits, code)) return false;
    if (code >= 0xD800 && code < 0xDC00 && peek() == '\\' && peek(1) == 'u') {  // the first half of a pair
      step_over(2);
      std::uint32_t low = 0;
      if (!read_hex(4, low)) return false;
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) {
      fail("InvalidUnicodeLiteral", "the escape names no character");
      return false;
    }
    schema::append_code_point(value, code);
    return true;
  }

  bool read_hex(int digits, std::uint32_t& code) {
    for (int i = 0; i < digits; ++i) {
      int const digit = hex_digit(peek());
      if (digit < 0) {
        fail("InvalidUnicodeLiteral", "the escape needs " + std::to_string(digits) + " hexadecimal digits");
        return false;
      }
      code = code * 16 + static_cast<std::uint32_t>(digit);
      step();
    }
    return true;
  }

  void quoted_name(TokenKind kind) {
    std::string value;
    step();
    for (;;) {
      if (at_ >= text_.size()) return fail("UnexpectedSyntax", "the name in backticks has no end");
      if (peek() == '`' && peek(1) != '`') break;
      if (peek() == '`') step();
      value.push_back(peek());
      step();
    }
    step();
    add(kind, std::move(value));
  }

  void parameter() {
    step();
    if (peek() == '`') return quoted_name(TokenKind::parameter);
    auto const start = at_;
    while (is_word_part(peek())) step();
    if (at_ == start) return fail("UnexpectedSyntax", "a parameter needs a name");
    add(TokenKind::parameter, std::string{text_.substr(start, at_ - start)});
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;  ///< of the token that is being read
  Place here_{1, 1};
  Place place_{1, 1};  ///< of that token
  std::vector<Token> tokens_;
  std::optional<QueryError> error_;
};

}  // namespace

Outcome<std::vector<Token>> tokens_of(std::string_view text) {
  return Lexer{text}.run();
}

}  // namespace whence::queries::cypher
