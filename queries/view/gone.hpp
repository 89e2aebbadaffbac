#pragma once
// Nodes whose content expired or was purged: they stay in every walk, and have nothing to say.

#include "queries/view/view.hpp"
#include "schema/base/error.hpp"

#include <string_view>
#include <vector>

namespace whence::queries {

/// A node that is named in an answer because nothing is left of what it said.
struct GoneNode {
  VertexId vertex;
  graph::GoneWhy why;
};

/// The error of a read that exists to give the content of `vertex`; `path` is where the request names it.
[[nodiscard]] Error gone_error(Snapshot const& snapshot, VertexId vertex, graph::GoneWhy why, std::string_view path);

/// Leaves out the nodes whose content is gone.
void leave_out_gone(Snapshot const& snapshot, std::vector<VertexId>& vertices);

}  // namespace whence::queries
