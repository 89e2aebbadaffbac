#include "net/capture/messages.hpp"

#include "schema/json/json.hpp"

#include <array>
#include <utility>

namespace whence::net::capture {

namespace {

namespace json = boost::json;

void append_paragraph(std::string& to, std::string_view text) {
  if (text.empty()) return;
  if (!to.empty()) to.append("\n\n");
  to.append(text);
}

/// The first of the members that is there and not null.
json::value const* first_of(json::object const& from, std::initializer_list<std::string_view> names) {
  for (auto const name : names) {
    auto const* const member = from.if_contains(name);
    if (member != nullptr && !member->is_null()) return member;
  }
  return nullptr;
}

std::string part_text(json::value const& part) {
  auto const* const object = part.if_object();
  if (object == nullptr) return part.is_string() ? text_of(part) : std::string{};
  if (auto const* const text = first_of(*object, {"text", "content", "response", "result", "output", "reasoning"})) {
    auto const held = structured(*text);
    return held.is_array() ? content_text(held) : text_of(*text);
  }
  bool const is_call = first_of(*object, {"arguments", "input", "args", "function"}) != nullptr;
  return is_call ? text_of(part) : std::string{};
}

}  // namespace

json::value structured(json::value const& value) {
  auto const* const text = value.if_string();
  if (text == nullptr || text->empty() || (text->front() != '[' && text->front() != '{')) return value;
  auto parsed = schema::json::parse_foreign({text->data(), text->size()});
  if (!parsed) return value;
  return std::move(parsed->value);
}

std::string text_of(json::value const& value) {
  if (auto const* const text = value.if_string()) return std::string(*text);
  return value.is_null() ? std::string{} : schema::json::to_text(value);
}

std::string content_text(json::value const& content) {
  auto const* const parts = content.if_array();
  if (parts == nullptr) return content.is_object() ? part_text(content) : text_of(content);
  std::string text;
  for (auto const& part : *parts) append_paragraph(text, part_text(part));
  return text;
}

Message message_of(json::value const& value, std::string_view default_role) {
  Message message{.role = std::string(default_role)};
  auto const* const object = value.if_object();
  if (object == nullptr) {
    message.text = text_of(value);
    return message;
  }
  auto const* const nested = object->if_contains("message");  // {"index":0,"message":{...}} of a choice
  if (nested != nullptr && nested->is_object()) return message_of(*nested, default_role);
  if (auto const* const role = object->if_contains("role"); role != nullptr && role->is_string()) {
    message.role = std::string(role->get_string());
  }
  if (auto const* const content = first_of(*object, {"parts", "content", "contents", "text"})) {
    message.text = content_text(structured(*content));
  }
  if (auto const* const calls = first_of(*object, {"tool_calls", "function_call"})) {
    append_paragraph(message.text, text_of(*calls));
  }
  return message;
}

std::vector<Message> messages_of(json::value const& value, std::string_view default_role) {
  auto const held = structured(value);
  std::vector<Message> messages;
  auto const add = [&](Message message) {
    if (!message.text.empty()) messages.push_back(std::move(message));
  };
  if (auto const* const list = held.if_array()) {
    bool const is_of_parts = !list->empty() && list->front().is_object() &&
                             !list->front().get_object().contains("role") &&
                             list->front().get_object().contains("type");
    if (is_of_parts) {
      add({.role = std::string(default_role), .text = content_text(held)});
      return messages;
    }
    for (auto const& each : *list) add(message_of(each, default_role));
    return messages;
  }
  auto const* const object = held.if_object();
  bool const has_list = object != nullptr && first_of(*object, {"messages", "system", "prompt"}) != nullptr;
  if (!has_list) {
    add(message_of(held, default_role));
    return messages;
  }
  for (auto const& [name, role] : {std::pair{"system", "system"}, {"prompt", "user"}, {"messages", "user"}}) {
    auto const* const member = object->if_contains(name);
    if (member == nullptr || member->is_null()) continue;
    for (auto& each : messages_of(*member, role)) add(std::move(each));
  }
  return messages;
}

std::string joined(std::vector<Message> const& messages) {
  if (messages.size() == 1) return messages.front().text;
  std::string text;
  for (auto const& message : messages) append_paragraph(text, message.role + ": " + message.text);
  return text;
}

}  // namespace whence::net::capture
