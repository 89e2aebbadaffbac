#pragma once
// The shares of the causes of one effect, which add up to 1: the edge types among them share equally. Causes with a
// role, instructions and questions, have no part unless it is asked for: where there are no others, all shares are 0.
// Within a type of n edges one without a weight gets the n-th part, and those with weights divide the rest by weight,
// equally where all weights are 0. Every visible cause counts, whatever a walk reaches or leaves out.

#include "graph/boost/walked.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace whence::graph::impl {

/// For one effect after the other. Valid as long as the snapshot it was made from.
class CauseShares {
 public:
  CauseShares(Snapshot const& snapshot, bool has_roles) noexcept
      : causes_{snapshot, Direction::ancestors, schema::EdgeTypeSet::all()}, has_roles_{has_roles} {}

  /// Takes the list of causes of another effect. O(list).
  void read(ListView const& list) {
    for (; type_count_ > 0; --type_count_) rows_[types_[type_count_ - 1]] = {};
    edges_.resize(list.size());
    std::uint8_t type = 0;  // whose row is in `row`: edges of a type mostly follow one another
    Row row;
    for (std::size_t i = 0; i < list.size(); ++i) {
      auto const weight = causes_.carried_weight(list.edges[i]);
      auto const stored = causes_.type(list.edges[i]);
      if (!has_roles_ && !schema::role_of(schema::basis_of(stored)).empty()) {
        edges_[i] = {0, 0};  // a row without edges
        continue;
      }
      edges_[i] = {weight, static_cast<std::uint8_t>(schema::named_type(stored))};
      if (list.is_marked && causes_.is_deleted(list.vertices[i])) continue;
      if (edges_[i].type != type) {
        rows_[type] = row;
        type = edges_[i].type;
        row = rows_[type];
        if (row.edges == 0) types_[type_count_++] = type;
      }
      bool const is_weighted = !std::isnan(weight);
      ++row.edges;
      row.weighted += is_weighted ? 1U : 0U;
      row.weights += is_weighted ? weight : 0.0;
    }
    rows_[type] = row;
    for (std::size_t i = 0; i < type_count_; ++i) {
      auto& each = rows_[types_[i]];
      each.equal_part = 1.0 / static_cast<double>(type_count_) / each.edges;
      each.weighted_part = each.equal_part * each.weighted;
    }
    bool const is_by_weight_alone = type_count_ == 1 && row.weighted == row.edges && row.weights > divisor_min;
    scale_ = is_by_weight_alone ? 1 / row.weights : 0;
  }

  /// The share of the cause at its other end. A deleted cause has none.
  [[nodiscard]] double share(std::size_t place) const noexcept {
    auto const& edge = edges_[place];
    if (scale_ > 0) return edge.weight * scale_;
    auto const& row = rows_[edge.type];
    return row.weights > 0 && !std::isnan(edge.weight) ? edge.weight / row.weights * row.weighted_part : row.equal_part;
  }

 private:
  /// The edges of one type.
  struct Row {
    std::uint32_t edges = 0;
    std::uint32_t weighted = 0;  ///< those with a weight
    double weights = 0;          ///< their sum
    double equal_part = 0;       ///< of one edge
    double weighted_part = 0;    ///< of all with a weight together
  };

  /// An edge of the list: its columns are read once.
  struct Edge {
    double weight;  ///< not a number where it has none
    std::uint8_t type;
  };

  static constexpr double divisor_min = 1e-300;  ///< one divided by it is finite

  WalkedLists causes_;
  bool has_roles_;
  std::vector<Edge> edges_;
  std::array<Row, schema::edge_type_count> rows_ = {};
  std::array<std::uint8_t, schema::edge_type_count> types_ = {};  ///< those with a row, the first `type_count_`
  std::size_t type_count_ = 0;
  double scale_ = 0;  ///< above 0 where all causes are of one type and have weights: a share is the weight times this
};

}  // namespace whence::graph::impl
