#pragma once
// A small world to ask questions of: a graph filled the way the engine fills it, records in a map, answers as JSON.

#include "graph/embeddings/vectors.hpp"
#include "graph/graph.hpp"
#include "queries/render/answer.hpp"
#include "queries/render/conversation.hpp"
#include "queries/render/discussion.hpp"
#include "queries/render/find.hpp"
#include "queries/render/history.hpp"
#include "queries/render/impact.hpp"
#include "queries/render/lineage.hpp"
#include "queries/render/retrieval.hpp"
#include "queries/view/moments.hpp"
#include "schema/records/records.hpp"
#include "tests/support/builders.hpp"

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

namespace whence::test {

/// Records as the store returns them: a response without its uses, a chunk without its retrieval. No revisions, no
/// blobs.
class RecordsInMemory final : public schema::RecordReader {
 public:
  void put(schema::VertexId vertex, schema::Record record);
  [[nodiscard]] Result<void> read(
      std::span<schema::ContentId const> contents,
      std::function<bool(std::size_t, schema::StoredContent&&)> const& visit) const override;
  [[nodiscard]] Result<std::optional<std::string>> read_blob(schema::Digest const& /*digest*/) const override {
    return std::optional<std::string>{};
  }

 private:
  std::map<schema::VertexId, schema::Record> records_;
};

/// Commits batches without validating them; transaction n is committed at `noon` plus n minutes.
class RecordWorld {
 public:
  /// One transaction. References may lead forward within the batch; optional references to missing records are left
  /// out. The retrieval of a known chunk only adds its edge.
  void commit(std::vector<schema::Record> const& records);
  /// One transaction that deletes nodes, without cascades.
  void remove(std::initializer_list<std::string_view> refs);

  [[nodiscard]] queries::View view() const { return {graph_.snapshot(), &records_, &vectors_}; }
  [[nodiscard]] queries::View view(std::uint64_t tx) const {
    return {graph_.snapshot().as_of(schema::TxId{tx}), &records_, &vectors_};
  }
  [[nodiscard]] std::vector<std::vector<schema::Record>> const& batches() const { return batches_; }

 private:
  void begin();
  void end();
  void add_vertex(schema::Record const& record);
  void add_edges(schema::Record const& record);
  void add_version(schema::ContextUnit const& unit);
  void add_feedback(schema::FeedbackRecord const& feedback);
  [[nodiscard]] schema::VertexId find(schema::RecordType type, std::string_view id) const;

  graph::Graph graph_;
  graph::Vectors vectors_;
  RecordsInMemory records_;
  std::set<std::tuple<schema::EdgeType, schema::VertexId, schema::VertexId>> inclusions_;  ///< two records name each
  std::vector<std::vector<schema::Record>> batches_;
};

/// The moment at which transaction `tx` of a `RecordWorld` is committed.
schema::Time committed_at(std::uint64_t tx);

/// Budgets that end nothing.
queries::Budget unlimited();

queries::NodeRef ref(std::string_view text);
std::vector<queries::NodeRef> refs(std::initializer_list<std::string_view> texts);

/// The answer that the network sends for a query, made in the same way. Params may be given in braces.
template <class Found, class Params>
Result<queries::PageSource> ask(queries::PlainQuery<Found, Params> query, queries::View const& view,
                                std::type_identity_t<Params> const& params, queries::Budget const& budget) {
  auto found = query(view, params, budget);
  if (!found) return found.error();
  return render(view, *std::move(found), params);
}
template <class Found, class Params>
Result<queries::PageSource> ask(queries::LimitedQuery<Found, Params> query, queries::View const& view,
                                std::type_identity_t<Params> const& params, std::uint32_t limit,
                                queries::Budget const& budget) {
  auto found = query(view, params, limit, budget);
  if (!found) return found.error();
  return render(view, *std::move(found), params);
}

/// The whole answer as JSON text. Throws on an error.
std::string text_of(Result<queries::PageSource> const& answer);

/// The whole answer as one JSON object: members, lists, attached items. Throws on an error.
boost::json::object json_of(Result<queries::PageSource> const& answer);

/// The `ref`s of a list of nodes, in order, separated by spaces.
std::string refs_of(boost::json::object const& answer, std::string_view list = "nodes");

/// "from>to" of a list of edges, in order, separated by spaces; ids without their types.
std::string edges_of(boost::json::object const& answer);

/// Compact text of a value, for comparing.
std::string text(boost::json::value const& value);

}  // namespace whence::test
