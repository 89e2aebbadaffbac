#pragma once
// How many stored contents name each blob, so that purging a record removes only bytes that nothing else needs.

#include "graph/snapshot/snapshot.hpp"
#include "schema/base/digest.hpp"
#include "schema/base/error.hpp"
#include "schema/records/record_reader.hpp"
#include "schema/records/records.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace whence::engine {

/// In memory: made at the first purge, which reads every content that may name a blob, those of deleted nodes included,
/// and followed since. Belongs to the writer thread.
class BlobIndex {
 public:
  /// Makes it, where that was not done. `known` is durable. Fails where the store does. O(contents that may name
  /// blobs).
  [[nodiscard]] Result<void> make(graph::Snapshot const& known, schema::RecordReader const& store);

  /// How many contents name the blob.
  [[nodiscard]] std::uint32_t count(schema::Digest const& digest) const;

  /// A content was appended.
  void take(schema::Record const& content);
  /// A content is gone that named the blob.
  void drop(schema::Digest const& digest);
  void clear();

 private:
  bool is_made_ = false;
  std::map<schema::Digest, std::uint32_t> counts_;
};

}  // namespace whence::engine
