// Parsing messages. An event keeps its original characters: its text is cut out of the message, not serialized again.

#include "tools/cli/watch/message.hpp"

#include "schema/json/json.hpp"
#include "schema/json/members.hpp"
#include "tools/cli/transport/caller.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <boost/json/array.hpp>

namespace whence::tools {
namespace {

namespace json = boost::json;

struct Row {
  std::string_view method;
  WatchKind kind;
};
constexpr Row kinds[] = {
    {"event", WatchKind::event},     {"$/caught_up", WatchKind::caught_up}, {"$/heartbeat", WatchKind::heartbeat},
    {"$/lagged", WatchKind::lagged}, {"$/ended", WatchKind::ended},
};

WatchKind message_kind_of(std::string_view method) {
  for (Row const& row : kinds) {
    if (row.method == method) return row.kind;
  }
  return WatchKind::other;
}

// Cutting values out of text that is known to be JSON.

constexpr std::string_view blanks = " \t\n\r";

/// One past the closing quote of the string that begins at `at`.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return at + 1;
}

/// One past the value that begins at `at`.
std::size_t end_of_value(std::string_view text, std::size_t at) {
  if (text[at] == '"') return end_of_string(text, at);
  if (text[at] != '{' && text[at] != '[') return std::min(text.find_first_of(",]} \t\n\r", at), text.size());
  std::size_t depth = 0;
  while (at < text.size()) {
    char const c = text[at];
    if (c == '"') {
      at = end_of_string(text, at);
      continue;
    }
    ++at;
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) break;
  }
  return at;
}

/// Calls `visit(key, value)` with the texts of each member of an object, or `visit("", value)` with each item of an
/// array.
template <class Visit>
void for_each_item(std::string_view text, Visit visit) {
  bool const is_object = text.starts_with('{');
  for (std::size_t at = 1;;) {
    at = text.find_first_not_of(blanks, at);
    if (at >= text.size() || text[at] == '}' || text[at] == ']') return;
    if (text[at] == ',') {
      ++at;
      continue;
    }
    std::string_view key;
    if (is_object) {
      std::size_t const end = end_of_string(text, at);
      key = text.substr(at, end - at);
      at = text.find_first_not_of(blanks, text.find(':', end) + 1);
    }
    std::size_t const end = end_of_value(text, at);
    visit(key, text.substr(at, end - at));
    at = end;
  }
}

/// The text of a member; `quoted_key` is spelt as in the text. As everywhere, the last of several counts.
std::string_view cut_member(std::string_view object, std::string_view quoted_key) {
  std::string_view found;
  for_each_item(object, [&](std::string_view key, std::string_view value) {
    if (key == quoted_key) found = value;
  });
  return found;
}

/// The texts of the events in a notification.
std::vector<std::string_view> cut_events(std::string_view message) {
  std::vector<std::string_view> texts;
  for_each_item(cut_member(cut_member(message, "\"params\""), "\"events\""),
                [&](std::string_view, std::string_view value) { texts.push_back(value); });
  return texts;
}

Error bad_message(std::string_view text, std::string_view why) {
  return {.code = Errc::parse_error,
          .message = "the server sent " + std::string{why} + ": " + std::string{text.substr(0, 200)}};
}

WatchEvent event_of(json::object&& value, std::string_view text) {
  json::value const* const snapshot = value.if_contains("snapshot");
  WatchEvent event{.tx = count_of(value, "tx"),
                   .prev = count_of(value, "prev"),
                   .is_snapshot = snapshot != nullptr && snapshot->is_bool() && snapshot->get_bool()};
  // A line break between two members is white space in JSON, but would end the line that the event is printed on.
  bool const is_line = !text.empty() && text.find_first_of("\r\n") == std::string_view::npos;
  event.text = is_line ? std::string{text} : schema::json::to_text(value);
  event.value = std::move(value);
  return event;
}

Result<std::vector<WatchEvent>> take_events(json::object& params, std::string_view message) {
  json::value* const list = params.if_contains("events");
  if (list == nullptr || !list->is_array()) return bad_message(message, "a notification without a list of events");
  std::vector<std::string_view> texts = cut_events(message);
  texts.resize(list->get_array().size());  // a no-op unless a key was spelt with escapes
  std::vector<WatchEvent> events;
  events.reserve(texts.size());
  for (json::value& item : list->get_array()) {
    if (!item.is_object()) return bad_message(message, "an event that is not an object");
    events.push_back(event_of(std::move(item.get_object()), texts[events.size()]));
  }
  params.erase("events");
  return events;
}

}  // namespace

Result<WatchMessage> parse_watch_message(std::string_view text) {
  Result<schema::json::Document> parsed = schema::json::parse(text, answer_depth_max);
  if (!parsed || !parsed->value.is_object()) return bad_message(text, "text that is not JSON-RPC");
  json::object& envelope = parsed->value.get_object();
  json::value const* const method = envelope.if_contains("method");
  if (method == nullptr) return WatchMessage{.kind = WatchKind::answer, .body = std::move(envelope)};
  json::value* const params = envelope.if_contains("params");
  WatchMessage message{.kind = message_kind_of(schema::json::text_at(envelope, "method"))};
  if (params != nullptr && params->is_object()) message.body = std::move(params->get_object());
  if (message.kind != WatchKind::event) return message;
  Result<std::vector<WatchEvent>> events = take_events(message.body, text);
  if (!events) return events.error();
  message.events = std::move(*events);
  return message;
}

std::uint64_t count_of(json::object const& object, std::string_view member) noexcept {
  json::value const* const value = object.if_contains(member);
  if (value == nullptr) return 0;
  if (value->is_uint64()) return value->get_uint64();
  return value->is_int64() && value->get_int64() > 0 ? static_cast<std::uint64_t>(value->get_int64()) : 0;
}

}  // namespace whence::tools
