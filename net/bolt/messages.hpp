#pragma once
// The messages of Bolt: requests out of bytes, responses into them.

#include "net/bolt/packstream/dialect.hpp"
#include "net/bolt/packstream/failure.hpp"
#include "net/bolt/packstream/reader.hpp"
#include "net/bolt/packstream/value.hpp"

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

namespace whence::net::bolt {

enum class RequestKind : std::uint8_t {
  hello,
  logon,
  logoff,
  goodbye,
  reset,
  run,
  begin,
  commit,
  rollback,
  discard,
  pull,
  route,
  telemetry,
};

/// As the protocol spells it: `HELLO`.
[[nodiscard]] std::string_view name_of(RequestKind kind) noexcept;
std::ostream& operator<<(std::ostream& out, RequestKind kind);

/// One request. What its kind does not have is empty.
struct Request {
  RequestKind kind = RequestKind::reset;
  std::string statement = {};  ///< of `run`
  Map parameters = {};         ///< of `run`
  Map extra = {};  ///< the map that ends most requests; of `hello` and `logon` with the token, of `route` its database
  Map routing = {};     ///< of `route`
  List bookmarks = {};  ///< of `route`

  /// What it holds, roughly.
  std::size_t bytes = 0;
  std::chrono::steady_clock::time_point received = std::chrono::steady_clock::now();
};

/// Reads one message. Fails as `PackReader`, and with `request_invalid` for requests that `version` does not
/// have.
[[nodiscard]] Outcome<Request> decode_request(std::string_view message, Version version, Dialect dialect,
                                              PackLimits limits = {});

// Responses, each a message in chunks at the end of `out`.

void write_success(std::string& out, Dialect dialect, Map const& metadata);
void write_failure(std::string& out, Dialect dialect, Failure const& failure);
void write_ignored(std::string& out);

inline constexpr std::uint8_t record_tag = 0x71;

}  // namespace whence::net::bolt
