// Influence paths between two vertices, best first.
//
// A partial path from the cause is ordered by the best whole path that starts so, which a pass backwards from the
// effect computes exactly; so the first path taken whole from the heap is the best, the next the second, and so on. No
// more entries than paths still wanted need be kept: memory is bounded by the limit, the paths' length and one vertex's
// edges, however many paths there are.
#include "graph/boost/scratch.hpp"
#include "graph/boost/walked.hpp"
#include "graph/walks/between.hpp"
#include "graph/walks/order.hpp"
#include "graph/walks/walk.hpp"
#include "schema/base/poll.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <compare>
#include <tuple>
#include <utility>
#include <vector>

namespace whence::graph {

using impl::LocalNumbers;
using impl::WalkedLists;

namespace {

constexpr std::uint32_t nowhere = 0xffff'ffff;

/// `weight` with its last 12 of 52 bits rounded away. Paths are compared by this, since a product's last bits depend on
/// the order of multiplying: equal products must tie, and a bound must equal what it becomes.
double rounded(double weight) noexcept {
  constexpr std::uint64_t dropped = (1U << 12) - 1;
  return std::bit_cast<double>((std::bit_cast<std::uint64_t>(weight) + dropped / 2 + 1) & ~dropped);
}

/// Weight and length of a path, or the best of several.
struct Merit {
  double weight = 0;
  std::uint32_t edges = nowhere;
};

/// Strongest first, then fewest edges; or the other way round.
bool is_better(Merit const& a, Merit const& b, bool is_length_first) noexcept {
  auto const weight_a = rounded(a.weight);
  auto const weight_b = rounded(b.weight);
  if (is_length_first) return a.edges != b.edges ? a.edges < b.edges : weight_a > weight_b;
  return weight_a != weight_b ? weight_a > weight_b : a.edges < b.edges;
}

// As text, `Type:id` orders as the pair does: a colon sorts before every letter of a type's name.
std::strong_ordering compare_refs(Snapshot const& snapshot, VertexId u, VertexId v) {
  auto const by_type = name_of(snapshot.type(u)) <=> name_of(snapshot.type(v));
  return by_type != 0 ? by_type : snapshot.id(u) <=> snapshot.id(v);
}

/// The best way on from a vertex to the effect. Which of several edges to `next` it takes never decides: where two
/// paths have the same vertices, they differ in an edge before.
struct Continuation {
  Merit merit;
  std::uint32_t next = nowhere;  ///< its number in the part
};

/// What is best depends on what the whole path's weight can still be: as long as it is not zero, by the asked order;
/// once it is zero it stays so, and only the length and the refs decide.
enum class Criterion : std::uint8_t { weight_then_edges, edges_then_weight, edges_only };

/// For each vertex of `part`, the best continuations from it to member 0, by criterion.
using Remaining = std::array<std::vector<Continuation>, 3>;

Continuation const& best_of(Remaining const& remaining, Criterion criterion, std::uint32_t at) {
  return remaining[static_cast<std::size_t>(criterion)][at];
}

Remaining remaining_of(Snapshot const& snapshot, LocalNumbers const& part, schema::EdgeTypeSet edge_types,
                       schema::Poll& poll) {
  PartGraph const graph{snapshot, part, Direction::ancestors, edge_types, poll};
  Remaining remaining;
  for (auto& best : remaining) {
    best.resize(part.size());
    best[0].merit = {.weight = 1, .edges = 0};
  }
  auto const relax = [&](std::vector<Continuation>& best, std::uint32_t cause, std::uint32_t effect, double weight,
                         bool is_length_first) {
    auto const& after = best[effect].merit;
    Continuation const offered{{.weight = weight * after.weight, .edges = after.edges + 1}, effect};
    auto& known = best[cause];
    if (is_better(known.merit, offered.merit, is_length_first)) return;
    if (is_better(offered.merit, known.merit, is_length_first) ||
        compare_refs(snapshot, part[offered.next], part[known.next]) < 0) {
      known = offered;
    }
  };
  (void)completes([&] {
    for (auto const at : impl::topological_order(graph)) {
      for (auto [edge, end] = out_edges(at, graph); edge != end; ++edge) {
        auto const [from, cause, id] = *edge;
        auto const weight = graph.weight(id);
        relax(remaining[0], cause, at, weight, false);
        relax(remaining[1], cause, at, weight, true);
        relax(remaining[2], cause, at, 1, true);
      }
    }
  });
  return remaining;
}

/// The enumeration: a tree of partial paths, and a heap of those not yet continued.
class BestFirst {
 public:
  BestFirst(Snapshot const& snapshot, LocalNumbers const& part, Remaining const& remaining, PathKind kind,
            schema::EdgeTypeSet edge_types)
      : snapshot_{snapshot},
        effects_{snapshot, Direction::descendants, edge_types},
        part_{part},
        remaining_{remaining},
        is_length_first_{kind == PathKind::shortest} {}

