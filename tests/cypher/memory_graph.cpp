#include "tests/cypher/memory_graph.hpp"

#include <algorithm>

namespace whence::tests {

std::optional<NameId> MemoryGraph::find_name(std::vector<std::string> const& names, std::string_view name) {
  auto const found = std::ranges::find(names, name);
  return found == names.end() ? std::nullopt : std::optional{static_cast<NameId>(found - names.begin())};
}

NameId MemoryGraph::name_id(std::vector<std::string>& names, std::string const& name) {
  if (auto const known = find_name(names, name)) return *known;
  names.push_back(name);
  return static_cast<NameId>(names.size() - 1);
}

std::uint64_t MemoryGraph::add_node(std::vector<std::string> const& labels, Map properties) {
  StoredNode node{.labels = {}, .properties = std::move(properties), .out = {}, .in = {}};
  for (auto const& label : labels) {
    auto const id = name_id(labels_, label);
    if (std::ranges::find(node.labels, id) == node.labels.end()) node.labels.push_back(id);
  }
  nodes_.push_back(std::move(node));
  return nodes_.size() - 1;
}

Relation MemoryGraph::add_relation(std::uint64_t from, std::uint64_t to, std::string const& type, Map properties) {
  auto const id = relations_.size();
  relations_.push_back(
      {.ends = {.id = id, .from = from, .to = to, .type = name_id(types_, type)}, .properties = std::move(properties)});
  nodes_[from].out.push_back(id);
  nodes_[to].in.push_back(id);
  return relations_.back().ends.in(this);
}

void MemoryGraph::remove_relation(std::uint64_t id) {
  std::erase(nodes_[relations_[id].ends.from].out, id);
  std::erase(nodes_[relations_[id].ends.to].in, id);
}

std::size_t MemoryGraph::scan(std::optional<NameId> label, std::uint64_t& position,
                              std::span<std::uint64_t> out) const {
  std::size_t count = 0;
  for (; position < nodes_.size() && count < out.size(); ++position) {
    if (!label || has_label(position, *label)) out[count++] = position;
  }
  return count;
}

bool MemoryGraph::has_label(std::uint64_t node, NameId label) const {
  return std::ranges::find(nodes_[node].labels, label) != nodes_[node].labels.end();
}

std::vector<std::string> MemoryGraph::labels_of(std::uint64_t node) const {
  std::vector<std::string> names;
  for (auto const label : nodes_[node].labels) names.push_back(labels_[label]);
  return names;
}

Value MemoryGraph::node_property(std::uint64_t node, std::string_view name) const {
  auto const found = nodes_[node].properties.find(name);
  return found == nodes_[node].properties.end() ? Value{} : found->second;
}

Value MemoryGraph::relation_property(Relation const& one, std::string_view name) const {
  auto const found = relations_[one.id].properties.find(name);
  return found == relations_[one.id].properties.end() ? Value{} : found->second;
}

void MemoryGraph::relations(std::uint64_t node, Direction direction, std::span<NameId const> types,
                            std::vector<RelationEnds>& out) const {
  auto const add = [&](std::vector<std::uint64_t> const& ids, bool drops_loops) {
    for (auto const id : ids) {
      auto const& ends = relations_[id].ends;
      if (drops_loops && ends.from == ends.to) continue;
      if (types.empty() || std::ranges::find(types, ends.type) != types.end()) out.push_back(ends);
    }
  };
  if (direction != Direction::in) add(nodes_[node].out, false);
  if (direction != Direction::out) add(nodes_[node].in, direction == Direction::any);
}

double MemoryGraph::count_nodes(std::optional<NameId> label) const {
  if (!label) return static_cast<double>(nodes_.size());
  return static_cast<double>(std::ranges::count_if(
      nodes_, [&](StoredNode const& node) { return std::ranges::count(node.labels, *label) > 0; }));
}

double MemoryGraph::count_relations(std::optional<NameId> type) const {
  if (!type) return static_cast<double>(relations_.size());
  return static_cast<double>(
      std::ranges::count_if(relations_, [&](StoredRelation const& one) { return one.ends.type == *type; }));
}

}  // namespace whence::tests
