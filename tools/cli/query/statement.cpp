// One pass over the text, from one text or comment to the end of it.

#include "tools/cli/query/statement.hpp"

namespace whence::tools {
namespace {

/// The place behind the text or name that `text` has in quotes at `begin`.
std::size_t end_of_quoted(std::string_view text, std::size_t begin) {
  char const quote = text[begin];
  for (std::size_t at = begin + 1; at < text.size(); ++at) {
    if (text[at] == quote) return at + 1;
    if (text[at] == '\\' && quote != '`') ++at;
  }
  return text.size();
}

std::size_t behind(std::string_view text, std::string_view mark, std::size_t begin) {
  std::size_t const at = text.find(mark, begin);
  return at == std::string_view::npos ? text.size() : at + mark.size();
}

}  // namespace

std::optional<std::size_t> find_statement_end(std::string_view text) noexcept {
  std::size_t at = 0;
  while (at < text.size()) {
    char const c = text[at];
    if (c == ';') return at;
    if (c == '\'' || c == '"' || c == '`') {
      at = end_of_quoted(text, at);
    } else if (text.substr(at, 2) == "//") {
      at = behind(text, "\n", at);
    } else if (text.substr(at, 2) == "/*") {
      at = behind(text, "*/", at + 2);
    } else {
      ++at;
    }
  }
  return std::nullopt;
}

}  // namespace whence::tools
