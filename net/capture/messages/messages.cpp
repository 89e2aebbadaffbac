// Recognises the forms of requests and answers by their members and collects their messages in order; forms are within
// each other down to `depth_max`. A value that may be anything is read as messages only where its members are surely of
// these, since any JSON may be a prompt or an answer.

#include "net/capture/messages/messages.hpp"

#include "net/capture/messages/joined.hpp"
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

bool holds_messages(json::value const& value, Reading const& how, int depth);
void collect(json::value const& value, Reading const& how, std::vector<Message>& messages, int depth);

/// Pictures that a model made, each by its address or as bytes; null: an object has none.
json::array const* pictures_in(json::object const& object) {
  auto const* const held = object.if_contains("data");
  auto const* const list = held == nullptr ? nullptr : held->if_array();
  bool const are_pictures =
      list != nullptr && !list->empty() && std::ranges::all_of(*list, [&](json::value const& each) {
        auto const* const picture = each.if_object();
        if (picture == nullptr || string_at(*picture, {"b64_json", "url"}).empty()) return false;
        bool const is_made = picture->contains("b64_json") || object.contains("created");
        return is_made && std::ranges::all_of(*picture, [](auto const& member) {
                 return is_one_of(member.key(), {"b64_json", "url", "revised_prompt"});
               });
      });
  return are_pictures ? list : nullptr;
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

/// Whether an object is parts of a message, and nothing else.
bool has_parts(json::object const& object) {
  auto const* const parts = object.size() == 1 ? object.if_contains("parts") : nullptr;
  return parts != nullptr && parts->is_array() && std::ranges::all_of(parts->get_array(), is_surely_part);
}

/// A choice of Gemini's: an object whose content is the message.
json::object const* message_within(json::value const& value) {
  auto const* const object = value.if_object();
  auto const* const content = object == nullptr ? nullptr : object_at(*object, "content");
  return content != nullptr && is_message(*content) ? content : nullptr;
}

/// Whether an object is a choice that is one text, and nothing else.
bool is_text_alone(json::value const& value) {
  return is_text_choice(value) && std::ranges::all_of(value.get_object(), [](auto const& member) {
           return is_one_of(member.key(), {"text", "index", "logprobs", "finish_reason", "stop_reason"});
         });
}

/// Whether an item of a list is a choice of a model's answer. `is_within`: of several in a list, or beside the model.
bool is_choice(json::value const& each, bool is_within = false) {
  auto const held = structured(each);
  if (auto const* const list = held.if_array())  // LangChain's generations
    return std::ranges::all_of(*list, [](json::value const& inner) { return is_choice(inner, true); });
  auto const* const object = held.if_object();
  if (object == nullptr) return false;
  auto const* const reason = first_of(*object, {"finish_reason", "finishReason", "stop_reason"});
  bool const is_told = !string_at(*object, {"text"}).empty() && (is_within || object->contains("message"));
  return reason != nullptr || is_told || is_surely_message(*object) || is_generation(*object) || is_text_alone(held) ||
         object->contains("delta") || message_within(held) != nullptr ||
         (object->contains("message") && object->contains("index"));
}

/// Whether a list within an object is choices of an answer. One that is empty is of an answer that says why.
bool are_choices(json::object const& object, json::value const& list, Given given) {
  bool const is_beside = first_of(object, {"model", "usage", "object", "created"}) != nullptr;
  return list.is_array() &&
         (given == Given::messages ||
          std::ranges::all_of(list.get_array(), [&](json::value const& each) { return is_choice(each, is_beside); }));
}

/// A prediction of Replicate's: its text, in the pieces in which it came, beside what was asked.
bool is_prediction(json::object const& object) {
  auto const* const output = object.if_contains("output");
  return object_at(object, "input") != nullptr && !string_at(object, {"status"}).empty() && output != nullptr &&
         are_texts(*output);
}

/// An answer of Ollama's that is one text.
bool is_completion(json::object const& object) {
  auto const* const done = object.if_contains("done");
  return !string_at(object, {"response"}).empty() && done != nullptr && done->is_bool();
}

/// Whether the `output` of an object is what a model gave: items of OpenAI's Responses, a message of Bedrock's.
bool is_output(json::value const& output, Given given, int depth) {
  auto const* const list = output.if_array();
  if (list == nullptr || given == Given::messages)
    return !output.is_string() && depth < depth_max && holds_messages(output, {"assistant", given}, depth + 1);
  return std::ranges::any_of(*list, [](json::value const& each) {
    auto const* const item = each.if_object();
    return item != nullptr && (is_surely_message(*item) || is_of_model_type(string_at(*item, {"type"})));
  });
}

/// Whether the `messages` of an object are of a model alone, and so an answer.
bool are_of_model(json::object const& object) {
  auto const* const held = object.if_contains("messages");
  auto const* const list = held == nullptr ? nullptr : held->if_array();
  return list != nullptr && !list->empty() && std::ranges::all_of(*list, [](json::value const& each) {
           auto const* const item = each.if_object();
           return item != nullptr && is_surely_message(*item) &&
                  is_one_of(string_at(*item, {"role"}), {"assistant", "model"});
         });
}

/// Whether an object has what a model gave in one of the members that conventions have for it.
bool has_answer(json::object const& object, Given given, int depth) {
  for (auto const* const name : {"choices", "candidates", "generations"}) {
    auto const* const list = object.if_contains(name);
    if (list != nullptr && are_choices(object, *list, given)) return true;
  }
  auto const* const output = object.if_contains("output");
  bool const is_alone = object.size() == 1 && output != nullptr && output->is_array();
  return (output != nullptr && is_output(*output, is_alone ? Given::messages : given, depth)) ||
         is_prediction(object) || is_completion(object) || are_of_model(object);
}

/// Whether an object has what a model was asked.
bool has_prompt(json::object const& object, Given given, int depth) {
  for (auto const* const name : {"messages", "contents"}) {
    auto const* const list = object.if_contains(name);
    if (list != nullptr && list->is_array()) return true;
  }
  auto const* const input = object.if_contains("input");
  bool const is_input = input != nullptr && !input->is_string() && depth < depth_max &&
                        holds_messages(*input, {"user", given}, depth + 1);
  auto const* const prompts = object.if_contains("prompts");                                        // LangChain
  bool const is_turn = object.contains("chat_history") && !string_at(object, {"message"}).empty();  // Cohere
  return is_input || is_turn || is_request(object) || (object.contains("prompt") && object.size() <= 4) ||
         (prompts != nullptr && are_texts(*prompts));
}

bool holds_messages(json::array const& list, Reading const& how, int depth) {
  auto const is_one = [&](json::value const& each) {
    if (each.is_array()) return depth < depth_max && holds_messages(each, how, depth + 1);
    if (each.is_string()) return !message_in_text(each).is_null();
    auto const* const item = each.if_object();
    return item != nullptr && (how.given == Given::messages ? is_message(*item) : is_surely_message(*item));
  };
  std::size_t known = 0;
  for (auto const& each : list) {   // once: what is within it is looked at again in each list around it
    if (is_one(each)) return true;  // the others stay as they are, in their places
    bool const is_generated = each.is_object() && is_generation(each.get_object());
    known += is_generated || is_surely_part(each) ? 1 : 0;
  }
  return known > 0 && (how.given == Given::messages || known == list.size());
}

bool holds_messages(json::value const& value, Reading const& how, int depth) {
  if (auto const* const list = value.if_array()) return depth < depth_max && holds_messages(*list, how, depth);
  auto const* const object = value.if_object();
  if (object == nullptr) return false;
  bool const is_one = how.given == Given::messages ? is_message(*object) : is_surely_message(*object);
  if (is_one || has_parts(*object) || is_model_result(*object) || is_generation(*object)) return true;
  auto const* const content = message_within(value);
  if (content != nullptr && (how.given == Given::messages || is_surely_message(*content) || has_parts(*content)))
    return true;
  if (pictures_in(*object) != nullptr || has_answer(*object, how.given, depth)) return true;
  bool const is_of_model = how.role == "assistant" && how.given == Given::anything;
  return !is_of_model && has_prompt(*object, how.given, depth);
}

/// A message of Pydantic AI's own: a request or a response whose parts say who speaks; null: it is none.
json::array const* kinds_in(json::value const& value) {
  auto const* const object = value.if_object();
  if (object == nullptr || !is_one_of(string_at(*object, {"kind"}), {"request", "response"})) return nullptr;
  auto const* const parts = object->if_contains("parts");
  auto const* const list = parts == nullptr ? nullptr : parts->if_array();
  bool const are_kinds = list != nullptr && !list->empty() && std::ranges::all_of(*list, [](json::value const& part) {
                           return part.is_object() && !string_at(part.get_object(), {"part_kind"}).empty();
                         });
  return are_kinds ? list : nullptr;
}

/// A part of its requests as a message.
json::value request_in_role(json::object const& part) {
  json::object message(part);
  auto const kind = string_at(part, {"part_kind"});
  message.erase("part_kind");
  bool const is_result = kind == "tool-return" || (kind == "retry-prompt" && part.contains("tool_name"));
  message["role"] = is_result ? "tool" : kind == "system-prompt" || kind == "instruction" ? "system" : "user";
  auto const* const content = part.if_contains("content");
  if (is_result && content != nullptr && !content->is_null()) message["content"] = text_of(*content);
  return message;
}

/// A part of its responses as others write it.
json::value response_part(json::object const& part) {
  auto const kind = string_at(part, {"part_kind"});
  bool const is_call = kind == "tool-call";
  json::object made{{"type", is_call ? std::string_view("tool_call") : kind}};
  for (auto const& [given, name] : {std::pair{"tool_call_id", "id"}, {"tool_name", "name"}, {"args", "arguments"}}) {
    auto const* const held = is_call ? part.if_contains(given) : nullptr;
    if (held != nullptr) made[name] = *held;
  }
  for (auto const& member : part) {
    bool const is_said =
        member.key() == "part_kind" || (is_call && is_one_of(member.key(), {"tool_call_id", "tool_name", "args"}));
    if (!is_said) made.emplace(member.key(), member.value());
  }
  return made;
}

/// A value with the messages of Pydantic AI's own as others write them.
json::value in_roles(json::value value) {
  auto const* const list = value.if_array();
  bool const is_one = kinds_in(value) != nullptr;
  if (!is_one && (list == nullptr || std::ranges::none_of(*list, [](auto const& each) { return kinds_in(each); })))
    return value;
  json::array messages;
  auto const add_in_roles = [&](json::value const& each) {
    auto const* const parts = kinds_in(each);
    if (parts == nullptr) return (void)messages.push_back(each);
    if (string_at(each.get_object(), {"kind"}) == "request") {
      for (auto const& part : *parts) messages.push_back(request_in_role(part.get_object()));
      return;
    }
    json::object message(each.get_object());
    message.erase("kind");
    message["role"] = "assistant";
    auto& made = message["parts"].emplace_array();
    for (auto const& part : *parts) made.push_back(response_part(part.get_object()));
    messages.push_back(std::move(message));
  };
  if (is_one) {
    add_in_roles(value);
  } else {
    for (auto const& each : *list) add_in_roles(each);
  }
  return messages;
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

void add(Message message, std::vector<Message>& messages) {
  if (!says_nothing(message)) messages.push_back(std::move(message));
}

/// Whether an item of a list is read: as a message, a part, or what holds them.
bool is_read(json::value const& item, Reading const& how) {
  auto const* const object = item.if_object();
  if (object == nullptr) return item.is_string() || item.is_array();
  bool const is_told =
      is_surely_message(*object) || (!string_at(*object, {"role"}).empty() && content_of_message(*object) != nullptr);
  bool const is_message_here = is_told || (how.given == Given::messages && is_message(*object));
  return is_message_here || is_bare_choice(*object) || is_surely_part(item) || is_text_choice(item) ||
         holds_messages(item, how, 0) ||
         (is_one_of(string_at(*object, {"type"}), {"", "message"}) && content_of_message(*object) != nullptr);
}

/// Whether a message in a list does not say whose it is.
bool is_nameless(json::value const& item) {
  auto const* const object = item.if_object();
  return object != nullptr && object->contains("content") && std::ranges::none_of(*object, [](auto const& member) {
           return is_one_of(member.key(), {"role", "type", "lc", "message", "parts", "kind", "data"});
         });
}

void collect_items(json::value const& value, Reading const& how, std::vector<Message>& messages, int depth) {
  auto const& list = value.get_array();
  bool const are_parts = !list.empty() && std::ranges::none_of(list, [](json::value const& each) {
    if (!each.is_object()) return each.is_array() || each.is_string();
    return is_message(each.get_object()) || message_within(each) != nullptr || is_text_choice(each) ||
           is_bare_choice(each.get_object());
  });
  bool const are_items = std::ranges::any_of(list, [](json::value const& each) {  // OpenAI's Responses
    auto const* const object = each.if_object();
    return object != nullptr && (is_one_of(string_at(*object, {"type"}), {"function_call", "message"}) ||
                                 string_at(*object, {"type"}).ends_with("_call_output"));
  });
  if (are_parts && !are_items) {
    Message message{.role = std::string(how.role)};
    append_part(value, message, depth);
    return add(std::move(message), messages);
  }
  auto const first = messages.size();
  bool const are_named = how.role != "user" || std::ranges::none_of(list, is_nameless);
  for (auto const* const each : in_order(list)) {
    if (is_read(*each, how)) {
      bool const is_named = are_named || !is_nameless(*each);
      collect(*each, is_named ? how : Reading{{}, how.given}, messages, depth + 1);
    } else if (!each->is_null()) {  // nobody says who said it, and no user's question it is
      add({.role = std::string(how.role == "user" ? "item" : how.role), .text = json_text(*each)}, messages);
    }
  }
  if (!are_named) settle_roles(messages, first, how.role);
}

/// The messages of an object that holds lists of them. Whether there are such members.
bool collect_members(json::object const& object, Reading const& how, std::vector<Message>& messages, int depth) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 15> lists = {{{"system", "system"},
                                                                                    {"systemInstruction", "system"},
                                                                                    {"system_instruction", "system"},
                                                                                    {"instructions", "system"},
                                                                                    {"prompt", "user"},
                                                                                    {"prompts", "user"},
                                                                                    {"messages", "user"},
                                                                                    {"contents", "user"},
                                                                                    {"input", "user"},
                                                                                    {"message", "user"},
                                                                                    {"output", "assistant"},
                                                                                    {"choices", "assistant"},
                                                                                    {"candidates", "assistant"},
                                                                                    {"generations", "assistant"},
                                                                                    {"response", "assistant"}}};
  bool has_list = false;
  bool const is_alone = leaves_request(object, how);
  auto const* const config = object_at(object, "config");  // Gemini
  auto const* const instruction =
      config == nullptr || is_alone ? nullptr : first_of(*config, {"system_instruction", "systemInstruction"});
  if (instruction != nullptr) collect(structured(*instruction), {"system"}, messages, depth + 1);
  for (auto const& [name, role] : lists) {
    auto const* const member = object.if_contains(name);
    bool const is_left = is_alone && is_member_of_request(name) && !(name == "messages" && are_of_model(object));
    if (member == nullptr || member->is_null() || is_left) continue;
    bool const is_of_others =
        (name == "response" && !is_completion(object)) || (name == "message" && !object.contains("chat_history"));
    if (is_of_others) continue;
    has_list = true;
    if (name == "output" && is_prediction(object)) {
      Message message{.role = std::string(role)};
      for (auto const& each : member->get_array()) message.text.append(each.get_string());
      add(std::move(message), messages);
      continue;
    }
    auto const* const images = name == "prompt" && member->is_string() ? object.if_contains("images") : nullptr;
    if (images != nullptr) {  // Ollama
      collect(json::object{{"role", role}, {"content", *member}, {"images", *images}}, {role}, messages, depth + 1);
    } else {
      collect(structured(*member), {role}, messages, depth + 1);
    }
  }
  return has_list;
}

void collect(json::value const& value, Reading const& how, std::vector<Message>& messages, int depth) {
  if (value.is_array() && depth < depth_max) return collect_items(value, how, messages, depth);
  if (auto const held = message_in_text(value); !held.is_null())
    return add(message_of(held, how.role, depth), messages);
  auto const* const object = value.if_object();
  if (auto const* const held = object == nullptr ? nullptr : messages_in(*object))
    return collect(*held, {how.role}, messages, depth + 1);
  bool const is_one = object == nullptr || is_surely_message(*object) ||
                      (how.given == Given::messages && is_message(*object)) || is_surely_part(value) ||
                      has_parts(*object);
  if (is_one) return add(message_of(value, how.role, depth), messages);
  bool const has_list =
      depth < depth_max && holds_messages(value, how, 0) && collect_members(*object, how, messages, depth);
  if (has_list) return;
  if (auto const* const pictures = pictures_in(*object)) {
    Message message{.role = std::string(how.role)};
    for (auto const& each : *pictures) {
      auto const named = media_in(each.get_object(), "image");
      append_paragraph(message.text, named ? text_of_media(*named) : json_text(each));
    }
    return add(std::move(message), messages);
  }
  if (auto const* const content = message_within(value)) return collect(*content, {how.role}, messages, depth + 1);
  add(message_of(value, how.role, depth), messages);
}

}  // namespace

