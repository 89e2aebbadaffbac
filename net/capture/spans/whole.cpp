// Numbered messages are matched with those of the request in the order of both. One of the request that says all of its
// match and more replaces it, and what the request has between matches is added. Matching is bounded: behind its end
// all stays as it was.

#include "net/capture/spans/whole.hpp"

#include "net/capture/messages/joined.hpp"
#include "net/capture/messages/json_text.hpp"
#include "net/capture/messages/tool_calls.hpp"
#include "schema/base/text.hpp"
#include "schema/json/json.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace whence::net::capture {

namespace {

/// What messages say, as it is compared: conventions write calls of tools each in its own way.
class Said {
 public:
  explicit Said(Message const& message) { add(message); }
  explicit Said(std::vector<Message> const& messages) {
    for (auto const& each : messages) add(each);
  }

  /// Whether this says all that the other says: its texts in their order, its calls by their ids or else by name and
  /// arguments, its results. `has_items`: an id may also be that of an item that is no call for others. What models
  /// reasoned is compared where both say it. Time linear in both.
  [[nodiscard]] bool says_all_of(Said const& other, bool has_items = false) const {
    bool const is_thought = thoughts_.empty() || has_in_order(thoughts_, other.thoughts_);
    std::size_t looked_for = 0;
    auto const is_named = [&](std::string const& id) {
      constexpr std::size_t looked_for_max = 16;
      constexpr std::size_t id_max = 256;
      if (!has_items || id.empty() || id.size() > id_max || ++looked_for > looked_for_max) return false;
      auto const quoted = '"' + id + '"';
      return std::ranges::any_of(texts_, [&](auto text) { return text.find(quoted) != std::string_view::npos; });
    };
    auto const has_call = [&](Call const& call) {
      return call.id.empty() ? made_.contains(call.made) : ids_.contains(call.id) || is_named(call.id);
    };
    auto const has_result = [&](std::string const& id) { return id.empty() || answered_.contains(id) || is_named(id); };
    return is_thought && has_in_order(texts_, other.texts_) && std::ranges::all_of(other.calls_, has_call) &&
           std::ranges::all_of(other.answered_, has_result);
  }

  [[nodiscard]] std::size_t paragraphs() const { return texts_.size() + calls_.size(); }
  [[nodiscard]] bool has_text() const { return !texts_.empty() || !calls_.empty(); }

  /// Leaves out what a tool gave by the id of its call: a response has it within the item of that call.
  void leave_out_results(std::vector<Message> const& messages) {
    std::set<std::string_view> given;
    for (auto const& each : messages) {
      for (auto const& result : each.results) {
        if (result.id.empty()) continue;
        for (auto const part : paragraphs_of(result.text)) given.insert(part);
      }
    }
    std::erase_if(texts_, [&](std::string_view text) { return given.contains(text); });
  }

 private:
  struct Call {
    std::string id = {};
    std::string made = {};  ///< its name and arguments
  };

  static bool has_in_order(std::vector<std::string_view> const& all, std::vector<std::string_view> const& some) {
    auto at = all.begin();
    return std::ranges::all_of(some, [&](std::string_view each) {
      at = std::find(at, all.end(), each);
      if (at == all.end()) return false;
      ++at;
      return true;
    });
  }

  static std::vector<std::string_view> paragraphs_of(std::string_view text) {
    constexpr std::string_view between = "\n\n";
    std::vector<std::string_view> found;
    for (std::size_t at = 0; at < text.size();) {
      auto const end = std::min(text.find(between, at), text.size());
      auto const part = schema::trim_white_space(text.substr(at, end - at));
      if (!part.empty()) found.push_back(part);
      at = end + between.size();
    }
    return found;
  }

  void add(Message const& message) {
    for (auto const part : paragraphs_of(message.text)) {
      auto const calls = message.results.empty() ? calls_of(part) : std::vector<ToolCall>{};
      if (calls.empty()) texts_.push_back(part);
      for (auto const& call : calls) {
        auto made = call.name + " " + schema::json::to_canonical_text(boost::json::value(call.arguments));
        made_.insert(made);
        ids_.insert(call.id);
        calls_.push_back({call.id, std::move(made)});
      }
    }
    for (auto const part : paragraphs_of(message.reasoning)) thoughts_.push_back(part);
    for (auto const& result : message.results) answered_.insert(result.id);
  }

