// Reads the role, the content and what is beside it: thoughts, calls of tools, results, pictures. `is_message` is asked
// where messages are expected, `is_surely_message` where the value may be any JSON.

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

/// The role that a `type` of LangChain's messages, or a role in letters of any case, says; empty where it is none.
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
  constexpr std::array<std::string_view, 7> roles = {"user", "assistant", "system", "developer",
                                                     "tool", "function",  "model"};
  auto const is_named = [&](std::string_view role) { return is_same_but_case(name, role); };
  auto const found = std::ranges::find_if(roles, is_named);
  if (found != roles.end()) return *found;
  return is_named("chatbot") ? "assistant" : std::string_view{};  // Cohere
}

/// Whether a role is one that conventions have.
bool is_known_role(std::string_view role) {
  return !role_named(role).empty() || is_one_of(role, {"thinking", "reasoning", "bot"});
}

/// The role that a message says; a known one as all write it.
std::string role_said(std::string_view role) {
  bool const is_of_langchain = is_one_of(role, {"human", "ai"});
  auto const named = is_of_langchain ? std::string_view{} : role_named(role);
  return std::string(named.empty() ? role : named);
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

/// Whether a member is one that only messages of models, and results of the AI SDK, have.
bool is_of_model(std::string_view member) {
  return is_one_of(member,
                   {"additional_kwargs", "response_metadata", "tool_calls", "invalid_tool_calls", "usage_metadata",
                    "refusal", "function_call", "annotations", "reasoning_content", "finish_reason", "toolCalls",
                    "toolResults", "finishReason", "reasoningText", "providerMetadata", "totalUsage", "usage"});
}

/// Whether a member is one that they may have.
bool is_beside_text(std::string_view member) {
  return is_of_model(member) || is_one_of(member, {"content", "text", "id", "name", "reasoning", "usage", "files",
                                                   "sources", "warnings", "object", "steps", "request", "response"});
}

/// Whether a member of a message is what it says, but for reasoning.
bool is_content_name(std::string_view name) {
  return is_one_of(name, {"content", "parts", "contents", "blocks", "text", "message", "tool_calls", "toolCalls",
                          "function_call", "refusal", "audio", "images"});
}

bool is_reasoning_name(std::string_view name) {
  return is_one_of(name, {"reasoning_content", "reasoning", "thinking", "reasoningText", "reasoning_details"});
}

/// Whether an object has what messages say, or a place for it.
bool says_as_message(json::object const& object) {
  return std::ranges::any_of(
      object, [](auto const& member) { return is_content_name(member.key()) || is_reasoning_name(member.key()); });
}

/// The message that a `message` is, or what it is the JSON of; null: it is a text, or parts.
json::value message_within_message(json::value const& nested) {
  auto held = structured(nested);
  auto const* const inner = held.if_object();
  bool const is_one = inner != nullptr && (nested.is_object() || says_as_message(*inner) || inner->contains("role"));
  return is_one ? held : json::value{};
}

/// Whether a message is a list of parts without any.
bool is_empty_list(json::value const& held) {
  return held.is_array() && held.get_array().empty();
}

/// Whether an object without a content says more than what a message has beside one. Of another role or type than
/// messages have it is none, so that these say something, too.
bool says_more(json::object const& object) {
  auto const role = string_at(object, {"role"});
  auto const type = string_at(object, {"type"});
  bool const is_other =
      role.empty() ? !type.empty() && type != "message" && role_named(type).empty() : !is_known_role(role);
  return std::ranges::any_of(object, [&](auto const& member) {
    if (member.key() == "message" && is_empty_list(structured(member.value()))) return false;
    bool const is_beside = is_one_of(member.key(), {"index", "finish_reason", "gen_ai.system", "gen_ai.provider.name",
                                                    "event.name", "tool_calls", "toolCalls"});
    bool const is_of_one = is_one_of(member.key(), {"role", "name", "id", "type", "tool_call_id"});
    return !member.value().is_null() && !is_beside && (is_other || !is_of_one);
  });
}

/// Pictures beside a content (Ollama), each as base64 or by its address.
void append_images(json::object const& object, Message& message) {
  auto const* const images = object.if_contains("images");
  if (images == nullptr || !are_texts(*images)) return;
  constexpr std::size_t picture_min = 32;  // less may be a name
  for (auto const& each : images->get_array()) {
    std::string const image(each.get_string());
    auto named = without_bytes(image);
    bool const is_base64 = named == image && image.size() >= picture_min && image.size() % 4 == 0 &&
                           image.find_first_of(":. ") == std::string::npos;
    append_paragraph(message.text, is_base64 ? named_bytes("image", image) : named);
  }
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

bool is_surely_message(json::object const& object) {
  if ((object.contains("lc") && object.contains("kwargs")) || data_of(object) != nullptr) return true;
  auto const type = string_at(object, {"type"});
  if ((type == "message" || !role_named(type).empty()) && object.contains("content")) return true;
  auto const* const nested = first_of(object, {"message"});
  auto const held = nested == nullptr ? json::value{} : message_within_message(*nested);
  if (auto const* const inner = held.if_object())
    return inner->contains("content") || (inner->contains("lc") && inner->contains("kwargs")) ||
           data_of(*inner) != nullptr || (is_known_role(string_at(*inner, {"role"})) && says_as_message(*inner));
  return is_known_role(string_at(object, {"role"})) && says_as_message(object);
}

bool is_bare_choice(json::object const& object) {
  if (first_of(object, {"finish_reason", "finishReason"}) == nullptr) return false;
  return std::ranges::none_of(object, [](auto const& member) {
    auto const& held = member.value();
    bool const is_empty = held.is_null() || (held.is_object() && held.get_object().empty());
    return !is_empty && (is_content_name(member.key()) || is_reasoning_name(member.key()) ||
                         is_one_of(member.key(), {"delta", "role", "type", "kwargs", "data", "additional_kwargs"}));
  });
}

json::key_value_pair const* content_of_message(json::object const& object) {
  auto const* const told = first_member_of(object, {"message"});  // a text or parts: an object is the message itself
  bool const is_told = told != nullptr && told->value() != json::value("") &&
                       !is_empty_list(structured(told->value())) && message_within_message(told->value()).is_null();
  return is_told ? told : first_member_of(object, {"parts", "content", "contents", "blocks", "text"});
}

json::key_value_pair const* reasoning_of_message(json::object const& object) {
  return first_member_of(object, {"reasoning_content", "reasoning", "thinking", "reasoningText", "reasoning_details"});
}

bool is_model_result(json::object const& object) {
  auto const* const text = object.if_contains("text");
  auto const* const calls = object.if_contains("toolCalls");
  bool const is_one = text != nullptr && text->is_string() && calls != nullptr && calls->is_array();
  return is_one && std::ranges::all_of(object, [](auto const& member) { return is_beside_text(member.key()); });
}

json::value message_in_text(json::value const& value) {
  if (!value.is_string()) return nullptr;
  auto held = structured(value);
  auto const* const object = held.if_object();
  return object != nullptr && is_surely_message(*object) ? held : json::value{};
}

namespace {

/// The message that this one wraps: {"index":0,"message":{...}} of a choice; LangChain's
/// {"lc":1,"id":[...,"AIMessage"],"kwargs":{...}}; data with its type beside it.
std::optional<Message> wrapped_message(json::object const& object, std::string_view default_role, int depth) {
  if (auto const* const nested = first_of(object, {"message"})) {
    auto const role = role_said(string_at(object, {"role"}));
    if (auto const held = message_within_message(*nested); !held.is_null())
      return message_of(held, role.empty() ? default_role : role, depth + 1);
  }
  auto const* const kwargs = object_at(object, "kwargs");
  if (kwargs != nullptr && object.contains("lc")) {
    auto const* const id = object.if_contains("id");
    bool const is_named =
        id != nullptr && id->is_array() && !id->get_array().empty() && id->get_array().back().is_string();
    auto const role = is_named ? role_named(id->get_array().back().get_string()) : std::string_view{};
    return message_of(*kwargs, role.empty() ? default_role : role, depth + 1);
  }
  if (auto const* const data = data_of(object))
    return message_of(*data, role_named(string_at(object, {"type"})), depth + 1);
  return std::nullopt;
}

/// What it says beside its content: thoughts, a refusal, what was spoken. `more` is LangChain's `additional_kwargs`.
void append_beside_content(json::object const& object, json::object const* more, Message& message) {
  auto const* const own = reasoning_of_message(object);
  auto const* thought = own == nullptr ? nullptr : &own->value();
  if (thought == nullptr && more != nullptr) thought = first_of(*more, {"reasoning_content"});
  if (thought != nullptr) append_paragraph(message.reasoning, result_text(*thought, 0));
  append_paragraph(message.text, string_at(object, {"refusal"}));
  if (auto const* const spoken = object_at(object, "audio")) {  // what a model said aloud
    auto const media = media_in(*spoken, "audio");
    append_paragraph(message.text, media ? text_of_media(*media) : std::string(string_at(*spoken, {"transcript"})));
  }
  if (is_one_of(message.role, {"thinking", "reasoning"})) {  // OpenLLMetry's message of what Anthropic's models thought
    append_paragraph(message.reasoning, std::exchange(message.text, {}));
    message.role = "assistant";
  }
}

/// Whether it calls tools.
bool append_calls(json::object const& object, json::object const* more, Message& message) {
  auto const* calls = first_of(object, {"tool_calls", "function_call", "toolCalls"});
  if (calls == nullptr && more != nullptr) calls = first_of(*more, {"tool_calls", "function_call"});
  bool const has_calls = calls != nullptr && !(calls->is_array() && calls->get_array().empty());
  if (has_calls && !are_said(*calls, message.text)) append_paragraph(message.text, without_bytes(text_of(*calls)));
  return has_calls;
}

void append_result(json::object const& object, Message& message) {
  auto call_id = string_at(object, {"tool_call_id", "toolCallId"});
  if (call_id.empty() && message.role == "tool") call_id = string_at(object, {"id"});  // of OpenTelemetry's events
  bool const is_told = !message.text.empty() || object.contains("content");  // where nothing was captured it is not
  if (!call_id.empty() && message.results.empty() && is_told)
    message.results.push_back({std::string(call_id), message.text});
}

}  // namespace

Message message_of(json::value const& value, std::string_view default_role, int depth) {
  Message message{.role = std::string(default_role)};
  auto const* const object = value.if_object();
  if (object == nullptr || depth > depth_max) {
    append_content(value, message, depth);
    return message;
  }
  if (is_bare_choice(*object)) return message;
  if (auto wrapped = wrapped_message(*object, default_role, depth)) return *std::move(wrapped);
  if (auto const role = string_at(*object, {"role"}); !role.empty()) {
    message.role = role_said(role);
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
  append_images(*object, message);
  auto const* const more = object_at(*object, "additional_kwargs");
  append_beside_content(*object, more, message);
  bool const has_calls = append_calls(*object, more, message);
  append_result(*object, message);
  bool const says = content != nullptr || has_calls || !says_nothing(message);
  if (!says && says_more(*object)) message.text = json_text(value);
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
  bool const has_text = (object->contains("content") && object_at(*object, "content") == nullptr) || is_result;
  bool const is_of_message =
      has_text && std::ranges::any_of(*object, [](auto const& member) { return is_of_model(member.key()); }) &&
      std::ranges::all_of(*object, [](auto const& member) { return is_beside_text(member.key()); });
  return is_of_message ? std::optional{message_of(held, role)} : std::nullopt;
}

}  // namespace whence::net::capture
