#pragma once
// Which edges a record brings with it: the one place that turns reference members into drawn edges.

#include "schema/edge_type.hpp"
#include "schema/records.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::schema {

/// One reference of a record. Views point into the record.
struct Link {
  EdgeType type;
  RecordType other_type;
  std::string_view other_id;
  bool owner_is_from;           ///< the record is the edge's `from`, the other its `to`
  std::optional<double> value;  ///< weight, version or score; nothing where the edge carries none (or a derived time)
  std::string path;             ///< JSON Pointer of the reference, for errors
};

/// The edges of `record` in the order of its members; one per pair of units for `DERIVED_FROM` (the version edge
/// wins). A manifest has none: it is expanded first.
[[nodiscard]] std::vector<Link> links_of(Record const& record);

}  // namespace whence::schema
