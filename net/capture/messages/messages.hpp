#pragma once
// Messages of a prompt or an output in the forms that instrumentations write, as structured values or as JSON text.

#include "net/capture/messages/message.hpp"

#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

namespace whence::net::capture {

/// A value as its messages are read of it: what a JSON text holds, also where it is the JSON of such a text, and the
/// whole of an answer that was kept in pieces.
[[nodiscard]] boost::json::value read_value(boost::json::value const& value);

/// All messages of a value: a list of them, choices in the order of their `index`, an object that holds lists of them,
/// one message, or a plain text of `default_role`. A text that is JSON of anything else is that text. Those that say
/// nothing are left out.
[[nodiscard]] std::vector<Message> messages_of(boost::json::value const& value, std::string_view default_role);
/// The same for who knows `read_value(value)`, here `held`.
[[nodiscard]] std::vector<Message> messages_of(boost::json::value const& value, boost::json::value const& held,
                                               std::string_view default_role);

}  // namespace whence::net::capture
