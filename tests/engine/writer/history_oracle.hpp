#pragma once
// A second engine, slow and simple: maps of whole records, every rule checked by looking at everything.

#include "graph/snapshot/snapshot.hpp"
#include "schema/records/records.hpp"
#include "schema/types/ref.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace whence::test {

/// All records and states at one transaction.
struct Model {
  struct Kept {
    schema::Record record;
    std::uint64_t tx;
  };
  std::map<schema::NodeRef, Kept> records;
  std::map<std::string, graph::UnitState> states;  ///< by unit id; absent: the default

  /// "FROM TYPE TO VALUE" of every edge.
  [[nodiscard]] std::set<std::string> edges() const;
};

/// The text by which `Model::edges` names an edge.
[[nodiscard]] std::string edge_text(std::string_view from, std::string_view type, std::string_view to,
                                    std::optional<double> value);

/// The expected results of a history of batches. Knows the rules of state and, of field rules, only those the random
/// histories break: scores out of range and weights that do not sum to 1.
class HistoryOracle {
 public:
  explicit HistoryOracle(double deprecate_below) : deprecate_below_(deprecate_below) { versions_.emplace_back(); }

  /// "ok TX", "unchanged TX" or "refused".
  std::string write(std::vector<schema::Record> const& batch);

  [[nodiscard]] std::uint64_t head() const { return versions_.size() - 1; }
  [[nodiscard]] Model const& as_of(std::uint64_t tx) const { return versions_[tx]; }

 private:
  double deprecate_below_;
  std::vector<Model> versions_;  // by transaction
};

}  // namespace whence::test
