// Looks through texts by the longest word, and then for the others.

#include "net/mcp/search_tool.hpp"

#include "net/plain_text/cell.hpp"
#include "schema/base/text.hpp"
#include "schema/records/record_type.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace whence::net::mcp {
namespace {

namespace json = boost::json;

/// The texts in which `search` looks, those of answers first.
struct SearchedText {
  std::string_view type;
  std::string_view member;
};
constexpr SearchedText searched_texts[] = {{"Response", "content"},
                                           {"Answer", "answer"},
                                           {"Query", "question"},
                                           {"ContextUnit", "summary"},
                                           {"ContextUnit", "content"},
                                           {"ContextUnit", "source"},
                                           {"RetrievedChunk", "content"},
                                           {"Document", "id"},
                                           {"Document", "title"},
                                           {"Response", "prompt"},
                                           {"Message", "text"},
                                           {"Summary", "content"},
                                           {"Subject", "name"},
                                           {"Keyword", "id"},
                                           {"Topic", "name"},
                                           {"SummaryEntry", "summary"},
                                           {"FeedbackRecord", "feedback_text"},
                                           {"Response", "id"},
                                           {"ContextUnit", "id"},
                                           {"RetrievedChunk", "id"},
                                           {"Query", "id"},
                                           {"SystemPromptTemplate", "id"}};

/// How long one text of one type is looked through.
constexpr std::int64_t search_ms_max = 3'000;

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

std::vector<std::string> words_of(std::string const& text) {
  std::vector<std::string> words;
  std::string word;
  for (char const c : lower(text) + ' ') {
    if (c != ' ' && c != '\t' && c != '\n') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, {}));
    }
  }
  return words;
}

/// The surroundings of the first of `words` in `text`.
std::string snippet(std::string const& text, std::string const& word) {
  auto const at = lower(text).find(word);
  auto begin = at == std::string::npos || at < 60 ? 0 : at - 60;
  while (begin > 0 && begin < text.size() && (static_cast<unsigned char>(text[begin]) & 0xC0U) == 0x80U) ++begin;
  return (begin > 0 ? "..." : "") + std::string(schema::cut(std::string_view(text).substr(begin), label_bytes_max));
}

/// What of the texts of one type and member has all words.
class Search {
 public:
  Search(Call const& call, json::object const& arguments) : call_(call), arguments_(arguments) {
    words_ = words_of(plain_text::cell(arguments, "text"));
  }

  Result<ToolAnswer> run(std::size_t limit) {
    if (words_.empty()) return Error{.code = Errc::invalid_params, .message = "/text: has no word"};
    for (auto const& type : items_of(arguments_, "types")) {
      std::string_view const name{type.as_string()};
      if (!schema::find_record_type(name))
        return Error{.code = Errc::invalid_params, .message = "/types: there is no type " + std::string(name)};
    }
    for (auto const& place : searched_texts) {
      if (!is_wanted(place.type) || found_.size() > limit) continue;
      if (auto const looked = look_at(place, limit); !looked) return looked.error();
    }
    is_cut_ = is_cut_ || found_.size() > limit;
    if (found_.size() > limit) found_.resize(limit);
    ToolAnswer made;
    for (auto const& each : found_) {
      auto const& hit = each.as_object();
      made.text += plain_text::cell(hit, "ref") + "  " + plain_text::cell(hit, "member") + ": " +
                   plain_text::cell(hit, "snippet") + "\n";
    }
    if (found_.empty()) made.text = "Nothing has these words.\n";
    if (is_cut_) made.text += "\nThere may be more: give types, more words or a higher limit.\n";
    made.data = {{"nodes", std::move(found_)}, {"complete", !is_cut_}};
    return made;
  }

 private:
  [[nodiscard]] bool is_wanted(std::string_view type) const {
    auto const& types = items_of(arguments_, "types");
    return types.empty() ||
           std::ranges::any_of(types, [&](json::value const& each) { return each.as_string() == type; });
  }

  Result<void> look_at(SearchedText const& place, std::size_t limit) {
    auto const longest = std::ranges::max_element(words_, {}, &std::string::size);
    json::object params{{"type", place.type},
                        {"where", {{place.member, {{"contains", *longest}}}}},
                        {"include", json::array{"record"}},
                        {"timeout_ms", search_ms_max},
                        {"limit", 200}};
    add_moment(params, arguments_);
    while (found_.size() <= limit) {
      auto const answer = ask(call_, "node.find", params);
      if (!answer) return answer.error();
      for (auto const& node : items_of(*answer, "nodes")) take(node.as_object(), place.member);
      auto const cursor = plain_text::cell(*answer, "cursor");
      if (cursor.empty() || plain_text::cell(*answer, "reason") != "limit") {
        is_cut_ = is_cut_ || !answer->at("complete").as_bool();
        break;
      }
      params = {{"cursor", cursor}, {"limit", 200}};
    }
    return {};
  }

  void take(json::object const& node, std::string_view member) {
    auto const* const record = node.if_contains("record");
    auto const text = member == "id" || record == nullptr ? plain_text::cell(node, "id")
                                                          : plain_text::cell(record->as_object(), member);
    auto const lowered = lower(text);
    if (!std::ranges::all_of(words_, [&](std::string const& word) { return lowered.find(word) != std::string::npos; }))
      return;
    auto const ref = plain_text::cell(node, "ref");
    auto const is_known = std::ranges::any_of(
        found_, [&](json::value const& hit) { return plain_text::cell(hit.as_object(), "ref") == ref; });
    if (is_known) return;
    found_.push_back(json::object{{"ref", ref},
                                  {"type", plain_text::cell(node, "type")},
                                  {"member", member},
                                  {"snippet", snippet(text, words_.front())}});
  }

  Call const& call_;
  json::object const& arguments_;
  std::vector<std::string> words_;
  json::array found_;
  bool is_cut_ = false;
};

}  // namespace

ToolAnswer search(Call const& call, json::object const& arguments) {
  return fitted(arguments, 20,
                [&](std::int64_t limit) { return Search(call, arguments).run(static_cast<std::size_t>(limit)); });
}

}  // namespace whence::net::mcp
