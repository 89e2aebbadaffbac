#include "net/capture/messages/one_message.hpp"

#include "net/capture/messages/json_text.hpp"
#include "net/capture/messages/media.hpp"
#include "net/capture/messages/parts.hpp"
#include "net/capture/messages/tool_calls.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace whence::net::capture {

namespace json = boost::json;

namespace {

/// The role that a `type` of LangChain's messages, or a role, says; empty where it is none.
std::string_view role_named(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> other = {{{"human", "user"},
                                                                                   {"ai", "assistant"},
                                                                                   {"HumanMessage", "user"},
                                                                                   {"AIMessage", "assistant"},
                                                                                   {"SystemMessage", "system"}}};
  for (auto const& [given, role] : other) {
    if (name == given || (name.starts_with(given) && name.ends_with("Chunk"))) return role;
  }
  if (name == "ToolMessage") return "tool";
  bool const is_role = is_one_of(name, {"user", "assistant", "system", "developer", "tool", "function", "model"});
  return is_role ? name : std::string_view{};
}

/// The parts that OpenInference has beside a content, but for those that say the same.
void append_contents(json::object const& object, json::value const* content, Message& message, int depth) {
  auto const* const more = first_of(object, {"contents"});
  if (more == nullptr || more == content) return;
  Message beside;
  append_content(*more, beside, depth);
  auto const own = message.text;
  bool const is_same = own.find(beside.text) != std::string::npos;
  auto const* const list = is_same ? nullptr : more->if_array();
  for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
    Message part;
    append_part((*list)[i], part, depth + 1);
    if (part.text != own) append_paragraph(message.text, part.text);
  }
  if (!is_same && list == nullptr) append_paragraph(message.text, beside.text);
  append_paragraph(message.reasoning, beside.reasoning);
  for (auto& result : beside.results) message.results.push_back(std::move(result));
}

/// Whether a text of parts has these calls already, each by its id: some name them in the content and beside it.
bool are_said(json::value const& calls, std::string_view text) {
  auto const all = text.empty() ? std::vector<ToolCall>{} : calls_of(text_of(calls));
  return !all.empty() && std::ranges::all_of(all, [&](ToolCall const& call) {
    return !call.id.empty() && text.find('"' + call.id + '"') != std::string_view::npos;
  });
}

/// Whether a message is a list of parts without any.
bool is_empty_list(json::value const& held) {
  return held.is_array() && held.get_array().empty();
}

/// The message that LangChain has in the `data` of one of its types; null: there is none.
json::object const* data_of(json::object const& object) {
  auto const* const data = role_named(string_at(object, {"type"})).empty() ? nullptr : object_at(object, "data");
  return data != nullptr && data->contains("content") ? data : nullptr;
}

}  // namespace

bool is_message(json::object const& object) {
  if (object.contains("role") || object.contains("parts") || object.contains("message")) return true;
  if (object.contains("lc") && object.contains("kwargs")) return true;
  if (data_of(object) != nullptr) return true;
  return !role_named(string_at(object, {"type"})).empty() && object.contains("content");
}

json::key_value_pair const* content_of_message(json::object const& object) {
  return first_member_of(object, {"parts", "content", "contents", "blocks", "text"});
}

json::key_value_pair const* reasoning_of_message(json::object const& object) {
  return first_member_of(object, {"reasoning_content", "reasoning", "thinking", "reasoningText", "reasoning_details"});
}

bool is_model_result(json::object const& object) {
  auto const* const text = object.if_contains("text");
  auto const* const calls = object.if_contains("toolCalls");
  return text != nullptr && text->is_string() && calls != nullptr && calls->is_array();
}

json::value message_in_text(json::value const& value) {
  if (!value.is_string()) return nullptr;
  auto held = structured(value);
  auto const* const object = held.if_object();
  return object != nullptr && is_message(*object) ? held : json::value{};
}

