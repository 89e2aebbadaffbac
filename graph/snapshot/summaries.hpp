#pragma once
// The summaries of a topic.

#include "graph/snapshot/snapshot.hpp"

#include <cstdint>
#include <string_view>

namespace whence::graph {

/// The highest version among the summaries that are or were part of the topic `topic`; 0 where there is none. A copy
/// may lack versions before it and have them in any order, so that counting from the first does not find it. Looks at
/// what joined the topic last alone where the last two follow each other and were written one after the other; else
/// O(parts of the topic).
[[nodiscard]] std::int64_t last_summary_of(Snapshot const& snapshot, std::string_view topic);

/// The same among those that are there. O(parts of the topic).
[[nodiscard]] std::int64_t newest_summary_of(Snapshot const& snapshot, std::string_view topic);

}  // namespace whence::graph
