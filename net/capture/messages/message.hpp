#pragma once
// A message of a prompt or an answer, in whichever form it came.

#include <string>
#include <string_view>
#include <vector>

namespace whence::net::capture {

/// A result of a tool that a message gives back to the model.
struct ToolResult {
  std::string id = {};  ///< of the call; may be empty
  std::string text = {};

  friend bool operator==(ToolResult const&, ToolResult const&) = default;
};

struct Message {
  std::string role = {};                 ///< "user"; empty where nothing says it
  std::string text = {};                 ///< its parts in their order, a blank line between them
  std::string reasoning = {};            ///< of the model, which is no part of the text
  std::vector<ToolResult> results = {};  ///< within the text

  friend bool operator==(Message const&, Message const&) = default;
};

/// Whether a message has no text, no reasoning, and no result of a tool: one of these may be empty.
[[nodiscard]] bool says_nothing(Message const& message);

/// Adds a text behind a blank line; an empty one adds nothing.
void append_paragraph(std::string& to, std::string_view text);

/// What one message was made from: each result of a tool in it as a message of its own, and the rest of its text. None
/// of one without a text.
[[nodiscard]] std::vector<Message> parts_of(Message const& message);

/// Whether it is what a user says, and no result of a tool in such a message.
[[nodiscard]] bool is_of_user(Message const& message);
/// Whether it says how the model is to answer: of the system or the developer.
[[nodiscard]] bool is_instruction(Message const& message);
/// The id of an earlier item that stands in its place (OpenAI's `item_reference`); empty: it says something itself, or
/// the id has more than 256 bytes.
[[nodiscard]] std::string referred_item(Message const& message);
/// Whether it has no more than the name of a tool, in place of its result (Mastra).
[[nodiscard]] bool is_name_of_result(Message const& message);

}  // namespace whence::net::capture
