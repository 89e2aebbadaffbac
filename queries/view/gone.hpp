#pragma once
// Nodes whose content expired or was purged: they stay in every walk, and have nothing to say.

#include "queries/view/view.hpp"
#include "schema/base/error.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace whence::queries {

/// A node that is named in an answer because nothing is left of what it said.
struct GoneNode {
  VertexId vertex;
  graph::GoneWhy why;
};

/// So many are named beside what is there, where there may be any number.
inline constexpr std::size_t gone_max = 1000;

/// The error of a read that exists to give the content of `vertex`; `path` is where the request names it.
[[nodiscard]] Error gone_error(Snapshot const& snapshot, VertexId vertex, graph::GoneWhy why, std::string_view path);

/// Those of `vertices` whose content is gone, ascending, the first `count_max`.
[[nodiscard]] std::vector<GoneNode> gone_among(Snapshot const& snapshot, std::vector<VertexId> vertices,
                                               std::size_t count_max);

/// Leaves out the nodes whose content is gone.
void leave_out_gone(Snapshot const& snapshot, std::vector<VertexId>& vertices);

}  // namespace whence::queries
