#pragma once
// hold.list: what must stay, and why.

#include "queries/find/params.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"

#include <vector>

namespace whence::queries {

struct HoldList {
  std::vector<VertexId> holds = {};  ///< in order of commit
};

/// The holds that hold something; with `all` also those that were cleared. Fails as the reader does. O(holds).
[[nodiscard]] Result<HoldList> hold_list(View const& view, HoldListParams const& params, Budget const& budget);

}  // namespace whence::queries
