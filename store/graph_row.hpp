#pragma once
// A vertex's row in the packed graph table: what start-up needs of a record, and the only copy of its identity and
// weighted references.

#include "schema/edge_type.hpp"
#include "schema/error.hpp"
#include "schema/ids.hpp"
#include "schema/record_type.hpp"
#include "schema/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace whence::store {

/// An edge that came with the row's vertex.
struct RowEdge {
  schema::EdgeType type;
  bool owner_is_from;  ///< the row's vertex is the drawn `from`, `other` the `to`
  schema::VertexId other;
  std::optional<double> value = {};

  friend bool operator==(RowEdge const&, RowEdge const&) = default;
};

struct VertexRow {
  schema::VertexId vertex;
  schema::RecordType type;
  std::string id;
  std::optional<schema::Time> time = {};
  std::vector<RowEdge> edges = {};

  friend bool operator==(VertexRow const&, VertexRow const&) = default;
};

/// Appends the packed form of `row` (without its vertex number, which follows from its place) to `out`. Equal rows give
/// equal bytes; about 5 bytes an edge. The layout stands in store/README.md.
void encode_row(VertexRow const& row, std::vector<std::byte>& out);

/// Reads one row from the front of `bytes` and drops it from there. `corrupt` on anything `encode_row` did not write.
[[nodiscard]] Result<VertexRow> decode_row(schema::VertexId vertex, std::span<std::byte const>& bytes);

}  // namespace whence::store
