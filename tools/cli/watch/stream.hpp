#pragma once
// The position of a watch in its stream: how to resume after a lost connection, and which events are new. An event
// whose `prev` was not received counts as a lost connection.

#include "tools/cli/watch/message.hpp"

#include <cstdint>
#include <string>
#include <unordered_set>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace whence::tools {

/// How an event relates to the events before it.
enum class Fit : std::uint8_t {
  news,
  known,  ///< part of a snapshot that was requested again
  gap,    ///< `prev` is not the transaction received last: something was lost
};

/// One watch over all its subscriptions. A value without I/O.
///
/// 1. Everything that matches up to `tx` has been taken, unless a snapshot is under way.
/// 2. While a snapshot is under way, `tx` is its transaction, and the refs received so far are kept: an interrupted
///    snapshot is requested again at the same transaction, and refs received before are `known` then. It ends with the
///    first live event, or with `$/caught_up`.
/// 3. Notifications hold whole transactions, so that it is safe to resume after any event taken.
class WatchStream {
 public:
  /// `params` are those of the first `subscribe`.
  explicit WatchStream(boost::json::object params);

  /// Those of the next `subscribe`: the first's, or the same from the resume point on, in the same log.
  [[nodiscard]] boost::json::object params() const;

  /// A subscription was made: its answer, and the `epoch` of the server's log.
  void begin(boost::json::object const& answer, boost::json::value const& epoch);

  /// A `news` event moves the resume point. After a gap no further event may be taken.
  [[nodiscard]] Fit take(WatchEvent const& event);

  void catch_up(std::uint64_t tx);

  /// No more events up to `tx` will arrive.
  void pass(std::uint64_t tx);

  [[nodiscard]] bool has_begun() const noexcept { return has_begun_; }
  [[nodiscard]] std::string const& sub() const noexcept { return sub_; }  ///< the current subscription
  [[nodiscard]] std::uint64_t tx() const noexcept { return tx_; }         ///< the resume point

 private:
  void end_snapshot();

  boost::json::object params_;
  boost::json::value epoch_;
  std::string sub_;
  std::uint64_t tx_ = 0;
  std::uint64_t last_ = 0;  ///< the last transaction of this subscription; 0: none
  bool has_begun_ = false;
  bool is_in_snapshot_ = false;
  std::unordered_set<std::string> snapshot_refs_;
};

}  // namespace whence::tools
