#pragma once
// The parameters of a connection to a server, and the errors of connecting. The connection itself is in
// `dial_stream.hpp`.

#include "tools/cli/transport/caller.hpp"
#include "tools/cli/transport/url.hpp"

#include <chrono>
#include <string>
#include <string_view>

namespace whence::tools {

/// A server's address, token and time-out.
struct DialConfig {
  Url url;
  std::string token = {};        ///< sent as `Authorization: Bearer`; empty: none
  std::string client_cert = {};  ///< file of a certificate chain (PEM) that is shown to a server that asks; empty: none
  std::string client_key = {};   ///< file of its private key (PEM)
  /// For each step (connecting, sending, waiting for an answer); zero: no limit.
  std::chrono::milliseconds timeout{60'000};
};

/// The error for a server that does not answer at `url`; `hint` suggests a remedy.
[[nodiscard]] CallError unreachable(Url const& url, std::string_view why, std::string_view hint);

/// The error for an HTTP answer other than 200 from `server`: the request was refused before any method ran.
[[nodiscard]] CallError refused(DialConfig const& server, unsigned http_status, std::string_view body);

/// The same for an error of JSON-RPC: one that says no more than that a token is needed says how to give one.
[[nodiscard]] CallError with_way_out(DialConfig const& server, CallError error);

}  // namespace whence::tools
