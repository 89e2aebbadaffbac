#pragma once
// The query of a hold: which records of one type it holds, by conditions as `node.find` takes them.

#include "graph/removal/holds.hpp"
#include "schema/base/error.hpp"

#include <string_view>

namespace whence::net {

/// Reads `{"type": ..., "where": {...}}`. Fails with `invalid_params` on another text, and as `queries::parse_search`.
/// What it returns may be called from any thread. O(length).
[[nodiscard]] Result<graph::HeldQuery> read_held_query(std::string_view text);

}  // namespace whence::net
