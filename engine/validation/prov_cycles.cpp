// A relation that would close a cycle gets the variant of its type without influence. `cut_closing` does that for what
// known records gain: connected components first, and only within these one relation after the other. `cut_prov_cycles`
// needs no graph, since its relations are all among the new rows.

#include "engine/validation/prov_cycles.hpp"

#include "schema/records/prov/relations.hpp"
#include "schema/types/edge_type.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace whence::engine {
namespace {

using schema::VertexId;

constexpr std::size_t steps_max = 20'000'000;  // of looking for each cycle by itself
constexpr std::size_t descent_max = 4096;

/// Who causes whom once new rows and causes are there.
class Causes {
 public:
  Causes(graph::Snapshot const& known, std::span<store::VertexRow const> rows) : known_(known) {
    for (auto const& row : rows) {
      for (auto const& edge : row.edges) {
        auto const from = edge.owner_is_from ? row.type : type_of(edge.other, rows);
        auto const influence = schema::influence_of(edge.type, from);
        if (influence == schema::Influence::none) continue;
        bool const is_from_cause = influence == schema::Influence::along;
        bool const is_owner_cause = is_from_cause == edge.owner_is_from;
        add(is_owner_cause ? edge.other : row.vertex, is_owner_cause ? row.vertex : edge.other);
      }
    }
  }

  void add(VertexId effect, VertexId cause) {
    added_causes_[schema::number(effect)].push_back(cause);
    added_effects_[schema::number(cause)].push_back(effect);
  }

  [[nodiscard]] std::vector<VertexId> of(VertexId effect) const {
    return known_.contains(effect) ? joined(known_.causes(effect), added_causes_, effect)
                                   : joined({}, added_causes_, effect);
  }
  [[nodiscard]] std::vector<VertexId> effects_of(VertexId cause) const {
    return known_.contains(cause) ? joined(known_.effects(cause), added_effects_, cause)
                                  : joined({}, added_effects_, cause);
  }

 private:
  [[nodiscard]] schema::RecordType type_of(VertexId vertex, std::span<store::VertexRow const> rows) const {
    if (known_.contains(vertex)) return known_.type(vertex);
    return rows[schema::number(vertex) - schema::number(rows.front().vertex)].type;
  }

  using Added = std::unordered_map<std::uint32_t, std::vector<VertexId>>;

  static std::vector<VertexId> joined(graph::Neighbours const& known, Added const& added, VertexId vertex) {
    std::vector<VertexId> all(known.vertices.begin(), known.vertices.end());
    auto const more = added.find(schema::number(vertex));
    if (more != added.end()) all.insert(all.end(), more->second.begin(), more->second.end());
    return all;
  }

  graph::Snapshot const& known_;
  Added added_causes_;
  Added added_effects_;
};

/// Whether it is soon seen that no cause of `causes` was made from one of their effects: most of what is described
/// again has made little yet.
bool are_surely_open(std::span<NewCause const> causes, Causes const& all) {
  std::unordered_set<std::uint32_t> wanted;
  std::unordered_set<std::uint32_t> seen;
  std::vector<VertexId> next;
  auto const reach = [&](VertexId vertex) {
    if (seen.insert(schema::number(vertex)).second) next.push_back(vertex);
  };
  for (auto const& each : causes) wanted.insert(schema::number(each.cause));
  for (auto const& each : causes) {
    if (wanted.contains(schema::number(each.effect))) return false;
    reach(each.effect);
  }
  for (std::size_t steps = 0; !next.empty();) {
    auto const vertex = next.back();
    next.pop_back();
    for (auto const effect : all.effects_of(vertex)) {
      if (wanted.contains(schema::number(effect)) || ++steps > descent_max) return false;
      reach(effect);
    }
  }
  return true;
}

/// The strongly connected components among the ancestors of some vertices (Tarjan, without recursion).
class Components {
 public:
  explicit Components(Causes const& causes) : causes_(causes) {}

  void visit(VertexId start) {
    if (!seen_.contains(schema::number(start))) enter(start);
    while (!path_.empty()) {
      auto& frame = path_.back();
      auto& own = seen_.at(schema::number(frame.vertex));
      if (frame.next < frame.causes.size()) {
        auto const cause = frame.causes[frame.next++];
        auto const found = seen_.find(schema::number(cause));
        if (found == seen_.end()) {
          enter(cause);
        } else if (found->second.is_open) {
          own.low = std::min(own.low, found->second.index);
        }
        continue;
      }
      leave();
    }
  }

