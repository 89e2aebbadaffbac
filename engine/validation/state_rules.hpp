#pragma once
// The rules between a new record and those it names: versions form a line, feedback follows what it rates.

#include "engine/plan/candidates.hpp"
#include "engine/plan/findings.hpp"
#include "engine/state/contents.hpp"

#include <vector>

namespace whence::engine {

/// Counts the versions of units that leave them out: one above that of the unit that each names. O(units).
void count_versions(Candidates const& candidates);

/// The existing vertices whose content `check_state` reads.
[[nodiscard]] std::vector<schema::VertexId> asked_vertices(Candidates const& candidates);

/// Reports, for new records: `precondition` "version" where a version is not its predecessor's plus one, `conflict`
/// "successor" where the predecessor has one already (in the graph or earlier in the batch), "before_response" where a
/// feedback is older than its response; "message_attachment" where a message has another attachment, "topic_mismatch"
/// where it belongs to another topic; "format" where a response names an llm-response as its query; `precondition`
/// "version" where a summary or a template has no version before it, or one after it.
/// Copies may have lost versions of summaries and templates.
void check_state(Candidates const& candidates, bool are_copies, Contents const& contents, Findings& findings);

}  // namespace whence::engine
