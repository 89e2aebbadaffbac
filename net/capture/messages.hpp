#pragma once
// Messages of a prompt or an output in the forms that instrumentations write: lists of objects with a role and a
// content that is a text or a list of parts, as structured values or as JSON text.

#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

namespace whence::net::capture {

struct Message {
  std::string role = {};  ///< "user"; empty where nothing says it
  std::string text = {};

  friend bool operator==(Message const&, Message const&) = default;
};

/// `value`, or what it holds where it is the text of a JSON list or object.
[[nodiscard]] boost::json::value structured(boost::json::value const& value);

/// The text of a value: a text as it is, else its compact JSON.
[[nodiscard]] std::string text_of(boost::json::value const& value);

/// The texts of a content: of each part that has one, a blank line between them. Tool calls are their compact JSON;
/// what is neither (images) is left out.
[[nodiscard]] std::string content_text(boost::json::value const& content);

/// A message of an object with `role`, and `parts`, `content` or `text`. `tool_calls` follow the content.
[[nodiscard]] Message message_of(boost::json::value const& value, std::string_view default_role);

/// All messages of a value: a list of them, an object with `messages` (and `system`, or `prompt`), one message, or a
/// plain text of `default_role`. Those without text are left out.
[[nodiscard]] std::vector<Message> messages_of(boost::json::value const& value, std::string_view default_role);

/// The messages as one text: the only one's as it is, else `ROLE: TEXT`, a blank line between them.
[[nodiscard]] std::string joined(std::vector<Message> const& messages);

}  // namespace whence::net::capture
