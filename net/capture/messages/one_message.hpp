#pragma once
// One message in the forms that instrumentations write: an object with a role and a content that is a text or a list of
// parts.

#include "net/capture/messages/message.hpp"

#include <optional>
#include <string_view>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace whence::net::capture {

/// Whether an object is a message by its members, where a convention says that there are messages.
[[nodiscard]] bool is_message(boost::json::object const& object);
/// Whether an object can be nothing else than a message, wherever it stands: it has a role that conventions have, in
/// letters of any case, beside a content, parts or calls, or a message in `message`. A value that is an object by a
/// schema of its own may have a `role`, `parts` or a text in `message`, too.
[[nodiscard]] bool is_surely_message(boost::json::object const& object);

/// Whether an object is a choice that says no more than why there is none.
[[nodiscard]] bool is_bare_choice(boost::json::object const& object);

/// A message of an object with `role`, and `parts`, `content` or `text`. `tool_calls` follow the content. Texts stay as
/// they are, also where they are JSON, but for JSON texts of a list of parts. Images and files by address are named by
/// it, inline bytes by their media type, size and digest; a result of a tool is its text; a call of one, and what is
/// not understood, is compact JSON. `depth`: how deep it is within others.
[[nodiscard]] Message message_of(boost::json::value const& value, std::string_view default_role, int depth = 0);

/// The member that a message's content is; null: none.
[[nodiscard]] boost::json::key_value_pair const* content_of_message(boost::json::object const& object);
/// The member in which a message has what the model reasoned; null: none.
[[nodiscard]] boost::json::key_value_pair const* reasoning_of_message(boost::json::object const& object);

/// Whether an object is a result of the AI SDK: a text beside the calls of tools.
[[nodiscard]] bool is_model_result(boost::json::object const& object);

/// The message that a text is the JSON of; null where it is anything else.
[[nodiscard]] boost::json::value message_in_text(boost::json::value const& value);

/// The message of an object that can be nothing else where a value is known to be no text: a content alone, or beside
/// members of messages. Nothing of other values.
[[nodiscard]] std::optional<Message> bare_message(boost::json::value const& held, std::string_view role);

}  // namespace whence::net::capture
