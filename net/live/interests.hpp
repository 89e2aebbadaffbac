#pragma once
// The distinct matches of all live subscriptions, indexed by what they ask for, so that a transaction is compared only
// with those it may concern.

#include "net/live/subscriber.hpp"
#include "queries/live/events.hpp"
#include "queries/live/standing.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace whence::net {

/// A walk that at least one interest needs, as of the feed's position.
struct StandingWalk {
  std::unique_ptr<MemoryClaim> held;  ///< of the peer that asked for it first, also when that has gone
  queries::Standing members;
  std::size_t users = 0;
};

/// One match and the subscribers that have it.
struct Interest {
  std::vector<StandingWalk*> walks = {};
  std::vector<std::shared_ptr<Subscriber>> subscribers = {};
  std::uint64_t found_by = 0;  ///< the last `find` that came across it
};

/// One thread at a time.
///
/// Invariants: 1. every interest is listed under each value of the most selective member of its match (a walk,
/// agents, topics, edge types, types, ops, in this order), or among those without such a member. 2. `walks_by_vertex_`
/// names, for each vertex, the walks that hold it or start at it, and `startless_` the walks whose start is nowhere. 3.
/// only walks in `touched_` have members that entered or were lost.
class Interests {
 public:
  /// `walks` are those of the match, as of the feed's position.
  void add(std::shared_ptr<Subscriber> subscriber, std::vector<queries::Standing> walks);
  /// Those that are not here are ignored. O(members of the walks that are not needed any more, and of the lists that
  /// name these).
  void remove(std::vector<std::shared_ptr<Subscriber>> const& subscribers);
  /// Removes all subscribers and returns them.
  [[nodiscard]] std::vector<std::shared_ptr<Subscriber>> remove_all();
  [[nodiscard]] bool empty() const noexcept { return interests_.empty(); }

  /// Takes the walks that `events` touches one transaction further. O(events and edges of the transaction), and what
  /// each touched walk needs.
  void advance(queries::Events const& events);

  /// The subscribers that may want something of `events`, to be asked exactly. After `advance`. O(events, and those
  /// found). Fails with `corrupt`.
  [[nodiscard]] Result<std::vector<Interest const*>> find(queries::Events& events);

  /// The match of an interest that `find` gave.
  [[nodiscard]] static queries::Match const& match_of(Interest const& interest) noexcept {
    return interest.subscribers.front()->match();
  }

 private:
  using List = std::vector<Interest*>;
  template <class Visit>
  void each_list(queries::Match const& match, Interest const& interest, Visit const& visit);
  StandingWalk& take_walk(queries::Standing walk, std::shared_ptr<PeerMemory> const& memory);
  /// The walks that are not needed any more are added to `unneeded`.
  void remove(Subscriber const& subscriber, std::vector<StandingWalk*>& unneeded);
  void drop_walks(std::vector<StandingWalk*> const& walks);
  void index_members(StandingWalk& walk);
  void unindex_members(StandingWalk& walk);
  void advance_one(StandingWalk& walk, queries::Events const& events);
  [[nodiscard]] std::vector<StandingWalk*> touched_by(queries::Events const& events) const;

  std::map<queries::Match, Interest> interests_;
  std::map<queries::WalkSpec, StandingWalk> walks_;
  std::unordered_map<std::uint32_t, std::vector<StandingWalk*>> walks_by_vertex_;
  std::vector<StandingWalk*> startless_;
  std::vector<StandingWalk*> touched_;  // by the last transaction
  std::uint64_t finds_ = 0;

  std::unordered_map<StandingWalk const*, List> by_walk_;
  std::unordered_map<std::string, List> by_agent_;
  std::unordered_map<std::string, List> by_topic_;
  std::map<schema::EdgeType, List> by_edge_type_;
  std::map<schema::RecordType, List> by_type_;
  std::map<graph::EventOp, List> by_op_;
  List everything_;
};

}  // namespace whence::net
