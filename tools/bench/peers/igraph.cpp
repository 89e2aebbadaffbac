#include "tools/bench/peers/igraph.hpp"

#ifdef WHENCE_HAVE_IGRAPH

#include <igraph/igraph.h>

namespace whence::bench {

struct IgraphPeer::Impl {
  igraph_t graph;
};

IgraphPeer::IgraphPeer(std::uint32_t vertices, std::vector<std::pair<std::uint32_t, std::uint32_t>> const& edges)
    : impl_(std::make_unique<Impl>()) {
  igraph_vector_int_t list;
  igraph_vector_int_init(&list, static_cast<igraph_integer_t>(edges.size() * 2));
  for (std::size_t i = 0; i < edges.size(); ++i) {
    VECTOR(list)[i * 2] = edges[i].first;
    VECTOR(list)[i * 2 + 1] = edges[i].second;
  }
  igraph_create(&impl_->graph, &list, static_cast<igraph_integer_t>(vertices), true);
  igraph_vector_int_destroy(&list);
}

IgraphPeer::~IgraphPeer() {
  igraph_destroy(&impl_->graph);
}

bool IgraphPeer::is_available() noexcept {
  return true;
}

std::size_t IgraphPeer::reach(std::uint32_t start, bool is_ancestors, std::uint32_t depth) {
  igraph_neimode_t const mode = is_ancestors ? IGRAPH_IN : IGRAPH_OUT;
  igraph_vector_int_t found;
  igraph_vector_int_init(&found, 0);
  if (depth == UINT32_MAX) {
    igraph_subcomponent(&impl_->graph, &found, static_cast<igraph_integer_t>(start), mode);
  } else {
    igraph_vector_int_list_t lists;
    igraph_vector_int_list_init(&lists, 0);
    igraph_neighborhood(&impl_->graph, &lists, igraph_vss_1(static_cast<igraph_integer_t>(start)),
                        static_cast<igraph_integer_t>(depth), mode, 0);
    igraph_vector_int_update(&found, igraph_vector_int_list_get_ptr(&lists, 0));
    igraph_vector_int_list_destroy(&lists);
  }
  auto const size = static_cast<std::size_t>(igraph_vector_int_size(&found));
  igraph_vector_int_destroy(&found);
  return size - 1;
}

}  // namespace whence::bench

#else

namespace whence::bench {

struct IgraphPeer::Impl {};
IgraphPeer::IgraphPeer(std::uint32_t, std::vector<std::pair<std::uint32_t, std::uint32_t>> const&) {}
IgraphPeer::~IgraphPeer() = default;
bool IgraphPeer::is_available() noexcept {
  return false;
}
std::size_t IgraphPeer::reach(std::uint32_t, bool, std::uint32_t) {
  return 0;
}

}  // namespace whence::bench

#endif
