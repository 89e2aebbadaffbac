// node.get: nodes by their refs, in the order asked, repeats kept.

#include "queries/queries.hpp"
#include "queries/render/forms.hpp"
#include "queries/resolve.hpp"

#include <memory>

namespace whence::queries {
namespace {

struct Asked {
  VertexId vertex;
};

Result<std::vector<VertexId>> resolve_asked(Snapshot const& snapshot, NodeGetParams const& params) {
  if (params.ref.has_value() == params.refs.has_value()) {
    return error_from(invalid_param("one_of", "/ref", "", "exactly one of `ref` and `refs` must be given"));
  }
  if (params.refs) return resolve_all(snapshot, *params.refs, "/refs");
  auto const vertex = resolve(snapshot, *params.ref, "/ref");
  if (!vertex) return vertex.error();
  return std::vector<VertexId>{*vertex};
}

}  // namespace

Result<PageSource> node_get(View const& view, NodeGetParams const& params, Budget const& /*budget*/) {
  auto const vertices = resolve_asked(view.snapshot, params);
  if (!vertices) return vertices.error();
  auto nodes = std::make_shared<std::vector<Asked>>();
  for (VertexId const vertex : *vertices) nodes->push_back({vertex});

  Includes const includes = includes_of(params.include);
  auto const write = [view, nodes, includes](Writer& out, std::size_t begin, std::size_t end) {
    std::span<Asked const> const page(nodes->data() + begin, end - begin);
    return write_nodes(out, view, includes, page, [](Writer&, Asked const&) {});
  };
  PageSource answer;
  answer.lists.push_back({"nodes", nodes->size(), write});
  return answer;
}

}  // namespace whence::queries