  std::vector<std::string_view> texts_;  // of the messages, which outlive this
  std::vector<std::string_view> thoughts_;
  std::vector<Call> calls_;
  std::set<std::string> made_;
  std::set<std::string> ids_;
  std::set<std::string> answered_;
};

/// Whether an attribute is a numbered one of the meaning.
template <Meaning meaning>
bool is_numbered(std::string_view name) {
  return std::ranges::any_of(mapping_rows(), [&](MappingRow const& row) {
    bool const is_meant = row.meaning == meaning && row.is_family;
    return is_meant && name.starts_with(row.name) && name.substr(row.name.size()).starts_with('.');
  });
}

/// The messages of a value that is JSON of them, beside numbered ones; none where it is a text, or anything else.
std::vector<Message> beside_numbered(Attributes const& attributes, Meaning meaning, std::string_view role,
                                     bool (*is_numbered)(std::string_view)) {
  auto const* const held = attributes.peek_first(meaning);
  auto const* const text = held == nullptr ? nullptr : held->if_string();
  bool const may_be_some = text != nullptr && (text->starts_with('{') || text->starts_with('['));
  if (!may_be_some || attributes.first_name(is_numbered).empty()) return {};
  auto found = attributes.peek_messages_of_first(meaning, role);
  bool const is_text = found.size() == 1 && found.front().text == std::string_view(*text);
  return is_text ? std::vector<Message>{} : found;
}

/// The role by which a message is compared with one that another place says.
std::string_view kind_of_role(Message const& message) {
  if (is_one_of(message.role, {"assistant", "model", "ai"})) return "assistant";
  if (is_one_of(message.role, {"system", "developer"})) return "system";
  if (is_one_of(message.role, {"user", "human"})) return message.results.empty() ? "user" : "tool";
  return "tool";  // also by the name of one
}

std::vector<Said> all_said(std::vector<Message> const& messages) {
  std::vector<Said> all;
  all.reserve(messages.size());
  for (auto const& each : messages) all.emplace_back(each);
  return all;
}

/// A numbered message, and the one of the request that says all of it.
struct Pair {
  std::size_t numbered = 0;
  std::size_t whole = 0;
  bool says_more = false;  ///< that of the request
};

/// Those that are in both, in the order that both have.
std::vector<Pair> pairs_of(std::vector<Message> const& numbered, std::vector<Message> const& whole) {
  constexpr std::size_t ahead_max = 64;             // messages of the request that are looked at for one
  constexpr std::size_t looked_at_max = 1'000'000;  // paragraphs of all; behind them all stay as they were
  std::size_t looked_at = 0;
  auto const all = all_said(whole);
  std::vector<Pair> pairs;
  std::size_t next = 0;
  for (std::size_t i = 0; i < numbered.size(); ++i) {
    Said const said(numbered[i]);
    auto const is_same = [&](std::size_t at) {
      looked_at += all[at].paragraphs();
      return kind_of_role(whole[at]) == kind_of_role(numbered[i]) && all[at].says_all_of(said);
    };
    auto const end = said.has_text() ? std::min(whole.size(), next + ahead_max) : next;
    auto at = next;
    while (at < end && !is_same(at)) ++at;
    if (looked_at > looked_at_max) break;
    if (at == end) continue;
    pairs.push_back({i, at, !said.says_all_of(all[at])});
    next = at + 1;
  }
  return pairs;
}

/// What a request has between two messages that are in both: all of it where nothing numbered is there, else, since
/// that may be the same in another form, its instructions where none are.
void add_between(std::vector<Message>& from, std::size_t begin, std::size_t end, bool has_numbered, bool is_instructed,
                 std::vector<Message>& to) {
  for (; begin < end; ++begin) {
    bool const is_new = !has_numbered || (!is_instructed && is_instruction(from[begin]));
    if (is_new) to.push_back(std::move(from[begin]));
  }
}

}  // namespace

bool complete_prompt(Attributes const& attributes, std::vector<Message>& numbered) {
  if (numbered.empty()) return false;
  auto items = beside_numbered(attributes, Meaning::prompt, "user", is_numbered<Meaning::input_messages>);
  if (items.empty()) return false;
  // Items of one turn of the model are a message each in a request; of numbered messages they are one, or each is one.
  auto whole = in_turns(items);
  auto pairs = pairs_of(numbered, whole);
  if (auto of_items = pairs_of(numbered, items); of_items.size() > pairs.size()) {
    whole = std::move(items);
    pairs = std::move(of_items);
  }
  if (pairs.empty()) return false;
  bool const is_same = whole.size() == pairs.size() && std::ranges::none_of(pairs, &Pair::says_more);
  if (is_same) return false;
  bool const is_instructed = std::ranges::any_of(numbered, is_instruction);
  std::vector<Message> all;
  std::size_t next_numbered = 0;
  std::size_t next = 0;
  auto const add_before = [&](std::size_t numbered_end, std::size_t end) {
    add_between(whole, next, end, next_numbered < numbered_end, is_instructed, all);
    for (; next_numbered < numbered_end; ++next_numbered) all.push_back(std::move(numbered[next_numbered]));
  };
  for (auto const& pair : pairs) {
    add_before(pair.numbered, pair.whole);
    auto& message = pair.says_more ? whole[pair.whole] : numbered[pair.numbered];
    if (pair.says_more && message.reasoning.empty()) message.reasoning = std::move(numbered[pair.numbered].reasoning);
    all.push_back(std::move(message));
    next_numbered = pair.numbered + 1;
    next = pair.whole + 1;
  }
  add_before(numbered.size(), whole.size());
  numbered = std::move(all);
  return true;
}

void complete_answer(Attributes const& attributes, std::vector<Message>& numbered) {
  if (numbered.empty()) return;
  auto whole = beside_numbered(attributes, Meaning::answer, "assistant", is_numbered<Meaning::output_messages>);
  if (whole.empty()) return;
  Said of_numbers(numbered);
  of_numbers.leave_out_results(numbered);
  Said const of_response(whole);
  bool const says_more = of_response.says_all_of(of_numbers, true) && !of_numbers.says_all_of(of_response);
  if (!says_more) return;
  bool const is_thought = std::ranges::any_of(whole, [](auto const& each) { return !each.reasoning.empty(); });
  for (auto const& each : numbered) {
    if (!is_thought && !each.reasoning.empty()) whole.push_back({.role = each.role, .reasoning = each.reasoning});
  }
  numbered = std::move(whole);
}

}  // namespace whence::net::capture
