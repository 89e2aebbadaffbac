#pragma once
// Messages of a prompt or an output in the forms that instrumentations write, as structured values or as JSON text.

#include "net/capture/messages/message.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace whence::net::capture {

/// What is known of a value that may have messages.
enum class Given : std::uint8_t {
  messages,  ///< its convention has messages there
  anything,  ///< whatever was given to a model or came of it, where objects by a schema of their own are texts
};

/// How a value is read.
struct Reading {
  std::string_view role;  ///< of the messages that say none; of a model's the value is an answer
  Given given = Given::messages;
};

/// A value as its messages are read of it: what a JSON text holds, also where it is the JSON of such a text, and the
/// whole of an answer that was kept in pieces.
[[nodiscard]] boost::json::value read_value(boost::json::value const& value, Reading const& how);

/// All messages of a value: a list of them, choices in the order of their `index`, an object that holds lists of them,
/// one message, or a plain text. A text that is JSON of anything else is that text. Of a list some of whose items are
/// messages the others are their JSON, in their places. Those that say nothing are left out.
[[nodiscard]] std::vector<Message> messages_of(boost::json::value const& value, Reading const& how);
/// The same for who knows `read_value(value, how)`, here `held`.
[[nodiscard]] std::vector<Message> messages_of(boost::json::value const& value, boost::json::value const& held,
                                               Reading const& how);

/// Whether a member of a request says what the model was asked.
[[nodiscard]] bool is_member_of_request(std::string_view name);
/// Whether an object is read for what a model gave alone: what it repeats of the request is no part of an answer.
[[nodiscard]] bool leaves_request(boost::json::object const& object, Reading const& how);

}  // namespace whence::net::capture
