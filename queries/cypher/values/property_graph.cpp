// What a graph does that has no quicker way.
#include "queries/cypher/values/property_graph.hpp"

#include <algorithm>
#include <numeric>

namespace whence::queries::cypher {

bool PropertyGraph::all_have_label(std::span<std::uint32_t const> nodes, NameId label) const {
  return std::ranges::all_of(nodes, [&](std::uint32_t node) { return has_label(node, label); });
}

void PropertyGraph::neighbours(std::uint64_t node, Direction direction, std::span<NameId const> types,
                               std::vector<std::uint32_t>& nodes, std::vector<std::uint64_t>* ids) const {
  std::vector<RelationEnds> found;
  relations(node, direction, types, found);
  for (auto const& ends : found) {
    nodes.push_back(static_cast<std::uint32_t>(ends.other_end(node)));
    if (ids != nullptr) ids->push_back(ends.id);
  }
}

std::size_t PropertyGraph::degrees(std::span<std::uint32_t const> nodes, Direction direction,
                                   std::span<NameId const> types, std::span<std::uint64_t> counts) const {
  std::vector<std::uint32_t> found;
  neighbours(nodes.front(), direction, types, found, nullptr);
  counts.front() = found.size();
  return 1;
}

std::vector<std::size_t> PropertyGraph::texts(
    NameId /*label*/, std::span<std::uint32_t const> nodes, std::string_view /*property*/,
    std::function<void(std::size_t, std::optional<std::string_view> const&)> const& /*visit*/) const {
  std::vector<std::size_t> all(nodes.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

std::string element_id_of(PropertyGraph const& graph, std::uint64_t node) {
  auto const ref = graph.node_property(node, "ref");
  return ref.find_text() != nullptr ? *ref.find_text() : std::to_string(node);
}

}  // namespace whence::queries::cypher
