#pragma once
// The progress of a stored discussion: its last complete round, the open one, and its present context.

#include "engine/state/contents.hpp"
#include "graph/snapshot/discussion.hpp"
#include "graph/snapshot/snapshot.hpp"
#include "schema/base/error.hpp"
#include "schema/base/ids.hpp"
#include "schema/records/discussion/discussion.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace whence::engine {

/// The vertex of a discussion. Fails with `not_found` at "/discussionId".
[[nodiscard]] Result<schema::VertexId> find_discussion(std::string_view user_id, std::string_view discussion_id,
                                                       graph::Snapshot const& known);

/// The progress of a known discussion.
struct DiscussionProgress {
  std::int64_t complete = 0;  ///< the number of its last complete round
  std::int64_t next = 1;      ///< of the round after it, and after those that its summaries reach to
  /// The round that has some, but not all, of its responses.
  std::optional<graph::NumberedVertex> begun = {};
  bool is_opened = false;  ///< round `next` was opened, whether it has a response yet or not
};

/// Fails where the store does.
[[nodiscard]] Result<DiscussionProgress> progress_of(schema::VertexId discussion, graph::Snapshot const& known,
                                                     Contents& contents);

/// The summaries of a known discussion that are there, in the order of their numbers: one that is gone replaces
/// nothing.
[[nodiscard]] std::vector<graph::NumberedVertex> summaries_there(schema::VertexId discussion,
                                                                 graph::Snapshot const& known);

/// A known discussion with the rounds and summaries of its context: the current summary and the
/// rounds after it. Fails where the store does.
[[nodiscard]] Result<schema::DiscussionState> context_of(schema::VertexId discussion, graph::Snapshot const& known,
                                                         Contents& contents);

}  // namespace whence::engine
