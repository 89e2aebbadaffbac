#pragma once
// Reaching a server: where it is, who asks, how long it may take, and what is said where it cannot be reached. The
// connection itself is `dial_stream.hpp`.

#include "tools/cli/transport/caller.hpp"
#include "tools/cli/transport/url.hpp"

#include <chrono>
#include <string>
#include <string_view>

namespace whence::tools {

/// A server, and how it is spoken to.
struct DialConfig {
  Url url;
  std::string token = {};  ///< sent as `Authorization: Bearer`; empty: none
  /// Of each step (connecting, sending, waiting for an answer); zero: as long as it takes.
  std::chrono::milliseconds timeout{60'000};
};

/// Nobody answered at `url`; `hint` says what the user could do.
[[nodiscard]] CallError unreachable(Url const& url, std::string_view why, std::string_view hint);

/// An answer of HTTP that is none of JSON-RPC's: refused before any method was looked at.
[[nodiscard]] CallError refused(unsigned http_status, std::string_view body);

}  // namespace whence::tools
