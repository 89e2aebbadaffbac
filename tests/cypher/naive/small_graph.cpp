#include "tests/cypher/naive/small_graph.hpp"

#include "tests/cypher/canonical.hpp"

#include <algorithm>
#include <random>

namespace whence::tests {
namespace {

constexpr char const* texts[] = {"a", "b", "ab", ""};

}  // namespace

std::string shown(Value const& value, bool sorts_lists) {
  if (auto const* node = value.find_node()) return "n" + std::to_string(node->id);
  if (auto const* relation = value.find_relation()) return "r" + std::to_string(relation->id);
  if (auto const* path = value.find_path()) {
    std::string made = "<" + std::to_string(path->nodes[0].id);
    for (std::size_t i = 0; i < path->relations.size(); ++i)
      made += "-" + std::to_string(path->relations[i].id) + "-" + std::to_string(path->nodes[i + 1].id);
    return made + ">";
  }
  if (auto const* list = value.find_list()) {
    std::vector<std::string> parts;
    for (auto const& each : *list) parts.push_back(shown(each, sorts_lists));
    if (sorts_lists) std::ranges::sort(parts);
    std::string made = "[";
    for (auto const& each : parts) made += (made.size() == 1 ? "" : ", ") + each;
    return made + "]";
  }
  if (auto const* number = value.find_double(); number != nullptr && *number == 0) return "0.0";
  return canonical(value, sorts_lists);
}

std::string shown(std::vector<Value> const& values, bool sorts_lists) {
  std::string made;
  for (auto const& each : values) made += (made.empty() ? "" : " | ") + shown(each, sorts_lists);
  return made;
}

SmallGraph::SmallGraph(std::uint64_t seed) {
  std::mt19937_64 random{seed};
  auto const below = [&](std::uint64_t bound) { return random() % bound; };
  auto const size = 1 + below(7);
  for (std::uint64_t i = 0; i < size; ++i) {
    std::vector<std::string> labels;
    for (char const* label : {"A", "B", "C"}) {
      if (below(2) == 0) labels.emplace_back(label);
    }
    Map properties;
    if (below(4) != 0) properties["x"] = static_cast<std::int64_t>(below(4));
    if (below(3) == 0) properties["y"] = static_cast<std::int64_t>(below(3)) - 1;
    if (below(3) != 0) properties["s"] = Value{texts[below(4)]};
    if (below(3) == 0) properties["f"] = static_cast<double>(below(5)) / 4;
    if (below(2) == 0) properties["b"] = below(2) == 0;
    if (below(3) == 0)
      properties["l"] = List{Value{static_cast<std::int64_t>(below(3))}, Value{}, Value{std::int64_t{1}}};
    memory.add_node(labels, properties);
    naive.all_nodes.push_back({.id = i, .labels = labels, .properties = properties});
  }
  for (auto i = below(5) + below(6); i > 0; --i) {
    auto const from = below(size);
    auto const to = below(size);
    auto const type = std::string{"T"} + std::to_string(below(3));
    Map properties;
    if (below(3) != 0) properties["x"] = static_cast<std::int64_t>(below(3));
    if (below(3) != 0) properties["weight"] = static_cast<double>(1 + below(4)) / 4;
    auto const made = memory.add_relation(from, to, type, properties);
    naive.all_relations.push_back({.id = made.id, .from = from, .to = to, .type = type, .properties = properties});
  }
}

Vocabulary SmallGraph::words() {
  return {.labels = {"A", "B", "C"},
          .types = {"T0", "T1", "T2"},
          .node_integers = {"x", "y"},
          .node_reals = {"f"},
          .node_texts = {"s"},
          .node_booleans = {"b"},
          .node_lists = {"l"},
          .relation_integers = {"x"},
          .relation_reals = {"weight"},
          .texts = {"a", "b", "ab", ""},
          .newest = 0,
          .times = {}};
}

}  // namespace whence::tests
