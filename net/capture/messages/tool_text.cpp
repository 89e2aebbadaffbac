// Frameworks wrap what a tool gave: in a ToolMessage, a Command, a list of parts, a text in JSON. `as_sent` is the text
// that a later prompt has of it. `tool_text` is what is recorded, which is the wrapping where that says more.

#include "net/capture/messages/tool_text.hpp"

#include "net/capture/messages/json_text.hpp"
#include "net/capture/messages/media.hpp"
#include "net/capture/messages/message.hpp"
#include "net/capture/messages/one_message.hpp"
#include "net/capture/messages/parts.hpp"
#include "schema/json/json.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace whence::net::capture {

namespace json = boost::json;

namespace {

/// What LangChain's ToolMessage has beside what the tool gave, of the one who called it.
bool is_of_message(std::string_view member) {
  return is_one_of(member, {"content", "tool_call_id", "type", "role", "name", "status", "id", "metadata",
                            "additional_kwargs", "response_metadata"});
}

/// Whether it is the JSON of a ToolMessage.
bool is_tool_message(json::object const& object) {
  auto const* const content = object.if_contains("content");
  return content != nullptr && (content->is_string() || content->is_array()) &&
         !string_at(object, {"tool_call_id"}).empty();
}

/// A ToolMessage, or what is one within the constructor that LangChain writes it as; null: it is anything else.
json::object const* find_tool_message(json::value const& value) {
  auto const* const object = value.if_object();
  if (object == nullptr) return nullptr;
  if (is_tool_message(*object)) return object;
  auto const* const kwargs = object->contains("lc") ? object_at(*object, "kwargs") : nullptr;
  return kwargs != nullptr && is_tool_message(*kwargs) ? kwargs : nullptr;
}

/// What a tool told the agent that it hands over to: the last ToolMessage in a Command of LangGraph's, which has what
/// was said before beside it. Null: the value is no Command, or tells nothing.
json::object const* find_told(json::object const& object) {
  auto const* const output = object_at(object, "output");
  auto const& command = output == nullptr ? object : *output;
  bool const is_command = string_at(command, {"lg_name"}) == "Command" || command.contains("goto");
  auto const* const update = is_command ? object_at(command, "update") : nullptr;
  auto const* const held = update == nullptr ? nullptr : update->if_contains("messages");
  auto const* const messages = held == nullptr ? nullptr : held->if_array();
  for (auto i = messages == nullptr ? 0 : messages->size(); i > 0; --i) {
    if (auto const* const message = find_tool_message((*messages)[i - 1])) return message;
  }
  return nullptr;
}

/// What a list says that is one message of a tool alone (TanStack AI); empty: it is anything else.
std::string only_content(std::string const& text) {
  if (!text.starts_with('[') || text.find("\"role\"") == std::string::npos) return {};
  auto const parsed = schema::json::parse(text);
  auto const* const list = parsed ? parsed->value.if_array() : nullptr;
  auto const* const message = list == nullptr || list->size() != 1 ? nullptr : list->front().if_object();
  bool const is_of_tool = message != nullptr && string_at(*message, {"role"}) == "tool" &&
                          std::ranges::all_of(*message, [](auto const& each) { return is_of_message(each.key()); });
  return is_of_tool ? std::string(string_at(*message, {"content"})) : std::string{};
}

/// A ToolMessage out of the constructor that LangChain writes it as, or out of a Command; any other text as it is.
std::string out_of_constructor(std::string text) {
  if (auto content = only_content(text); !content.empty()) return content;
  bool const has_message = text.find("\"kwargs\"") != std::string::npos || text.find("\"update\"") != std::string::npos;
  if (!text.starts_with('{') || !has_message) return text;
  auto const parsed = schema::json::parse(text);
  auto const* const object = parsed ? parsed->value.if_object() : nullptr;
  auto const* const told = object == nullptr ? nullptr : find_told(*object);
  auto const* const message =
      told != nullptr || object == nullptr || !object->contains("lc") ? told : find_tool_message(parsed->value);
  return message == nullptr ? text : schema::json::to_text(json::value(*message));
}

}  // namespace

