// From a plan to its operators.
#include "queries/cypher/run/operator.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace whence::queries::cypher {

OperatorPtr make_operator(PlanNode const& plan, RunState& state) {
  // A plan is as deep as the query has clauses and relations, which its text bounds: a loop, as recursion might go too
  // deep.
  std::vector<PlanNode const*> chain;
  for (auto const* at = &plan; at != nullptr; at = at->source.get()) chain.push_back(at);
  std::ranges::reverse(chain);
  OperatorPtr made;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < chain.size() && begin == 0; ++i) {
    if (chain[i]->find<AggregateStep>() == nullptr) continue;
    made = make_batch_aggregate(*chain[i], std::span{chain}.subspan(i + 1), state);
    if (made == nullptr) break;
    begin = i + 1;
  }
  for (auto const* at : std::span{chain}.subspan(begin))
    made = std::visit(OperatorMaker{*at, state, std::move(made)}, at->step);
  return made;
}

}  // namespace whence::queries::cypher
