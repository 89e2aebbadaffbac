#include "net/capture/messages.hpp"

#include "schema/base/digest.hpp"
#include "schema/base/text.hpp"
#include "schema/json/json.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

namespace whence::net::capture {

namespace {

namespace json = boost::json;

constexpr int depth_max = 8;  // of lists in lists, and of messages in messages

void append_paragraph(std::string& to, std::string_view text) {
  if (text.empty()) return;
  if (!to.empty()) to.append("\n\n");
  to.append(text);
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

/// The first of the members that is there and not null.
json::value const* first_of(json::object const& from, std::initializer_list<std::string_view> names) {
  for (auto const name : names) {
    auto const* const member = from.if_contains(name);
    if (member != nullptr && !member->is_null()) return member;
  }
  return nullptr;
}

json::object const* object_at(json::object const& from, std::string_view name) {
  auto const* const held = from.if_contains(name);
  return held == nullptr ? nullptr : held->if_object();
}

std::string_view string_at(json::object const& from, std::initializer_list<std::string_view> names) {
  auto const* const held = first_of(from, names);
  return held != nullptr && held->is_string() ? std::string_view(held->get_string()) : std::string_view{};
}

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

// --- media ---

std::uint64_t bytes_of_base64(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  return text.size() * 3 / 4;
}

/// What stands for bytes that are within a message.
std::string named_bytes(std::string_view media_type, std::string_view base64) {
  auto const type = media_type.empty() ? std::string_view{"bytes"} : media_type;
  return "[" + std::string(type) + ", " + std::to_string(bytes_of_base64(base64)) + " bytes, base64 sha256 " +
         schema::to_hex(schema::sha256(base64)).substr(0, 32) + "]";
}

/// An address of an image or file; one that holds the bytes itself names these.
std::string named_address(std::string_view what, std::string_view address) {
  if (address.starts_with("data:")) {
    auto const comma = address.find(',');
    auto const head = address.substr(5, comma == std::string_view::npos ? comma : comma - 5);
    auto const body = comma == std::string_view::npos ? std::string_view{} : address.substr(comma + 1);
    return named_bytes(head.substr(0, head.find(';')), body);
  }
  return "[" + std::string(what) + " " + std::string(address) + "]";
}

std::string media_type_of(json::object const& part, std::string_view fallback) {
  auto const type = string_at(part, {"mime_type", "mimeType", "media_type", "mediaType"});
  if (!type.empty()) return std::string(type);
  auto const format = string_at(part, {"format"});
  return format.empty() ? std::string(fallback) : std::string(fallback) + "/" + std::string(format);
}

/// The source of an image, file, sound or film: an address, inline bytes, or the provider's id. `what` names its kind.
std::optional<std::string> media_in(json::object const& part, std::string_view what) {
  auto const address = string_at(part, {"uri", "url", "fileUri", "file_url", "image_url", "s3Uri"});
  if (!address.empty()) return named_address(what, address);
  for (auto const* const name : {"image_url", "input_audio", "source", "image", "file", "inlineData", "fileData",
                                 "s3Location", "inline_data", "file_data"}) {
    if (auto const* const inner = object_at(part, name)) {
      auto const type = string_at(part, {"format"});
      if (!type.empty() && !inner->contains("format") && first_of(*inner, {"bytes", "data"}) != nullptr) {
        return named_bytes(std::string(what) + "/" + std::string(type), string_at(*inner, {"bytes", "data"}));
      }
      if (auto found = media_in(*inner, what)) return found;
    }
  }
  auto const bytes = string_at(part, {"data", "bytes", "file_data", "base64"});
  if (!bytes.empty()) {
    return bytes.starts_with("data:") || bytes.starts_with("http") ? named_address(what, bytes)
                                                                   : named_bytes(media_type_of(part, what), bytes);
  }
  auto const image = string_at(part, {"image"});  // an address or base64
  if (!image.empty()) {
    bool const is_address = image.starts_with("data:") || image.starts_with("http");
    return is_address ? named_address(what, image) : named_bytes(media_type_of(part, what), image);
  }
  auto const id = string_at(part, {"file_id", "fileId"});
  return id.empty() ? std::nullopt : std::optional{"[" + std::string(what) + " " + std::string(id) + "]"};
}

// --- parts ---

void append_part(json::value const& part, Message& out, int depth);
bool append_media(json::object const& part, Message& out);

/// What names an image, file, sound or film; empty where a part is none, or does not say which.
std::string named_media(json::object const& part) {
  Message message;
  bool const is_named = append_media(part, message) && message.text.starts_with('[');
  return is_named ? std::move(message.text) : std::string{};
}

/// What a tool gave back: a text as it is, parts as these, anything else as JSON.
std::string result_text(json::value const& value, int depth) {
  if (value.is_string()) return text_of(value);
  if (auto const* const object = value.if_object()) {
    if (auto const* const held = first_of(*object, {"value"})) {
      if (is_one_of(string_at(*object, {"type"}), {"text", "json", "content", "error-text", "error-json"})) {
        return result_text(*held, depth);
      }
    }
    if (auto const* const held = object->if_contains("json"); held != nullptr && object->size() == 1) {
      return text_of(*held);
    }
    if (auto const* const text = object->if_contains("text"); text != nullptr && object->size() <= 2) {
      if (text->is_string()) return text_of(*text);
    }
    return text_of(value);
  }
  auto const* const list = value.if_array();
  bool const has_parts =
      list != nullptr && !list->empty() && std::ranges::all_of(*list, [](json::value const& each) {
        auto const* const object = each.if_object();
        return object != nullptr && (first_of(*object, {"text", "json"}) != nullptr ||
                                     string_at(*object, {"type"}) == "text" || !named_media(*object).empty());
      });
  if (!has_parts || depth > depth_max) return text_of(value);
  std::string text;
  for (auto const& each : *list) {
    auto const media = named_media(each.get_object());
    append_paragraph(text, media.empty() ? result_text(each, depth + 1) : media);
  }
  return text;
}

bool is_result_type(std::string_view type) {
  return is_one_of(type, {"tool_call_response", "tool-result", "tool_result", "function_call_output",
                          "server_tool_call_response", "toolResult", "function_response", "tool_response",
                          "mcp_tool_result"}) ||
         type.ends_with("_tool_result");
}

bool is_reasoning_type(std::string_view type) {
  return is_one_of(type, {"reasoning", "thinking", "redacted_thinking", "reasoning_content"});
}

/// A part that is a tool's result.
bool append_result(json::object const& part, Message& out, int depth) {
  for (auto const* const name : {"toolResult", "functionResponse", "function_response"}) {
    if (auto const* const inner = object_at(part, name)) {
      (void)append_result(*inner, out, depth);
      return true;
    }
  }
  bool const is_named = part.contains("toolUseId") || is_result_type(string_at(part, {"type"})) ||
                        (part.contains("response") && part.contains("name"));
  if (!is_named) return false;
  auto const* const held = first_of(part, {"response", "result", "output", "content"});
  if (held == nullptr) return false;
  ToolResult result{
      .id = std::string(string_at(part, {"id", "tool_call_id", "tool_use_id", "toolUseId", "toolCallId", "call_id"})),
      .text = result_text(*held, depth + 1)};
  append_paragraph(out.text, result.text);
  if (!result.text.empty()) out.results.push_back(std::move(result));
  return true;
}

bool append_reasoning(json::object const& part, Message& out) {
  auto const* const content = object_at(part, "reasoningContent");
  auto const* const thought = part.if_contains("thought");
  bool const is_thought = thought != nullptr && thought->is_bool() && thought->get_bool();
  if (content == nullptr && !is_thought && !is_reasoning_type(string_at(part, {"type"}))) return false;
  auto const& from = content == nullptr ? part : *content;
  auto const* held = first_of(from, {"text", "content", "thinking", "reasoning", "reasoningText", "summary"});
  if (held != nullptr && held->is_object()) {
    auto const* const inner = first_of(held->get_object(), {"text"});
    if (inner != nullptr) held = inner;
  }
  auto const text = held == nullptr ? text_of(json::value(part)) : result_text(*held, 0);
  append_paragraph(out.reasoning, text);
  return true;
}

bool append_media(json::object const& part, Message& out) {
  auto const type = string_at(part, {"type"});
  if (type == "blob") {
    auto const bytes = string_at(part, {"content", "data"});
    auto const modality = string_at(part, {"modality"});
    append_paragraph(out.text, named_bytes(media_type_of(part, modality), bytes));
    return true;
  }
  auto const modality = string_at(part, {"modality"});
  std::string_view what = modality.empty() ? std::string_view{"file"} : modality;
  bool is_media = is_one_of(type, {"uri", "file", "document", "input_file", "audio", "video", "media"});
  if (is_one_of(type, {"image", "image_url", "input_image"})) {
    is_media = true;
    what = "image";
  }
  if (is_one_of(type, {"input_audio", "audio"})) {
    is_media = true;
    what = "audio";
  }
  if (type == "video") what = "video";
  if (type.empty()) {
    for (auto const* const name :
         {"image", "document", "video", "audio", "inlineData", "fileData", "inline_data", "file_data", "image_url"}) {
      if (part.if_contains(name) == nullptr) continue;
      is_media = true;
      what = is_one_of(name, {"image", "image_url"}) ? "image" : std::string_view{name};
    }
    if (is_one_of(what, {"inlineData", "fileData", "inline_data", "file_data"})) what = "file";
  }
  if (!is_media) return false;
  auto found = media_in(part, what);
  if (!found && type == "document") return false;  // one whose text is in it
  append_paragraph(out.text, found ? *found : text_of(json::value(part)));
  return true;
}

/// A part with a text and nothing that says that it is something else.
bool append_text(json::object const& part, Message& out) {
  auto const type = string_at(part, {"type"});
  if (!type.empty() && !is_one_of(type, {"text", "input_text", "output_text", "refusal", "summary_text"})) return false;
  auto const* held = first_of(part, {"text", "content", "refusal"});
  if (held == nullptr) return !type.empty() && part.size() == 1;  // a text part without a text
  if (held->is_object() && held->get_object().contains("value")) held = &held->get_object().at("value");
  if (type.empty() && !held->is_string()) return false;
  if (type.empty() && string_at(part, {"role"}).empty() && part.size() > 2) return false;
  append_paragraph(out.text, text_of(*held));
  return true;
}

void append_part(json::value const& part, Message& out, int depth) {
  if (part.is_null()) return;
  if (auto const* const list = part.if_array(); list != nullptr && depth < depth_max) {
    for (auto const& each : *list) append_part(each, out, depth + 1);
    return;
  }
  auto const* const object = part.if_object();
  bool const is_read = object != nullptr && (append_reasoning(*object, out) || append_result(*object, out, depth) ||
                                             append_media(*object, out) || append_text(*object, out));
  if (!is_read) append_paragraph(out.text, text_of(part));
}

/// Whether an object is a part, and can be nothing else: what a text that is JSON must be made of to be no text.
bool is_surely_part(json::value const& value) {
  auto const* const part = value.if_object();
  if (part == nullptr) return false;
  auto const type = string_at(*part, {"type"});
  if (!type.empty()) {
    return is_result_type(type) || is_reasoning_type(type) ||
           is_one_of(type, {"text",
                            "input_text",
                            "output_text",
                            "refusal",
                            "tool_call",
                            "tool-call",
                            "tool_use",
                            "function_call",
                            "server_tool_use",
                            "server_tool_call",
                            "image",
                            "image_url",
                            "input_image",
                            "input_audio",
                            "audio",
                            "video",
                            "uri",
                            "blob",
                            "file",
                            "input_file",
                            "document"});
  }
  constexpr std::array<std::string_view, 17> alone = {
      "text",       "toolUse",  "toolResult", "image", "reasoningContent", "functionCall",  "functionResponse",
      "inlineData", "fileData", "cachePoint", "video", "document",         "function_call", "function_response",
      "file_data",  "audio",    "inline_data"};
  return part->size() == 1 && std::ranges::find(alone, std::string_view(part->begin()->key())) != alone.end();
}

bool are_surely_parts(json::value const& value) {
  auto const* const list = value.if_array();
  return list != nullptr && !list->empty() && std::ranges::all_of(*list, is_surely_part);
}

/// The content of a message. A text stays one, but for the JSON text of parts.
void append_content(json::value const& content, Message& out, int depth) {
  if (content.is_string()) {
    auto const held = structured(content);
    if (!are_surely_parts(held)) return append_paragraph(out.text, text_of(content));
    return append_part(held, out, depth);
  }
  append_part(content, out, depth);
}

// --- messages ---

bool is_message(json::object const& object) {
  if (object.contains("role") || object.contains("parts") || object.contains("message")) return true;
  if (object.contains("lc") && object.contains("kwargs")) return true;
  return !role_named(string_at(object, {"type"})).empty() && object.contains("content");
}

/// The parts that OpenInference has beside a content, but for those that say the same.
void append_contents(json::object const& object, json::value const* content, Message& message, int depth) {
  auto const* const more = first_of(object, {"contents"});
  if (more == nullptr || more == content) return;
  Message beside;
  append_content(*more, beside, depth);
  if (message.text.find(beside.text) == std::string::npos) append_paragraph(message.text, beside.text);
  append_paragraph(message.reasoning, beside.reasoning);
  for (auto& result : beside.results) message.results.push_back(std::move(result));
}

Message message_in(json::value const& value, std::string_view default_role, int depth) {
  Message message{.role = std::string(default_role)};
  auto const* const object = value.if_object();
  if (object == nullptr || depth > depth_max) {
    append_content(value, message, depth);
    return message;
  }
  // {"index":0,"message":{...}} of a choice; LangChain's {"lc":1,"id":[...,"AIMessage"],"kwargs":{...}}
  if (auto const* const nested = first_of(*object, {"message"})) {
    auto const held = structured(*nested);
    if (held.is_object()) return message_in(held, default_role, depth + 1);
    append_content(*nested, message, depth + 1);
    if (!message.text.empty()) return message;
  }
  auto const* const kwargs = object_at(*object, "kwargs");
  if (kwargs != nullptr && object->contains("lc")) {
    auto const* const id = object->if_contains("id");
    bool const is_named =
        id != nullptr && id->is_array() && !id->get_array().empty() && id->get_array().back().is_string();
    auto const role = is_named ? role_named(id->get_array().back().get_string()) : std::string_view{};
    return message_in(*kwargs, role.empty() ? default_role : role, depth + 1);
  }
  if (auto const role = string_at(*object, {"role"}); !role.empty()) {
    message.role = std::string(role);
  } else if (auto const named = role_named(string_at(*object, {"type"})); !named.empty()) {
    message.role = std::string(named);
  } else if (!is_message(*object) && is_surely_part(value)) {
    bool const is_result = is_result_type(string_at(*object, {"type"}));
    if (is_result) message.role = "tool";
    append_part(value, message, depth);
    return message;
  }
  auto const* const content = first_of(*object, {"parts", "content", "contents", "text"});
  if (content != nullptr) append_content(*content, message, depth);
  append_contents(*object, content, message, depth);
  if (auto const* const thought =
          first_of(*object, {"reasoning_content", "reasoning", "thinking", "reasoning_details"}))
    append_paragraph(message.reasoning, result_text(*thought, 0));
  append_paragraph(message.text, string_at(*object, {"refusal"}));
  if (is_one_of(message.role, {"thinking", "reasoning"})) {  // OpenLLMetry's message of what Anthropic's models thought
    append_paragraph(message.reasoning, std::exchange(message.text, {}));
    message.role = "assistant";
  }
  auto const* calls = first_of(*object, {"tool_calls", "function_call", "toolCalls"});
  auto const* const more = object_at(*object, "additional_kwargs");  // LangChain
  if (calls == nullptr && more != nullptr) calls = first_of(*more, {"tool_calls", "function_call"});
  bool const has_calls = calls != nullptr && !(calls->is_array() && calls->get_array().empty());
  if (has_calls) append_paragraph(message.text, text_of(*calls));
  auto call_id = string_at(*object, {"tool_call_id", "toolCallId"});
  if (call_id.empty() && message.role == "tool") call_id = string_at(*object, {"id"});  // of OpenTelemetry's events
  if (!call_id.empty() && message.results.empty() && !message.text.empty()) {
    message.results.push_back({std::string(call_id), message.text});
  }
  bool const says = content != nullptr || has_calls || !message.text.empty() || !message.reasoning.empty();
  bool const has_more = std::ranges::any_of(*object, [](auto const& member) {
    return !member.value().is_null() &&
           !is_one_of(member.key(), {"role", "name", "id", "type", "index", "finish_reason", "gen_ai.system",
                                     "gen_ai.provider.name", "event.name", "tool_call_id", "tool_calls", "toolCalls"});
  });
  if (!says && has_more) message.text = text_of(value);
  return message;
}

bool holds_messages(json::value const& value, int depth = 0) {
  if (auto const* const list = value.if_array()) {
    return depth < depth_max && !list->empty() && std::ranges::all_of(*list, [&](json::value const& each) {
             return each.is_array() ? holds_messages(each, depth + 1)
                                    : (each.is_object() && is_message(each.get_object())) || is_surely_part(each);
           });
  }
  auto const* const object = value.if_object();
  if (object == nullptr) return false;
  if (is_message(*object)) return true;
  for (auto const* const name : {"messages", "choices", "candidates", "contents", "generations"}) {
    auto const* const list = object->if_contains(name);
    if (list != nullptr && list->is_array()) return true;
  }
  for (auto const* const name : {"input", "output"}) {  // OpenAI's Responses; Bedrock's Converse
    auto const* const held = object->if_contains(name);
    if (held != nullptr && !held->is_string() && depth < depth_max && holds_messages(*held, depth + 1)) return true;
  }
  return object->contains("prompt") && object->size() <= 4;
}

/// A choice of Gemini's: an object whose content is the message.
json::object const* message_within(json::value const& value) {
  auto const* const object = value.if_object();
  auto const* const content = object == nullptr ? nullptr : object_at(*object, "content");
  return content != nullptr && is_message(*content) ? content : nullptr;
}

/// Choices are in the order of their numbers.
std::vector<json::value const*> in_order(json::array const& list) {
  std::vector<json::value const*> items;
  for (auto const& each : list) items.push_back(&each);
  auto const index = [](json::value const* each) {
    auto const* const held = each->is_object() ? each->get_object().if_contains("index") : nullptr;
    return held != nullptr && held->is_number() ? held->to_number<double>() : -1.0;
  };
  bool const are_numbered = std::ranges::all_of(items, [&](auto const* each) { return index(each) >= 0; });
  if (are_numbered) std::ranges::stable_sort(items, [&](auto const* a, auto const* b) { return index(a) < index(b); });
  return items;
}

void collect(json::value const& value, std::string_view default_role, std::vector<Message>& messages, int depth) {
  auto const add = [&](Message message) {
    if (!message.text.empty() || !message.reasoning.empty()) messages.push_back(std::move(message));
  };
  if (auto const* const list = value.if_array(); list != nullptr && depth < depth_max) {
    bool const are_parts = !list->empty() && std::ranges::none_of(*list, [](json::value const& each) {
      return each.is_array() || each.is_string() || (each.is_object() && is_message(each.get_object())) ||
             message_within(each) != nullptr;
    });
    bool const are_items = std::ranges::any_of(*list, [](json::value const& each) {  // OpenAI's Responses
      auto const* const object = each.if_object();
      return object != nullptr &&
             is_one_of(string_at(*object, {"type"}), {"function_call_output", "function_call", "message"});
    });
    if (are_parts && !are_items) {
      Message message{.role = std::string(default_role)};
      append_part(value, message, depth);
      return add(std::move(message));
    }
    for (auto const* const each : in_order(*list)) collect(*each, default_role, messages, depth + 1);
    return;
  }
  auto const* const object = value.if_object();
  if (object == nullptr || is_message(*object)) return add(message_in(value, default_role, depth));
  bool has_list = false;
  constexpr std::array<std::pair<std::string_view, std::string_view>, 11> lists = {{{"system", "system"},
                                                                                    {"systemInstruction", "system"},
                                                                                    {"instructions", "system"},
                                                                                    {"prompt", "user"},
                                                                                    {"messages", "user"},
                                                                                    {"contents", "user"},
                                                                                    {"input", "user"},
                                                                                    {"output", "assistant"},
                                                                                    {"choices", "assistant"},
                                                                                    {"candidates", "assistant"},
                                                                                    {"generations", "assistant"}}};
  if (depth < depth_max && holds_messages(value)) {
    for (auto const& [name, role] : lists) {
      auto const* const member = object->if_contains(name);
      if (member == nullptr || member->is_null()) continue;
      has_list = true;
      collect(structured(*member), role, messages, depth + 1);
    }
  }
  if (auto const* const content = message_within(value); !has_list && content != nullptr)
    return collect(*content, default_role, messages, depth + 1);
  if (!has_list) add(message_in(value, default_role, depth));
}

}  // namespace

namespace {

/// Members of messages whose value is in the text as it is, or says where it stands.
bool is_read_whole(std::string_view name) {
  return is_one_of(
      name, {"role", "type", "text", "index", "id", "tool_call_id", "toolCallId", "call_id", "tool_calls", "toolCalls",
             "function_call", "refusal", "reasoning", "reasoning_content", "reasoning_details", "thinking", "lc"});
}

/// Members that hold messages or parts.
bool is_read_within(std::string_view name) {
  return is_one_of(name, {"messages", "message", "parts", "content", "contents", "choices", "candidates", "generations",
                          "system", "systemInstruction", "instructions", "prompt", "input", "output", "kwargs"});
}

/// Values of a JSON text that is read: more take many times its size, and make no messages that anybody reads. It stays
/// the text that it is.
constexpr std::size_t values_max = 200'000;

/// Whether a JSON text has at most `values_max` values. O(size).
bool has_few_values(std::string_view text) noexcept {
  std::size_t values = 0;
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') is_quoted = !is_quoted;
    if (text[i] == '\\' && is_quoted) ++i;
    if (!is_quoted && (text[i] == ',' || text[i] == '[' || text[i] == '{') && ++values > values_max) return false;
  }
  return true;
}

}  // namespace

json::value structured(json::value const& value) {
  auto const* const text = value.if_string();
  if (text == nullptr || text->empty()) return value;
  auto const first = text->find_first_not_of(" \t\r\n");
  if (first == json::string::npos || ((*text)[first] != '[' && (*text)[first] != '{')) return value;
  if (!has_few_values({text->data(), text->size()})) return value;
  auto parsed = schema::json::parse_foreign({text->data(), text->size()});
  if (!parsed) return value;
  return std::move(parsed->value);
}

json::value left_of(json::value const& value, int depth) {
  if (depth > depth_max) return nullptr;
  json::object left;
  if (auto const* const list = value.if_array()) {
    for (std::size_t i = 0; i < list->size(); ++i) {
      auto of_item = left_of((*list)[i], depth + 1);
      if (!of_item.is_null()) left[std::to_string(i)] = std::move(of_item);
    }
  } else if (auto const* const object = value.if_object()) {
    bool const is_whole = !is_message(*object) && is_surely_part(value) && !object->contains("text") &&
                          !object->contains("content");  // its JSON is in the text, or what it names
    for (auto const& member : *object) {
      auto const& held = member.value();
      bool const is_empty = held.is_null() || (held.is_array() && held.get_array().empty()) ||
                            (held.is_object() && held.get_object().empty());
      if (is_whole || is_empty || is_read_whole(member.key())) continue;
      if (is_read_within(member.key()) && held.is_string()) continue;  // a text is kept as it is
      auto of_member = is_read_within(member.key()) ? left_of(held, depth + 1) : held;
      if (!of_member.is_null()) left[member.key()] = std::move(of_member);
    }
  }
  return left.empty() ? json::value{} : json::value(std::move(left));
}

std::string text_of(json::value const& value) {
  if (auto const* const text = value.if_string()) return std::string(*text);
  return value.is_null() ? std::string{} : schema::json::to_text(value);
}

Message message_of(json::value const& value, std::string_view default_role) {
  return message_in(value, default_role, 0);
}

std::vector<Message> messages_of(json::value const& value, std::string_view default_role) {
  return messages_of(value, structured(value), default_role);
}

std::vector<Message> messages_of(json::value const& value, json::value const& held, std::string_view default_role) {
  std::vector<Message> messages;
  if (value.is_string() && !holds_messages(held)) {
    Message message{.role = std::string(default_role), .text = text_of(value)};
    if (!message.text.empty()) messages.push_back(std::move(message));
    return messages;
  }
  collect(held, default_role, messages, 0);
  return messages;
}

bool is_of_user(Message const& message) {
  return message.results.empty() && is_one_of(message.role, {"user", "human"});
}

bool is_instruction(Message const& message) {
  return is_one_of(message.role, {"system", "developer"});
}

Rendered rendered(std::vector<Message> const& messages) {
  Rendered result;
  std::size_t at = 0;  // code points so far
  for (auto const& message : messages) {
    if (message.text.empty()) continue;
    if (messages.size() > 1) {
      auto const head = (result.text.empty() ? std::string{} : std::string{"\n\n"}) + message.role + ": ";
      result.text += head;
      at += schema::code_points(head);
    }
    auto const end = at + schema::code_points(message.text);
    result.text += message.text;
    result.parts.push_back({message.role, at, end});
    at = end;
    if (is_of_user(message)) result.question = message.text;
  }
  return result;
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

std::string joined(std::vector<Message> const& messages) {
  return rendered(messages).text;
}

std::string joined_reasoning(std::vector<Message> const& messages) {
  std::string text;
  for (auto const& message : messages) append_paragraph(text, message.reasoning);
  return text;
}

}  // namespace whence::net::capture
