// Parts of a UNION are planned at the start and run one after the other. A subquery of an expression is planned when it
// is first asked for, and begins anew for each row.
#include "queries/cypher/run/execution.hpp"

#include "queries/cypher/syntax/statement.hpp"

namespace whence::queries::cypher {

Execution::Execution(std::shared_ptr<Statement const> statement, PropertyGraph const& graph, Map params,
                     QueryBudget const& budget, Environment const& environment)
    : statement_(std::move(statement)),
      rows_max_(budget.rows_max),
      state_(graph, std::move(params), budget, environment),
      row_(statement_->slots) {
  state_.set_subqueries(this);
  state_.set_slots(statement_->slots);
}

QueryError Execution::with_place(QueryError error) const {
  if (error.excerpt.empty()) show_place(error, statement().text);
  return error;
}

std::optional<QueryError> Execution::start() {
  for (auto const& name : statement().parameters) {
    if (state_.params().contains(name)) continue;
    return QueryError{.kind = ErrorKind::parameter_missing,
                      .detail = "MissingParameter",
                      .message = "the parameter $" + name + " has no value"};
  }
  for (auto const& use : statement().names) {
    auto const type = use.kind == NameKind::relation_type ? state_.graph().find_type(use.name) : std::nullopt;
    std::string_view const gap = type ? state_.graph().gap(*type) : std::string_view{};
    if (!gap.empty()) state_.note(use.place, std::string{gap}, NameKind::cut);
  }
  Planner planner{statement(), state_};
  for (auto& plan : planner.statement()) {
    if (state_.failed()) break;
    auto root = make_operator(*plan, state_);
    parts_.push_back({std::move(plan), std::move(root)});
  }
  if (state_.failed()) return with_place(*state_.error());
  is_done_ = statement().mode == ExplainMode::explain;
  return std::nullopt;
}

Outcome<std::optional<std::vector<Value>>> Execution::next() {
  bool const drops_same = !statement().query.keeps_all.empty() && !statement().query.keeps_all[0];
  while (!is_done_ && !state_.failed()) {
    if (part_ == parts_.size()) {
      is_done_ = true;
      break;
    }
    if (!parts_[part_].root->next(row_)) {
      ++part_;
      continue;
    }
    auto const& slots = statement().column_slots[part_];
    if (statement().columns.empty()) continue;  // a query that ends with a procedure without columns
    std::vector<Value> made;
    made.reserve(slots.size());
    for (auto const slot : slots) made.push_back(row_[slot]);
    if (drops_same) {
      std::size_t bytes = 64;
      for (auto const& value : made) bytes += bytes_of(value);
      if (!state_.spend(bytes / HeldValues::bytes_per_step)) break;
      if (!seen_.insert(made).second) continue;
      if (!state_.hold(bytes)) break;
    }
    if (++rows_ > rows_max_) {
      state_.fail(ErrorKind::limit_exceeded, "rows", "the query has more than " + std::to_string(rows_max_) + " rows");
      break;
    }
    return std::optional{std::move(made)};
  }
  if (state_.failed()) return with_place(*state_.error());
  return std::optional<std::vector<Value>>{};
}

void Execution::each(Expression const& expression, Row const& row, std::function<bool(Row&)> const& visit) {
  auto found = subqueries_.find(&expression);
  if (found == subqueries_.end()) {
    std::vector<Part> parts;
    Planner planner{statement(), state_};
    for (auto& plan : planner.subquery(expression)) {
      if (state_.failed()) return;
      auto root = make_operator(*plan, state_);
      parts.push_back({std::move(plan), std::move(root)});
    }
    found = subqueries_.emplace(&expression, std::move(parts)).first;
  }
  // A row of its own: an aggregation or a sort inside replaces all of it.
  auto own = row;
  for (auto& part : found->second) {
    part.root->restart();
    while (part.root->next(own)) {
      if (!visit(own)) return;
    }
    if (state_.failed()) return;
  }
}

namespace {

void add_lines(PlanNode const& plan, Operator const* at, bool is_profile, std::uint32_t depth,
               std::vector<PlanLine>& lines) {
  if (plan.find<ArgumentStep>() != nullptr && plan.source == nullptr && depth > 0) return;
  PlanLine line{.depth = depth, .name = name_of(plan), .detail = plan.detail, .estimate = plan.estimate};
  if (at != nullptr && at->is_batched()) line.detail += line.detail.empty() ? "in batches" : ", in batches";
  if (at != nullptr && is_profile) {
    line.rows = at->rows();
    line.steps = at->own_steps();
  }
  lines.push_back(std::move(line));
  if (auto const* optional = plan.find<OptionalStep>())
    add_lines(*optional->inner, at != nullptr ? at->inner() : nullptr, is_profile, depth + 2, lines);
  if (plan.source != nullptr)
    add_lines(*plan.source, at != nullptr ? at->source() : nullptr, is_profile, depth + 1, lines);
}

}  // namespace

std::vector<PlanLine> Execution::plan() const {
  std::vector<PlanLine> lines;
  bool const is_profile = statement().mode == ExplainMode::profile;
  std::uint32_t const depth = parts_.size() > 1 ? 1 : 0;
  if (depth > 0) {
    PlanLine line{.name = !statement().query.keeps_all[0] ? "Union" : "UnionAll"};
    for (auto const& part : parts_) line.estimate += part.plan->estimate;
    if (is_profile) line.rows = rows_;
    lines.push_back(std::move(line));
  }
  for (auto const& part : parts_) add_lines(*part.plan, part.root.get(), is_profile, depth, lines);
  for (auto const& entry : subqueries_) {
    for (auto const& part : entry.second) {
      lines.push_back({.depth = 0,
                       .name = "Subquery",
                       .detail = "line " + std::to_string(entry.first->place.line) + ", column " +
                                 std::to_string(entry.first->place.column)});
      add_lines(*part.plan, part.root.get(), is_profile, 1, lines);
    }
  }
  return lines;
}

}  // namespace whence::queries::cypher
