#pragma once
// Lineage computed the slow way, over maps of refs, from the records of a RecordWorld up to a transaction. Shares
// nothing with graph/ but the table of the directions of influence.

#include "schema/types/edge_type.hpp"
#include "tests/queries/fixture.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace whence::test {

class Oracle {
 public:
  struct Reached {
    std::uint32_t depth;
    double weight;  ///< of the strongest path within the depth asked for
  };
  struct Edge {
    std::string cause;
    std::string effect;
    schema::EdgeType type;
    std::optional<double> carried;  ///< the weight that the edge carries
    double weight;                  ///< what a path is multiplied by
  };
  using Refs = std::set<std::string>;

  Oracle(RecordWorld const& world, std::uint64_t tx);

  [[nodiscard]] std::vector<std::string> const& nodes() const { return nodes_; }
  [[nodiscard]] std::vector<schema::Record const*> const& records() const { return records_; }

  /// Everything within `depth` edges of `start`.
  [[nodiscard]] std::map<std::string, Reached> walk(std::string const& start, bool is_upward,
                                                    std::uint32_t depth) const;
  /// How many influence edges a walk of `depth` meets.
  [[nodiscard]] std::size_t edges_walked(std::string const& start, bool is_upward, std::uint32_t depth) const;
  /// Sum over all paths, of at least one edge, of the products of shares.
  [[nodiscard]] double share(std::string const& cause, std::string const& effect) const;
  /// The causes of a node with their shares in it, one for each edge.
  [[nodiscard]] std::vector<std::pair<std::string, double>> causes(std::string const& effect) const;
  /// Weights of all paths from `cause` to `effect`.
  [[nodiscard]] std::vector<double> paths(std::string const& cause, std::string const& effect) const;

 private:
  /// The part of the edge in its effect.
  [[nodiscard]] double share_of(Edge const& edge) const;
  [[nodiscard]] std::vector<Edge const*> next(std::string const& node, bool is_upward) const;

  std::vector<std::string> nodes_;
  std::vector<schema::Record const*> records_;
  std::vector<Edge> edges_;
};

}  // namespace whence::test
