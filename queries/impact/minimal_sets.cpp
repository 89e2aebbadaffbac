// From causes to effects: the sets of a node are the unions of one set of each of its causes, and the node itself where
// it is a source. Sets that contain another are dropped, and those that grow too large.

#include "queries/impact/minimal_sets.hpp"

#include "graph/walks/walk.hpp"
#include "queries/impact/source_kinds.hpp"
#include "queries/view/order.hpp"
#include "queries/view/vertex_map.hpp"
#include "schema/base/poll.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

namespace whence::queries {
namespace {

/// Ancestors that are looked at for one answer.
constexpr std::uint64_t ancestors_max = 10'000;

using Set = std::vector<VertexId>;  // ascending

struct Family {
  std::vector<Set> sets = {};
  bool are_all = true;
};

bool contains(Set const& set, Set const& part) {
  return std::includes(set.begin(), set.end(), part.begin(), part.end());
}

/// Adds a set unless one in it is there; drops those that it is in.
void add(Set set, std::vector<Set>& sets) {
  if (std::ranges::any_of(sets, [&](Set const& known) { return contains(set, known); })) return;
  std::erase_if(sets, [&](Set const& known) { return contains(known, set); });
  sets.push_back(std::move(set));
}

/// Keeps the smallest.
void cut(Family& family) {
  if (family.sets.size() <= sets_max) return;
  std::ranges::stable_sort(family.sets, {}, &Set::size);
  family.sets.resize(sets_max);
  family.are_all = false;
}

/// One set of each of two families.
Family joined(Family const& a, Family const& b) {
  Family made{.are_all = a.are_all && b.are_all};
  for (auto const& one : a.sets) {
    for (auto const& other : b.sets) {
      Set both;
      std::ranges::set_union(one, other, std::back_inserter(both));
      if (both.size() <= set_members_max) add(std::move(both), made.sets);
    }
  }
  cut(made);
  return made;
}

class Families {
 public:
  Families(Snapshot const& snapshot, std::vector<VertexId> members, SourceKinds const& kinds,
           schema::EdgeTypeSet edge_types, schema::Poll& poll)
      : snapshot_{snapshot},
        members_{std::move(members)},
        places_{members_},
        kinds_{kinds},
        edge_types_{edge_types},
        poll_{poll} {
    families_.resize(members_.size());
    is_made_.resize(members_.size());
  }

  /// Those of the member at a place; nothing where it must stop. Deep first, without recursion.
  Family const* of(std::uint32_t place) {
    std::vector<std::uint32_t> open{place};
    while (!open.empty()) {
      auto const at = open.back();
      auto const causes = evidence_of(at);
      if (poll_.must_stop(1 + causes.size())) return nullptr;
      auto const before = open.size();
      for (auto const cause : causes) {
        if (is_made_[cause] == 0) open.push_back(cause);
      }
      if (open.size() > before) continue;
      open.pop_back();
      if (is_made_[at] == 0) make(at, causes);
    }
    return &families_[place];
  }

 private:
  /// Places of the causes that are evidence; one beyond the bound has no place, and can never be taken away.
  std::vector<std::uint32_t> evidence_of(std::uint32_t place) {
    std::vector<std::uint32_t> causes;
    auto const all = snapshot_.causes(members_[place]);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!edge_types_.contains(snapshot_.type(all.edges[i]))) continue;
      auto const found = places_.find(all.vertices[i]);
      if (found && kinds_(all.vertices[i]) == graph::CauseKind::evidence) causes.push_back(*found);
    }
    std::ranges::sort(causes);
    causes.erase(std::unique(causes.begin(), causes.end()), causes.end());
    return causes;
  }

  void make(std::uint32_t place, std::vector<std::uint32_t> const& causes) {
    Family made;
    if (!causes.empty()) {
      made.sets.emplace_back();
      for (auto const cause : causes) {
        made = joined(made, families_[cause]);
        if (poll_.must_stop(made.sets.size() * families_[cause].sets.size())) return;
        if (made.sets.empty()) break;
      }
    }
    if (is_source(snapshot_.type(members_[place]))) add({members_[place]}, made.sets);
    families_[place] = std::move(made);
    is_made_[place] = 1;
  }

  Snapshot const& snapshot_;
  std::vector<VertexId> members_;
  VertexMap places_;
  SourceKinds const& kinds_;
  schema::EdgeTypeSet edge_types_;
  schema::Poll& poll_;
  std::vector<Family> families_ = {};
  std::vector<std::uint8_t> is_made_ = {};
};

}  // namespace

Result<MinimalSets> minimal_sets(View const& view, VertexId answer, Budget const& budget,
                                 schema::EdgeTypeSet edge_types) {
  schema::Poll poll(budget.interrupt);
  graph::WalkLimits const limits{.edge_types = edge_types,
                                 .vertices_max = std::min(budget.vertices_max, ancestors_max)};
  auto const reach = graph::reach(view.snapshot, {&answer, 1}, graph::Direction::ancestors, limits, budget.interrupt);
  if (!reach) return reach.error();
  std::vector<VertexId> members{answer};
  members.insert(members.end(), reach->vertices.begin(), reach->vertices.end());
  auto const kinds = SourceKinds::of(view, members, budget);
  if (!kinds) return kinds.error();
  if (reach->is_cut_by_vertices) return MinimalSets{.are_all = false};

  Families families(view.snapshot, std::move(members), *kinds, edge_types, poll);
  auto const* const found = families.of(0);
  if (found == nullptr || poll.has_stopped()) return poll.error();
  MinimalSets made{.sets = found->sets, .are_all = found->are_all};
  auto const before = [&](VertexId a, VertexId b) { return compare_refs(view.snapshot, a, b) < 0; };
  for (auto& set : made.sets) std::ranges::sort(set, before);
  std::ranges::sort(made.sets, [&](auto const& a, auto const& b) {
    if (a.size() != b.size()) return a.size() < b.size();
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), before);
  });
  return made;
}

}  // namespace whence::queries
