// Functions of texts. Places and lengths count characters (code points).
#include "queries/cypher/values/text.hpp"

#include "queries/cypher/functions/families.hpp"
#include "queries/cypher/functions/letter_cases.hpp"
#include "schema/base/text.hpp"
#include "schema/encoding/code_points.hpp"

#include <algorithm>

namespace whence::queries::cypher::functions {
namespace {

/// The texts of the first `count` arguments; none after a failure or where one is null.
std::optional<std::vector<std::string>> texts_of(FunctionCall const& call, std::size_t count) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) {
    auto const& value = call.arguments[i];
    if (value.is_null()) return std::nullopt;
    auto const* text = value.find_text();
    if (text == nullptr) {
      wrong_argument(call, value);
      return std::nullopt;
    }
    texts.push_back(*text);
  }
  return texts;
}

/// A length or a place among the arguments, not negative.
std::optional<std::size_t> count_of(FunctionCall const& call, std::size_t index) {
  auto const& value = call.arguments[index];
  if (value.is_null()) return std::nullopt;
  auto const* number = value.find_integer();
  if (number == nullptr) {
    wrong_argument(call, value);
    return std::nullopt;
  }
  if (*number < 0) {
    call.state.fail(ErrorKind::argument_error, "NumberOutOfRange",
                    std::string{call.name} + "() takes no negative number", call.place);
    return std::nullopt;
  }
  return static_cast<std::size_t>(*number);
}

/// Every letter in its other case. `text` is well-formed UTF-8.
std::string with_case(std::string_view text, bool is_upper) {
  std::string made;
  made.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    auto const first = static_cast<unsigned char>(text[at]);
    std::size_t const bytes = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    char32_t character = bytes == 1 ? first : first & (0x7FU >> bytes);
    for (std::size_t i = 1; i < bytes && at + i < text.size(); ++i) {
      character = character << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
    }
    schema::append_code_point(made, other_case(character, is_upper));
    at += bytes;
  }
  return made;
}

}  // namespace

Value to_lower(FunctionCall const& call) {
  auto texts = texts_of(call, 1);
  return texts ? Value{with_case((*texts)[0], false)} : Value{};
}

Value to_upper(FunctionCall const& call) {
  auto texts = texts_of(call, 1);
  return texts ? Value{with_case((*texts)[0], true)} : Value{};
}

Value trim(FunctionCall const& call) {
  auto const texts = texts_of(call, 1);
  if (!texts) return {};
  std::string_view text = (*texts)[0];
  constexpr std::string_view blanks = " \t\n\r\f\v";
  if (call.name != "rTrim") {
    auto const begin = text.find_first_not_of(blanks);
    text = begin == std::string_view::npos ? std::string_view{} : text.substr(begin);
  }
  if (call.name != "lTrim") text = text.substr(0, text.find_last_not_of(blanks) + 1);
  return std::string{text};
}

Value replace(FunctionCall const& call) {
  auto const texts = texts_of(call, 3);
  if (!texts) return {};
  auto const& text = (*texts)[0];
  auto const& search = (*texts)[1];
  if (search.empty()) return text;
  std::string made;
  HeldValues held{call.state};
  std::size_t at = 0;
  for (auto found = find_in(text, search); found != std::string::npos; found = find_in(text, search, at)) {
    made.append(text, at, found - at);
    made += (*texts)[2];
    if (!held.add(found - at + search.size() + (*texts)[2].size())) return {};
    at = found + search.size();
    if (made.size() > (64u << 20))
      return call.state.fail(ErrorKind::limit_exceeded, "bytes", "replace() makes at most 64 MiB", call.place);
  }
  return made + text.substr(at);
}

Value split(FunctionCall const& call) {
  auto const texts = texts_of(call, 2);
  if (!texts) return {};
  auto const& text = (*texts)[0];
  auto const& separator = (*texts)[1];
  List parts;
  HeldValues held{call.state};
  // A short text takes more than its bytes: the object and what counts its owners.
  auto const add = [&](std::size_t begin, std::size_t size) {
    parts.emplace_back(text.substr(begin, size));
    return held.add(bytes_of(parts.back()) + 48);
  };
  std::size_t at = 0;
  while (separator.empty() && at < text.size()) {
    auto const end = at + schema::start_of_code_point(std::string_view{text}.substr(at), 1);
    if (!add(at, end - at)) return {};
    at = end;
  }
  if (separator.empty()) return parts;
  for (auto found = find_in(text, separator); found != std::string::npos; found = find_in(text, separator, at)) {
    if (!add(at, found - at)) return {};
    at = found + separator.size();
  }
  parts.emplace_back(text.substr(at));
  return parts;
}

Value substring(FunctionCall const& call) {
  auto const texts = texts_of(call, 1);
  if (!texts) return {};
  auto const start = count_of(call, 1);
  if (!start) return {};
  auto const rest = (*texts)[0].substr(schema::start_of_code_point((*texts)[0], *start));
  if (call.arguments.size() == 2) return rest;
  auto const count = count_of(call, 2);
  if (!count) return {};
  return rest.substr(0, schema::start_of_code_point(rest, *count));
}

Value left(FunctionCall const& call) {
  auto const texts = texts_of(call, 1);
  if (!texts) return {};
  auto const count = count_of(call, 1);
  if (!count) return {};
  return (*texts)[0].substr(0, schema::start_of_code_point((*texts)[0], *count));
}

Value right(FunctionCall const& call) {
  auto const texts = texts_of(call, 1);
  if (!texts) return {};
  auto const count = count_of(call, 1);
  if (!count) return {};
  auto const all = schema::code_points((*texts)[0]);
  return (*texts)[0].substr(schema::start_of_code_point((*texts)[0], all - std::min(all, *count)));
}

}  // namespace whence::queries::cypher::functions
