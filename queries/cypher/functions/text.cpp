// Functions of texts. Places and lengths count characters (code points).
#include "queries/cypher/values/text.hpp"

#include "queries/cypher/functions/families.hpp"
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

/// Maps A to Z, and the letters of Latin-1, Greek and Cyrillic whose two cases lie at one distance.
std::string with_case(std::string text, bool is_upper) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto const c = static_cast<unsigned char>(text[i]);
    if (c < 0x80) {
      if (is_upper && c >= 'a' && c <= 'z') text[i] = static_cast<char>(c - 32);
      if (!is_upper && c >= 'A' && c <= 'Z') text[i] = static_cast<char>(c + 32);
    } else if ((c & 0xE0) == 0xC0 && i + 1 < text.size()) {
      auto const code = static_cast<unsigned>((c & 0x1F) << 6 | (static_cast<unsigned char>(text[i + 1]) & 0x3F));
      unsigned made = code;
      if (is_upper) {
        if ((code >= 0xE0 && code <= 0xFE && code != 0xF7) || (code >= 0x3B1 && code <= 0x3C9 && code != 0x3C2) ||
            (code >= 0x430 && code <= 0x44F))
          made = code - 32;
        if (code >= 0x450 && code <= 0x45F) made = code - 80;
      } else {
        if ((code >= 0xC0 && code <= 0xDE && code != 0xD7) || (code >= 0x391 && code <= 0x3A9) ||
            (code >= 0x410 && code <= 0x42F))
          made = code + 32;
        if (code >= 0x400 && code <= 0x40F) made = code + 80;
      }
      text[i] = static_cast<char>(static_cast<unsigned char>(0xC0 | made >> 6));
      text[i + 1] = static_cast<char>(static_cast<unsigned char>(0x80 | (made & 0x3F)));
      ++i;
    }
  }
  return text;
}

}  // namespace

Value to_lower(FunctionCall const& call) {
  auto texts = texts_of(call, 1);
  return texts ? Value{with_case(std::move((*texts)[0]), false)} : Value{};
}

Value to_upper(FunctionCall const& call) {
  auto texts = texts_of(call, 1);
  return texts ? Value{with_case(std::move((*texts)[0]), true)} : Value{};
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
