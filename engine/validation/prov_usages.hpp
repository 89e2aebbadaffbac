#pragma once
// The activities of derivations that name a usage of another document.

#include "engine/plan/needed_record.hpp"
#include "engine/state/contents.hpp"
#include "engine/values/batch.hpp"
#include "graph/snapshot/snapshot.hpp"
#include "schema/base/error.hpp"

#include <cstddef>
#include <vector>

namespace whence::engine {

/// Known records that are read for one batch, to find usages and derivations in them. What is beyond is not found.
inline constexpr std::size_t usage_records_max = 10'000;

/// A derivation of PROV may name its activity by its usage alone, and that usage may be described by another document,
/// before or after it. Gives each such derivation of `batch` the ref of the activity, where the usage is known or in
/// the batch, and returns what a usage of `batch` adds to known derivations that name it. Usages and derivations meet
/// at the entity that was used. Fails where the store does. O(batch, plus the edges of those entities).
[[nodiscard]] Result<std::vector<NeededRecord>> join_usages(WriteBatch& batch, graph::Snapshot const& known,
                                                            Contents& contents);

}  // namespace whence::engine
