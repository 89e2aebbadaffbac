#pragma once
// A naive graph over std::map that answers what graph/ answers, by the definitions and without any cleverness: lineage
// layer by layer, weights and influence by enumerating every path. Small graphs only.

#include "graph/walks/walk.hpp"
#include "schema/types/edge_type.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace whence::test {

/// Every vertex and edge with the transaction that brought it, and the one that deleted it; every question names the
/// transaction it is asked as of. Vertices are named by their numbers in order of adding, edges likewise.
class GraphOracle {
 public:
  using Number = std::uint32_t;
  using Tx = std::uint64_t;

  struct Vertex {
    schema::RecordType type;
    std::string id;
    Tx tx;
    std::optional<Tx> hidden = {};  ///< the transaction that deleted it
  };
  struct Edge {
    schema::EdgeType type;
    Number from;
    Number to;
    std::optional<double> value;
    Tx tx;
  };
  struct Revision {
    Number vertex;
    schema::RevisionKind kind;
    Tx tx;
  };
  struct Path {
    double weight = 1;
    std::vector<Number> vertices;  ///< cause first
    std::vector<Number> edges;
  };

  Number add_vertex(Tx tx, schema::RecordType type, std::string id) {
    vertices_.push_back({type, std::move(id), tx, {}});
    return static_cast<Number>(vertices_.size() - 1);
  }
  Number add_edge(Tx tx, schema::EdgeType type, Number from, Number to, std::optional<double> value) {
    edges_.push_back({type, from, to, value, tx});
    return static_cast<Number>(edges_.size() - 1);
  }
  void hide(Tx tx, Number v) { vertices_[v].hidden = tx; }
  void revise(Tx tx, Number v, schema::RevisionKind kind) { revisions_.push_back({v, kind, tx}); }
  /// Forgets every transaction above `tx`.
  void roll_back_to(Tx tx) {
    std::erase_if(vertices_, [tx](Vertex const& v) { return v.tx > tx; });
    std::erase_if(edges_, [tx](Edge const& e) { return e.tx > tx; });
    std::erase_if(revisions_, [tx](Revision const& r) { return r.tx > tx; });
    for (auto& v : vertices_) {
      if (v.hidden > tx) v.hidden.reset();
    }
  }

  [[nodiscard]] std::vector<Vertex> const& vertices() const { return vertices_; }
  [[nodiscard]] std::vector<Edge> const& edges() const { return edges_; }
  [[nodiscard]] std::string ref(Number v) const { return schema::format_ref(vertices_[v].type, vertices_[v].id); }

  [[nodiscard]] Number vertex_count(Tx as_of) const {
    return static_cast<Number>(
        std::count_if(vertices_.begin(), vertices_.end(), [as_of](Vertex const& v) { return v.tx <= as_of; }));
  }

  [[nodiscard]] bool is_visible(Tx as_of, Number v) const {
    auto const& vertex = vertices_[v];
    return vertex.tx <= as_of && (!vertex.hidden || *vertex.hidden > as_of);
  }
  /// Neither later nor with a deleted end.
  [[nodiscard]] bool is_edge_visible(Tx as_of, Number e) const {
    auto const& edge = edges_[e];
    return edge.tx <= as_of && is_visible(as_of, edge.from) && is_visible(as_of, edge.to);
  }
  [[nodiscard]] std::vector<Number> visible_vertices(Tx as_of, schema::RecordType type) const {
    std::vector<Number> found;
    for (Number v = 0; v < vertices_.size(); ++v) {
      if (vertices_[v].type == type && is_visible(as_of, v)) found.push_back(v);
    }
    return found;
  }
  /// The one visible vertex of that name.
  [[nodiscard]] std::optional<Number> find(Tx as_of, schema::RecordType type, std::string const& id) const {
    for (auto const v : visible_vertices(as_of, type)) {
      if (vertices_[v].id == id) return v;
    }
    return {};
  }
  /// The last of that name, where all are deleted.
  [[nodiscard]] std::optional<Number> find_deleted(Tx as_of, schema::RecordType type, std::string const& id) const {
    if (find(as_of, type, id)) return {};
    std::optional<Number> last;
    for (Number v = 0; v < vertices_.size(); ++v) {
      if (vertices_[v].type == type && vertices_[v].id == id && vertices_[v].tx <= as_of) last = v;
    }
    return last;
  }

