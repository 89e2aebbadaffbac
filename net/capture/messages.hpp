#pragma once
// Messages of a prompt or an output in the forms that instrumentations write: lists of objects with a role and a
// content that is a text or a list of parts, as structured values or as JSON text. Nothing of a message is lost: a part
// that is not understood is its JSON, in its place.

#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

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

/// `value`, or what it holds where it is the text of a JSON list or object.
[[nodiscard]] boost::json::value structured(boost::json::value const& value);

/// The text of a value: a text as it is, else its compact JSON.
[[nodiscard]] std::string text_of(boost::json::value const& value);

/// What a value of messages says beside them, by the places where it stands: members that no message keeps. Null where
/// all of it is in the messages.
[[nodiscard]] boost::json::value left_of(boost::json::value const& value, int depth = 0);

/// A message of an object with `role`, and `parts`, `content` or `text`. `tool_calls` follow the content. Texts stay as
/// they are, also where they are JSON, but for JSON texts of a list of parts. Images and files by address are named by
/// it, inline bytes by their media type, size and digest; a result of a tool is its text; a call of one, and what is
/// not understood, is compact JSON.
[[nodiscard]] Message message_of(boost::json::value const& value, std::string_view default_role);

/// All messages of a value: a list of them, choices in the order of their `index`, an object that holds lists of them,
/// one message, or a plain text of `default_role`. A text that is JSON of anything else is that text. Those that say
/// nothing are left out.
[[nodiscard]] std::vector<Message> messages_of(boost::json::value const& value, std::string_view default_role);
/// The same for who knows `structured(value)`, here `held`.
[[nodiscard]] std::vector<Message> messages_of(boost::json::value const& value, boost::json::value const& held,
                                               std::string_view default_role);

/// Messages as one text, with the place of each in it.
struct Rendered {
  struct Part {
    std::string role = {};
    std::size_t start = 0;  ///< in code points of the text
    std::size_t end = 0;
  };
  std::string text = {};
  std::vector<Part> parts = {};
  std::string question = {};  ///< the last message of the user; empty: there is none
};

/// As `joined`, with the parts.
[[nodiscard]] Rendered rendered(std::vector<Message> const& messages);

/// What two places say of one prompt: the instructions first, then the messages of both, each once, in the order that
/// both have; those of `more` before what only `own` says.
[[nodiscard]] std::vector<Message> merged(std::vector<Message> const& own, std::vector<Message> const& more);

/// Whether it is what a user says, and no result of a tool in such a message.
[[nodiscard]] bool is_of_user(Message const& message);
[[nodiscard]] bool is_instruction(Message const& message);

/// The messages as one text: the only one's as it is, else `ROLE: TEXT`, a blank line between them.
[[nodiscard]] std::string joined(std::vector<Message> const& messages);

/// The reasoning of all of them, a blank line between them.
[[nodiscard]] std::string joined_reasoning(std::vector<Message> const& messages);

}  // namespace whence::net::capture
