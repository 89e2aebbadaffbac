// Each `append_` function reads one kind of part into a message. Where it is given `rest`, a copy of the part, it takes
// out what it read: what is left there is kept apart.

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
  return is_one_of(
      type, {"reasoning", "thinking", "redacted_thinking", "reasoning_content", "reasoning_text", "reasoning.text"});
}

/// Calls of tools that are items of their own (OpenAI's Responses).
bool is_call_type(std::string_view type) {
  return is_one_of(
      type, {"function_call",         "custom_tool_call", "computer_call",    "web_search_call", "file_search_call",
             "code_interpreter_call", "mcp_call",         "local_shell_call", "shell_call",      "apply_patch_call",
             "image_generation_call", "tool_call",        "tool-call",        "tool_use",        "server_tool_use",
             "server_tool_call",      "mcp_tool_use",     "toolUse",          "toolCall",        "functionCall"});
}

bool is_text_type(std::string_view type) {
  return is_one_of(type, {"text", "input_text", "output_text", "refusal", "summary_text"});
}

/// Media as Pydantic AI has them.
bool is_pydantic_media(std::string_view type) {
  return is_one_of(type, {"binary", "image-url", "audio-url", "video-url", "document-url"});
}

/// The type of a part, which Pydantic AI's events call its kind.
std::string_view type_of_part(json::object const& part) {
  auto const type = string_at(part, {"type"});
  auto const kind = type.empty() ? string_at(part, {"kind"}) : std::string_view{};
  return is_text_type(kind) || is_reasoning_type(kind) || is_pydantic_media(kind) ? kind : type;
}

bool is_said(json::value const& held) {
  return !held.is_null() && !(held.is_string() && held.get_string().empty()) &&
         !(held.is_array() && held.get_array().empty()) && !(held.is_object() && held.get_object().empty());
}

/// The members that say something.
json::object without_empty(json::object&& of) {
  json::object left;
  for (auto& member : of) {
    if (auto* const inner = member.value().if_object()) *inner = without_empty(std::move(*inner));
    if (is_said(member.value())) left.emplace(member.key(), std::move(member.value()));
  }
  return left;
}

/// Takes members that were read out of what is left of a part.
void take(json::object* rest, std::initializer_list<std::string_view> names) {
  for (auto const name : names) {
    if (rest != nullptr) rest->erase(name);
  }
}

/// Takes what says the type of a part that was read.
void take_type(json::object* rest) {
  if (rest != nullptr && string_at(*rest, {"type"}).empty() && !type_of_part(*rest).empty()) rest->erase("kind");
  take(rest, {"type"});
}

/// The text of a member, whose rest stays in what is left of the part.
std::string read_member(json::key_value_pair const& member, int depth, json::object* rest) {
  if (rest == nullptr) return result_text(member.value(), depth);
  json::value left;
  auto text = result_text(member.value(), depth, &left);
  keep_rest(*rest, member.key(), std::move(left));
  return text;
}

/// A part that is a tool's result.
bool append_result(json::object const& part, Message& out, int depth, json::object* rest, bool is_result = false) {
  for (auto const* const name : {"toolResult", "functionResponse", "function_response", "toolResponse"}) {
    auto const* const inner = object_at(part, name);
    if (inner == nullptr) continue;
    json::object of_inner;
    if (rest != nullptr) of_inner = *inner;
    bool const is_read =
        depth < depth_max && append_result(*inner, out, depth + 1, rest == nullptr ? nullptr : &of_inner, true);
    if (is_read && rest != nullptr) keep_rest(*rest, name, json::value(std::move(of_inner)));
    return is_read;
  }
  bool const is_named = is_result || part.contains("toolUseId") || is_result_type(string_at(part, {"type"})) ||
                        (part.contains("response") && part.contains("name"));
  auto const* const held = is_named ? first_member_of(part, {"response", "result", "output", "content"}) : nullptr;
  auto const* id =
      first_member_of(part, {"id", "tool_call_id", "tool_use_id", "toolUseId", "toolCallId", "call_id", "callId"});
  if (id == nullptr && is_result) id = first_member_of(part, {"ref"});  // Genkit's
  bool const is_surely = is_result || is_result_type(string_at(part, {"type"}));
  bool const is_empty =
      held == nullptr && is_surely && id != nullptr && id->value().is_string();  // a tool gave nothing
  if (held == nullptr && !is_empty) return false;
  ToolResult result;
  if (held != nullptr) result.text = read_member(*held, depth + 1, rest);
  take(rest, {"type"});
  if (id != nullptr && id->value().is_string()) {
    result.id = std::string(id->value().get_string());
    take(rest, {id->key()});
  }
  append_paragraph(out.text, result.text);
  if (!result.text.empty() || !result.id.empty()) out.results.push_back(std::move(result));
  return true;
}

