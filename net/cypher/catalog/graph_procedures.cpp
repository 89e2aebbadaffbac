// A snapshot for Boost.Graph, and what its algorithms find as rows.

#include "net/cypher/catalog/graph_procedures.hpp"

#include "graph/boost/ranking.hpp"
#include "graph/boost/snapshot_graph.hpp"
#include "queries/cypher/whence/view_graph.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

namespace whence::net {

namespace {

namespace cypher = queries::cypher;
using cypher::ErrorKind;
using cypher::List;
using cypher::QueryError;
using cypher::Value;
using graph::SnapshotGraph;

using RankedRows = cypher::Outcome<std::unique_ptr<cypher::ProcedureRows>>;

constexpr std::uint64_t bytes_per_node = 40;
constexpr std::string_view to_effects = "effects";
constexpr std::string_view to_causes = "causes";

/// Rows of nodes in an order, with the values that follow each.
class NodeRows final : public cypher::ProcedureRows {
 public:
  using Values = std::function<void(std::uint32_t number, List& row)>;
  NodeRows(cypher::PropertyGraph const& nodes, std::shared_ptr<SnapshotGraph const> graph,
           std::vector<std::uint32_t> order, Values values)
      : nodes_{nodes}, graph_{std::move(graph)}, order_{std::move(order)}, values_{std::move(values)} {}

  [[nodiscard]] cypher::Outcome<bool> next(List& row) override {
    if (at_ == order_.size()) return false;
    auto const number = order_[at_++];
    row.clear();
    row.emplace_back(cypher::Node{.graph = &nodes_, .id = schema::number((*graph_)[number])});
    values_(number, row);
    return true;
  }
  [[nodiscard]] std::uint64_t bytes() const noexcept override { return order_.size() * bytes_per_node; }

 private:
  cypher::PropertyGraph const& nodes_;
  std::shared_ptr<SnapshotGraph const> graph_;
  std::vector<std::uint32_t> order_;
  Values values_;
  std::size_t at_ = 0;
};

QueryError stopped(schema::Stop stop) {
  if (stop == schema::Stop::cancelled)
    return {.kind = ErrorKind::cancelled, .detail = "", .message = "the query was cancelled"};
  return {.kind = ErrorKind::timeout, .detail = "time", .message = "the query takes longer than it may"};
}

/// The graph of the query's moment.
cypher::Outcome<std::shared_ptr<SnapshotGraph const>> graph_of(cypher::ProcedureContext const& context) {
  auto const& view = dynamic_cast<cypher::ViewGraph const&>(context.graph).view();
  if (view.snapshot.vertex_count() * bytes_per_node > context.bytes_max) {
    return QueryError{.kind = ErrorKind::limit_exceeded,
                      .detail = "bytes",
                      .message = "the graph takes more memory than the query has left"};
  }
  auto made = std::make_shared<SnapshotGraph const>(view.snapshot);
  auto const stop = context.interrupt.check(made->size() + made->edge_count());
  if (stop != schema::Stop::none) return stopped(stop);
  return made;
}

/// The numbers of all nodes, ordered.
template <class Less>
std::vector<std::uint32_t> order_of(SnapshotGraph const& graph, Less const& less) {
  std::vector<std::uint32_t> order(graph.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, less);
  return order;
}

RankedRows call_pagerank(cypher::ProcedureContext const& context, List const& arguments) {
  auto const* const text = arguments[0].find_text();
  std::string_view const wanted = text != nullptr ? std::string_view{*text} : to_effects;
  if (wanted != to_effects && wanted != to_causes) {
    return QueryError{.kind = ErrorKind::procedure_error,
                      .detail = "direction",
                      .message = "whence.graph.pagerank: the direction is 'effects' or 'causes'"};
  }
  auto const whole = graph_of(context);
  if (!whole) return whole.error();
  auto found = graph::rank_nodes(**whole, wanted == to_causes ? graph::RankTo::causes : graph::RankTo::effects,
                                 context.interrupt);
  if (found.stop != schema::Stop::none) return stopped(found.stop);
  auto const ranks = std::make_shared<std::vector<double> const>(std::move(found.ranks));
  auto order = order_of(**whole, [&](std::uint32_t a, std::uint32_t b) { return (*ranks)[a] > (*ranks)[b]; });
  return std::make_unique<NodeRows>(context.graph, *whole, std::move(order),
                                    [ranks](std::uint32_t number, List& row) { row.emplace_back((*ranks)[number]); });
}

RankedRows call_components(cypher::ProcedureContext const& context, List const& /*arguments*/) {
  auto const whole = graph_of(context);
  if (!whole) return whole.error();
  auto const found = std::make_shared<std::vector<graph::Component> const>(graph::find_components(**whole));
  auto order =
      order_of(**whole, [&](std::uint32_t a, std::uint32_t b) { return (*found)[a].number < (*found)[b].number; });
  return std::make_unique<NodeRows>(context.graph, *whole, std::move(order), [found](std::uint32_t number, List& row) {
    row.emplace_back(std::int64_t{(*found)[number].number});
    row.emplace_back(std::int64_t{(*found)[number].size});
  });
}

}  // namespace

std::vector<cypher::Procedure> graph_procedures() {
  std::vector<cypher::Procedure> made;
  made.push_back({.name = "whence.graph.pagerank",
                  .parameters = {{.name = "direction",
                                  .type = "STRING",
                                  .is_optional = true,
                                  .doc = "Where rank goes: from causes to their 'effects', which is the default, or to "
                                         "the 'causes'."}},
                  .columns = {{.name = "node", .type = "NODE", .doc = {}},
                              {.name = "rank", .type = "FLOAT", .doc = "All together are 1."}},
                  .call = call_pagerank,
                  .doc = "The rank of each node by PageRank over influence (damping 0.85, 20 rounds), the highest "
                         "first.",
                  .rows_estimate = 1000});
  made.push_back(
      {.name = "whence.graph.components",
       .parameters = {},
       .columns = {{.name = "node", .type = "NODE", .doc = {}},
                   {.name = "component", .type = "INTEGER", .doc = "1 is the largest."},
                   {.name = "size", .type = "INTEGER", .doc = "How many nodes it has."}},
       .call = call_components,
       .doc = "The connected component of each node by influence, whatever its direction, the largest first.",
       .rows_estimate = 1000});
  return made;
}

}  // namespace whence::net
