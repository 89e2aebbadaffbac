// One pass: a tag ends a line, an entity becomes its character, CDATA stays as it is.
#include "schema/search/markup_text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace whence::schema {
namespace {

constexpr std::string_view cdata_begin = "<![CDATA[";
constexpr std::string_view cdata_end = "]]>";
constexpr std::string_view comment_begin = "<!--";
constexpr std::string_view comment_end = "-->";

constexpr auto markup_entities = std::to_array<std::pair<std::string_view, char>>(
    {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}});

/// Where what begins at `from` and ends with `end` is over.
std::size_t end_after(std::string_view xml, std::size_t from, std::string_view end) {
  auto const found = xml.find(end, from);
  return found == std::string_view::npos ? xml.size() : found + end.size();
}

void end_line(std::string& text) {
  if (!text.empty() && text.back() != '\n') text.push_back('\n');
}

/// Takes the markup at `at`, a `<`; returns where it is over.
std::size_t take_markup(std::string_view xml, std::size_t at, std::string& text) {
  auto const rest = xml.substr(at);
  if (rest.starts_with(cdata_begin)) {
    auto const end = end_after(xml, at, cdata_end);
    auto const begin = at + cdata_begin.size();
    auto const is_closed = end - at >= cdata_begin.size() + cdata_end.size() && xml.substr(0, end).ends_with(cdata_end);
    text.append(xml.substr(begin, end - begin - (is_closed ? cdata_end.size() : 0)));
    return end;
  }
  end_line(text);
  return rest.starts_with(comment_begin) ? end_after(xml, at, comment_end) : end_after(xml, at, ">");
}

/// Takes the entity at `at`, a `&`; one that is not known stays as it is written.
std::size_t take_entity(std::string_view xml, std::size_t at, std::string& text) {
  for (auto const& [name, character] : markup_entities) {
    if (!xml.substr(at).starts_with(name)) continue;
    text.push_back(character);
    return at + name.size();
  }
  text.push_back('&');
  return at + 1;
}

}  // namespace

std::string text_of_markup(std::string_view xml) {
  std::string text;
  text.reserve(xml.size());
  std::size_t at = 0;
  while (at < xml.size()) {
    auto const next = std::min(xml.find_first_of("<&", at), xml.size());
    text.append(xml.substr(at, next - at));
    at = next;
    if (at < xml.size()) at = xml[at] == '<' ? take_markup(xml, at, text) : take_entity(xml, at, text);
  }
  return text;
}

}  // namespace whence::schema
