#pragma once
// The packed form of rows, written and read.

#include "schema/base/error.hpp"
#include "schema/base/ids.hpp"
#include "store/rows/graph_row.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace whence::store {

inline constexpr std::uint32_t nanos_per_second = 1'000'000'000;

/// Appends the packed form of `row` (of a vertex without its number, which follows from its place) to `out`. Equal rows
/// give equal bytes; about 5 bytes an edge. The layouts are in store/README.md.
void encode_row(VertexRow const& row, std::vector<std::byte>& out);
void encode_row(RevisionRow const& row, std::vector<std::byte>& out);

// Decoding into storage that is used again, which replay and verification do millions of times.

/// Reads one row from the front of `bytes` and drops it from there, into `row`, whose string and vector keep their
/// capacity. False, with `row` and `bytes` unspecified, on anything that `encode_row` did not write.
[[nodiscard]] bool decode_row_into(schema::VertexId vertex, std::span<std::byte const>& bytes, VertexRow& row);

/// The same of a revision row.
[[nodiscard]] bool decode_revision_into(std::span<std::byte const>& bytes, RevisionRow& row);

/// The first content of such storage.
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
