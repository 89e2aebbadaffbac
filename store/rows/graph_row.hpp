#pragma once
// The rows of the packed graph table: what start-up needs of a record and of its revisions, and the only copy of its
// identity and weighted references.

#include "schema/base/ids.hpp"
#include "schema/base/time.hpp"
#include "schema/types/edge_type.hpp"
#include "schema/types/record_type.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace whence::store {

inline constexpr std::size_t row_id_bytes_max = 65'535;  ///< of a row's id, which has at least one byte

/// An edge that came with the row's vertex.
struct RowEdge {
  schema::EdgeType type;
  bool owner_is_from;  ///< the row's vertex is the stored `from`, `other` the `to`
  schema::VertexId other;
  std::optional<double> value = {};
  std::uint32_t rank = 0;  ///< of a retrieval, beside its similarity, from 1; 0 for other edges

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

/// Of a revision that comes after all rows of its transaction.
inline constexpr std::uint32_t all_rows = UINT32_MAX;

/// A further content of a vertex that exists (of an earlier transaction or of this one), with its edges.
struct RevisionRow {
  schema::VertexId vertex;
  schema::RecordType type;
  std::uint32_t revision;  ///< the vertex's next number, from 1
  schema::RevisionKind kind;
  std::vector<RowEdge> edges = {};
  std::uint32_t rows_before = all_rows;  ///< how many rows of its transaction come before it in the batch

  friend bool operator==(RevisionRow const&, RevisionRow const&) = default;
};

}  // namespace whence::store
