// A retrieval without a rank keeps the one that it has in the graph or earlier in the batch. Else it gets one more than
// the highest of its request, deleted chunks included, so that no rank is given twice.

#include "engine/validation/retrieval/ranks.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace whence::engine {
namespace {

using schema::EdgeType;
using schema::RecordType;
using schema::RetrievedChunk;
using schema::VertexId;

/// The ranks given so far, by request, while a batch is processed.
class Ranks {
 public:
  explicit Ranks(graph::Snapshot const& known) : known_(known) {}

  void assign(WriteBatch& batch) {
    std::map<std::pair<std::string_view, std::string_view>, std::int64_t> given;  // by request and chunk
    for (auto& each : batch.records) {
      auto* chunk = sound<RetrievedChunk>(each);
      if (chunk == nullptr || !chunk->request_id) continue;
      auto const known = given.find({*chunk->request_id, chunk->chunk_id});
      if (!chunk->rank) chunk->rank = known != given.end() ? known->second : rank_of(*chunk);
      given.try_emplace({*chunk->request_id, chunk->chunk_id}, *chunk->rank);
      auto& last = last_rank(*chunk->request_id);
      last = std::max(last, *chunk->rank);
    }
  }

 private:
  /// The rank that a retrieval has already, or the next of its request.
  [[nodiscard]] std::int64_t rank_of(RetrievedChunk const& chunk) {
    auto const query = known_.find(RecordType::query, *chunk.request_id);
    auto const vertex = known_.find(RecordType::retrieved_chunk, chunk.chunk_id);
    if (query && vertex) {
      if (auto const edge = find_retrieval(known_, *vertex, *query)) return known_.rank(*edge);
    }
    return last_rank(*chunk.request_id) + 1;
  }

  /// The highest rank of a request so far, deleted chunks included.
  std::int64_t& last_rank(std::string const& request_id) {
    auto const [entry, is_new] = last_ranks_.try_emplace(request_id, 0);
    auto const query = is_new ? known_.find(RecordType::query, request_id) : std::nullopt;
    if (!query) return entry->second;
    auto const causes = known_.causes_ever(*query);
    for (auto const edge : causes.edges) {
      entry->second = std::max(entry->second, std::int64_t{known_.rank(edge)});
    }
    return entry->second;
  }

  graph::Snapshot const& known_;
  std::map<std::string, std::int64_t> last_ranks_;  // by request
};

}  // namespace

void assign_ranks(WriteBatch& batch, graph::Snapshot const& known) {
  Ranks(known).assign(batch);
}

std::optional<schema::EdgeId> find_retrieval(graph::Snapshot const& known, VertexId chunk, VertexId query) {
  auto const causes = known.causes(query);
  for (std::size_t i = 0; i < causes.size(); ++i) {
    if (causes.vertices[i] == chunk && known.type(causes.edges[i]) == EdgeType::retrieved_for) return causes.edges[i];
  }
  return std::nullopt;
}

}  // namespace whence::engine
