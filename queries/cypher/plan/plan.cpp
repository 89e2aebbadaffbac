#include "queries/cypher/plan/plan.hpp"

namespace whence::queries::cypher {
namespace {

struct StepName {
  std::string operator()(ArgumentStep const&) const { return "Argument"; }
  std::string operator()(ScanStep const& step) const { return step.has_label ? "NodeByLabelScan" : "AllNodesScan"; }
  std::string operator()(SeekStep const&) const { return "NodeIndexSeek"; }
  std::string operator()(ByIdStep const&) const { return "NodeByIdSeek"; }
  std::string operator()(ExpandStep const& step) const { return "Expand" + found_by(step); }
  std::string operator()(ExpandManyStep const& step) const { return "VarLengthExpand" + found_by(step); }
  std::string operator()(ReachStep const& step) const { return "Reach" + found_by(step); }
  std::string operator()(ShortestStep const& step) const {
    auto const search = step.path->search;
    return search == PathSearch::shortest    ? "ShortestPath"
           : search == PathSearch::strongest ? "StrongestPath"
                                             : "AllShortestPaths";
  }
  std::string operator()(BoundRelationStep const&) const { return "ProjectEndpoints"; }
  std::string operator()(MakePathStep const&) const { return "ProjectPath"; }
  std::string operator()(FilterStep const&) const { return "Filter"; }
  std::string operator()(OptionalStep const&) const { return "Optional"; }
  std::string operator()(UnwindStep const&) const { return "Unwind"; }
  std::string operator()(ProjectStep const&) const { return "Projection"; }
  std::string operator()(AggregateStep const&) const { return "Aggregation"; }
  std::string operator()(DistinctStep const&) const { return "Distinct"; }
  std::string operator()(SortStep const& step) const { return step.limit != nullptr ? "Top" : "Sort"; }
  std::string operator()(SkipStep const&) const { return "Skip"; }
  std::string operator()(LimitStep const&) const { return "Limit"; }
  std::string operator()(CallStep const&) const { return "ProcedureCall"; }

  static std::string found_by(Expansion const& step) { return step.target_is_bound ? "(Into)" : "(All)"; }
};

}  // namespace

void put(PlanPtr& plan, PropertyGraph const* graph, PlanNode::Step step, double estimate, std::string detail) {
  plan = std::make_unique<PlanNode>(PlanNode{std::move(step), graph, std::move(plan), estimate, std::move(detail)});
}

std::string name_of(PlanNode const& node) {
  return std::visit(StepName{}, node.step);
}

}  // namespace whence::queries::cypher
