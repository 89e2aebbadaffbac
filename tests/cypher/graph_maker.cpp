#include "tests/cypher/graph_maker.hpp"

#include "queries/cypher/evaluate/evaluate.hpp"
#include "queries/cypher/plan/planner.hpp"
#include "queries/cypher/resolve/resolver.hpp"
#include "queries/cypher/run/operator.hpp"
#include "queries/cypher/syntax/statement.hpp"

namespace whence::tests {
namespace {

Map stored_properties(ExpressionPtr const& expression, Row& row, RunState& state) {
  if (expression == nullptr) return {};
  auto const value = evaluate(*expression, row, state);
  Map made;
  if (auto const* map = value.find_map()) {
    for (auto const& entry : *map) {
      if (!entry.second.is_null()) made.insert(entry);
    }
  }
  return made;
}

void create_row(MemoryGraph& graph, Clause const& clause, Row& row, RunState& state) {
  for (auto const& path : clause.pattern.paths) {
    for (auto const& node : path.nodes) {
      if (row[node.slot].find_node() != nullptr) continue;
      row[node.slot] = Node{&graph, graph.add_node(node.labels, stored_properties(node.properties, row, state))};
    }
    for (std::size_t i = 0; i < path.relations.size(); ++i) {
      auto const& relation = path.relations[i];
      bool const is_left = relation.direction == Direction::in;
      auto const from = row[path.nodes[is_left ? i + 1 : i].slot].find_node()->id;
      auto const to = row[path.nodes[is_left ? i : i + 1].slot].find_node()->id;
      row[relation.slot] =
          graph.add_relation(from, to, relation.types.at(0), stored_properties(relation.properties, row, state));
    }
  }
}

}  // namespace

std::optional<QueryError> make_graph(MemoryGraph& graph, std::string_view text, Map const& params) {
  auto parsed = parse_statement(text, Writing::graph_making);
  if (!parsed) return parsed.error();
  auto statement = *std::move(parsed);
  if (auto error = Resolver{statement, nullptr}.run()) return error;
  schema::NoInterrupt const interrupt;
  SystemZones const zones;
  RunState state{graph, params, {.interrupt = interrupt}, {.zones = &zones}};
  Planner planner{statement, state};
  auto const& clauses = statement.query.parts[0].clauses;
  std::vector<Row> rows{Row(statement.slots)};
  std::vector<bool> bound(statement.slots);
  for (std::size_t i = 0; i < clauses.size();) {
    auto last = i;
    while (last < clauses.size() && clauses[last].kind != ClauseKind::create &&
           clauses[last].kind != ClauseKind::remove)
      ++last;
    if (last > i) {
      auto const plan = planner.clauses(clauses, i, last, bound, false);
      auto* first = plan.get();
      while (first->source != nullptr) first = first->source.get();
      first->step = ArgumentStep{.given = &rows};
      auto const root = make_operator(*plan, state);
      std::vector<Row> made;
      Row row(statement.slots);
      while (root->next(row)) made.push_back(row);
      rows = std::move(made);
    }
    if (last < clauses.size() && clauses[last].kind == ClauseKind::remove) {
      for (auto& row : rows) {
        for (auto const& each : clauses[last].arguments) {
          auto const value = evaluate(*each, row, state);
          if (auto const* relation = value.find_relation()) graph.remove_relation(relation->id);
        }
      }
    } else if (last < clauses.size()) {
      for (auto& row : rows) {
        // Every row creates its own nodes, except those that clauses before have bound.
        for (auto const& path : clauses[last].pattern.paths) {
          for (auto const& node : path.nodes) {
            if (!node.is_bound) row[node.slot] = Value{};
          }
        }
        create_row(graph, clauses[last], row, state);
      }
      for (auto const& path : clauses[last].pattern.paths) {
        for (auto const& node : path.nodes) bound[node.slot] = true;
        for (auto const& relation : path.relations) bound[relation.slot] = true;
      }
    }
    if (state.failed()) return state.error();
    i = last + 1;
  }
  return std::nullopt;
}

}  // namespace whence::tests
