// The name of its event says what a record is: a rating, the details of a call, an exception, a message. Messages of
// one span and one time are numbered as they come, since their times do not order them.

#include "net/capture/spans/log_records.hpp"

#include "net/capture/messages/joined.hpp"
#include "net/capture/messages/json_text.hpp"
#include "net/capture/messages/messages.hpp"
#include "net/capture/spans/attributes.hpp"
#include "net/capture/spans/events.hpp"
#include "net/capture/spans/joining.hpp"
#include "net/capture/spans/mapping.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/array.hpp>

namespace whence::net::capture {

namespace {

namespace json = boost::json;

/// The name of a log record's event: its own, or an attribute of older instrumentations.
std::string event_name(LogRecord const& log) {
  if (!log.event.empty()) return log.event;
  auto const* const held = log.attributes.if_contains("event.name");
  return held != nullptr && held->is_string() ? std::string(held->get_string()) : std::string{};
}

/// The messages of one side of a call, which the record of AWS's distribution has in its body (`input.messages`,
/// `output.messages`); a content may be within an object that says why it ended beside it.
std::vector<Message> side_of(json::value const& body, std::string_view side, std::string_view role) {
  auto const* const object = body.if_object();
  auto const* const within = object == nullptr ? nullptr : object_at(*object, side);
  auto const* const held = within == nullptr ? nullptr : within->if_contains("messages");
  auto const* const list = held == nullptr ? nullptr : held->if_array();
  if (list == nullptr) return {};
  json::array messages(*list);
  for (auto& each : messages) {
    auto* const message = each.if_object();
    auto const* const inner = message == nullptr ? nullptr : object_at(*message, "content");
    auto const* const content = inner == nullptr ? nullptr : first_of(*inner, {"content", "message"});
    if (content != nullptr) (*message)["content"] = json::value(*content);
  }
  return messages_of(json::value(std::move(messages)), {role, Given::messages});
}

/// What a record is called that nothing understands, where its name or its body is a name of these conventions.
std::string unknown_log(LogRecord const& log, std::string_view name) {
  if (is_known_event(name)) return {};
  if (is_of_conventions(name)) return unknown_event(name);
  auto const* const body = log.body.if_string();
  return body != nullptr && is_of_conventions(*body) ? unknown_event(*body) : std::string{};
}

}  // namespace

void read_log(LogRecord const& log, Nanos now, Places& places, Captured& out) {
  auto const name = event_name(log);
  bool const has_span = !log.name.trace.empty() && !log.name.span.empty();
  auto const* const row = find_event(name);
  auto const taken = [&] { return out.messages.size() + out.evaluations.size() + out.beside.size(); };
  auto const before = taken();
  auto const say_beside = [&](AttributeMap attributes) {
    attributes.erase("event.name");
    if (!attributes.empty()) out.beside.push_back({log.name, log.time, std::move(attributes)});
  };
  auto const say = [&](std::vector<Message> messages, bool is_output) {
    auto& at = places[{log.name, log.time}];
    auto const index = is_output ? index_in(log.body, log.attributes) : std::nullopt;
    for (auto& each : messages) {
      std::hash<std::string_view> const hash;
      auto& equal = at.equal[hash(each.text) ^ (hash(each.role) * 31) ^ (is_output ? 1U : 0U)];
      auto const place = index ? *index : at.next++;
      out.messages.push_back({log.name, log.time, std::move(each), is_output, place, index.has_value(), equal++});
    }
  };
  if (name == evaluation_event) {
    auto const& within = log.attributes.empty() && log.body.is_object() ? log.body.get_object() : log.attributes;
    auto const time = log.time > now && log.time <= now + ahead_max ? now : log.time;
    auto evaluation = evaluation_of(has_span ? log.name : SpanName{}, time, within);
    bool const says_what = has_span || !evaluation.response_id.empty();
    if (says_what && says_something(evaluation)) out.evaluations.push_back(std::move(evaluation));
  } else if (has_span && name == details_event) {
    std::vector<Message> input;
    std::vector<Message> output;
    Joining joined_input(input);
    Joining joined_output(output);
    auto rest = read_details(log.attributes, joined_input, joined_output);
    if (input.empty() && output.empty() && log.body.is_object()) {
      for (auto& pair : read_details(log.body.get_object(), joined_input, joined_output))
        rest.emplace(pair.key(), std::move(pair.value()));
    }
    say_beside(std::move(rest));
    say(in_turns(std::move(input)), false);
    say(std::move(output), true);
  } else if (has_span && is_exception(log)) {
    AttributeMap why;
    for (auto const each : exception_attributes) {
      if (auto const* const held = log.attributes.if_contains(each)) why.emplace(each, *held);
    }
    say_beside(std::move(why));
  } else if (has_span && row != nullptr) {
    say(said_by(*row, log.body, log.attributes), row->is_output);
  } else if (has_span) {
    say(in_turns(side_of(log.body, "input", "user")), false);
    say(side_of(log.body, "output", "assistant"), true);
  }
  if (before != taken()) return;
  if (auto const unknown = unknown_log(log, name); !unknown.empty()) ++out.not_understood[unknown];
  ++out.dropped_logs;
}

}  // namespace whence::net::capture
