// Counts of the graph, and a look at a bounded number of nodes for what the counts do not say.

#include "net/cypher/catalog/names_in_use.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string>
#include <tuple>

namespace whence::net {

namespace {

namespace cypher = queries::cypher;
using cypher::PropertyGraph;
using schema::EdgeType;
using schema::RecordType;

/// An edge type between two record types.
using Triple = std::tuple<EdgeType, RecordType, RecordType>;

/// Looks at nodes, one record type after the other.
class RelationSurvey {
 public:
  RelationSurvey(PropertyGraph const& graph, schema::Interrupt const& interrupt)
      : graph_(graph), interrupt_(interrupt) {}

  /// False: it was stopped.
  [[nodiscard]] bool look_at(RecordType type) {
    std::array<std::uint64_t, 256> found{};
    std::uint64_t position = 0;
    auto const label = graph_.find_label(schema::name_of(type));
    for (std::size_t seen = 0; seen < nodes_looked_at_max;) {
      auto const count =
          graph_.scan(label, position, std::span{found}.first(std::min(found.size(), nodes_looked_at_max - seen)));
      if (count == 0) return true;
      seen += count;
      if (!look_at(type, std::span{found}.first(count))) return false;
    }
    // One more node: not all were looked at.
    if (graph_.scan(label, position, std::span{found}.first(1)) != 0) partly_.insert(type);
    return true;
  }

  [[nodiscard]] bool may_have(schema::EdgeRule const& rule) const {
    return partly_.contains(rule.from) || triples_.contains({rule.type, rule.from, rule.to});
  }

 private:
  [[nodiscard]] bool look_at(RecordType type, std::span<std::uint64_t const> nodes) {
    for (auto const node : nodes) {
      ends_.clear();
      graph_.relations(node, cypher::Direction::out, {}, ends_);
      for (auto const& each : ends_) {
        auto const other = schema::find_record_type(graph_.labels_of(each.to).front());
        if (other) triples_.emplace(static_cast<EdgeType>(each.type), type, *other);
      }
      if (interrupt_.check(1 + ends_.size()) != schema::Stop::none) return false;
    }
    return true;
  }

  PropertyGraph const& graph_;
  schema::Interrupt const& interrupt_;
  std::vector<cypher::RelationEnds> ends_;
  std::set<Triple> triples_;
  std::set<RecordType> partly_;  ///< types with nodes that were not looked at
};

}  // namespace

std::vector<RecordType> record_types_in_use(PropertyGraph const& graph) {
  std::vector<RecordType> types;
  for (auto const& row : schema::record_types()) {
    auto const label = row.is_node ? graph.find_label(row.name) : std::nullopt;
    if (label && graph.count_nodes(label) > 0) types.push_back(row.type);
  }
  return types;
}

std::vector<EdgeType> edge_types_in_use(PropertyGraph const& graph) {
  std::vector<EdgeType> types;
  for (auto const& rule : schema::edge_rules()) {
    if (!types.empty() && types.back() == rule.type) continue;
    auto const type = graph.find_type(schema::name_of(rule.type));
    if (type && graph.count_relations(type) > 0) types.push_back(rule.type);
  }
  return types;
}

bool has_influence(std::vector<EdgeType> const& types) {
  return std::ranges::any_of(schema::edge_rules(), [&](schema::EdgeRule const& rule) {
    return rule.influence != schema::Influence::none && std::ranges::find(types, rule.type) != types.end();
  });
}

cypher::Outcome<std::vector<schema::EdgeRule>> edge_rules_in_use(PropertyGraph const& graph,
                                                                 schema::Interrupt const& interrupt) {
  auto const records = record_types_in_use(graph);
  auto const edges = edge_types_in_use(graph);
  RelationSurvey survey{graph, interrupt};
  for (auto const type : records) {
    if (survey.look_at(type)) continue;
    return cypher::QueryError{.kind = cypher::ErrorKind::procedure_error,
                              .detail = "Stopped",
                              .message = "it was stopped before all types were looked at",
                              .is_compile_time = false};
  }
  std::vector<schema::EdgeRule> rules;
  auto const is_in = [](auto const& all, auto one) { return std::ranges::find(all, one) != all.end(); };
  for (auto const& rule : schema::edge_rules()) {
    if (is_in(edges, rule.type) && is_in(records, rule.from) && is_in(records, rule.to) && survey.may_have(rule))
      rules.push_back(rule);
  }
  return rules;
}

}  // namespace whence::net
