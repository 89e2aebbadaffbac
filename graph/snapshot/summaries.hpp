#pragma once
// The summaries of a topic.

#include "graph/snapshot/snapshot.hpp"

#include <cstdint>
#include <string_view>

namespace whence::graph {

/// The version of the summary that joined the topic `topic` last; 0 where none has. A copy may lack versions before it,
/// so that counting from the first does not find it. O(what joined the topic after it).
[[nodiscard]] std::int64_t last_summary_of(Snapshot const& snapshot, std::string_view topic);

}  // namespace whence::graph
