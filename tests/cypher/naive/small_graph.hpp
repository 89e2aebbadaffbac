#pragma once
// A random small graph in memory and the same one as lists, and values as texts to compare.

#include "tests/cypher/memory_graph.hpp"
#include "tests/cypher/naive/naive_graph.hpp"
#include "tests/cypher/naive/query_maker.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace whence::tests {

/// Nodes and relations by number: what they have is compared by queries that ask for it.
[[nodiscard]] std::string shown(Value const& value, bool sorts_lists);
[[nodiscard]] std::string shown(std::vector<Value> const& values, bool sorts_lists);

struct SmallGraph {
  explicit SmallGraph(std::uint64_t seed);

  [[nodiscard]] static Vocabulary words();

  MemoryGraph memory;
  NaiveGraph naive;
};

}  // namespace whence::tests
