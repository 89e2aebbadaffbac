// Evaluating node.get.

#include "queries/find/nodes.hpp"
#include "queries/view/resolve.hpp"

#include <utility>

namespace whence::queries {

Result<Nodes> node_get(View const& view, NodeGetParams const& params, Budget const& /*budget*/) {
  if (params.ref.has_value() == params.refs.has_value()) {
    return error_from(invalid_param("one_of", "/ref", "", "exactly one of `ref` and `refs` must be given"));
  }
  if (params.ref) {
    auto const vertex = resolve(view.snapshot, *params.ref, "/ref");
    if (!vertex) return vertex.error();
    return Nodes{{*vertex}};
  }
  auto vertices = resolve_all(view.snapshot, *params.refs, "/refs");
  if (!vertices) return vertices.error();
  return Nodes{std::move(*vertices)};
}

}  // namespace whence::queries
