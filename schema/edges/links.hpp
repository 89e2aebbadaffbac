#pragma once
// Which edges a record brings with it: the one place that turns reference members into drawn edges.

#include "schema/edges/edge_type.hpp"
#include "schema/records/records.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::schema {

/// Where in its record a reference stands. Kept in parts, because a path is only wanted where something is wrong.
struct LinkPlace {
  static constexpr std::uint32_t no_item = UINT32_MAX;

  std::string_view member;            ///< "context_units"
  std::uint32_t item = no_item;       ///< place in the list, where the member is one
  std::string_view item_member = {};  ///< "context_unit_id", where the list holds objects

  [[nodiscard]] std::string pointer() const;  ///< as a JSON Pointer
};

/// One reference of a record. Views point into the record.
struct Link {
  EdgeType type;
  RecordType other_type;
  std::string_view given_id;    ///< as it stands in the record
  bool owner_is_from;           ///< the record is the edge's `from`, the other its `to`
  std::optional<double> value;  ///< weight, version or score; nothing where the edge carries none (or a derived time)
  LinkPlace place;              ///< for errors
  bool is_enforced = true;      ///< false: where the other is not there, the reference dangles
  std::string made_id = {};     ///< where the other's id is made of several members
  std::uint32_t rank = 0;       ///< beside the value, from 1; 0 where the edge carries none

  [[nodiscard]] std::string_view other_id() const noexcept { return made_id.empty() ? given_id : made_id; }
};

/// The edges of `record` in the order of its members; one per pair of units for `DERIVED_FROM` (the version edge
/// wins). A manifest has none: it is expanded first.
[[nodiscard]] std::vector<Link> links_of(Record const& record);

/// Whether the edges that come with a record of `type` are those of its references, no more and no fewer. Extraction
/// draws further ones for keywords, subjects and summaries; what these name, the version before a template, a round's
/// predecessor and what belongs to the same request may be gone or not there yet; an attachment and an embedding leave an
/// edge out that another record draws; a chunk's row has its first retrieval, which its record does not say; what PROV
/// documents relate may not be there, or lose its influence.
[[nodiscard]] bool edges_equal_links(RecordType type) noexcept;

}  // namespace whence::schema
