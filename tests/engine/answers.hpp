#pragma once
// Short forms of the engine's answers, so that a test compares one text.

#include "engine/values/write_answer.hpp"
#include "graph/snapshot/snapshot.hpp"
#include "tests/support/fixtures.hpp"

#include <string>

namespace whence::test {

/// "ok TX", "unchanged TX", or one line "INDEX PATH CODE RULE" per violation, or the code alone where there is none.
inline std::string outcome(Result<engine::WriteAnswer> const& answer) {
  if (answer) return (answer->is_unchanged ? "unchanged " : "ok ") + std::to_string(schema::number(answer->tx));
  auto const& error = answer.error();
  if (error.violations.empty()) return std::string(name_of(error.code));
  std::string text;
  for (auto const& each : error.violations) {
    if (!text.empty()) text += '\n';
    text += each.index ? std::to_string(*each.index) : "-";
    text += ' ' + each.path + ' ' + std::string(name_of(each.code)) + ' ' + each.rule;
  }
  return text;
}

/// One line "INDEX PATH RULE" per warning.
inline std::string warnings(Result<engine::WriteAnswer> const& answer) {
  std::string text;
  for (auto const& each : answer.value().warnings) {
    if (!text.empty()) text += '\n';
    text += std::to_string(each.index.value()) + ' ' + each.path + ' ' + each.rule;
  }
  return text;
}

/// The state of a unit that exists.
inline graph::UnitState state_of(graph::Snapshot const& snapshot, std::string_view id) {
  return snapshot.state(snapshot.find(schema::RecordType::context_unit, id).value());
}

/// Edges among `snapshot`'s vertices, "FROM TYPE TO" each, in the order of their effects' or owners' numbers.
inline std::vector<std::string> edges_of(graph::Snapshot const& snapshot) {
  std::vector<std::string> edges;
  auto const add = [&](graph::EdgeView const& edge) {
    edges.push_back(std::string(snapshot.id(edge.from)) + ' ' + std::string(schema::name_of(edge.type)) + ' ' +
                    std::string(snapshot.id(edge.to)));
  };
  for (std::uint32_t i = 0; i < snapshot.vertex_count(); ++i) {
    graph::VertexId const vertex{i};
    auto const causes = snapshot.causes(vertex);
    for (std::size_t k = 0; k < causes.size(); ++k) add(snapshot.edge(causes.vertices[k], vertex, causes.edges[k]));
    auto const relations = snapshot.relations_from(vertex);
    for (std::size_t k = 0; k < relations.size(); ++k) {
      add(snapshot.edge(vertex, relations.vertices[k], relations.edges[k]));
    }
  }
  return edges;
}

}  // namespace whence::test
