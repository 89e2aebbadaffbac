// An event has its messages in its body, in attributes of messages, in one attribute of a prompt or an answer, or is
// itself one: they are looked for in this order.

#include "net/capture/spans/events.hpp"

#include "net/capture/messages/messages.hpp"
#include "net/capture/messages/one_message.hpp"
#include "schema/base/text.hpp"
#include "schema/json/json.hpp"

#include <algorithm>
#include <utility>

namespace whence::net::capture {

namespace json = boost::json;

namespace {

constexpr std::size_t evaluation_rest_max = 8'000;  ///< bytes of what a rating says beside its score and texts

/// An event's attributes but for those that are no text.
AttributeMap without_placeholders(AttributeMap const& all) {
  auto said = all;
  for (auto const& row : mapping_rows()) {
    auto const* const held = said.if_contains(row.name);
    if (held != nullptr && is_placeholder(row, *held)) said.erase(row.name);
  }
  return said;
}

std::vector<Message> messages_of_event(EventRow const& row, json::value const& body, AttributeMap const& all) {
  std::vector<Message> found;
  auto const given = body.is_string() ? Given::anything : Given::messages;
  if (!body.is_null()) found = messages_of(body, {row.role, given});
  if (!found.empty()) return found;
  Attributes attributes(all);
  found = attributes.messages(row.is_output ? Meaning::output_messages : Meaning::input_messages, row.role);
  if (!found.empty()) return found;
  found = attributes.messages_of_first(row.is_output ? Meaning::answer : Meaning::prompt, row.role);
  if (found.empty()) {
    auto message = message_of(json::value(without_placeholders(all)), row.role);
    if (!says_nothing(message)) found.push_back(std::move(message));
  }
  return found;
}

}  // namespace

EventRow const* find_event(std::string_view name) {
  auto const rows = event_rows();
  auto const found = std::ranges::find(rows, name, &EventRow::name);
  return found == rows.end() ? nullptr : &*found;
}

bool is_message_event(std::string_view name) {
  return name == details_event || find_event(name) != nullptr;
}

std::string unknown_event(std::string_view name) {
  constexpr std::size_t name_max = 60;
  return std::string(event_prefix) + schema::cut(name, name_max);
}

bool is_of_messages(std::string_view attribute) {
  return std::ranges::any_of(mapping_rows(), [&](MappingRow const& row) {
    bool const is_meant = row.meaning == Meaning::instructions || row.meaning == Meaning::prompt ||
                          row.meaning == Meaning::answer || row.meaning == Meaning::input_messages ||
                          row.meaning == Meaning::output_messages;
    bool const is_member = row.is_family && attribute.size() > row.name.size() && attribute[row.name.size()] == '.';
    return is_meant && attribute.starts_with(row.name) && (is_member || attribute.size() == row.name.size());
  });
}

std::vector<Message> said_by(EventRow const& row, json::value const& body, AttributeMap const& all) {
  if (row.role != "tool") return messages_of_event(row, body, all);
  // Whatever role it says (Vertex AI's: the user's), it is what a tool gave: that makes its id that of the call.
  auto const as_tool = [](auto held) {
    if (held.contains("role")) held["role"] = "tool";
    return held;
  };
  auto found = body.is_object() ? messages_of_event(row, as_tool(body.get_object()), all)
                                : messages_of_event(row, body, as_tool(all));
  for (auto& each : found) each.role = "tool";
  return found;
}

std::optional<std::uint32_t> index_in(json::value const& body, AttributeMap const& all) {
  auto const* const object = body.if_object();
  auto const* held = object == nullptr ? nullptr : object->if_contains("index");
  if (held == nullptr) held = all.if_contains("index");
  auto const number = counted(held);
  constexpr std::int64_t index_max = 1'000'000;
  bool const is_index = number && *number <= index_max;
  return is_index ? std::optional{static_cast<std::uint32_t>(*number)} : std::nullopt;
}

Evaluation evaluation_of(SpanName const& of, Nanos time, AttributeMap const& all) {
  Attributes attributes(all);
  Evaluation result{.of = of, .response_id = attributes.kept_text(Meaning::response_id), .time = time};
  result.name = attributes.text(Meaning::evaluation_name);
  result.score = number_of(attributes.first(Meaning::evaluation_score,
                                            [](json::value const& held) { return number_of(&held).has_value(); }));
  result.label = attributes.text(Meaning::evaluation_label);
  result.text = attributes.text(Meaning::evaluation_text);
  (void)attributes.first(Meaning::response_id);
  (void)attributes.find("event.name");
  result.rest = smallest_of(attributes.rest(), evaluation_rest_max);
  return result;
}

}  // namespace whence::net::capture