  /// Nothing for what was not visited.
  [[nodiscard]] std::optional<std::uint32_t> of(VertexId vertex) const {
    auto const found = seen_.find(schema::number(vertex));
    if (found == seen_.end()) return std::nullopt;
    return found->second.component;
  }

 private:
  struct Seen {
    std::uint32_t index;
    std::uint32_t low;
    std::uint32_t component = 0;
    bool is_open = true;
  };
  struct Frame {
    VertexId vertex;
    std::vector<VertexId> causes;
    std::size_t next = 0;
  };

  void enter(VertexId vertex) {
    auto const index = static_cast<std::uint32_t>(seen_.size());
    seen_.emplace(schema::number(vertex), Seen{.index = index, .low = index});
    open_.push_back(vertex);
    path_.push_back({vertex, causes_.of(vertex)});
  }

  void leave() {
    auto const vertex = path_.back().vertex;
    path_.pop_back();
    auto const own = seen_.at(schema::number(vertex));
    if (!path_.empty()) {
      auto& before = seen_.at(schema::number(path_.back().vertex));
      before.low = std::min(before.low, own.low);
    }
    if (own.low != own.index) return;
    for (bool is_last = false; !is_last; open_.pop_back()) {
      auto& member = seen_.at(schema::number(open_.back()));
      member.component = own.index;
      member.is_open = false;
      is_last = open_.back() == vertex;
    }
  }

  Causes const& causes_;
  std::unordered_map<std::uint32_t, Seen> seen_;
  std::vector<VertexId> open_;
  std::vector<Frame> path_;
};

/// Whether `start` has `wanted` among its ancestors, looking only within one component. Takes what it does from
/// `steps`, and says yes when there are none left.
bool leads_to(VertexId start, VertexId wanted, Causes const& causes, Components const& components, std::size_t& steps) {
  std::unordered_set<std::uint32_t> seen{schema::number(start)};
  std::vector<VertexId> next{start};
  auto const component = components.of(wanted);
  while (!next.empty()) {
    auto const vertex = next.back();
    next.pop_back();
    if (vertex == wanted) return true;
    for (auto const cause : causes.of(vertex)) {
      if (steps == 0) return true;
      --steps;
      if (components.of(cause) == component && seen.insert(schema::number(cause)).second) next.push_back(cause);
    }
  }
  return false;
}

}  // namespace

std::vector<std::size_t> find_closing(graph::Snapshot const& known, std::span<store::VertexRow const> rows,
                                      std::span<NewCause const> causes) {
  std::vector<std::size_t> closing;
  if (causes.empty()) return closing;
  Causes all(known, rows);
  for (auto const& each : causes) all.add(each.effect, each.cause);
  if (are_surely_open(causes, all)) return closing;
  Components components(all);
  for (auto const& each : causes) components.visit(each.cause);
  Causes taken(known, rows);
  auto const is_within = [&](NewCause const& each) { return components.of(each.effect) == components.of(each.cause); };
  for (auto const& each : causes) {
    if (!is_within(each)) taken.add(each.effect, each.cause);
  }
  auto steps = steps_max;
  for (std::size_t i = 0; i < causes.size(); ++i) {
    if (!is_within(causes[i])) continue;
    if (leads_to(causes[i].cause, causes[i].effect, taken, components, steps)) {
      closing.push_back(i);
    } else {
      taken.add(causes[i].effect, causes[i].cause);
    }
  }
  return closing;
}

