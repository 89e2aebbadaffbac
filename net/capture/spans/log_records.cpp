#include "net/capture/spans/log_records.hpp"

#include "net/capture/messages/joined.hpp"
#include "net/capture/spans/attributes.hpp"
#include "net/capture/spans/events.hpp"
#include "net/capture/spans/joining.hpp"
#include "net/capture/spans/mapping.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::net::capture {

namespace {

/// The name of a log record's event: its own, or an attribute of older instrumentations.
std::string event_name(LogRecord const& log) {
  if (!log.event.empty()) return log.event;
  auto const* const held = log.attributes.if_contains("event.name");
  return held != nullptr && held->is_string() ? std::string(held->get_string()) : std::string{};
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
  }
  if (before != taken()) return;
  if (name.starts_with("gen_ai.") && !is_known_event(name)) ++out.not_understood[unknown_event(name)];
  ++out.dropped_logs;
}

}  // namespace whence::net::capture
