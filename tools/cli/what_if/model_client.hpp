#pragma once
// A client of an end point that speaks the chat completions of OpenAI.

#include "tools/cli/transport/caller.hpp"
#include "tools/cli/transport/dial.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::tools {

struct ModelMessage {
  std::string role;  ///< "system", "user" or "assistant"
  std::string content;

  friend bool operator==(ModelMessage const&, ModelMessage const&) = default;
};

struct ModelAnswer {
  std::string text = {};
  std::string model = {};  ///< as the end point names it; empty where it does not
  std::optional<std::int64_t> input_tokens = {};
  std::optional<std::int64_t> output_tokens = {};
  double latency_ms = 0;
};

/// The key in the first line of a file that only its owner and group may use. Fails with exit code `usage`.
[[nodiscard]] CallResult<std::string> read_model_key(std::string const& path);

/// Asks `model` by `POST URL/chat/completions` and waits. `server.token` is the key. A call is sent once. Fails with
/// the name of the end point and what it said, where that is no answer with a text; its answer has at most 64 MiB.
[[nodiscard]] CallResult<ModelAnswer> ask_model(DialConfig const& server, std::string_view model,
                                                std::vector<ModelMessage> const& messages);

}  // namespace whence::tools