  [[nodiscard]] Paths run(VertexId from, std::size_t limit, schema::Poll& poll) {
    push({.merit = {}, .criterion = {}, .weight = 1, .parent = nowhere, .vertex = from, .edge = {}, .edges = 0});
    Paths found;
    while (!heap_.empty() && found.paths.size() < limit) {
      auto const entry = pop();
      if (part_.find(entry.vertex) == 0) {
        found.paths.push_back(path_of(entry));
        continue;
      }
      if (poll.must_stop(continue_from(entry))) break;
      keep_best(limit - found.paths.size() + 1);
    }
    found.is_cut = !heap_.empty();
    return found;
  }

 private:
  struct Node {
    std::uint32_t parent;
    VertexId vertex;
    EdgeId edge;  ///< that led here
    std::uint32_t edges;
  };
  struct Entry {
    Merit merit;                                  ///< of the best path that starts so
    Criterion criterion = Criterion::edges_only;  ///< that its continuation is best by
    double weight;
    std::uint32_t parent;  ///< node
    VertexId vertex;
    EdgeId edge;
    std::uint32_t edges;
  };

  [[nodiscard]] auto is_later() const {
    return [this](Entry const& a, Entry const& b) { return is_before(b, a); };
  }

  void push(Entry entry) {
    auto const at = part_.find(entry.vertex);
    entry.criterion = is_length_first_ ? Criterion::edges_then_weight : Criterion::weight_then_edges;
    auto const weight = entry.weight * best_of(remaining_, entry.criterion, at).merit.weight;
    if (weight == 0) entry.criterion = Criterion::edges_only;
    entry.merit = {.weight = weight, .edges = entry.edges + best_of(remaining_, entry.criterion, at).merit.edges};
    heap_.push_back(entry);
    std::push_heap(heap_.begin(), heap_.end(), is_later());
  }

  [[nodiscard]] Entry pop() {
    std::pop_heap(heap_.begin(), heap_.end(), is_later());
    auto const entry = heap_.back();
    heap_.pop_back();
    return entry;
  }

  [[nodiscard]] std::size_t continue_from(Entry const& entry) {
    auto const node = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back({entry.parent, entry.vertex, entry.edge, entry.edges});
    auto const list = effects_[entry.vertex];
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (!effects_.is_walked(list.edges[i]) || part_.find(list.vertices[i]) == LocalNumbers::none) continue;
      push({.merit = {},
            .criterion = {},
            .weight = entry.weight * effects_.path_weight(list.edges[i]),
            .parent = node,
            .vertex = list.vertices[i],
            .edge = list.edges[i],
            .edges = entry.edges + 1});
    }
    return list.size() + 1;
  }

  // In batches, so that selecting costs O(1) an entry.
  void keep_best(std::size_t wanted) {
    if (heap_.size() < 64 || heap_.size() / 2 < wanted) return;
    auto const end = heap_.begin() + static_cast<std::ptrdiff_t>(wanted);
    std::nth_element(heap_.begin(), end, heap_.end(),
                     [this](Entry const& a, Entry const& b) { return is_before(a, b); });
    heap_.erase(end, heap_.end());
    std::make_heap(heap_.begin(), heap_.end(), is_later());
  }

  [[nodiscard]] bool is_before(Entry const& a, Entry const& b) const {
    if (is_better(a.merit, b.merit, is_length_first_)) return true;
    if (is_better(b.merit, a.merit, is_length_first_)) return false;
    return is_before_by_refs(a, b);
  }

