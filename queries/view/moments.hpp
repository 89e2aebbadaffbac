#pragma once
// From an `as_of` to a snapshot.

#include "graph/snapshot/snapshot.hpp"
#include "queries/view/params.hpp"
#include "schema/base/error.hpp"

#include <optional>
#include <string_view>

namespace whence::queries {

/// The snapshot at `moment`, at most `head`: a number is a transaction, a time is the state after the last transaction
/// committed at or before it. Fails with `invalid_params` at `path` on a number above the head.
[[nodiscard]] Result<graph::Snapshot> snapshot_at(graph::Snapshot const& head, AsOf const& moment,
                                                  std::string_view path);

/// The snapshot that the param `as_of` means: `head` where it is left out, else `snapshot_at` with the path "/as_of".
[[nodiscard]] Result<graph::Snapshot> snapshot_as_of(graph::Snapshot const& head, std::optional<AsOf> const& as_of);

}  // namespace whence::queries
