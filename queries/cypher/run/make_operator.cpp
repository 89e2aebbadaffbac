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
    if (chain[i]->kind != OperatorKind::aggregate) continue;
    made = make_batch_aggregate(*chain[i], std::span{chain}.subspan(i + 1), state);
    if (made == nullptr) break;
    begin = i + 1;
  }
  for (auto at = chain.begin() + static_cast<std::ptrdiff_t>(begin); at != chain.end(); ++at) {
    switch ((*at)->kind) {
      case OperatorKind::argument:
      case OperatorKind::scan:
      case OperatorKind::seek:
      case OperatorKind::node_by_id:
        made = make_scan(**at, state, std::move(made));
        break;
      case OperatorKind::expand:
      case OperatorKind::bound_relation:
      case OperatorKind::make_path:
        made = make_expansion(**at, state, std::move(made));
        break;
      case OperatorKind::expand_many:
      case OperatorKind::reach:
      case OperatorKind::shortest:
        made = make_path_search(**at, state, std::move(made));
        break;
      case OperatorKind::aggregate:
      case OperatorKind::distinct:
        made = make_aggregate(**at, state, std::move(made));
        break;
      case OperatorKind::sort:
        made = make_sort(**at, state, std::move(made));
        break;
      default:
        made = make_row_operator(**at, state, std::move(made));
    }
  }
  return made;
}

}  // namespace whence::queries::cypher