std::string answered_call(std::string const& text) {
  if (text.find("\"tool_call_id\"") == std::string::npos) return {};
  auto const parsed = schema::json::parse(out_of_constructor(text));
  auto const* const object = parsed ? parsed->value.if_object() : nullptr;
  return object != nullptr && is_tool_message(*object) ? std::string(string_at(*object, {"tool_call_id"}))
                                                       : std::string{};
}

std::string as_sent(std::string const& given) {
  auto const text = out_of_constructor(given);
  bool const is_json = text.size() >= 2 && (text.front() == '"' || text.front() == '{' || text.front() == '[');
  if (!is_json) return text;
  auto const parsed = schema::json::parse(text);
  if (!parsed) return text;
  auto const& value = parsed->value;
  if (value.is_string()) return std::string(value.get_string());
  auto const* const object = value.if_object();
  if (auto const* const output = object == nullptr ? nullptr : object->if_contains("output")) {
    bool const is_message = output->is_object() && output->get_object().contains("lc");  // LangChain's
    if (is_message) return message_of(*output, "tool").text;
    if (object->contains("kwargs")) return output->is_string() ? std::string(output->get_string()) : text;
  }
  // What a tool of MCP gave is a list of parts.
  auto const* const content = object == nullptr ? nullptr : object->if_contains("content");
  if (object != nullptr && is_tool_message(*object) && content->is_string()) return std::string(content->get_string());
  auto const* const list = content == nullptr ? value.if_array() : content->if_array();
  if (list == nullptr || list->empty()) return text;
  std::string parts;
  for (auto const& each : *list) {
    auto const* const part = each.if_object();
    auto const type = part == nullptr ? std::string_view{} : string_at(*part, {"type"});
    auto const media = part == nullptr || type == "text" ? std::string{} : named_media(*part);
    auto const* const held = part == nullptr || type != "text" ? nullptr : part->if_contains("text");
    if (media.empty() && (held == nullptr || !held->is_string())) return text;
    append_paragraph(parts, media.empty() ? text_of(*held) : media);
  }
  return parts;
}

std::string wrapped_result(std::string const& text) {
  if (!text.starts_with('{')) return {};
  auto const held = structured(json::value(text));
  auto const* const object = held.if_object();
  auto const* const within =
      object == nullptr || object->size() != 1 ? nullptr : first_of(*object, {"result", "output", "outputs"});
  return within == nullptr ? std::string{} : text_of(*within);
}

std::string tool_text(std::string text) {
  text = out_of_constructor(std::move(text));
  bool const is_json = text.size() >= 2 && (text.front() == '"' || text.front() == '{' || text.front() == '[');
  if (!is_json) return without_bytes(std::move(text));
  auto const parsed = schema::json::parse(text);
  if (!parsed) return without_bytes(std::move(text));
  auto const* const object = parsed->value.if_object();
  // What OpenLLMetry has beside what a tool of LangChain's gave is of the one who called it.
  bool const is_wrapped = object != nullptr && object->contains("output");
  bool const is_message = object != nullptr && is_tool_message(*object);
  bool const says_more =
      object != nullptr && std::ranges::any_of(*object, [&](auto const& member) {
        auto const& held = member.value();
        bool const is_empty = held.is_null() || held == json::value(false) || held == json::value(json::object{});
        bool const is_read = is_one_of(member.key(), {"content", "output"}) ||
                             (is_wrapped && member.key() == "kwargs") || (is_message && is_of_message(member.key()));
        return !is_read && !is_empty;
      });
  auto sent = says_more ? text : as_sent(text);
  return sent == text ? without_bytes(std::move(text), parsed->value) : without_bytes(std::move(sent));
}

json::value beside_parts(std::string const& given) {
  auto const held = structured(json::value(given));
  auto const* const object = held.if_object();
  auto const* const content = object == nullptr ? &held : object->if_contains("content");
  if (content == nullptr || !content->is_array()) return nullptr;
  json::value rest;
  (void)result_text(*content, 0, &rest);
  (void)name_bytes(rest);
  if (rest.is_null() || object == nullptr) return rest;
  return json::object{{"content", std::move(rest)}};
}

}  // namespace whence::net::capture
