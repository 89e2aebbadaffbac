// Conventions say the messages of a call as attributes, as JSON of the request and the response, and as events, some in
// several of these at once. They are joined so that each is there once, and what events say beside them is returned.

#include "net/capture/spans/call.hpp"

#include "net/capture/messages/joined.hpp"
#include "net/capture/messages/json_text.hpp"
#include "net/capture/messages/media.hpp"
#include "net/capture/messages/tool_calls.hpp"
#include "net/capture/messages/unread_members.hpp"
#include "net/capture/spans/events.hpp"
#include "net/capture/spans/joining.hpp"
#include "net/capture/spans/mapping.hpp"
#include "net/capture/spans/whole.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>

namespace whence::net::capture {

namespace {

namespace json = boost::json;

/// What events say beside their messages, by the event's name and its number among those of it. What the span says too
/// is left out.
class EventRests {
 public:
  explicit EventRests(Attributes const& of_span) : of_span_(of_span) {}

  void add(std::string_view event, json::object const& rest) {
    auto const number = counts_[event]++;
    for (auto const& pair : rest) {
      auto const name = std::string_view(pair.key());
      auto const* const of_span = of_span_.peek(name);
      bool const is_said = (of_span != nullptr && *of_span == pair.value()) || name == "event.name" || is_message(name);
      if (is_said) continue;
      auto& of_event = rests_[event];
      if (!of_event.is_object()) of_event = json::object{};
      auto& at = of_event.get_object()[std::to_string(number)];
      if (!at.is_object()) at = json::object{};
      at.get_object().insert_or_assign(name, pair.value());
    }
  }
  [[nodiscard]] json::object take() { return std::move(rests_); }

 private:
  /// Whether an attribute has the message itself, in older events.
  static bool is_message(std::string_view name) {
    return std::ranges::any_of(mapping_rows(), [&](MappingRow const& row) {
      bool const is_text = row.meaning == Meaning::prompt || row.meaning == Meaning::answer ||
                           row.meaning == Meaning::input_messages || row.meaning == Meaning::output_messages;
      return is_text && row.name == name;
    });
  }

  Attributes const& of_span_;
  std::map<std::string_view, std::size_t> counts_;
  json::object rests_;
};

/// The messages of the request itself, where a span has it beside its messages and these lack instructions or a tool's
/// result that it has: those of Anthropic's, which stand apart or are several of one message. Else none.
std::vector<Message> whole_request(Attributes const& attributes, std::vector<Message> const& messages) {
  auto const* const held = messages.empty() ? nullptr : attributes.peek_first(Meaning::prompt);
  auto const* const text = held == nullptr ? nullptr : held->if_string();
  if (text == nullptr) return {};
  std::string_view const request(*text);
  bool const may_say_more = request.find(R"("system":)") != std::string_view::npos ||
                            request.find(R"("tool_result")") != std::string_view::npos;
  if (!may_say_more) return {};
  auto const results = [](std::vector<Message> const& all) {
    std::size_t count = 0;
    for (auto const& each : all) count += each.results.size();
    return count;
  };
  auto whole = attributes.peek_messages_of_first(Meaning::prompt, "user");
  bool const has_more = std::ranges::any_of(whole, is_instruction) && std::ranges::none_of(messages, is_instruction);
  return has_more || results(whole) > results(messages) ? std::move(whole) : std::vector<Message>{};
}

/// What the model was given, and how much of it instructed it.
void read_input(Attributes& attributes, CapturedSpan& out) {
  out.input = attributes.messages(Meaning::instructions, "system");
  out.instructions = out.input.size();
  std::unordered_set<std::string_view> instructed;  // by text, which is compared with all the rest
  std::vector<Message> const instructions(out.input);
  for (auto const& each : instructions) instructed.insert(each.text);
  for (auto& each : attributes.messages(Meaning::input_messages, "user")) {
    bool const is_known = instructed.contains(each.text) && std::ranges::find(instructions, each) != instructions.end();
    if (!is_known) out.input.push_back(std::move(each));
  }
  if (complete_prompt(attributes, out.input)) out.instructions = 0;
  if (auto whole = whole_request(attributes, out.input); !whole.empty()) {
    out.input = std::move(whole);
    out.instructions = 0;
  }
}

using Choices = std::vector<std::pair<std::uint32_t, Message>>;  ///< answers by their numbers

std::vector<Message> in_order(Choices choices) {
  std::ranges::stable_sort(choices, {}, [](auto const& each) { return each.first; });
  std::vector<Message> answered;
  answered.reserve(choices.size());
  for (auto& [index, each] : choices) answered.push_back(std::move(each));
  return answered;
}

}  // namespace

AttributeMap read_call(Span const& span, Attributes& attributes, CapturedSpan& out) {
  read_input(attributes, out);
  auto output = attributes.messages(Meaning::output_messages, "assistant");
  complete_answer(attributes, output);
  std::vector<Message> said;
  Choices choices;
  Joining joined_input(out.input);
  Joining joined_output(output);
  EventRests rests(attributes);
  for (auto const& event : span.events) {
    if (event.name == details_event)
      rests.add(details_event, read_details(event.attributes, joined_input, joined_output));
    auto const* const row = find_event(event.name);
    if (row == nullptr) continue;
    if (auto const left = left_of(json::value(event.attributes)); left.is_object())
      rests.add(row->name, left.get_object());
    for (auto& each : said_by(*row, {}, event.attributes)) {
      if (row->is_output) {
        choices.emplace_back(index_in({}, event.attributes).value_or(0), std::move(each));
      } else {
        said.push_back(std::move(each));
      }
    }
  }
  auto answered = in_order(std::move(choices));
  if (out.input.size() == out.instructions) {
    for (auto& each : said) out.input.push_back(std::move(each));
  }
  if (out.input.size() == out.instructions) {
    Joining(out.input).add(attributes.messages_of_first(Meaning::prompt, "user"));
  }
  out.input = in_turns(std::move(out.input));
  out.prompt = joined(out.input);
  bool const is_in_one = output.empty() && !std::ranges::all_of(answered, [](Message const& each) {
                           return each.text.empty() || are_calls(each.text);
                         });
  if (output.empty() && !is_in_one) output = attributes.messages_of_first(Meaning::answer, "assistant");
  output = joined_answers(std::move(output), std::move(answered));
  if (auto const* const calls = attributes.first(Meaning::answer_calls)) {
    output.push_back({.role = "assistant", .text = without_bytes(text_of(*calls))});
  }
  for (auto& each : attributes.messages(Meaning::answer_files, "assistant")) output.push_back(std::move(each));
  out.reasoning = joined_reasoning(output);
  if (auto const* const reasoning = attributes.first(Meaning::reasoning)) {
    if (out.reasoning.empty()) out.reasoning = text_of(*reasoning);
  }
  out.answer = joined_answer(output);
  return rests.take();
}

CapturedSpan as_call(CapturedSpan agent) {
  auto const all = std::move(agent.rest);
  Attributes attributes(all);
  agent.kind = Kind::call;
  (void)read_call({}, attributes, agent);
  agent.rest = attributes.rest();
  return agent;
}

}  // namespace whence::net::capture