bool append_reasoning(json::object const& part, Message& out, json::object* rest) {
  auto const* const content = object_at(part, "reasoningContent");
  auto const* const thought = part.if_contains("thought");
  bool const is_thought = thought != nullptr && thought->is_bool() && thought->get_bool();
  auto const* const alone = part.if_contains("reasoning");  // Genkit's
  bool const is_alone = alone != nullptr && alone->is_string() && part.size() == (part.contains("metadata") ? 2 : 1);
  bool const is_typed = is_thought || is_alone || is_reasoning_type(type_of_part(part));
  if (content == nullptr && !is_typed) return false;
  auto const& from = content == nullptr ? part : *content;
  json::object of_inner;
  if (rest != nullptr && content != nullptr) of_inner = *content;
  auto* const from_rest = rest == nullptr || content == nullptr ? rest : &of_inner;
  bool is_known = false;  // even where it says nothing
  bool is_read = false;
  for (auto const* const name : {"text", "content", "thinking", "reasoning", "reasoningText", "summary"}) {
    auto const* const held = from.find(name);
    if (held == from.end()) continue;
    is_known = true;
    if (!is_said(held->value())) {
      take(from_rest, {name});
    } else if (!is_read) {
      is_read = true;
      auto const* const inner = held->value().if_object();
      auto const* const text = inner == nullptr ? nullptr : first_member_of(*inner, {"text"});
      if (text == nullptr) {
        append_paragraph(out.reasoning, read_member(*held, 0, from_rest));
      } else {
        append_paragraph(out.reasoning, result_text(text->value(), 0));
        if (from_rest != nullptr) from_rest->at(name).as_object().erase("text");
      }
      if (from_rest != nullptr && from_rest->contains(name))
        keep_rest(*from_rest, name, json::value(from_rest->at(name)));
    }
  }
  if (!is_known) append_paragraph(out.reasoning, json_text(json::value(part)));
  if (rest == nullptr) return true;
  if (!is_known) rest->clear();
  if (is_known && content != nullptr) keep_rest(*rest, "reasoningContent", json::value(std::move(of_inner)));
  take_type(rest);
  take(rest, {"index"});
  if (is_thought) take(rest, {"thought"});
  return true;
}

/// What kind of a medium a part is; empty: none.
std::string_view media_kind(json::object const& part) {
  auto const type = type_of_part(part);
  if (type.ends_with("-url") && is_pydantic_media(type)) return type == "document-url" ? "file" : type.substr(0, 5);
  if (is_one_of(type, {"image", "image_url", "input_image", "image_generation_call"})) return "image";
  if (is_one_of(type, {"input_audio", "audio"})) return "audio";
  if (type == "video") return "video";
  auto const modality = string_at(part, {"modality"});
  if (is_one_of(type, {"uri", "file", "document", "input_file", "media", "binary"}))
    return modality.empty() ? "file" : modality;
  if (!type.empty()) return {};
  std::string_view what;
  for (std::string_view const name : {"image", "document", "video", "audio", "inlineData", "fileData", "inline_data",
                                      "file_data", "image_url", "b64_json", "media"}) {
    if (part.if_contains(name) == nullptr) continue;
    what = is_one_of(name, {"image", "image_url", "b64_json"}) ? "image" : name;
  }
  return is_one_of(what, {"inlineData", "fileData", "inline_data", "file_data", "media"}) ? "file" : what;
}

