// A scanner that knows only strings and brackets.

#include "queries/export/members.hpp"

#include <charconv>
#include <cstdint>

namespace whence::exports {

/// A quote ends the string unless an odd number of backslashes is before it.
std::size_t end_of_json_string(std::string_view json, std::size_t at) noexcept {
  auto const begin = at + 1;
  for (at = json.find('"', begin); at != std::string_view::npos; at = json.find('"', at + 1)) {
    auto backslashes = at;
    while (backslashes > begin && json[backslashes - 1] == '\\') --backslashes;
    if ((at - backslashes) % 2 == 0) return at + 1;
  }
  return json.size();
}

std::size_t end_of_json_value(std::string_view json, std::size_t at) noexcept {
  std::size_t depth = 0;
  while (at < json.size()) {
    char const c = json[at];
    if (c == '"') {
      at = end_of_json_string(json, at);
      if (depth == 0) return at;
      continue;
    }
    if (depth == 0 && (c == ',' || c == '}')) return at;
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) return at + 1;
    ++at;
  }
  return at;
}

namespace {

/// The JSON writer escapes nothing beyond U+001F, so an escape with digits is one byte.
char escaped(std::string_view json, std::size_t& at) {
  switch (json[at]) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'u': {
      std::uint32_t code = 0;
      std::from_chars(json.data() + at + 1, json.data() + at + 5, code, 16);
      at += 4;
      return static_cast<char>(code);
    }
    default:
      return json[at];
  }
}

}  // namespace

std::string_view plain_text(std::string_view json, std::string& buffer) {
  if (json.empty() || json.front() != '"') return json;
  auto const text = json.substr(1, json.size() - 2);
  if (text.find('\\') == std::string_view::npos) return text;
  buffer.clear();
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\') {
      buffer.push_back(text[at]);
      continue;
    }
    ++at;
    buffer.push_back(escaped(text, at));
  }
  return buffer;
}

}  // namespace whence::exports
