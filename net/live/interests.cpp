// The index of standing matches: `advance` moves the walks on by a transaction, and `find` comes after it, since a node
// that entered a walk or was deleted may have no event of its own.

#include "net/live/interests.hpp"

#include <algorithm>
#include <utility>

namespace whence::net {
namespace {

using graph::EventOp;
using queries::Events;

template <class T>
void erase_value(std::vector<T*>& list, T const* value) {
  std::erase(list, value);
}

bool has_removals(graph::Delta const& delta) {
  return std::ranges::any_of(delta.events, [](graph::DeltaEvent const& event) { return event.op == EventOp::remove; });
}

}  // namespace

/// Calls `visit(map, key)` for each list an interest belongs in. What changes has no event of its own in a delta.
template <class Visit>
void Interests::each_list(queries::Match const& match, Interest const& interest, Visit const& visit) {
  auto const each = [&](auto& lists, auto const& keys) {
    for (auto const& key : keys) visit(lists, key);
  };
  if (queries::wants_changed(match)) return;
  if (!interest.walks.empty()) return visit(by_walk_, interest.walks.front());
  if (match.agents) return each(by_agent_, *match.agents);
  if (match.topics) return each(by_topic_, *match.topics);
  if (match.edge_types) return each(by_edge_type_, *match.edge_types);
  if (match.types) return each(by_type_, *match.types);
  if (match.ops) return each(by_op_, *match.ops);
}

void Interests::add(std::shared_ptr<Subscriber> subscriber, std::vector<queries::Standing> walks) {
  auto const& match = subscriber->match();
  auto const [known, is_new] = interests_.try_emplace(match);
  auto& interest = known->second;
  if (is_new) {
    for (auto& walk : walks) interest.walks.push_back(&take_walk(std::move(walk), subscriber->memory()));
    bool is_listed = false;
    each_list(match, interest, [&](auto& lists, auto const& key) {
      auto& list = lists[key];
      if (std::ranges::find(list, &interest) == list.end()) list.push_back(&interest);
      is_listed = true;
    });
    if (!is_listed) everything_.push_back(&interest);
  }
  subscriber->hold(0);  // from here on the walks are counted as the feed's
  interest.subscribers.push_back(std::move(subscriber));
}

void Interests::remove(std::vector<std::shared_ptr<Subscriber>> const& subscribers) {
  std::vector<StandingWalk*> unneeded;
  for (auto const& subscriber : subscribers) remove(*subscriber, unneeded);
  drop_walks(unneeded);
}

void Interests::remove(Subscriber const& subscriber, std::vector<StandingWalk*>& unneeded) {
  auto const known = interests_.find(subscriber.match());
  if (known == interests_.end()) return;
  auto& interest = known->second;
  // Kept alive until the end of this function, and so its match.
  auto const place = std::ranges::find(interest.subscribers, &subscriber, &std::shared_ptr<Subscriber>::get);
  if (place == interest.subscribers.end()) return;
  interest.subscribers.erase(place);
  if (!interest.subscribers.empty()) return;
  each_list(known->first, interest, [&](auto& lists, auto const& key) {
    auto const list = lists.find(key);
    if (list == lists.end()) return;  // a value named twice
    erase_value(list->second, &interest);
    if (list->second.empty()) lists.erase(list);
  });
  erase_value(everything_, &interest);
  for (auto* const walk : interest.walks) {
    if (--walk->users == 0) unneeded.push_back(walk);
  }
  interests_.erase(known);
}

std::vector<std::shared_ptr<Subscriber>> Interests::remove_all() {
  std::vector<std::shared_ptr<Subscriber>> removed;
  for (auto& [match, interest] : interests_) {
    removed.insert(removed.end(), interest.subscribers.begin(), interest.subscribers.end());
  }
  *this = Interests{};
  return removed;
}

StandingWalk& Interests::take_walk(queries::Standing walk, std::shared_ptr<PeerMemory> const& memory) {
  auto const spec = walk.spec();
  auto const [known, is_new] = walks_.try_emplace(spec);
  auto& taken = known->second;
  ++taken.users;
  if (is_new) taken.members = std::move(walk);
  if (is_new) taken.held = std::make_unique<MemoryClaim>(memory);
  if (is_new) taken.held->set(taken.members.weight());
  if (is_new) taken.members.settle();  // the replay has reported the latest members
  if (is_new) index_members(taken);
  if (is_new && !taken.members.start_vertex()) startless_.push_back(&taken);
  return taken;
}

/// A node may be a member of a thousand walks: its list is gone through once for all of them.
void Interests::drop_walks(std::vector<StandingWalk*> const& walks) {
  if (walks.empty()) return;
  auto const is_unneeded = [](StandingWalk const* walk) { return walk->users == 0; };
  std::vector<std::uint32_t> vertices;
  for (auto const* const walk : walks) {
    for (auto const vertex : walk->members.members()) vertices.push_back(number(vertex));
    if (auto const start = walk->members.start_vertex()) vertices.push_back(number(*start));
  }
  std::ranges::sort(vertices);
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  for (auto const vertex : vertices) {
    auto const list = walks_by_vertex_.find(vertex);
    if (list == walks_by_vertex_.end()) continue;
    std::erase_if(list->second, is_unneeded);
    if (list->second.empty()) walks_by_vertex_.erase(list);
  }
  std::erase_if(startless_, is_unneeded);
  std::erase_if(touched_, is_unneeded);
  for (auto const* const walk : walks) {
    auto const spec = walk->members.spec();  // a copy: the walk goes
    walks_.erase(spec);
  }
}

void Interests::index_members(StandingWalk& walk) {
  for (auto const vertex : walk.members.members()) walks_by_vertex_[number(vertex)].push_back(&walk);
  if (auto const start = walk.members.start_vertex()) walks_by_vertex_[number(*start)].push_back(&walk);
}

void Interests::unindex_members(StandingWalk& walk) {
  auto const forget = [&](queries::VertexId vertex) {
    auto const list = walks_by_vertex_.find(number(vertex));
    if (list == walks_by_vertex_.end()) return;
    erase_value(list->second, &walk);
    if (list->second.empty()) walks_by_vertex_.erase(list);
  };
  for (auto const vertex : walk.members.members()) forget(vertex);
  if (auto const start = walk.members.start_vertex()) forget(*start);
}

/// Walks that a new edge meets, that lose a member, or whose start may have been written.
std::vector<StandingWalk*> Interests::touched_by(Events const& events) const {
  std::vector<StandingWalk*> touched = startless_;
  auto const take_of = [&](queries::VertexId vertex) {
    auto const list = walks_by_vertex_.find(number(vertex));
    if (list != walks_by_vertex_.end()) touched.insert(touched.end(), list->second.begin(), list->second.end());
  };
  for (auto const& event : events.delta().events) {
    if (event.op == EventOp::remove) take_of(event.vertex);
    for (auto const& edge : events.delta().edges_of(event)) {
      take_of(edge.from);
      take_of(edge.to);
    }
  }
  std::ranges::sort(touched);
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  return touched;
}

void Interests::advance(Events const& events) {
  for (auto* const walk : touched_) walk->members.settle();
  touched_.clear();
  if (walks_.empty()) return;
  touched_ = touched_by(events);
  for (auto* const walk : touched_) advance_one(*walk, events);
}

void Interests::advance_one(StandingWalk& walk, Events const& events) {
  bool const was_startless = !walk.members.start_vertex();
  // A deletion may change any of the members; else there are only more of them.
  bool const is_indexed_anew = was_startless || has_removals(events.delta());
  if (is_indexed_anew) {
    unindex_members(walk);
    erase_value(startless_, &walk);
  }
  walk.members.advance(events.view().snapshot, events.delta());
  if (is_indexed_anew) {
    index_members(walk);
    walk.held->set(walk.members.weight());
    if (!walk.members.start_vertex()) startless_.push_back(&walk);
    return;
  }
  for (auto const vertex : walk.members.entered()) walks_by_vertex_[number(vertex)].push_back(&walk);
  walk.held->set(walk.members.weight());
}

Result<std::vector<Interest const*>> Interests::find(Events& events) {
  ++finds_;
  std::vector<Interest const*> found;
  auto const take = [&](List const& list) {
    for (auto* const interest : list) {
      if (std::exchange(interest->found_by, finds_) != finds_) found.push_back(interest);
    }
  };
  auto const take_under = [&](auto const& lists, auto const& key) {
    if (auto const list = lists.find(key); list != lists.end()) take(list->second);
  };
  std::span<Events::Facts const> facts;
  if (!by_agent_.empty() || !by_topic_.empty()) {
    auto const read = events.facts();
    if (!read) return read.error();
    facts = *read;
  }
  take(everything_);
  auto const& snapshot = events.view().snapshot;
  for (std::size_t i = 0; i < events.delta().events.size(); ++i) {
    auto const& event = events.delta().events[i];
    take_under(by_type_, snapshot.type(event.vertex));
    take_under(by_op_, event.op);
    for (auto const& edge : events.delta().edges_of(event)) {
      take_under(by_edge_type_, schema::named_type(snapshot.type(edge.edge)));
    }
    if (!facts.empty()) {
      take_under(by_agent_, facts[i].agent);
      take_under(by_topic_, facts[i].topic);
    }
    auto const walks = walks_by_vertex_.find(number(event.vertex));
    if (walks == walks_by_vertex_.end()) continue;
    for (auto const* walk : walks->second) take_under(by_walk_, walk);
  }
  // A node that entered or was deleted may have no event or no walk any more.
  for (auto const* walk : touched_) take_under(by_walk_, walk);
  return found;
}

}  // namespace whence::net