void cut_closing(graph::Snapshot const& known, std::span<store::VertexRow const> rows, std::span<VertexId const> owners,
                 std::span<std::vector<store::RowEdge>* const> edges,
                 std::function<void(std::size_t owner, std::size_t edge)> const& tell) {
  std::vector<NewCause> causes;
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (std::size_t owner = 0; owner < owners.size(); ++owner) {
    for (std::size_t i = 0; i < edges[owner]->size(); ++i) {
      auto const& edge = (*edges[owner])[i];
      if (!edge.owner_is_from || !schema::relation_variant_of(edge.type)) continue;
      causes.push_back({owners[owner], edge.other});
      places.emplace_back(owner, i);
    }
  }
  if (find_closing(known, rows, causes).empty()) return;
  std::vector<std::size_t> order(causes.size());  // of the relations by what they say
  std::iota(order.begin(), order.end(), std::size_t{0});
  auto const name_of = [&](VertexId vertex) -> std::pair<schema::RecordType, std::string_view> {
    if (known.contains(vertex)) return {known.type(vertex), known.id(vertex)};
    auto const& row = rows[schema::number(vertex) - schema::number(rows.front().vertex)];
    return {row.type, row.id};
  };
  std::ranges::sort(order, {}, [&](std::size_t at) {
    auto const& edge = (*edges[places[at].first])[places[at].second];
    return std::tuple{name_of(causes[at].effect), name_of(causes[at].cause), edge.type, edge.value};
  });
  std::vector<NewCause> sorted;
  sorted.reserve(order.size());
  for (auto const at : order) sorted.push_back(causes[at]);
  auto closing = find_closing(known, rows, sorted);
  for (auto& each : closing) each = order[each];
  std::ranges::sort(closing);
  for (auto const at : closing) {
    auto const [owner, i] = places[at];
    auto& type = (*edges[owner])[i].type;
    type = schema::relation_variant_of(type).value();
    tell(owner, i);
  }
}

std::vector<std::size_t> find_back_relations(std::size_t count, std::span<LocalRelation const> relations) {
  enum class Mark : std::uint8_t { unseen, on_path, done };
  std::vector<Mark> marks(count, Mark::unseen);
  std::vector<std::size_t> next(count + 1, 0);  // the relation of each record to follow next
  for (auto const& each : relations) ++next[each.effect + 1];
  for (std::size_t i = 1; i <= count; ++i) next[i] += next[i - 1];
  std::vector<std::size_t> back_relations;
  std::vector<std::uint32_t> path;
  auto const enter = [&](std::uint32_t record) {
    marks[record] = Mark::on_path;
    path.push_back(record);
  };
  for (std::uint32_t start = 0; start < count; ++start) {
    if (marks[start] == Mark::unseen) enter(start);
    while (!path.empty()) {
      auto const record = path.back();
      auto const at = next[record];
      if (at == relations.size() || relations[at].effect != record) {
        marks[record] = Mark::done;
        path.pop_back();
        continue;
      }
      ++next[record];
      auto const cause = relations[at].cause;
      if (marks[cause] == Mark::on_path) back_relations.push_back(at);
      if (marks[cause] == Mark::unseen) enter(cause);
    }
  }
  std::ranges::sort(back_relations);
  return back_relations;
}

std::vector<std::size_t> find_cut_relations(std::span<store::VertexRow const> rows,
                                            std::span<LocalRelation const> relations) {
  auto cut = find_back_relations(rows.size(), relations);
  if (cut.empty()) return cut;
  std::vector<std::uint32_t> order(rows.size());  // of the rows by their names
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::uint32_t row) { return std::tie(rows[row].type, rows[row].id); });
  std::vector<std::uint32_t> rank(rows.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  std::vector<std::size_t> places(relations.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::ranges::sort(places, {}, [&](std::size_t at) {
    auto const& each = relations[at];
    auto const& edge = rows[each.effect].edges[each.edge];
    return std::tuple{rank[each.effect], rank[each.cause], edge.type, edge.value, at};
  });
  std::vector<LocalRelation> sorted;
  sorted.reserve(relations.size());
  for (auto const at : places) sorted.push_back({rank[relations[at].effect], rank[relations[at].cause], at});
  cut = find_back_relations(rows.size(), sorted);
  for (auto& each : cut) each = places[each];
  std::ranges::sort(cut);
  return cut;
}

void cut_prov_cycles(std::span<store::VertexRow> rows, std::uint32_t first) {
  std::vector<LocalRelation> relations;
  for (std::uint32_t effect = 0; effect < rows.size(); ++effect) {
    if (!schema::is_prov(rows[effect].type)) continue;
    auto const& edges = rows[effect].edges;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      bool const is_new = schema::number(edges[i].other) >= first;
      if (is_new && schema::relation_variant_of(edges[i].type))
        relations.push_back({effect, schema::number(edges[i].other) - first, i});
    }
  }
  for (auto const at : find_cut_relations(rows, relations)) {
    auto& type = rows[relations[at].effect].edges[relations[at].edge].type;
    type = schema::relation_variant_of(type).value();
  }
}

}  // namespace whence::engine
