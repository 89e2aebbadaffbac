#pragma once
// The edges that come with a record: its reference members as links. Each record type has its own in the links.cpp of
// its folder (schema/records/rules.hpp).

#include "schema/records/records.hpp"
#include "schema/types/link.hpp"

#include <vector>

namespace whence::schema {

/// The edges of `record` in the order of its members; one per pair of units for `DERIVED_FROM` (the version edge
/// wins). A manifest has none: it is expanded first.
[[nodiscard]] std::vector<Link> links_of(Record const& record);

/// Whether the stored edges of a record of `type` are exactly those of its references. They are not where extraction
/// adds edges (keywords, subjects, summaries); where a referenced record may be gone or not there yet (what these name,
/// the version before a template, the round before a round, records of the same request); where another record adds the
/// edge (attachments, embeddings); where the row has an edge that the record does not say (a chunk's first retrieval);
/// and for PROV records, whose objects may be unknown or whose edges may lose their influence.
[[nodiscard]] constexpr bool edges_equal_links(RecordType type) noexcept {
  return info(type).edges_equal_links;
}

}  // namespace whence::schema