Message message_of(json::value const& value, std::string_view default_role, int depth) {
  Message message{.role = std::string(default_role)};
  auto const* const object = value.if_object();
  if (object == nullptr || depth > depth_max) {
    append_content(value, message, depth);
    return message;
  }
  // {"index":0,"message":{...}} of a choice; LangChain's {"lc":1,"id":[...,"AIMessage"],"kwargs":{...}}
  if (auto const* const nested = first_of(*object, {"message"})) {
    auto const held = structured(*nested);
    if (held.is_object()) return message_of(held, default_role, depth + 1);
    if (!is_empty_list(held)) append_content(*nested, message, depth + 1);
    if (!message.text.empty()) return message;
  }
  auto const* const kwargs = object_at(*object, "kwargs");
  if (kwargs != nullptr && object->contains("lc")) {
    auto const* const id = object->if_contains("id");
    bool const is_named =
        id != nullptr && id->is_array() && !id->get_array().empty() && id->get_array().back().is_string();
    auto const role = is_named ? role_named(id->get_array().back().get_string()) : std::string_view{};
    return message_of(*kwargs, role.empty() ? default_role : role, depth + 1);
  }
  if (auto const* const data = data_of(*object))
    return message_of(*data, role_named(string_at(*object, {"type"})), depth + 1);
  if (auto const role = string_at(*object, {"role"}); !role.empty()) {
    message.role = std::string(role);
  } else if (auto const named = role_named(string_at(*object, {"type"})); !named.empty()) {
    message.role = std::string(named);
  } else if (!is_message(*object) && is_surely_part(value)) {
    auto const type = string_at(*object, {"type"});
    if (is_of_model_type(type)) message.role = "assistant";
    if (is_result_type(type)) message.role = "tool";
    append_part(value, message, depth);
    return message;
  }
  auto const* const said = content_of_message(*object);
  auto const* const content = said == nullptr ? nullptr : &said->value();
  if (content != nullptr) append_content(*content, message, depth);
  append_contents(*object, content, message, depth);
  auto const* const more = object_at(*object, "additional_kwargs");  // LangChain
  auto const* const own = reasoning_of_message(*object);
  auto const* thought = own == nullptr ? nullptr : &own->value();
  if (thought == nullptr && more != nullptr) thought = first_of(*more, {"reasoning_content"});
  if (thought != nullptr) append_paragraph(message.reasoning, result_text(*thought, 0));
  append_paragraph(message.text, string_at(*object, {"refusal"}));
  if (auto const* const spoken = object_at(*object, "audio")) {  // what a model said aloud
    auto const media = media_in(*spoken, "audio");
    append_paragraph(message.text, media ? text_of_media(*media) : std::string(string_at(*spoken, {"transcript"})));
  }
  if (is_one_of(message.role, {"thinking", "reasoning"})) {  // OpenLLMetry's message of what Anthropic's models thought
    append_paragraph(message.reasoning, std::exchange(message.text, {}));
    message.role = "assistant";
  }
  auto const* calls = first_of(*object, {"tool_calls", "function_call", "toolCalls"});
  if (calls == nullptr && more != nullptr) calls = first_of(*more, {"tool_calls", "function_call"});
  bool const has_calls = calls != nullptr && !(calls->is_array() && calls->get_array().empty());
  if (has_calls && !are_said(*calls, message.text)) append_paragraph(message.text, without_bytes(text_of(*calls)));
  auto call_id = string_at(*object, {"tool_call_id", "toolCallId"});
  if (call_id.empty() && message.role == "tool") call_id = string_at(*object, {"id"});  // of OpenTelemetry's events
  if (!call_id.empty() && message.results.empty() && !message.text.empty()) {
    message.results.push_back({std::string(call_id), message.text});
  }
  bool const says = content != nullptr || has_calls || !message.text.empty() || !message.reasoning.empty();
  bool const has_more = std::ranges::any_of(*object, [](auto const& member) {
    if (member.key() == "message" && is_empty_list(structured(member.value()))) return false;
    return !member.value().is_null() &&
           !is_one_of(member.key(), {"role", "name", "id", "type", "index", "finish_reason", "gen_ai.system",
                                     "gen_ai.provider.name", "event.name", "tool_call_id", "tool_calls", "toolCalls"});
  });
  if (!says && has_more) message.text = json_text(value);
  return message;
}

std::optional<Message> bare_message(json::value const& held, std::string_view role) {
  auto const* const object = held.if_object();
  if (object == nullptr || object->empty()) return std::nullopt;
  if (object->size() == 1) {
    auto const text = string_at(*object, {"content", "text", "completion", "output", "outputs", "input"});
    return text.empty() ? std::nullopt
                        : std::optional{Message{.role = std::string(role), .text = without_bytes(std::string(text))}};
  }
  bool const is_result = object->contains("text") && first_of(*object, {"toolCalls", "finishReason"}) != nullptr;
  bool const is_of_message = ((object->contains("content") && object_at(*object, "content") == nullptr) || is_result) &&
                             std::ranges::all_of(*object, [](auto const& member) {
                               return is_one_of(member.key(), {"content",
                                                               "additional_kwargs",
                                                               "response_metadata",
                                                               "tool_calls",
                                                               "invalid_tool_calls",
                                                               "usage_metadata",
                                                               "id",
                                                               "name",
                                                               "refusal",
                                                               "function_call",
                                                               "annotations",
                                                               "reasoning",
                                                               "reasoning_content",
                                                               "finish_reason",
                                                               "usage",
                                                               "text",
                                                               "toolCalls",
                                                               "toolResults",
                                                               "finishReason",
                                                               "files",
                                                               "sources",
                                                               "warnings",
                                                               "reasoningText",
                                                               "object"});
                             });
  return is_of_message ? std::optional{message_of(held, role)} : std::nullopt;
}

}  // namespace whence::net::capture
