#pragma once
// The summaries of a topic.

#include "graph/snapshot/snapshot.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace whence::graph {

/// The highest version among the summaries that are or were part of the topic `topic`; 0 where there is none. A copy
/// may lack versions before it and have them in any order, so that counting from the first does not find it. Looks at
/// what joined the topic last alone where the last two follow each other and were written one after the other; else
/// O(parts of the topic).
[[nodiscard]] std::int64_t last_summary_of(Snapshot const& snapshot, std::string_view topic);

/// The same among those that are there. O(parts of the topic).
[[nodiscard]] std::int64_t newest_summary_of(Snapshot const& snapshot, std::string_view topic);

/// The summaries of the topic with lower versions that are there or were deleted, the highest first. A copy may lack
/// some, as many as there are numbers: then those below are found among the parts of the topic. O(versions below), with
/// a gap O(parts of the topic) more.
[[nodiscard]] std::vector<VertexId> summaries_before(Snapshot const& snapshot, std::string_view topic,
                                                     std::int64_t version);

}  // namespace whence::graph
