#pragma once
// Runs CREATE statements against a graph in memory, so that tests state their graphs as the language does.

#include "tests/cypher/memory_graph.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace whence::tests {

/// Runs one statement of MATCH, UNWIND, WITH and CREATE clauses. Returns the failure, if there is one.
[[nodiscard]] std::optional<QueryError> make_graph(MemoryGraph& graph, std::string_view text, Map const& params = {});

}  // namespace whence::tests
