#pragma once
// Decoding rows into storage that is used again: what replay and verification do millions of times.

#include "schema/base/ids.hpp"
#include "store/rows/graph_row.hpp"

#include <cstddef>
#include <span>

namespace whence::store {

/// As `decode_row`, into `row`, whose string and vector keep their capacity. False, with `row` and `bytes` unspecified,
/// on anything that `encode_row` did not write.
[[nodiscard]] bool decode_row_into(schema::VertexId vertex, std::span<std::byte const>& bytes, VertexRow& row);

/// As `decode_revision_row`, in the same way.
[[nodiscard]] bool decode_revision_into(std::span<std::byte const>& bytes, RevisionRow& row);

/// What such storage is filled with before its first use.
[[nodiscard]] inline VertexRow blank_row() {
  return {.vertex = schema::VertexId{0}, .type = schema::RecordType::topic, .id = {}};
}
[[nodiscard]] inline RevisionRow blank_revision_row() {
  return {.vertex = schema::VertexId{0},
          .type = schema::RecordType::topic,
          .revision = 0,
          .kind = schema::RevisionKind::whole};
}

}  // namespace whence::store
