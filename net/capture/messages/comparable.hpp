#pragma once
// Texts of messages and answers as they are compared with others, and the hash of that.

#include "schema/base/digest.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace whence::net::capture {

/// A text as it is compared with others. Each convention writes calls of tools in its own way, so of a call its id
/// counts, and where that is missing or a mere number its name and arguments.
struct Comparable {
  std::string text = {};
  std::vector<std::string> calls = {};  ///< ids of the calls in it
  std::string nameless = {};            ///< the text, of each call its name and arguments; empty: it has no calls
  std::size_t telling = 0;              ///< bytes by which it differs from others; none of calls by mere numbers
};
[[nodiscard]] Comparable comparable(std::string_view text);

/// An answer as a prompt has it that names the tools which were called and no more (Mastra's `Text.[tool: NAME]`): its
/// text, then the name of each call. Of an answer with its calls, and of such a message, the same; empty: no calls.
[[nodiscard]] std::string shortened(std::string_view text);

/// The hash by which answers are compared: of the answer as `comparable` has it, with the store's key.
[[nodiscard]] std::string answer_hash(schema::SecretKey const& key, std::string_view answer);
/// The same of a text that is `comparable` already.
[[nodiscard]] std::string hash_of_comparable(schema::SecretKey const& key, std::string_view text);

}  // namespace whence::net::capture
