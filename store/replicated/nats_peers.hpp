#pragma once
// What the nodes of a log tell each other: who they are, how far they have got, and what checkpoint they have signed.
// For people to look at, and to find forks by; nothing else depends on it.

#include "store/replicated/nats_callee.hpp"
#include "store/replicated/nats_handles.hpp"
#include "store/replicated/shared_log.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::store {

/// Announcements go over NATS itself, not into the stream: subject `whence-nodes.STREAM`, body as
/// announcement.hpp says. Any thread may call any member.
class NatsPeers {
 public:
  static constexpr std::size_t nodes_max = 64;  ///< that are remembered; further ones are left out
  static constexpr std::chrono::seconds forgotten_after{10};

  explicit NatsPeers(std::string const& stream);

  /// What the others are to know of this node; until then it only listens.
  void introduce(Introduction introduction);

  /// The newest checkpoint that this node has signed, for the announcements from now on.
  void set_tree(schema::proof::TreeHead const& tree);

  /// Says where this node is; the first time it begins to listen. Does not wait.
  void announce(natsConnection& connection, std::uint64_t position);

  /// Those heard of lately, this one among them, ordered by name.
  [[nodiscard]] std::vector<SharedLogPicture::Node> nodes() const;

  /// Takes an announcement. Ignores what is none.
  void take(std::string_view announcement);

 private:
  using Clock = std::chrono::steady_clock;
  struct Peer {
    std::string name;
    std::string bolt;
    std::optional<schema::proof::TreeHead> tree;
    std::uint64_t position;
    Clock::time_point heard;
  };

  static void take_in(natsConnection* connection, natsSubscription* subscription, natsMsg* message, void* closure);

  std::string const subject_;
  std::string const id_;
  mutable std::mutex mutex_;
  Introduction own_;
  std::optional<schema::proof::TreeHead> own_tree_;
  std::map<std::string, Peer, std::less<>> peers_;  // by id
  NatsSubscription subscription_;
  NatsCallee<NatsPeers> const callee_{*this};  // callbacks use the rest
};

}  // namespace whence::store