  // Orders the best paths that start so by their refs, then by their edges. What differs nearest the start decides, so
  // the partial paths are followed from equal lengths back to where they part.
  [[nodiscard]] bool is_before_by_refs(Entry const& entry_a, Entry const& entry_b) const {
    Node a = node_of(entry_a);
    Node b = node_of(entry_b);
    while (a.edges > b.edges) a = nodes_[a.parent];
    while (b.edges > a.edges) b = nodes_[b.parent];
    auto by_refs = std::pair{a.vertex, a.vertex};
    auto by_edges = std::strong_ordering::equal;
    for (;; a = nodes_[a.parent], b = nodes_[b.parent]) {
      if (a.vertex != b.vertex) by_refs = {a.vertex, b.vertex};
      if (a.edge != b.edge) by_edges = a.edge <=> b.edge;
      if (a.parent == b.parent) break;
    }
    if (by_refs.first == by_refs.second && entry_a.edges < entry_b.edges) by_refs = difference_after(entry_a, entry_b);
    if (by_refs.first == by_refs.second && entry_b.edges < entry_a.edges) {
      std::tie(by_refs.second, by_refs.first) = difference_after(entry_b, entry_a);
    }
    return by_refs.first != by_refs.second ? compare_refs(snapshot_, by_refs.first, by_refs.second) < 0 : by_edges < 0;
  }

  // Where the best path on from `shorter` leaves `longer`, which has the same vertices so far; two equal vertices where
  // it does not: from the same vertex both have the same continuation.
  [[nodiscard]] std::pair<VertexId, VertexId> difference_after(Entry const& shorter, Entry const& longer) const {
    std::vector<VertexId> continued;
    auto at = part_.find(shorter.vertex);
    for (auto edges = shorter.edges; edges < longer.edges; ++edges) {
      at = best_of(remaining_, shorter.criterion, at).next;
      continued.push_back(part_[at]);
    }
    auto difference = std::pair{longer.vertex, longer.vertex};
    for (auto node = node_of(longer); node.edges > shorter.edges; node = nodes_[node.parent]) {
      auto const other = continued[node.edges - shorter.edges - 1];
      if (other != node.vertex) difference = {other, node.vertex};
    }
    return difference;
  }

  [[nodiscard]] static Node node_of(Entry const& entry) {
    return {.parent = entry.parent, .vertex = entry.vertex, .edge = entry.edge, .edges = entry.edges};
  }

  [[nodiscard]] Path path_of(Entry const& entry) const {
    Path path{.weight = entry.weight, .vertices = {entry.vertex}, .edges = {}};
    auto edge = entry.edge;
    for (auto at = entry.parent; at != nowhere; at = nodes_[at].parent) {
      path.edges.push_back(edge);
      path.vertices.push_back(nodes_[at].vertex);
      edge = nodes_[at].edge;
    }
    std::reverse(path.edges.begin(), path.edges.end());
    std::reverse(path.vertices.begin(), path.vertices.end());
    return path;
  }

  Snapshot const& snapshot_;
  WalkedLists effects_;
  LocalNumbers const& part_;
  Remaining const& remaining_;
  bool is_length_first_;
  std::vector<Node> nodes_;
  std::vector<Entry> heap_;
};

}  // namespace

Result<Paths> find_paths(Snapshot const& snapshot, VertexId from, VertexId to, PathKind kind, std::size_t limit,
                         schema::Interrupt const& interrupt, schema::EdgeTypeSet edge_types) {
  auto const between = impl::vertices_between(snapshot, from, to, interrupt, edge_types);
  if (!between) return between.error();
  schema::Poll poll{interrupt};
  LocalNumbers part{snapshot.vertex_count()};
  for (auto const v : *between) part.add(v);
  Paths paths;
  if (!between->empty()) {
    auto const remaining = remaining_of(snapshot, part, edge_types, poll);
    if (!poll.has_stopped()) paths = BestFirst{snapshot, part, remaining, kind, edge_types}.run(from, limit, poll);
  }
  if (poll.has_stopped()) return poll.error();
  return paths;
}

}  // namespace whence::graph
