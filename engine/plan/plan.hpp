#pragma once
// What an accepted batch will do to the graph and the store: the result of validation.

#include "engine/values/write_answer.hpp"
#include "graph/snapshot/snapshot.hpp"
#include "schema/base/error.hpp"
#include "schema/records/records.hpp"
#include "store/rows/graph_row.hpp"
#include "store/values/commit.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace whence::engine {

/// A further content of a record that exists, or that the same batch puts.
struct PlannedRevision {
  store::RevisionRow row;
  schema::Record content;  ///< what is stored: whole, or what changed
  schema::Record whole;    ///< the record from now on
};

/// Invariants: 0. `revisions` grows by `revise` only. 1. `records[i]` is the whole record of `rows[i]`. 2. the
/// rows' vertices follow each other without a gap, from the vertex count of the graph the batch was validated
/// against. 3. every row changes something: a record that exists already with the same content has none, so a plan
/// without rows, revisions, hidden and gone vertices changes nothing.
class Plan {
 public:
  std::vector<store::VertexRow> rows = {};
  std::vector<schema::Record> records = {};
  std::vector<PlannedRevision> revisions = {};
  std::vector<schema::VertexId> hidden = {};
  std::vector<schema::VertexId> gone = {};  ///< whose contents from before this plan go
  graph::GoneWhy gone_why = graph::GoneWhy::expired;
  std::vector<schema::Digest> released_blobs = {};  ///< one for each content that goes and names it
  std::vector<schema::Digest> removed_blobs = {};   ///< of those, what nothing else names
  std::vector<store::Blob> blobs = {};
  std::vector<std::string> refs = {};  ///< one per record of the batch, in its order
  std::vector<Violation> warnings = {};
  Removal removal = {};
  std::optional<schema::Record> made = {};  ///< of a step
  std::optional<Withheld> withheld = {};    ///< likewise

  /// Adds a revision, under the number after the vertex's last.
  void revise(PlannedRevision revision, graph::Snapshot const& known);

  /// The last planned revision of `vertex`; null where there is none. Until the next `revise`.
  [[nodiscard]] PlannedRevision const* revision_of(schema::VertexId vertex) const;

  [[nodiscard]] bool is_empty() const noexcept {
    return rows.empty() && revisions.empty() && hidden.empty() && gone.empty();
  }

 private:
  std::unordered_map<std::uint32_t, std::size_t> last_revisions_ = {};  // position by vertex number
};

}  // namespace whence::engine
