#pragma once
// The members of a value that no message read of it keeps.

#include "net/capture/messages/messages.hpp"

#include <boost/json/value.hpp>

namespace whence::net::capture {

/// What a value of messages says beside them, by the places where it is: members that no message keeps. Null where
/// all of it is in the messages. `how` the value was read.
[[nodiscard]] boost::json::value left_of(boost::json::value const& value, Reading const& how = {}, int depth = 0);

}  // namespace whence::net::capture
