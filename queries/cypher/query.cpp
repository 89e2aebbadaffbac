#include "queries/cypher/query.hpp"

#include "queries/cypher/resolve/resolver.hpp"
#include "queries/cypher/run/execution.hpp"
#include "queries/cypher/syntax/statement.hpp"

#include <array>
#include <cstdio>

namespace whence::queries::cypher {

std::vector<std::string> const& Prepared::columns() const noexcept {
  return statement_->columns;
}

std::vector<Notice> Prepared::notices(NameCatalog const& catalog) const {
  return notices_of(statement_->names, catalog);
}

Outcome<Prepared> prepare(std::string_view text, Procedures const* procedures) {
  auto parsed = parse_statement(text);
  if (!parsed) return parsed.error();
  auto statement = std::make_shared<Statement>(*std::move(parsed));
  if (auto error = Resolver{*statement, procedures}.run()) return *std::move(error);
  return Prepared{std::move(statement)};
}

Rows::Rows(std::unique_ptr<Execution> execution) : execution_(std::move(execution)) {}
Rows::Rows(Rows&&) noexcept = default;
Rows& Rows::operator=(Rows&&) noexcept = default;
Rows::~Rows() = default;

std::vector<std::string> const& Rows::columns() const noexcept {
  return execution_->statement().columns;
}
Outcome<std::optional<std::vector<Value>>> Rows::next() {
  return execution_->next();
}
std::uint64_t Rows::held() const noexcept {
  return execution_->held();
}
std::vector<Notice> const& Rows::notices() const noexcept {
  return execution_->notices();
}
std::vector<PlanLine> Rows::plan() const {
  return execution_->plan();
}
bool Rows::is_explain() const noexcept {
  return execution_->statement().mode == ExplainMode::explain;
}
bool Rows::is_profile() const noexcept {
  return execution_->statement().mode == ExplainMode::profile;
}

Outcome<Rows> run(Prepared const& prepared, PropertyGraph const& graph, Map params, QueryBudget const& budget,
                  Environment const& environment) {
  auto execution =
      std::make_unique<Execution>(prepared.shared_statement(), graph, std::move(params), budget, environment);
  if (auto error = execution->start()) return *std::move(error);
  return Rows{std::move(execution)};
}

std::string to_text(std::vector<PlanLine> const& plan) {
  std::string text;
  for (auto const& line : plan) {
    text += std::string(static_cast<std::size_t>(line.depth) * 2, ' ') + line.name;
    if (!line.detail.empty()) text += " " + line.detail;
    std::array<char, 48> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "  estimate %.3g", line.estimate);
    text += buffer.data();
    if (line.rows) text += ", rows " + std::to_string(*line.rows);
    if (line.steps) text += ", looked at " + std::to_string(*line.steps);
    text += '\n';
  }
  return text;
}

}  // namespace whence::queries::cypher
