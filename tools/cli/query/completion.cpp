// Finds the word before the cursor, what it is part of, and the names that begin with it.

#include "tools/cli/query/completion.hpp"

#include "schema/base/text.hpp"
#include "schema/encoding/ascii.hpp"
#include "tools/cli/query/statement.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

namespace whence::tools {
namespace {

constexpr auto prompt_commands =
    std::to_array<std::string_view>({":clear", ":exit", ":help", ":history", ":param", ":quit", ":run"});

constexpr auto language_words = std::to_array<std::string_view>({
    "ALL",          "AND",
    "ANY",          "AS",
    "ASC",          "ASCENDING",
    "AT TIME",      "AT TX",
    "BY",           "CALL",
    "CASE",         "CONTAINS",
    "COUNT {",      "DESC",
    "DESCENDING",   "DISTINCT",
    "ELSE",         "END",
    "ENDS WITH",    "EXISTS {",
    "EXPLAIN",      "FALSE",
    "IN",           "INFLUENCES",
    "IS NOT NULL",  "IS NULL",
    "LIMIT",        "MATCH",
    "NONE",         "NOT",
    "NULL",         "OPTIONAL MATCH",
    "OR",           "ORDER BY",
    "PROFILE",      "RETURN",
    "SINGLE",       "SKIP",
    "STARTS WITH",  "THEN",
    "TRUE",         "UNION",
    "UNION ALL",    "UNWIND",
    "WHEN",         "WHERE",
    "WITH",         "XOR",
    "YIELD",        "allShortestPaths",
    "shortestPath", "strongestPath",
});

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80) != 0;
}

bool begins_with(std::string_view word, std::string_view typed) {
  return word.size() >= typed.size() && std::equal(typed.begin(), typed.end(), word.begin(),
                                                   [](char a, char b) { return schema::lower(a) == schema::lower(b); });
}

std::size_t word_begin(std::string_view text, std::size_t end, std::string_view also = {}) {
  while (end > 0 && (is_word(text[end - 1]) || also.find(text[end - 1]) != std::string_view::npos)) --end;
  return end;
}

/// Adds those of `names` that begin with `typed`, each once.
template <class Names>
void offer(std::vector<std::string>& words, Names const& names, std::string_view typed) {
  for (auto const& name : names) {
    if (begins_with(name, typed) && std::ranges::find(words, name) == words.end()) words.emplace_back(name);
  }
}

/// The innermost bracket that is open at the end of `text`: its place, or none.
std::size_t open_bracket(std::string_view text) {
  std::vector<std::size_t> open;
  for (std::size_t at = 0; at < text.size(); ++at) {
    char const c = text[at];
    if (c == '\'' || c == '"' || c == '`') {
      at = std::min(text.find(c, at + 1), text.size());
    } else if (c == '(' || c == '[' || c == '{') {
      open.push_back(at);
    } else if ((c == ')' || c == ']' || c == '}') && !open.empty()) {
      open.pop_back();
    }
  }
  return open.empty() ? std::string_view::npos : open.back();
}

/// Whether the bracket at `place` is that of a relation: `-[`.
bool is_relation_bracket(std::string_view text, std::size_t place) {
  if (place == std::string_view::npos || text[place] != '[') return false;
  std::string_view const before = schema::trim_xml(text.substr(0, place));
  return !before.empty() && before.back() == '-';
}

/// The label that the text gives a variable, or nothing; of a relation the empty one.
struct NamedPart {
  bool is_found = false;
  bool is_relation = false;
  std::string label = {};
};

NamedPart label_of(std::string_view text, std::string_view variable) {
  for (std::size_t at = text.find(variable); at != std::string_view::npos; at = text.find(variable, at + 1)) {
    std::size_t const end = at + variable.size();
    bool const is_whole = at > 0 && (text[at - 1] == '(' || text[at - 1] == '[');
    if (!is_whole || end >= text.size() || is_word(text[end])) continue;
    if (text[at - 1] == '[') return {.is_found = true, .is_relation = true};
    if (text[end] != ':') continue;
    std::size_t last = end + 1;
    while (last < text.size() && is_word(text[last])) ++last;
    return {.is_found = true, .label = std::string{text.substr(end + 1, last - end - 1)}};
  }
  return {};
}

std::vector<std::string> properties_of(QueryVocabulary const& vocabulary, NamedPart const& named) {
  if (named.is_relation) return vocabulary.relation_properties;
  if (auto const found = vocabulary.properties.find(named.label); found != vocabulary.properties.end()) {
    return found->second;
  }
  std::set<std::string> all;
  for (auto const& [label, names] : vocabulary.properties) all.insert(names.begin(), names.end());
  if (!named.is_found) all.insert(vocabulary.relation_properties.begin(), vocabulary.relation_properties.end());
  return {all.begin(), all.end()};
}

