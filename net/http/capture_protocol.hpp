#pragma once
// Protocols by which instrumented programs say what they did: a body is posted, and answered when it is on disk.

#include "net/pages/routes.hpp"
#include "net/work/memory_budget.hpp"
#include "schema/base/error.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace whence::net {

struct ServiceState;

/// Whose request it is.
struct Sender {
  std::string name;    ///< for the log; empty: unknown
  std::string client;  ///< who takes turns with others: a token or an address
};

/// What the requests of one protocol mean. Any thread may call any member.
class CaptureProtocol {
 public:
  using Done = std::function<void(HttpAnswer)>;

  virtual ~CaptureProtocol() = default;

  /// Reads and writes `body`, which was unpacked, in the name of `sender`. `done` is called once, from any thread, and
  /// must not throw. What the body becomes is counted in `held` beside what is there, which outlives `done`.
  virtual void take(ServiceState& state, std::string_view body, Sender const& sender, MemoryClaim& held,
                    Done done) const = 0;

  /// Bytes that reading `body` may take, about, whatever is in it. O(size). Of JSON a value takes up to 64 beside its
  /// text.
  [[nodiscard]] virtual std::size_t memory_for(std::string_view body) const noexcept;

  /// The answer to a request that was not taken. `retry`: the client is to come again.
  [[nodiscard]] virtual HttpAnswer refusal(boost::beast::http::status status, std::string_view message,
                                           bool retry) const = 0;

  /// Whether bodies may be protobuf, besides JSON.
  [[nodiscard]] virtual bool has_protobuf() const noexcept { return false; }
  /// The answer to a request with another content type.
  [[nodiscard]] std::string_view media_types() const noexcept {
    return has_protobuf() ? "expected application/x-protobuf or application/json" : "expected application/json";
  }

 protected:
  /// The status of an error: whatever is not the client's fault may be gone later, and clients repeat a 503.
  [[nodiscard]] static boost::beast::http::status status_of(Errc code) noexcept;
};

}  // namespace whence::net
