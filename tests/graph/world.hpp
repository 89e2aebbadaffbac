#pragma once
// A small graph for tests, written one transaction after the other.

#include "graph/graph.hpp"
#include "graph/walks/walk.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace whence::test {

using graph::EdgeId;
using graph::EdgeType;
using graph::Graph;
using graph::RecordType;
using graph::Snapshot;
using graph::TxId;
using graph::VertexId;

/// Transaction n is committed n seconds after the epoch's start; each call is one transaction, published at once.
struct World {
  Graph graph = {};
  std::uint64_t tx = 0;

  void begin() {
    ++tx;
    graph.begin(TxId{tx}, {static_cast<std::int64_t>(tx), 0});
  }
  void end() {
    graph.end();
    graph.publish();
  }
  VertexId vertex(RecordType type, std::string_view id) {
    begin();
    auto const v = graph.add_vertex(type, id, {});
    end();
    return v;
  }
  VertexId unit(std::string_view id) { return vertex(RecordType::context_unit, id); }
  VertexId response(std::string_view id) { return vertex(RecordType::response, id); }
  EdgeId edge(EdgeType type, VertexId from, VertexId to, std::optional<double> value = {}) {
    begin();
    auto const e = graph.add_edge(type, from, to, value);
    end();
    return e;
  }
  void hide(VertexId v) {
    begin();
    graph.hide(v);
    end();
  }
  std::uint32_t revise(VertexId v, graph::RevisionKind kind) {
    begin();
    auto const revision = graph.revise(v, kind);
    end();
    return revision;
  }
  EdgeId use(VertexId from, VertexId to, double weight) { return edge(EdgeType::used_in, from, to, weight); }

  [[nodiscard]] Snapshot now() const { return graph.snapshot(); }
};

/// Answers `stop` at its first check.
class StopAtOnce final : public schema::Interrupt {
 public:
  explicit StopAtOnce(schema::Stop stop) : stop_{stop} {}
  [[nodiscard]] schema::Stop check(std::uint64_t /*steps*/) const noexcept override { return stop_; }

 private:
  schema::Stop stop_;
};

inline graph::Reach reach_of(Snapshot const& snapshot, std::vector<VertexId> const& starts, graph::Direction direction,
                             graph::WalkLimits const& limits = {}) {
  return graph::reach(snapshot, starts, direction, limits, schema::NoInterrupt{}).value();
}

inline std::vector<VertexId> to_vector(std::span<VertexId const> vertices) {
  return {vertices.begin(), vertices.end()};
}

}  // namespace whence::test
