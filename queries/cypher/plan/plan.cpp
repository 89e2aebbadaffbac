#include "queries/cypher/plan/plan.hpp"

namespace whence::queries::cypher {

std::string name_of(PlanNode const& node) {
  switch (node.kind) {
    case OperatorKind::argument:
      return "Argument";
    case OperatorKind::scan:
      return node.has_label ? "NodeByLabelScan" : "AllNodesScan";
    case OperatorKind::seek:
      return "NodeIndexSeek";
    case OperatorKind::node_by_id:
      return "NodeByIdSeek";
    case OperatorKind::expand:
      return node.target_is_bound ? "Expand(Into)" : "Expand(All)";
    case OperatorKind::expand_many:
      return node.target_is_bound ? "VarLengthExpand(Into)" : "VarLengthExpand(All)";
    case OperatorKind::reach:
      return node.target_is_bound ? "Reach(Into)" : "Reach(All)";
    case OperatorKind::shortest:
      return node.path->search == PathSearch::shortest    ? "ShortestPath"
             : node.path->search == PathSearch::strongest ? "StrongestPath"
                                                          : "AllShortestPaths";
    case OperatorKind::bound_relation:
      return "ProjectEndpoints";
    case OperatorKind::make_path:
      return "ProjectPath";
    case OperatorKind::filter:
      return "Filter";
    case OperatorKind::optional:
      return "Optional";
    case OperatorKind::unwind:
      return "Unwind";
    case OperatorKind::project:
      return "Projection";
    case OperatorKind::aggregate:
      return "Aggregation";
    case OperatorKind::distinct:
      return "Distinct";
    case OperatorKind::sort:
      return node.top != nullptr ? "Top" : "Sort";
    case OperatorKind::skip:
      return "Skip";
    case OperatorKind::limit:
      return "Limit";
    case OperatorKind::call:
      return "ProcedureCall";
  }
  return "";
}

}  // namespace whence::queries::cypher
