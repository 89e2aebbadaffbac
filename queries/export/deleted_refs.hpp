#pragma once
// References of records to nodes that are deleted: their edges are gone, and a reader that makes edges of what records
// say must not make them again.

#include "graph/snapshot/snapshot.hpp"
#include "schema/records/records.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace whence::exports {

/// What an import makes of a record otherwise, since something beside it is deleted.
struct ChangedByImport {
  std::uint64_t ranks = 0;       ///< of chunks in a prompt: they are counted without those that are deleted
  std::uint64_t increments = 0;  ///< of summaries whose message, or the version before, is deleted
  std::uint64_t act_edges = 0;   ///< THROUGH_ACT: they were made with the other half of an act, which is deleted
  std::uint64_t to_others = 0;   ///< edges to what has the id of a deleted node now: they are made to that
  std::uint64_t lines = 0;       ///< of versions, that end at a deleted one whose id another node has now
  std::uint64_t ratings = 0;     ///< of what is gone, without which an import has nothing to rate
};

struct DeletedRefs {
  std::uint64_t left_out = 0;  ///< references that the record no longer names
  ChangedByImport changed = {};
  /// The ref of a deleted node that the record cannot be without: the version before it, its topic, its query. Empty:
  /// there is none.
  std::string needed = {};
  /// Where `needed` is a version: the refs of those before it, up to one that is there. Empty: there is none.
  std::vector<std::string> line = {};
};

/// Leaves out what the record of `vertex` says of nodes that are deleted: those whose ids others have now, too. With a
/// relation of PROV its arguments go. The topic of an attachment and what `needed` names stay. `with_gone`: nodes whose
/// content is gone are left out as well. O(links).
[[nodiscard]] DeletedRefs leave_out_deleted(graph::Snapshot const& snapshot, schema::VertexId vertex,
                                            schema::Record& record, bool with_gone);

}  // namespace whence::exports
