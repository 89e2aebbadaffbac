#pragma once
// The log that several nodes write: groups in one order, which only the log decides.

#include "schema/base/error.hpp"
#include "schema/base/ids.hpp"
#include "schema/proof/checkpoint.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace whence::store {

/// A group on its way into the log.
struct OutgoingGroup {
  std::span<std::byte const> bytes;  ///< `schema::stored::SharedGroup`
  schema::TxId base;                 ///< the head before it
  schema::TxId head;                 ///< the head after it
};

/// What became of a group that was sent.
enum class Publication : std::uint8_t {
  accepted,  ///< it is the next in the log, and stored by a quorum
  refused,   ///< something came before it: `next` returns that
  unknown,   ///< the log did not answer in time: it may be in the log, now or later
};

struct Published {
  Publication what = Publication::unknown;
  std::string why = {};  ///< of what is not accepted
};

/// How far a node is in its log.
struct SharedLogFigures {
  bool is_connected = false;
  std::uint64_t position = 0;      ///< sequence of the last message taken
  std::uint64_t last = 0;          ///< sequence of the last message that is known to be there
  double last_contact_s = 0;       ///< seconds since the log was heard of
  std::uint64_t refused = 0;       ///< publications that came too late
  std::uint64_t unknown = 0;       ///< publications without an answer
  std::uint64_t repeated = 0;      ///< times that publications were sent again, since they were not taken or answered
  std::uint64_t foreign = 0;       ///< messages that no node has written, which were stepped over
  std::uint64_t last_foreign = 0;  ///< sequence of the last of them
};

/// Who keeps the log and who writes it, as far as this node has heard lately. For people to look at.
struct SharedLogPicture {
  struct Server {
    std::string name;
    bool is_leader = false;
    bool is_current = false;  ///< its copy has everything that the leader knows it to have
    std::uint64_t lag = 0;    ///< messages that its copy lacks
  };
  struct Node {
    std::string name;
    std::string bolt = {};  ///< `HOST:PORT` at which it speaks Bolt; empty: it does not, or says nothing of it
    std::optional<schema::proof::TreeHead> tree = {};  ///< of the newest checkpoint that it said it has signed
    bool is_self = false;
    std::uint64_t position = 0;  ///< sequence of the last message taken, when it was heard
    double last_seen_s = 0;      ///< seconds since then
  };
  std::vector<Server> servers = {};
  std::vector<Node> nodes = {};
};

/// What a node says of itself to the others.
struct Introduction {
  std::string name;
  std::string bolt = {};  ///< `HOST:PORT` at which clients of any node may speak Bolt to it; empty: nowhere
};

/// One node's end of the log. `name`, `figures`, `introduce`, `announce_tree`, `picture` and `give_up` may be called
/// from any thread, all else belongs to one.
///
/// Invariant: a group is accepted only where it follows all that `next` has returned and all that was sent before it.
/// So a node that validates a group against exactly that never writes against another state.
class SharedLog {
 public:
  virtual ~SharedLog() = default;

  /// Says whether a group is the one that made this node's head the head.
  using CheckHead = std::function<Result<void>(std::span<std::byte const> group)>;

  /// Lets `next` begin after the group that made `head` the head, which `check` must accept where it is there. Fails
  /// with what `check` says, with `resume_impossible` where what came next is no longer there, with `conflict` where
  /// the log ends before `head`. Fails with `busy` where the log does not answer; then it is done as soon as the log
  /// does, and `next` fails with what comes of it.
  [[nodiscard]] virtual Result<void> start_after(schema::TxId head, CheckHead check) = 0;

  /// The next group; nothing where none came within `wait`. What no node has written is stepped over and counted. Fails
  /// with `corrupt` where a message is missing.
  [[nodiscard]] virtual Result<std::optional<std::vector<std::byte>>> next(std::chrono::milliseconds wait) = 0;

  /// Sends `group` on its way to the end of the log, behind the groups that were sent and are not settled. Does not
  /// wait. `group.bytes` live until it is settled.
  virtual void send(OutgoingGroup const& group) = 0;

  /// Waits until it is known which of the groups that were sent a quorum has: one answer for each, in order. After one
  /// that is not accepted none is. What is accepted is not returned by `next`.
  [[nodiscard]] virtual std::vector<Published> settle() = 0;

  /// Whether `next` has returned everything that was in the log when this was called. Fails with `busy` where the log
  /// does not answer.
  [[nodiscard]] virtual Result<bool> is_at_end() = 0;

  /// Sets what is called when a group has arrived for `next`, on a thread of the log; must not block. Before
  /// `start_after`.
  virtual void on_arrival(std::function<void()> arrived) = 0;

  /// The process ends: an answer of the log is waited for for two seconds more at most.
  virtual void give_up() = 0;

  /// What an operator calls it: the stream's name.
  [[nodiscard]] virtual std::string name() const = 0;

  [[nodiscard]] virtual SharedLogFigures figures() const = 0;

  /// What the other nodes are to know of this one.
  virtual void introduce(Introduction introduction) = 0;
  /// The newest checkpoint that this node has signed, which the others are told of from now on.
  virtual void announce_tree(schema::proof::TreeHead const& tree) = 0;
  [[nodiscard]] virtual SharedLogPicture picture() const = 0;
};

}  // namespace whence::store
