// A scanner that knows strings and brackets, which is all it takes.

#include "queries/export/impl/members.hpp"

#include <charconv>
#include <cstdint>

namespace whence::exports {
namespace {

/// The position after the string that begins at `at`.
std::size_t end_of_string(std::string_view json, std::size_t at) {
  for (++at; at < json.size() && json[at] != '"'; ++at) {
    if (json[at] == '\\') ++at;
  }
  return at + 1;
}

/// The position after the value that begins at `at`.
std::size_t end_of_value(std::string_view json, std::size_t at) {
  std::size_t depth = 0;
  while (at < json.size()) {
    char const c = json[at];
    if (c == '"') {
      at = end_of_string(json, at);
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

/// Our writer escapes nothing beyond U+001F, so an escape with digits is one byte.
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

void for_each_member(std::string_view object,
                     std::function<void(std::string_view name, std::string_view json)> const& visit) {
  for (std::size_t at = 1; at < object.size() && object[at] == '"';) {
    auto const name_end = end_of_string(object, at);
    auto const name = object.substr(at + 1, name_end - at - 2);
    auto const value = name_end + 1;
    auto const value_end = end_of_value(object, value);
    visit(name, object.substr(value, value_end - value));
    at = value_end + 1;  // after the comma
  }
}

std::string plain_text(std::string_view json) {
  if (json.empty() || json.front() != '"') return std::string(json);
  std::string text;
  text.reserve(json.size());
  for (std::size_t at = 1; at + 1 < json.size(); ++at) {
    if (json[at] != '\\') {
      text.push_back(json[at]);
      continue;
    }
    ++at;
    text.push_back(escaped(json, at));
  }
  return text;
}

}  // namespace whence::exports