/// The names that the text gives to nodes, relations and columns.
std::set<std::string> variables_in(std::string_view text) {
  std::set<std::string> found;
  for (std::size_t at = 0; at < text.size(); ++at) {
    bool const is_named = text[at] == '(' || text[at] == '[' || (at >= 4 && begins_with(text.substr(at - 4), " as "));
    std::size_t const begin = text[at] == '(' || text[at] == '[' ? at + 1 : at;
    if (!is_named || begin >= text.size() || !is_word(text[begin]) || (text[begin] >= '0' && text[begin] <= '9'))
      continue;
    std::size_t end = begin;
    while (end < text.size() && is_word(text[end])) ++end;
    bool const is_typed_now = end == text.size();
    if (!is_typed_now && text[end] != '(') found.emplace(text.substr(begin, end - begin));
  }
  return found;
}

/// Whether the end of `text` is within a text, a quoted name or a comment.
bool is_in_quotes(std::string_view text) {
  // The end of a statement is not found in there, wherever it is put.
  return !find_statement_end(std::string{text} + ";");
}

bool ends_with_call(std::string_view text) {
  std::string_view const before = schema::trim_xml(text);
  std::size_t const begin = word_begin(before, before.size());
  std::string_view const word = before.substr(begin);
  return word.size() == 4 && begins_with(word, "call") && before.size() < text.size();
}

/// The property of a pattern's map, `(u:Topic {na`: what the map is of.
NamedPart owner_of_map(std::string_view text, std::size_t brace) {
  std::string_view const before = schema::trim_xml(text.substr(0, brace));
  bool const is_relation = is_relation_bracket(text, open_bracket(text.substr(0, brace)));
  std::size_t const begin = word_begin(before, before.size());
  bool const has_label = begin > 0 && before[begin - 1] == ':';
  return {.is_found = has_label || is_relation,
          .is_relation = is_relation,
          .label = has_label ? std::string{before.substr(begin)} : ""};
}

}  // namespace

QueryOffers offers_of(std::string_view text, QueryVocabulary const& vocabulary,
                      std::vector<std::string> const& values) {
  QueryOffers offers{.begin = text.size()};
  std::string_view const words = schema::trim_xml(text);
  if (words.starts_with(':') && words.find_first_of(" \t\n") == std::string_view::npos) {
    offers.begin = text.size() - words.size();
    offer(offers.words, prompt_commands, words);
    return offers;
  }
  if (is_in_quotes(text)) return offers;
  std::size_t const dotted = word_begin(text, text.size(), ".");
  if (ends_with_call(text.substr(0, dotted))) {
    offers.begin = dotted;
    offer(offers.words, vocabulary.procedures, text.substr(dotted));
    return offers;
  }
  offers.begin = word_begin(text, text.size());
  std::string_view const typed = text.substr(offers.begin);
  std::string_view const before = text.substr(0, offers.begin);
  char const last = before.empty() ? '\0' : before.back();
  std::size_t const bracket = open_bracket(before);
  if (last == '$') {
    offer(offers.words, values, typed);
  } else if (last == '.') {
    std::string_view const owner = before.substr(0, before.size() - 1);
    std::string_view const variable = owner.substr(word_begin(owner, owner.size()));
    offer(offers.words, properties_of(vocabulary, label_of(text, variable)), typed);
  } else if (last == ':' || last == '|' || last == '&') {
    bool const is_map = bracket != std::string_view::npos && text[bracket] == '{';
    if (!is_map) offer(offers.words, is_relation_bracket(text, bracket) ? vocabulary.types : vocabulary.labels, typed);
  } else if (bracket != std::string_view::npos && text[bracket] == '{' && schema::trim_xml(before).ends_with('{')) {
    offer(offers.words, properties_of(vocabulary, owner_of_map(text, bracket)), typed);
  } else {
    offer(offers.words, variables_in(before), typed);
    offer(offers.words, language_words, typed);
    offer(offers.words, vocabulary.functions, typed);
  }
  return offers;
}

std::string common_beginning(std::vector<std::string> const& words) {
  if (words.empty()) return {};
  std::string common = words.front();
  for (auto const& word : words) {
    std::size_t same = 0;
    while (same < std::min(common.size(), word.size()) && schema::lower(common[same]) == schema::lower(word[same]))
      ++same;
    common.resize(same);
  }
  return common;
}

}  // namespace whence::tools
