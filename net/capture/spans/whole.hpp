#pragma once
// What a request and a response beside numbered messages say that these lack: instrumentations write a message's text
// into attributes of its own, and leave out what has no attribute.

#include "net/capture/messages/message.hpp"
#include "net/capture/spans/attributes.hpp"

#include <vector>

namespace whence::net::capture {

/// The messages of a prompt with what the request beside them says more. Whether they changed.
bool complete_prompt(Attributes const& attributes, std::vector<Message>& numbered);

/// The messages of an answer, or those of the response beside them where these say all of it and more.
void complete_answer(Attributes const& attributes, std::vector<Message>& numbered);

}  // namespace whence::net::capture
