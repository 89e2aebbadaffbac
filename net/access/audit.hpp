#pragma once
// What the log says of access: who was refused, whose connection ended, what admins did. Never a token.

#include "net/access/grant.hpp"
#include "net/base/log.hpp"
#include "schema/base/error.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

namespace whence::net {

/// Writes events of the component `access`. Any thread may call any member.
class Audit {
 public:
  /// Lines about refusals in a second; further ones are counted, and the next line says how many. A stranger may be
  /// refused as often as the network carries.
  static constexpr std::uint64_t refusals_max = 20;

  /// Of a line about a read: what was asked, cut to this.
  static constexpr std::size_t asked_bytes_max = 1'000;

  /// `sink` may be empty: there is no listener. So may `reads`, which gets the lines about reads.
  explicit Audit(LogSink sink, LogSink reads = {}) : sink_{std::move(sink)}, reads_{std::move(reads)} {}
  Audit(Audit const&) = delete;
  Audit& operator=(Audit const&) = delete;

  /// `what` was refused: the name of a method, or a path without what a client wrote into it. `peer` is an address, or
  /// empty.
  void refused(Grant const& who, std::string_view what, std::string_view peer, std::string_view why);

  /// How many refusals there were, also those that were not written.
  [[nodiscard]] std::uint64_t refusals() const noexcept { return refusals_; }

  /// A method for admins was called, and done unless there is an error.
  void admin_called(Grant const& who, std::string_view method, std::string_view peer, std::optional<Errc> error);

  /// Whether somebody wants to know who reads.
  [[nodiscard]] bool tells_reads() const noexcept { return reads_ != nullptr; }

  /// Something was asked for by who may read: by a method, Bolt, or a path. `asked` is the text of the params, the
  /// statement, or the path; it names what was read, but not what the answer had.
  void read(Grant const& who, std::string_view method, std::string_view peer, std::string_view asked);

  /// A connection was closed since its credential holds no more.
  void ended(Grant const& who, std::string_view peer);

 private:
  struct Line;
  void write(Line const& line);
  /// Whether a refusal is written, and how many before it were not.
  [[nodiscard]] bool may_tell(std::uint64_t& untold);

  LogSink const sink_;
  LogSink const reads_;
  std::atomic<std::uint64_t> refusals_ = 0;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point second_ = {};  // guarded by mutex_, as what follows: where it began
  std::uint64_t told_ = 0;                             // in it
  std::uint64_t untold_ = 0;
};

}  // namespace whence::net
