// Messages become one text, in which several have their roles before them, and the same messages from two places become
// one list. What role a message without one has depends on those before: after a call of a tool it is that tool's
// (`settle_roles`).

#include "net/capture/messages/joined.hpp"

#include "net/capture/messages/json_text.hpp"
#include "net/capture/messages/tool_calls.hpp"
#include "schema/base/text.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace whence::net::capture {

Rendered rendered(std::vector<Message> const& messages) {
  Rendered result;
  std::size_t at = 0;  // code points so far
  for (auto const& message : messages) {
    if (message.text.empty() && message.results.empty()) continue;
    if (messages.size() > 1) {
      auto const head = (result.text.empty() ? std::string{} : std::string{"\n\n"}) + message.role + ": ";
      result.text += head;
      at += schema::code_points(head);
    }
    auto const end = at + schema::code_points(message.text);
    result.text += message.text;
    result.parts.push_back({message.role, at, end});
    at = end;
    for (auto& part : parts_of(message)) {
      if (is_of_user(part)) result.question = std::move(part.text);
    }
  }
  return result;
}

std::string joined(std::vector<Message> const& messages) {
  return rendered(messages).text;
}

std::vector<Message> merged(std::vector<Message> const& own, std::vector<Message> const& more) {
  std::vector<Message> all;
  std::unordered_map<std::string_view, std::vector<std::size_t>> places;  // of the texts of `own`
  for (std::size_t i = 0; i < own.size(); ++i) places[own[i].text].push_back(i);
  std::size_t next = 0;  // of `own`
  auto const find_from = [&](std::size_t from, Message const& wanted) {
    auto const known = places.find(wanted.text);
    if (known == places.end()) return own.size();
    auto const at = std::ranges::lower_bound(known->second, from);
    return at == known->second.end() ? own.size() : *at;
  };
  for (; next < own.size() && is_instruction(own[next]); ++next) all.push_back(own[next]);
  for (auto const& each : more) {
    auto const known = is_instruction(each) ? places.find(each.text) : places.end();
    if (known != places.end() && is_instruction(own[known->second.front()])) continue;
    auto const found = find_from(next, each);
    if (found == own.size()) {
      all.push_back(each);
      continue;
    }
    for (; next <= found; ++next) all.push_back(own[next]);
  }
  for (; next < own.size(); ++next) all.push_back(own[next]);
  return all;
}

std::vector<Message> joined_answers(std::vector<Message> own, std::vector<Message> more) {
  if (own.empty()) return more;
  auto const of_calls = [](Message const& each) { return each.text.empty() || are_calls(each.text); };
  bool const are_own = std::ranges::all_of(own, of_calls);
  if (more.empty() || are_own == std::ranges::all_of(more, of_calls)) return own;
  if (are_own) std::swap(own, more);
  for (auto& each : more) own.push_back(std::move(each));
  return own;
}

namespace {

std::vector<ToolCall> calls_in_text(std::string_view text) {
  constexpr std::string_view between = "\n\n";
  std::vector<ToolCall> all;
  for (std::size_t at = 0; at < text.size();) {
    auto const end = std::min(text.find(between, at), text.size());
    for (auto& call : calls_of(text.substr(at, end - at))) all.push_back(std::move(call));
    at = end + between.size();
  }
  return all;
}

/// A message in the role of a tool that the model called before is what that gave: Langfuse writes LangChain's so.
void name_results(std::vector<Message>& messages) {
  std::set<std::string> called;
  for (auto& message : messages) {
    if (called.contains(message.role)) message.role = "tool";
    if (!is_one_of(message.role, {"assistant", "model"})) continue;
    for (auto const& call : calls_in_text(message.text)) {
      if (!call.name.empty()) called.insert(call.name);
    }
    for (auto const* const role : {"user", "system", "developer", "assistant", "model"}) called.erase(role);
  }
}

}  // namespace

void settle_roles(std::vector<Message>& messages, std::size_t first, std::string_view otherwise) {
  std::size_t waiting = 0;  // calls without a result
  for (auto i = first; i < messages.size(); ++i) {
    auto& each = messages[i];
    if (each.role.empty()) each.role = waiting > 0 || !each.results.empty() ? "tool" : otherwise;
    if (is_one_of(each.role, {"assistant", "model", "ai"})) {
      bool const goes_on = i > first && is_one_of(messages[i - 1].role, {"assistant", "model", "ai"});
      waiting = (goes_on ? waiting : 0) + calls_in_text(each.text).size();
    } else if (is_one_of(each.role, {"user", "human", "system", "developer"}) && each.results.empty()) {
      waiting = 0;
    } else {  // also in the role of a tool's name
      waiting -= std::min(waiting, std::max<std::size_t>(1, each.results.size()));
    }
  }
}

std::vector<Message> in_turns(std::vector<Message> messages) {
  name_results(messages);
  std::vector<Message> turns;
  for (auto& each : messages) {
    bool const is_of_model = is_one_of(each.role, {"assistant", "model"}) && each.results.empty();
    bool const goes_on = is_of_model && !turns.empty() && turns.back().role == each.role &&
                         turns.back().results.empty() && are_calls(each.text);
    if (!goes_on) {
      turns.push_back(std::move(each));
      continue;
    }
    append_paragraph(turns.back().text, each.text);
    append_paragraph(turns.back().reasoning, each.reasoning);
  }
  return turns;
}

std::string joined_answer(std::vector<Message> const& messages) {
  std::string text;
  for (auto const& each : messages) {
    if (each.text.empty()) continue;
    bool const is_of_other = messages.size() > 1 && !is_one_of(each.role, {"assistant", "model"});
    append_paragraph(text, is_of_other ? each.role + ": " + each.text : each.text);
  }
  return text;
}

std::string joined_reasoning(std::vector<Message> const& messages) {
  std::string text;
  for (auto const& message : messages) append_paragraph(text, message.reasoning);
  return text;
}

}  // namespace whence::net::capture
