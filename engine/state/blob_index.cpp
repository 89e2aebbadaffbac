#include "engine/state/blob_index.hpp"

#include "schema/base/ids.hpp"
#include "schema/stored/blobs.hpp"

namespace whence::engine {

using schema::Digest;
using schema::stored::blobs_of;

Result<void> BlobIndex::make(graph::Snapshot const& known, schema::RecordReader const& store) {
  if (is_made_) return {};
  std::vector<schema::ContentId> contents;
  auto const add = [&](std::vector<schema::VertexId> const& vertices) {
    for (auto const vertex : vertices) {
      contents.push_back({vertex, 0});
      for (auto const& revision : known.revisions(vertex)) contents.push_back({vertex, revision.number});
    }
  };
  for (auto const type : schema::stored::types_with_blobs()) {
    add(known.vertices(type));
    add(known.deleted_vertices(type));
  }
  auto read = store.read(contents, [&](std::size_t, schema::StoredContent&& content) {
    if (!content) return true;
    for (auto const& digest : blobs_of(*content)) ++counts_[digest];
    return true;
  });
  is_made_ = read.has_value();
  if (!is_made_) counts_.clear();
  return read;
}

std::uint32_t BlobIndex::count(Digest const& digest) const {
  auto const found = counts_.find(digest);
  return found == counts_.end() ? 0 : found->second;
}

void BlobIndex::take(schema::Record const& content) {
  if (!is_made_) return;  // making it reads this content too
  for (auto const& digest : blobs_of(content)) ++counts_[digest];
}

void BlobIndex::drop(Digest const& digest) {
  auto const found = counts_.find(digest);
  if (found != counts_.end() && --found->second == 0) counts_.erase(found);
}

void BlobIndex::clear() {
  is_made_ = false;
  counts_.clear();
}

}  // namespace whence::engine
