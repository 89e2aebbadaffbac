#pragma once
// From an `as_of` to a snapshot.

#include "graph/snapshot/snapshot.hpp"
#include "queries/params.hpp"
#include "schema/base/error.hpp"

#include <string_view>

namespace whence::queries {

/// The snapshot at `moment`, at most `head`. Fails with `invalid_params` at `path` on a number above the head.
[[nodiscard]] Result<graph::Snapshot> snapshot_at(graph::Snapshot const& head, AsOf const& moment,
                                                  std::string_view path);

}  // namespace whence::queries
