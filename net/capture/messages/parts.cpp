#include "net/capture/messages/parts.hpp"

#include "net/capture/messages/json_text.hpp"
#include "net/capture/messages/media.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace whence::net::capture {

namespace json = boost::json;

namespace {

bool is_reasoning_type(std::string_view type) {
  return is_one_of(type, {"reasoning", "thinking", "redacted_thinking", "reasoning_content"});
}

/// Calls of tools that are items of their own (OpenAI's Responses).
bool is_call_type(std::string_view type) {
  return is_one_of(type, {"function_call", "custom_tool_call", "computer_call", "web_search_call", "file_search_call",
                          "code_interpreter_call", "mcp_call", "local_shell_call", "shell_call", "apply_patch_call",
                          "image_generation_call", "tool_call", "tool-call", "tool_use", "server_tool_use",
                          "server_tool_call", "mcp_tool_use"});
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
  if (is_one_of(type, {"image", "image_url", "input_image", "image_generation_call"})) {
    is_media = true;
    what = "image";
  }
  if (is_one_of(type, {"input_audio", "audio"})) {
    is_media = true;
    what = "audio";
  }
  if (type == "video") what = "video";
  if (type.empty()) {
    for (auto const* const name : {"image", "document", "video", "audio", "inlineData", "fileData", "inline_data",
                                   "file_data", "image_url", "b64_json"}) {
      if (part.if_contains(name) == nullptr) continue;
      is_media = true;
      what = is_one_of(name, {"image", "image_url", "b64_json"}) ? "image" : std::string_view{name};
    }
    if (is_one_of(what, {"inlineData", "fileData", "inline_data", "file_data"})) what = "file";
  }
  if (!is_media) return false;
  auto found = media_in(part, what);
  if (!found && type == "document") return false;  // one whose text is in it
  append_paragraph(out.text, found ? *found : json_text(json::value(part)));
  return true;
}

/// A document whose text is in it (Anthropic): its title, what is said of it, and the text.
bool append_document(json::object const& part, Message& out, int depth) {
  auto const* const source = string_at(part, {"type"}) == "document" ? object_at(part, "source") : nullptr;
  if (source == nullptr || !is_one_of(string_at(*source, {"type"}), {"text", "content"})) return false;
  auto const* const held = first_of(*source, {"data", "content"});
  if (held == nullptr) return false;
  append_paragraph(out.text, string_at(part, {"title"}));
  append_paragraph(out.text, string_at(part, {"context"}));
  append_paragraph(out.text, result_text(*held, depth + 1));
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

bool are_surely_parts(json::value const& value) {
  auto const* const list = value.if_array();
  return list != nullptr && !list->empty() && std::ranges::all_of(*list, is_surely_part);
}

}  // namespace

std::string named_media(json::object const& part) {
  Message message;
  bool const is_named = append_media(part, message) && message.text.starts_with('[');
  return is_named ? std::move(message.text) : std::string{};
}

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
    return json_text(value);
  }
  auto const* const list = value.if_array();
  bool const has_parts =
      list != nullptr && !list->empty() && std::ranges::all_of(*list, [](json::value const& each) {
        auto const* const object = each.if_object();
        return object != nullptr && (first_of(*object, {"text", "json"}) != nullptr ||
                                     string_at(*object, {"type"}) == "text" || !named_media(*object).empty());
      });
  if (!has_parts || depth > depth_max) return json_text(value);
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
         type.ends_with("_tool_result") || type.ends_with("_call_output");
}

bool is_of_model_type(std::string_view type) {
  return is_call_type(type) || is_reasoning_type(type);
}

void append_part(json::value const& part, Message& out, int depth) {
  if (part.is_null()) return;
  if (auto const* const list = part.if_array(); list != nullptr && depth < depth_max) {
    for (auto const& each : *list) append_part(each, out, depth + 1);
    return;
  }
  auto const* const object = part.if_object();
  bool const is_read = object != nullptr && (append_reasoning(*object, out) || append_result(*object, out, depth) ||
                                             append_document(*object, out, depth) || append_media(*object, out) ||
                                             append_text(*object, out));
  if (!is_read) append_paragraph(out.text, json_text(part));
}

bool is_surely_part(json::value const& value) {
  auto const* const part = value.if_object();
  if (part == nullptr) return false;
  auto const type = string_at(*part, {"type"});
  if (!type.empty()) {
    return is_result_type(type) || is_of_model_type(type) ||
           is_one_of(type, {"text", "input_text", "output_text", "refusal", "image", "image_url", "input_image",
                            "input_audio", "audio", "video", "uri", "blob", "file", "input_file", "document"});
  }
  constexpr std::array<std::string_view, 18> alone = {
      "text",       "toolUse",  "toolResult",  "image",   "reasoningContent", "functionCall",  "functionResponse",
      "inlineData", "fileData", "cachePoint",  "video",   "document",         "function_call", "function_response",
      "file_data",  "audio",    "inline_data", "b64_json"};
  return part->size() == 1 && std::ranges::find(alone, std::string_view(part->begin()->key())) != alone.end();
}

void append_content(json::value const& content, Message& out, int depth) {
  if (content.is_string()) {
    auto const held = structured(content);
    if (!are_surely_parts(held)) return append_paragraph(out.text, without_bytes(text_of(content), held));
    return append_part(held, out, depth);
  }
  append_part(content, out, depth);
}

}  // namespace whence::net::capture