bool append_media(json::object const& part, Message& out, json::object* rest) {
  auto const type = type_of_part(part);
  auto const* const bytes = first_member_of(part, {"content", "data", "binary_content"});
  if (type == "blob" || (type == "binary" && bytes != nullptr)) {
    bool const is_text = bytes != nullptr && bytes->value().is_string();
    auto const modality = string_at(part, {"modality"});
    auto const named = named_bytes(media_type_of(part, modality),
                                   is_text ? std::string_view(bytes->value().get_string()) : std::string_view{});
    append_paragraph(out.text, named);
    if (is_text) take(rest, {bytes->key()});
    take_type(rest);
    take(rest, {"modality", "mime_type", "mimeType", "media_type", "mediaType"});
    return true;
  }
  auto const what = media_kind(part);
  if (what.empty()) return false;
  auto const named = named_media(part, rest);
  if (named.empty() && type == "document") return false;  // one whose text is in it
  if (named.empty() && rest != nullptr) rest->clear();
  append_paragraph(out.text, named.empty() ? json_text(json::value(part)) : named);
  return true;
}

/// A document whose text is in it (Anthropic): its title, what is said of it, and the text.
bool append_document(json::object const& part, Message& out, int depth, json::object* rest) {
  auto const* const source = string_at(part, {"type"}) == "document" ? object_at(part, "source") : nullptr;
  if (source == nullptr || !is_one_of(string_at(*source, {"type"}), {"text", "content"})) return false;
  auto const* const held = first_member_of(*source, {"data", "content"});
  if (held == nullptr) return false;
  for (auto const* const name : {"title", "context"}) {
    auto const said = string_at(part, {name});
    append_paragraph(out.text, said);
    if (!said.empty()) take(rest, {name});
  }
  json::object of_source;
  if (rest != nullptr) of_source = *source;
  append_paragraph(out.text, read_member(*held, depth + 1, rest == nullptr ? nullptr : &of_source));
  if (rest == nullptr) return true;
  take(&of_source, {"type"});
  keep_rest(*rest, "source", json::value(std::move(of_source)));
  take(rest, {"type"});
  return true;
}

/// A part with a text and nothing that says that it is something else.
bool append_text(json::object const& part, Message& out, json::object* rest) {
  auto const type = type_of_part(part);
  if (!type.empty() && !is_text_type(type)) return false;
  auto const* const member = first_member_of(part, {"text", "content", "refusal"});
  if (member == nullptr) {  // a text part without a text
    return !type.empty() && std::ranges::all_of(part, [](auto const& each) {
      return is_one_of(each.key(), {"type", "kind", "index"}) || !is_said(each.value());
    });
  }
  auto const* held = &member->value();
  bool const is_within = held->is_object() && held->get_object().contains("value");
  if (is_within) held = &held->get_object().at("value");
  if (type.empty() && !held->is_string()) return false;
  if (type.empty() && string_at(part, {"role"}).empty() && part.size() > 2) return false;
  append_paragraph(out.text, json_text(*held));
  if (rest == nullptr) return true;
  if (is_within) (*rest)[member->key()].as_object().erase("value");
  keep_rest(*rest, member->key(), is_within ? json::value(rest->at(member->key())) : json::value{});
  take_type(rest);
  take(rest, {"index"});
  return true;
}

/// Whether a part was read as what it is. What is read is taken out of `rest`, a copy of it.
bool append_known(json::object const& part, Message& out, int depth, json::object* rest) {
  return append_reasoning(part, out, rest) || append_result(part, out, depth, rest) ||
         append_document(part, out, depth, rest) || append_media(part, out, rest) || append_text(part, out, rest);
}

bool are_surely_parts(json::value const& value) {
  auto const* const list = value.if_array();
  return list != nullptr && !list->empty() && std::ranges::all_of(*list, is_surely_part);
}

/// Whether an object of a result's parts is a text: of a type that says so, whatever is beside it, or a text alone.
bool is_text_part(json::object const& part) {
  auto const* const text = part.if_contains("text");
  bool const is_text = text != nullptr && text->is_string();
  auto const type = string_at(part, {"type"});
  return is_text && (part.size() == 1 || is_text_type(type) || is_one_of(type, {"reasoning_text", "reasoning.text"}));
}