  [[nodiscard]] std::vector<Revision> revisions(Tx as_of, Number v) const {
    std::vector<Revision> of_v;
    for (auto const& revision : revisions_) {
      if (revision.vertex == v && revision.tx <= as_of) of_v.push_back(revision);
    }
    return of_v;
  }
  /// The latest whole, the additions after it, and the last revision, by their numbers.
  [[nodiscard]] std::vector<Number> contents(Tx as_of, Number v) const {
    std::vector<Number> numbers{0};
    auto const all = revisions(as_of, v);
    for (Number i = 0; i < all.size(); ++i) {
      if (all[i].kind == schema::RevisionKind::whole) numbers.clear();
      if (all[i].kind != schema::RevisionKind::update || i + 1 == all.size()) numbers.push_back(i + 1);
    }
    return numbers;
  }

  /// The steps of influence from each vertex: (next, edge) in order of adding.
  using Steps = std::map<Number, std::vector<std::pair<Number, Number>>>;
  [[nodiscard]] Steps steps(Tx as_of, graph::Direction direction, schema::EdgeTypeSet types) const {
    Steps steps;
    for (Number e = 0; e < edges_.size(); ++e) {
      auto const& edge = edges_[e];
      auto const influence = influence_of(edge.type, vertices_[edge.from].type);
      if (!is_edge_visible(as_of, e) || influence == schema::Influence::none || !types.contains(edge.type)) continue;
      auto cause = edge.from;
      auto effect = edge.to;
      if (influence == schema::Influence::against) std::swap(cause, effect);
      if (direction == graph::Direction::ancestors) std::swap(cause, effect);
      steps[cause].emplace_back(effect, e);
    }
    return steps;
  }

  /// Least depth of every vertex that some walk of 1 to `limits.depth` edges from a start ends in.
  [[nodiscard]] std::map<Number, std::uint32_t> reach(Tx as_of, std::vector<Number> const& starts,
                                                      graph::Direction direction,
                                                      graph::WalkLimits const& limits) const {
    auto const next = steps(as_of, direction, limits.edge_types);
    std::map<Number, std::uint32_t> depths;
    auto layer = starts;
    for (std::uint32_t depth = 1; depth <= limits.depth && !layer.empty(); ++depth) {
      std::vector<Number> found;
      for (auto const v : layer) {
        if (!next.contains(v)) continue;
        for (auto const& [other, edge] : next.at(v)) {
          if (depths.emplace(other, depth).second) found.push_back(other);
        }
      }
      layer = std::move(found);
    }
    return depths;
  }

  /// Strongest product and sum of products over all paths of 1 to `limits.depth` edges from `start`.
  struct Weights {
    std::map<Number, double> strongest;
    std::map<Number, double> sums;
  };
  [[nodiscard]] Weights weights(Tx as_of, Number start, graph::Direction direction,
                                graph::WalkLimits const& limits) const {
    Weights weights;
    auto const next = steps(as_of, direction, limits.edge_types);
    for_each_path(next, start, limits.depth, [&](Path const& path) {
      auto& strongest = weights.strongest[path.vertices.back()];
      strongest = std::max(strongest, path.weight);
      weights.sums[path.vertices.back()] += path.weight;
    });
    return weights;
  }

