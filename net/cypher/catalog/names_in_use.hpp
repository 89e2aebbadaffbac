#pragma once
// What a moment of the graph has of the schema: which record types, which edge types, and between which types of nodes.

#include "queries/cypher/base/error.hpp"
#include "queries/cypher/values/property_graph.hpp"
#include "schema/base/interrupt.hpp"
#include "schema/types/edge_type.hpp"
#include "schema/types/record_type.hpp"

#include <vector>

namespace whence::net {

/// The record types that there are nodes of, in the order of the catalogue.
[[nodiscard]] std::vector<schema::RecordType> record_types_in_use(queries::cypher::PropertyGraph const& graph);

/// The edge types that there are relations of, each once, in the order of the catalogue.
[[nodiscard]] std::vector<schema::EdgeType> edge_types_in_use(queries::cypher::PropertyGraph const& graph);

/// Whether relations of some of these types have influence, so that there are some of `INFLUENCES`.
[[nodiscard]] bool has_influence(std::vector<schema::EdgeType> const& types);

/// The rows of the catalogue of edges that relations fit, in its order. No row is left out that has one. Of each record
/// type `nodes_looked_at_max` nodes are looked at; where it has more, a row that none of them fits is given too, if
/// both of its types and the edge type are in use. Fails where `interrupt` ends the work.
[[nodiscard]] queries::cypher::Outcome<std::vector<schema::EdgeRule>> edge_rules_in_use(
    queries::cypher::PropertyGraph const& graph, schema::Interrupt const& interrupt);

inline constexpr std::size_t nodes_looked_at_max = 10'000;

}  // namespace whence::net
