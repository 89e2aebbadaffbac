// A chunk has no versions: what is at its place in a document that is loaded anew is another chunk.

#include "queries/history/chunk_places.hpp"

#include "graph/snapshot/records.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace whence::queries {

std::vector<VertexId> chunks_of(Snapshot const& snapshot, VertexId document) {
  std::vector<VertexId> chunks;
  for (auto const effect : snapshot.effects(document).vertices) {
    if (snapshot.type(effect) == schema::RecordType::retrieved_chunk) chunks.push_back(effect);
  }
  std::ranges::sort(chunks);
  return chunks;
}

Result<std::vector<PlacedChunk>> read_places(View const& view, std::span<VertexId const> chunks) {
  std::vector<PlacedChunk> placed;
  placed.reserve(chunks.size());
  auto const read =
      graph::read_those_there(view.snapshot, *view.records, chunks, [&](std::size_t i, schema::Record&& record) {
        auto const& chunk = std::get<schema::RetrievedChunk>(record);
        auto const& at = chunk.metadata;
        placed.push_back({chunks[i], {at.page_number, at.section, at.chunk_index}, schema::sha256(chunk.content)});
        return true;
      });
  if (!read) return read.error();
  return placed;
}

std::map<VertexId, VertexId> newer_at_place(std::span<PlacedChunk const> chunks) {
  std::map<decltype(PlacedChunk::place), PlacedChunk const*> last;
  for (auto const& each : chunks) last[each.place] = &each;
  std::map<VertexId, VertexId> newer;
  for (auto const& each : chunks) {
    auto const* const there = last.at(each.place);
    if (there->text != each.text) newer.emplace(each.vertex, there->vertex);
  }
  return newer;
}

}  // namespace whence::queries
