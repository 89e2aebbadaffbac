#pragma once
// Conditions on the nodes of a row: labels and texts column by column, others row by row.

#include "queries/cypher/batch/batch.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace whence::queries::cypher {

/// Texts that a node's properties must be: `{agent: 'x'}`, `n.agent = $agent`.
struct TextCheck {
  struct Part {
    std::string_view property;
    Expression const* value;  ///< reads no slot
  };
  Slot slot = no_slot;
  NameId label = 0;  ///< that the nodes have
  std::vector<Part> parts = {};
};

/// The check of a predicate, if the graph has all these properties of the slot's nodes as texts in memory.
[[nodiscard]] std::optional<TextCheck> text_check_of(Predicate const& predicate, SlotColumns const& columns,
                                                     SlotFacts const& facts, PropertyGraph const& graph);

/// Null where a condition needs more than the columns have.
[[nodiscard]] StagePtr make_filter(PlanNode const& plan, SlotColumns const& columns, SlotFacts const& facts,
                                   RunState& state);

}  // namespace whence::queries::cypher
