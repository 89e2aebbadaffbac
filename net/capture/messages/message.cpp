#include "net/capture/messages/message.hpp"

#include "net/capture/messages/json_text.hpp"
#include "schema/base/text.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <boost/json/value.hpp>

namespace whence::net::capture {

void append_paragraph(std::string& to, std::string_view text) {
  if (text.empty()) return;
  if (!to.empty()) to.append("\n\n");
  to.append(text);
}

bool says_nothing(Message const& message) {
  return message.text.empty() && message.reasoning.empty() && message.results.empty();
}

std::vector<Message> parts_of(Message const& message) {
  if (message.text.empty()) return {};
  bool const is_one =
      message.results.empty() || (message.results.size() == 1 && message.results.front().text == message.text);
  if (is_one) {
    std::vector<Message> one{message};
    bool const is_result = !message.results.empty() && is_one_of(message.role, {"user", "human"});
    if (is_result) one.front().role = "tool";  // a user only hands it on
    return one;
  }
  std::vector<Message> parts;
  std::string rest;
  std::string_view left = message.text;  // they are in it in their order
  for (auto const& result : message.results) {
    if (result.text.empty()) continue;
    parts.push_back({.role = "tool", .text = result.text, .results = {result}});
    auto const at = left.find(result.text);
    if (at == std::string_view::npos) continue;
    append_paragraph(rest, schema::trim_white_space(left.substr(0, at)));
    left.remove_prefix(at + result.text.size());
  }
  append_paragraph(rest, schema::trim_white_space(left));
  if (!rest.empty()) parts.push_back({.role = message.role, .text = std::move(rest)});
  return parts;
}

bool is_of_user(Message const& message) {
  return message.results.empty() && is_one_of(message.role, {"user", "human"});
}

std::string referred_item(Message const& message) {
  constexpr std::size_t id_max = 256;
  constexpr std::size_t around_id = 128;  // of a text that is long no more is asked
  if (message.role != "item" || message.text.size() > id_max + around_id) return {};
  auto const held = structured(boost::json::value(message.text));
  auto const* const object = held.if_object();
  if (object == nullptr) return {};
  auto const id = string_at(*object, {"id"});
  bool const is_alone = object->size() == (object->contains("type") ? 2 : 1);  // OpenAI lets the type be left out
  bool const is_reference = is_one_of(string_at(*object, {"type"}), {"item_reference", ""}) && is_alone;
  return is_reference && id.size() <= id_max ? std::string(id) : std::string{};
}

bool is_name_of_result(Message const& message) {
  return message.role == "tool" && message.text.starts_with("[tool-result: ") && message.text.ends_with(']');
}

bool is_instruction(Message const& message) {
  return is_one_of(message.role, {"system", "developer"});
}

}  // namespace whence::net::capture
