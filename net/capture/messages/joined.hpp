#pragma once
// Several messages as one text, and what two places say of one prompt or answer as one.

#include "net/capture/messages/message.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace whence::net::capture {

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

/// The messages as one text: the only one's as it is, else `ROLE: TEXT`, a blank line between them.
[[nodiscard]] std::string joined(std::vector<Message> const& messages);

/// What two places say of one prompt: the instructions first, then the messages of both, each once, in the order that
/// both have; those of `more` before what only `own` says.
[[nodiscard]] std::vector<Message> merged(std::vector<Message> const& own, std::vector<Message> const& more);

/// What two places say of one answer: where one says its text and the other its calls of tools, both, the text first;
/// else what `own` says, where it says anything.
[[nodiscard]] std::vector<Message> joined_answers(std::vector<Message> own, std::vector<Message> more);

/// Gives messages from `first` on that say no role (an empty one) theirs: where the model's calls before still wait for
/// results, or it names the call that it answers, a message is what a tool gave; else it has the role `otherwise`.
void settle_roles(std::vector<Message>& messages, std::size_t first, std::string_view otherwise);

/// Messages with what the model said in one turn as one: calls of tools that follow a message of the model are part of
/// it, which OpenAI's Responses and their instrumentations send as messages of their own.
[[nodiscard]] std::vector<Message> in_turns(std::vector<Message> messages);

/// The messages of an answer as one text: each as it is, a blank line between them, of another role than a model's with
/// that before it where there are several.
[[nodiscard]] std::string joined_answer(std::vector<Message> const& messages);

/// The reasoning of all of them, a blank line between them.
[[nodiscard]] std::string joined_reasoning(std::vector<Message> const& messages);

}  // namespace whence::net::capture
