#include "net/capture/messages/message.hpp"

#include "net/capture/messages/json_text.hpp"

namespace whence::net::capture {

void append_paragraph(std::string& to, std::string_view text) {
  if (text.empty()) return;
  if (!to.empty()) to.append("\n\n");
  to.append(text);
}

bool is_of_user(Message const& message) {
  return message.results.empty() && is_one_of(message.role, {"user", "human"});
}

bool is_name_of_result(Message const& message) {
  return message.role == "tool" && message.text.starts_with("[tool-result: ") && message.text.ends_with(']');
}

bool is_instruction(Message const& message) {
  return is_one_of(message.role, {"system", "developer"});
}

}  // namespace whence::net::capture
