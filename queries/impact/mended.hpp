#pragma once
// What is in the place of sources that were mended: the newest version, or the chunk at the same place of its
// document.

#include "queries/view/view.hpp"
#include "schema/base/error.hpp"

#include <map>
#include <set>
#include <span>
#include <vector>

namespace whence::queries {

struct Mended {
  std::map<VertexId, VertexId> newer = {};  ///< by what was mended: of a version also those between it and the newest
  std::set<VertexId> standing = {};         ///< what is in the place of others
  /// Chunks that were mended, by document of those given: its other chunks are as they were.
  std::map<VertexId, std::vector<VertexId>> documents = {};
};

/// Of `starts` what was mended, by something that is none of them; of a document its chunks. Texts of the chunks of a
/// document are compared, the newest `document_chunks_max`. Fails with `corrupt`, or as the interrupt says. O(versions
/// and chunks).
[[nodiscard]] Result<Mended> mended_of(View const& view, std::span<VertexId const> starts, Budget const& budget);

}  // namespace whence::queries
