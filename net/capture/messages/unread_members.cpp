// Goes through a value as the readers of messages do, and keeps what these leave. Its lists of members follow those
// readers: one that lacks a member keeps it a second time, one with a member that is not read loses it.

#include "net/capture/messages/unread_members.hpp"

#include "net/capture/messages/json_text.hpp"
#include "net/capture/messages/media.hpp"
#include "net/capture/messages/one_message.hpp"
#include "net/capture/messages/parts.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace whence::net::capture {

namespace json = boost::json;

namespace {

/// Members of messages whose value is in the text as it is, or says where it is.
bool is_read_whole(std::string_view name) {
  return is_one_of(name, {"role", "type", "index", "id", "tool_call_id", "toolCallId", "call_id", "tool_calls",
                          "toolCalls", "function_call", "refusal", "lc"});
}

/// Members that hold messages or parts.
bool is_read_within(std::string_view name) {
  return is_one_of(name, {"messages",
                          "message",
                          "parts",
                          "content",
                          "contents",
                          "blocks",
                          "choices",
                          "candidates",
                          "generations",
                          "system",
                          "systemInstruction",
                          "system_instruction",
                          "config",
                          "instructions",
                          "prompt",
                          "prompts",
                          "input",
                          "output",
                          "kwargs",
                          "audio"});
}

/// Whether a value that is a text holds parts or messages, which are read.
bool is_read_within_text(std::string_view name, json::value const& held) {
  if (is_one_of(name, {"message", "messages", "choices", "candidates", "generations", "contents"}))
    return !held.is_string();
  auto const* const list = held.if_array();
  return list != nullptr && !list->empty() && std::ranges::all_of(*list, is_surely_part);
}

/// What a text that is JSON says beside the messages or parts that are read of it.
json::value left_of_text(std::string_view name, json::value const& text, int depth) {
  auto const held = structured(text);
  return is_read_within_text(name, held) ? left_of(held, {}, depth) : json::value{};
}

/// Whether an item of a list is in the text as it is.
bool is_said_whole(json::value const& item) {
  auto const* const object = item.if_object();
  bool const may_be = object != nullptr && !is_surely_message(*object) && !is_surely_part(item);
  return may_be && message_of(item, {}).text == json_text(item);
}

json::value left_in_list(json::array const& list, Reading const& how, int depth) {
  json::object left;
  for (std::size_t i = 0; i < list.size(); ++i) {
    auto const in_text = message_in_text(list[i]);
    auto const& item = in_text.is_null() ? list[i] : in_text;
    if (!is_said_whole(item)) keep_rest(left, std::to_string(i), left_of(item, how, depth + 1));
  }
  return left.empty() ? json::value{} : json::value(std::move(left));
}

/// Whether a member of a message may be its content.
bool is_content(std::string_view name) {
  return is_one_of(name, {"parts", "content", "blocks", "message"});
}

/// Whether a text that stands beside the content of a message is said there, too.
bool is_said_again(json::value const& message, json::value const& beside) {
  auto const* const text = beside.if_string();
  return text != nullptr && message_of(message, {}).text.find(std::string_view(*text)) != std::string::npos;
}

json::value left_in(json::value const& value, Reading const& how, int depth) {
  json::object left;
  if (auto const* const list = value.if_array()) return left_in_list(*list, how, depth);
  auto const* const object = value.if_object();
  if (object == nullptr) return nullptr;
  if (!is_message(*object) && is_surely_part(value)) {
    left = rest_of_part(*object);
    return left.empty() ? json::value{} : json::value(std::move(left));
  }
  if (object->contains("data") && object->contains("transcript")) {  // what a model said aloud
    left = *object;
    (void)media_in(*object, "audio", {}, &left);
    return left.empty() ? json::value{} : json::value(std::move(left));
  }
  bool const is_message_here = is_message(*object);
  auto const* const content = content_of_message(*object);
  // Of a request `reasoning` says how much of it is asked for.
  bool const is_request = !is_message_here && first_of(*object, {"messages", "input", "output", "contents", "choices",
                                                                 "candidates", "generations", "prompt"}) != nullptr;
  auto const* const reasoning = is_request ? nullptr : reasoning_of_message(*object);
  bool const is_alone = !is_message_here && leaves_request(*object, how);
  for (auto const& member : *object) {
    auto const& held = member.value();
    auto const name = std::string_view(member.key());
    if (is_read_whole(name) || (content == &member && name == "text")) continue;
    bool const is_of_ollama = (name == "response" && held.is_string() && object->contains("done")) ||
                              (name == "images" && are_texts(held) && (is_message_here || object->contains("prompt")));
    if (is_of_ollama) continue;
    json::value of_member = held;
    bool const is_inner = name == "message" && structured(held).is_object();  // the message itself
    bool const is_other = !is_inner && is_message_here && content != nullptr && content != &member && is_content(name);
    if (reasoning == &member) {
      of_member = nullptr;
      (void)result_text(held, 0, &of_member);
    } else if (is_other) {
      if (is_said_again(value, held)) of_member = nullptr;
    } else if (is_alone && is_member_of_request(name)) {
      of_member = held;
    } else if (is_read_within(name) || (is_message_here && name == "data")) {
      of_member = held.is_string() ? left_of_text(name, held, depth + 1) : left_of(held, {}, depth + 1);
    }
    keep_rest(left, name, std::move(of_member));
  }
  return left.empty() ? json::value{} : json::value(std::move(left));
}

}  // namespace

json::value left_of(json::value const& value, Reading const& how, int depth) {
  if (depth > depth_max) return nullptr;
  auto left = left_in(value, how, depth);
  if (depth > 0 || left.is_null()) return left;
  auto named = value;  // what tells the type of bytes may stand beside them, and be read
  if (!name_bytes(named)) return left;
  return left_in(named, how, depth);
}

}  // namespace whence::net::capture
