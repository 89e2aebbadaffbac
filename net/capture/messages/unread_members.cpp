#include "net/capture/messages/unread_members.hpp"

#include "net/capture/messages/json_text.hpp"
#include "net/capture/messages/media.hpp"
#include "net/capture/messages/one_message.hpp"
#include "net/capture/messages/parts.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace whence::net::capture {

namespace json = boost::json;

namespace {

/// Members of messages whose value is in the text as it is, or says where it is.
bool is_read_whole(std::string_view name) {
  return is_one_of(name, {"role", "type", "text", "index", "id", "tool_call_id", "toolCallId", "call_id", "tool_calls",
                          "toolCalls", "function_call", "refusal", "reasoning", "reasoning_content", "reasoningText",
                          "reasoning_details", "thinking", "lc"});
}

/// Members that hold messages or parts.
bool is_read_within(std::string_view name) {
  return is_one_of(name, {"messages", "message", "parts", "content", "contents", "blocks", "choices", "candidates",
                          "generations", "system", "systemInstruction", "system_instruction", "config", "instructions",
                          "prompt", "input", "output", "kwargs", "audio"});
}

}  // namespace

json::value left_of(json::value const& value, int depth) {
  if (depth > depth_max) return nullptr;
  json::object left;
  if (auto const* const list = value.if_array()) {
    for (std::size_t i = 0; i < list->size(); ++i) {
      auto of_item = left_of((*list)[i], depth + 1);
      if (!of_item.is_null()) left[std::to_string(i)] = std::move(of_item);
    }
  } else if (auto const* const object = value.if_object()) {
    bool const is_message_here = is_message(*object);
    bool const is_speech = object->contains("data") && object->contains("transcript");
    bool const is_part = !is_message_here && is_surely_part(value);
    bool const is_whole = is_speech || (is_part && !object->contains("text") &&
                                        !object->contains("content"));  // its JSON is in the text, or what it names
    for (auto const& member : *object) {
      auto const& held = member.value();
      bool const is_empty = held.is_null() || (held.is_array() && held.get_array().empty()) ||
                            (held.is_object() && held.get_object().empty());
      if (is_whole || is_empty || is_read_whole(member.key())) continue;
      bool const is_within = is_read_within(member.key()) || (is_message_here && member.key() == "data");
      if (is_within && held.is_string()) continue;  // a text is kept as it is
      auto of_member = is_within ? left_of(held, depth + 1) : held;
      (void)name_bytes(of_member);
      if (!of_member.is_null()) left[member.key()] = std::move(of_member);
    }
  }
  return left.empty() ? json::value{} : json::value(std::move(left));
}

}  // namespace whence::net::capture