  /// The part of an edge in its effect: the types among the effect's causes share equally, within a type the weights
  /// divide what edges without one, which take an equal part each, leave.
  [[nodiscard]] double share_of_edge(Tx as_of, Number edge) const {
    std::map<schema::EdgeType, std::vector<Number>> causes_by_type;
    for (Number e = 0; e < edges_.size(); ++e) {
      if (is_edge_visible(as_of, e) && effect_of(e) && effect_of(e) == effect_of(edge)) {
        causes_by_type[edges_[e].type].push_back(e);
      }
    }
    auto const& same = causes_by_type.at(edges_[edge].type);
    double weights = 0;
    double without = 0;
    for (auto const e : same) {
      auto const weight = weight_of(e);
      weights += weight.value_or(0);
      without += weight ? 0 : 1;
    }
    auto const equal = 1.0 / static_cast<double>(same.size());
    auto const weight = weight_of(edge);
    auto const within = weight && weights > 0 ? *weight / weights * (1 - without * equal) : equal;
    return within / static_cast<double>(causes_by_type.size());
  }

  /// The sums over all paths from `start` of the products of the shares of their edges.
  [[nodiscard]] std::map<Number, double> shares(Tx as_of, Number start, graph::Direction direction,
                                                schema::EdgeTypeSet types) const {
    std::map<Number, double> sums;
    for_each_path(steps(as_of, direction, types), start, graph::depth_unbounded, [&](Path const& path) {
      double product = 1;
      for (auto const edge : path.edges) product *= share_of_edge(as_of, edge);
      sums[path.vertices.back()] += product;
    });
    return sums;
  }

  /// Every path from `from` to `to`, in the order of `kind`.
  [[nodiscard]] std::vector<Path> paths(Tx as_of, Number from, Number to, graph::PathKind kind) const {
    std::vector<Path> paths;
    auto const next = steps(as_of, graph::Direction::descendants, schema::EdgeTypeSet::all());
    for_each_path(next, from, graph::depth_unbounded, [&](Path const& path) {
      if (path.vertices.back() == to) paths.push_back(path);
    });
    auto const key = [&](Path const& path) {
      std::vector<std::string> refs;
      for (auto const v : path.vertices) refs.push_back(ref(v));
      auto const edges = static_cast<double>(path.edges.size());
      return kind == graph::PathKind::shortest ? std::tuple{edges, -path.weight, refs, path.edges}
                                               : std::tuple{-path.weight, edges, refs, path.edges};
    };
    std::sort(paths.begin(), paths.end(), [&](Path const& a, Path const& b) { return key(a) < key(b); });
    return paths;
  }

  [[nodiscard]] double path_weight(Number edge) const {
    auto const carried = carried_by(edges_[edge].type);
    auto const multiplies = carried == schema::Carries::weight;
    return multiplies ? edges_[edge].value.value_or(1) : 1;
  }

 private:
  /// Nothing for a relation.
  [[nodiscard]] std::optional<Number> effect_of(Number e) const {
    auto const influence = influence_of(edges_[e].type, vertices_[edges_[e].from].type);
    if (influence == schema::Influence::none) return {};
    return influence == schema::Influence::along ? edges_[e].to : edges_[e].from;
  }
  [[nodiscard]] std::optional<double> weight_of(Number e) const {
    if (carried_by(edges_[e].type) != schema::Carries::weight) return {};
    return edges_[e].value;
  }

  template <class Visit>
  void for_each_path(Steps const& next, Number start, std::uint32_t depth, Visit const& visit) const {
    Path path{.weight = 1, .vertices = {start}, .edges = {}};
    extend(next, path, depth, visit);
  }
  template <class Visit>
  void extend(Steps const& next, Path& path, std::uint32_t depth, Visit const& visit) const {
    if (depth == 0 || !next.contains(path.vertices.back())) return;
    for (auto const& [other, edge] : next.at(path.vertices.back())) {
      auto const weight = path.weight;
      path.weight *= path_weight(edge);
      path.vertices.push_back(other);
      path.edges.push_back(edge);
      visit(path);
      extend(next, path, depth - 1, visit);
      path.vertices.pop_back();
      path.edges.pop_back();
      path.weight = weight;
    }
  }

  std::vector<Vertex> vertices_;
  std::vector<Edge> edges_;
  std::vector<Revision> revisions_;
};

}  // namespace whence::test