/// What the AI SDK and Bedrock wrap a result in; null: the object is no such wrapper.
json::key_value_pair const* wrapped_in(json::object const& object) {
  if (auto const* const held = first_member_of(object, {"json"}); held != nullptr && object.size() == 1) return held;
  bool const is_typed = is_one_of(string_at(object, {"type"}), {"text", "json", "content", "error-text", "error-json"});
  bool const is_alone = object.size() == 2 || (object.size() == 3 && object.contains("providerOptions"));
  return is_typed && is_alone ? first_member_of(object, {"value"}) : nullptr;
}

/// Parts of a result as one text. What they say beside it, by their numbers.
std::string text_of_parts(json::array const& parts, int depth, json::object* left) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    auto const& part = parts[i].get_object();
    json::object rest;
    if (left != nullptr) rest = part;
    auto read = is_text_part(part) ? json_text(part.at("text")) : named_media(part, left == nullptr ? nullptr : &rest);
    if (is_text_part(part)) {
      take(&rest, {"text", "type"});
    } else if (read.empty()) {
      read = result_text(parts[i], depth + 1);
      rest.clear();
    }
    append_paragraph(text, read);
    if (left != nullptr) keep_rest(*left, std::to_string(i), json::value(std::move(rest)));
  }
  return text;
}

}  // namespace

std::string named_media(json::object const& part, json::object* rest) {
  auto const what = media_kind(part);
  auto const found = what.empty() ? std::nullopt : media_in(part, what, {}, rest);
  return found ? text_of_media(*found) : std::string{};
}

std::string result_text(json::value const& value, int depth, json::value* rest) {
  if (auto const* const object = value.if_object()) {
    if (is_text_part(*object) && (object->size() == 1 || (object->size() == 2 && object->contains("type"))))
      return json_text(object->at("text"));
    auto const* const held = depth > depth_max ? nullptr : wrapped_in(*object);
    if (held == nullptr) return json_text(value);
    auto const* const options = object->if_contains("providerOptions");
    if (rest != nullptr && options != nullptr) *rest = json::object{{"providerOptions", *options}};
    if (string_at(*object, {"type"}) != "content") return json_text(held->value());
    json::object of_object;
    if (rest != nullptr && rest->is_object()) of_object = rest->get_object();
    auto text = read_member(*held, depth + 1, &of_object);
    if (rest != nullptr && !of_object.empty()) *rest = std::move(of_object);
    return text;
  }
  auto const* const list = value.if_array();
  bool const are_parts = list != nullptr && !list->empty() && std::ranges::all_of(*list, [](json::value const& each) {
                           auto const* const object = each.if_object();
                           return object != nullptr && (is_text_part(*object) || wrapped_in(*object) != nullptr ||
                                                        !named_media(*object).empty());
                         });
  if (!are_parts || depth > depth_max) return json_text(value);
  json::object left;
  auto text = text_of_parts(*list, depth, rest == nullptr ? nullptr : &left);
  if (rest != nullptr && !left.empty()) *rest = std::move(left);
  return text;
}

bool is_result_type(std::string_view type) {
  return is_one_of(type, {"tool_call_response", "tool-result", "tool_result", "function_call_output",
                          "function_call_result", "server_tool_call_response", "toolResult", "function_response",
                          "functionResponse", "tool_response", "mcp_tool_result"}) ||
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
  bool const is_read = object != nullptr && append_known(*object, out, depth, nullptr);
  if (!is_read) append_paragraph(out.text, json_text(part));
}

json::object rest_of_part(json::object const& part) {
  Message read;
  auto rest = part;
  return append_known(part, read, 0, &rest) ? without_empty(std::move(rest)) : json::object{};
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
  constexpr std::array<std::string_view, 21> alone = {
      "text",       "toolUse",  "toolResult",  "image",    "reasoningContent", "functionCall",  "functionResponse",
      "inlineData", "fileData", "cachePoint",  "video",    "document",         "function_call", "function_response",
      "file_data",  "audio",    "inline_data", "b64_json", "toolRequest",      "toolResponse",  "media"};
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
