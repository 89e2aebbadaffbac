#pragma once
// A naive graph over std::map that answers what graph/ answers, by the definitions and without any cleverness: lineage
// layer by layer, weights and influence by enumerating every path. Small graphs only.

#include "graph/walk.hpp"
#include "schema/edge_type.hpp"
#include "schema/ref.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace whence::test {

/// Every vertex and edge with the transaction that brought it; every question names the transaction it is asked as of.
/// Vertices are named by their numbers in order of adding, edges likewise.
class GraphOracle {
 public:
  using Number = std::uint32_t;
  using Tx = std::uint64_t;

  struct Vertex {
    schema::RecordType type;
    std::string id;
    Tx tx;
  };
  struct Edge {
    schema::EdgeType type;
    Number from;
    Number to;
    std::optional<double> value;
    Tx tx;
  };
  struct Path {
    double weight = 1;
    std::vector<Number> vertices;  ///< cause first
    std::vector<Number> edges;
  };

  Number add_vertex(Tx tx, schema::RecordType type, std::string id) {
    vertices_.push_back({type, std::move(id), tx});
    return static_cast<Number>(vertices_.size() - 1);
  }
  Number add_edge(Tx tx, schema::EdgeType type, Number from, Number to, std::optional<double> value) {
    edges_.push_back({type, from, to, value, tx});
    return static_cast<Number>(edges_.size() - 1);
  }
  /// Forgets every transaction above `tx`.
  void roll_back_to(Tx tx) {
    std::erase_if(vertices_, [tx](Vertex const& v) { return v.tx > tx; });
    std::erase_if(edges_, [tx](Edge const& e) { return e.tx > tx; });
  }

  [[nodiscard]] std::vector<Vertex> const& vertices() const { return vertices_; }
  [[nodiscard]] std::vector<Edge> const& edges() const { return edges_; }
  [[nodiscard]] std::string ref(Number v) const { return schema::format_ref(vertices_[v].type, vertices_[v].id); }

  [[nodiscard]] Number vertex_count(Tx as_of) const {
    return static_cast<Number>(
        std::count_if(vertices_.begin(), vertices_.end(), [as_of](Vertex const& v) { return v.tx <= as_of; }));
  }

  /// The steps of influence from each vertex: (next, edge) in order of adding.
  using Steps = std::map<Number, std::vector<std::pair<Number, Number>>>;
  [[nodiscard]] Steps steps(Tx as_of, graph::Direction direction, schema::EdgeTypeSet types) const {
    Steps steps;
    for (Number e = 0; e < edges_.size(); ++e) {
      auto const& edge = edges_[e];
      auto const influence = influence_of(edge.type, vertices_[edge.from].type);
      if (edge.tx > as_of || influence == schema::Influence::none || !types.contains(edge.type)) continue;
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
    auto const multiplies = carried == schema::Carries::weight || carried == schema::Carries::similarity;
    return multiplies ? edges_[edge].value.value_or(1) : 1;
  }

 private:
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
};

}  // namespace whence::test
