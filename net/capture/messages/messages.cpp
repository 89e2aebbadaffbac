#include "net/capture/messages/messages.hpp"

#include "net/capture/messages/json_text.hpp"
#include "net/capture/messages/media.hpp"
#include "net/capture/messages/one_message.hpp"
#include "net/capture/messages/parts.hpp"
#include "net/capture/messages/streamed.hpp"
#include "schema/json/json.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace whence::net::capture {

namespace {

namespace json = boost::json;

/// Pictures that a model made, each by its address or as bytes.
bool are_pictures(json::value const* held) {
  auto const* const list = held == nullptr ? nullptr : held->if_array();
  return list != nullptr && !list->empty() && std::ranges::all_of(*list, [](json::value const& each) {
           auto const* const picture = each.if_object();
           return picture != nullptr && !string_at(*picture, {"b64_json", "url"}).empty() &&
                  std::ranges::all_of(*picture, [](auto const& member) {
                    return is_one_of(member.key(), {"b64_json", "url", "revised_prompt"});
                  });
         });
}

/// A request whose prompt is one text, beside what else it asks for.
bool is_request(json::object const& object) {
  return !string_at(object, {"input", "contents"}).empty() &&
         first_of(object, {"model", "modelId", "instructions", "config"}) != nullptr;
}

/// A generation of LangChain's of a model that completes texts.
bool is_generation(json::object const& object) {
  auto const* const text = object.if_contains("text");
  auto const type = string_at(object, {"type"});
  return text != nullptr && text->is_string() && !object.contains("message") &&
         (is_one_of(type, {"Generation", "GenerationChunk"}) || (type.empty() && object.contains("generation_info")) ||
          (type.empty() && object.contains("generationInfo")));
}

/// A choice of a model that completes texts.
bool is_text_choice(json::value const& value) {
  auto const* const object = value.if_object();
  auto const* const text = object == nullptr ? nullptr : object->if_contains("text");
  if (text == nullptr || !text->is_string()) return false;
  return is_generation(*object) ||
         (!object->contains("type") && (object->contains("finish_reason") || object->contains("index")));
}

/// What an object is made of: the constructor's arguments of a prompt of LangChain's, an object with messages; null: it
/// is none.
json::value const* messages_in(json::object const& object) {
  auto const* const kwargs = object.contains("lc") ? object.if_contains("kwargs") : nullptr;
  auto const* const held = kwargs == nullptr ? nullptr : kwargs->if_object();
  return held != nullptr && held->contains("messages") ? kwargs : nullptr;
}

/// A choice of Gemini's: an object whose content is the message.
json::object const* message_within(json::value const& value) {
  auto const* const object = value.if_object();
  auto const* const content = object == nullptr ? nullptr : object_at(*object, "content");
  return content != nullptr && is_message(*content) ? content : nullptr;
}

bool holds_messages(json::value const& value, int depth = 0) {
  if (auto const* const list = value.if_array()) {
    return depth < depth_max && !list->empty() && std::ranges::all_of(*list, [&](json::value const& each) {
             if (each.is_array()) return holds_messages(each, depth + 1);
             if (each.is_string()) return !message_in_text(each).is_null();
             auto const* const item = each.if_object();
             return (item != nullptr && (is_message(*item) || is_generation(*item))) || is_surely_part(each);
           });
  }
  auto const* const object = value.if_object();
  if (object == nullptr) return false;
  if (is_message(*object) || is_request(*object) || is_model_result(*object) || is_generation(*object) ||
      message_within(value) != nullptr)
    return true;
  for (auto const* const name : {"messages", "choices", "candidates", "contents", "generations"}) {
    auto const* const list = object->if_contains(name);
    if (list != nullptr && list->is_array()) return true;
  }
  if (are_pictures(object->if_contains("data"))) return true;
  for (auto const* const name : {"input", "output"}) {  // OpenAI's Responses; Bedrock's Converse
    auto const* const held = object->if_contains(name);
    if (held != nullptr && !held->is_string() && depth < depth_max && holds_messages(*held, depth + 1)) return true;
  }
  return object->contains("prompt") && object->size() <= 4;
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
             message_within(each) != nullptr || is_text_choice(each);
    });
    bool const are_items = std::ranges::any_of(*list, [](json::value const& each) {  // OpenAI's Responses
      auto const* const object = each.if_object();
      return object != nullptr && (is_one_of(string_at(*object, {"type"}), {"function_call", "message"}) ||
                                   string_at(*object, {"type"}).ends_with("_call_output"));
    });
    if (are_parts && !are_items) {
      Message message{.role = std::string(default_role)};
      append_part(value, message, depth);
      return add(std::move(message));
    }
    for (auto const* const each : in_order(*list)) collect(*each, default_role, messages, depth + 1);
    return;
  }
  if (auto const held = message_in_text(value); !held.is_null()) return add(message_of(held, default_role, depth));
  auto const* const object = value.if_object();
  if (auto const* const held = object == nullptr ? nullptr : messages_in(*object))
    return collect(*held, default_role, messages, depth + 1);
  if (object == nullptr || is_message(*object)) return add(message_of(value, default_role, depth));
  bool has_list = false;
  constexpr std::array<std::pair<std::string_view, std::string_view>, 12> lists = {{{"system", "system"},
                                                                                    {"systemInstruction", "system"},
                                                                                    {"system_instruction", "system"},
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
    auto const* const config = object_at(*object, "config");  // Gemini
    auto const* const instruction =
        config == nullptr ? nullptr : first_of(*config, {"system_instruction", "systemInstruction"});
    if (instruction != nullptr) collect(structured(*instruction), "system", messages, depth + 1);
    for (auto const& [name, role] : lists) {
      auto const* const member = object->if_contains(name);
      if (member == nullptr || member->is_null()) continue;
      has_list = true;
      collect(structured(*member), role, messages, depth + 1);
    }
  }
  if (auto const* const pictures = object->if_contains("data"); !has_list && are_pictures(pictures)) {
    Message message{.role = std::string(default_role)};
    for (auto const& each : pictures->get_array()) {
      auto const named = media_in(each.get_object(), "image");
      append_paragraph(message.text, named ? text_of_media(*named) : json_text(each));
    }
    return add(std::move(message));
  }
  if (auto const* const content = message_within(value); !has_list && content != nullptr)
    return collect(*content, default_role, messages, depth + 1);
  if (!has_list) add(message_of(value, default_role, depth));
}

}  // namespace

json::value read_value(json::value const& value) {
  auto held = structured(value);
  auto const* const text = held.if_string();
  if (text != nullptr && text->starts_with('"')) {  // JSON of a JSON text
    auto const parsed = schema::json::parse_foreign({text->data(), text->size()});
    auto inner = parsed && parsed->value.is_string() ? structured(parsed->value) : json::value{};
    if (holds_messages(inner)) held = std::move(inner);
  }
  auto whole = whole_of(held);
  return whole ? std::move(*whole) : held;
}

std::vector<Message> messages_of(json::value const& value, std::string_view default_role) {
  return messages_of(value, read_value(value), default_role);
}

std::vector<Message> messages_of(json::value const& value, json::value const& held, std::string_view default_role) {
  std::vector<Message> messages;
  if (value.is_string() && !holds_messages(held)) {
    Message message{.role = std::string(default_role), .text = without_bytes(text_of(value), held)};
    if (!message.text.empty()) messages.push_back(std::move(message));
    return messages;
  }
  collect(held, default_role, messages, 0);
  return messages;
}

}  // namespace whence::net::capture