bool is_member_of_request(std::string_view name) {
  return is_one_of(name, {"system", "systemInstruction", "system_instruction", "instructions", "prompt", "prompts",
                          "messages", "contents", "input", "config"});
}

bool leaves_request(json::object const& object, Reading const& how) {
  return how.role == "assistant" && (how.given == Given::anything || has_answer(object, how.given, 0));
}

json::value read_value(json::value const& value, Reading const& how) {
  auto held = structured(value);
  auto const* const text = held.if_string();
  if (text != nullptr && text->starts_with('"')) {  // JSON of a JSON text
    auto const parsed = schema::json::parse_foreign({text->data(), text->size()});
    auto inner = parsed && parsed->value.is_string() ? structured(parsed->value) : json::value{};
    if (holds_messages(inner, how, 0)) held = std::move(inner);
  }
  if (auto whole = whole_of(held)) return std::move(*whole);
  return in_roles(std::move(held));
}

std::vector<Message> messages_of(json::value const& value, Reading const& how) {
  return messages_of(value, read_value(value, how), how);
}

std::vector<Message> messages_of(json::value const& value, json::value const& held, Reading const& how) {
  std::vector<Message> messages;
  bool const is_text = value.is_string() || how.given == Given::anything;
  if (is_text && !holds_messages(held, how, 0)) {
    Message message{.role = std::string(how.role), .text = without_bytes(text_of(value), held)};
    if (!message.text.empty()) messages.push_back(std::move(message));
    return messages;
  }
  collect(held, how, messages, 0);
  return messages;
}

}  // namespace whence::net::capture
