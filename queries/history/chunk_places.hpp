#pragma once
// Documents that are loaded anew: which chunk is at the place of another.

#include "queries/view/view.hpp"
#include "schema/base/digest.hpp"
#include "schema/base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace whence::queries {

/// Chunks of one document that are compared at most.
inline constexpr std::size_t document_chunks_max = 10'000;

struct PlacedChunk {
  VertexId vertex;
  std::tuple<std::optional<std::int64_t>, std::optional<std::string>, std::int64_t> place;  ///< page, section, index
  schema::Digest text;
};

/// The chunks of a document, in order of commit. O(effects of the document).
[[nodiscard]] std::vector<VertexId> chunks_of(Snapshot const& snapshot, VertexId document);

/// Places and texts of chunks, without those whose content is gone. Fails with `corrupt`.
[[nodiscard]] Result<std::vector<PlacedChunk>> read_places(View const& view, std::span<VertexId const> chunks);

/// By chunk the last one at its place, where that has another text. `chunks` are in order of commit.
[[nodiscard]] std::map<VertexId, VertexId> newer_at_place(std::span<PlacedChunk const> chunks);

}  // namespace whence::queries
