#pragma once
// Where a watch stands in its stream: what to subscribe to after the connection was lost, and which events are news.

#include "tools/cli/watch/message.hpp"

#include <cstdint>
#include <string>
#include <unordered_set>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace whence::tools {

/// How an event fits to what came before it.
enum class Fit : std::uint8_t {
  news,
  known,  ///< part of a snapshot that was asked for again
  gap,    ///< `prev` is not the transaction that came before: something was lost
};

/// One watch over all its subscriptions. A value without I/O.
///
/// 1. Everything that matches up to `tx` has been taken, unless a snapshot is under way.
/// 2. While a snapshot is under way, `tx` is its transaction, and the refs it brought so far are kept: an interrupted
///    snapshot is asked for again at the same transaction, and what it brought already is `known` then. It is over with
///    the first event that is none of it, or when the server says that the watch has caught up.
/// 3. Notifications hold whole transactions, so that it is safe to resume after any event taken.
class WatchStream {
 public:
  /// `params` are those of the first `subscribe`.
  explicit WatchStream(boost::json::object params);

  /// Those of the next: the first's, or the same from where the stream broke off, on the same log.
  [[nodiscard]] boost::json::object params() const;

  /// A subscription was made: its answer, and the `epoch` of the server's log.
  void begin(boost::json::object const& answer, boost::json::value const& epoch);

  /// A news event moves the resume point; events after a gap are not to be taken.
  [[nodiscard]] Fit take(WatchEvent const& event);

  void catch_up(std::uint64_t tx);

  /// Nothing more will come up to `tx`.
  void pass(std::uint64_t tx);

  [[nodiscard]] bool has_begun() const noexcept { return has_begun_; }
  [[nodiscard]] std::string const& sub() const noexcept { return sub_; }  ///< the subscription of the moment
  [[nodiscard]] std::uint64_t tx() const noexcept { return tx_; }         ///< the resume point

 private:
  void end_snapshot();

  boost::json::object params_;
  boost::json::value epoch_;
  std::string sub_;
  std::uint64_t tx_ = 0;
  std::uint64_t last_ = 0;  ///< transaction taken last of this subscription; 0: none
  bool has_begun_ = false;
  bool is_in_snapshot_ = false;
  std::unordered_set<std::string> snapshot_refs_;
};

}  // namespace whence::tools
