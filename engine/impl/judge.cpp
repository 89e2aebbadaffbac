#include "engine/impl/judge.hpp"

#include "engine/impl/candidates.hpp"
#include "engine/impl/findings.hpp"
#include "engine/impl/identity.hpp"
#include "engine/impl/references.hpp"
#include "engine/impl/state_rules.hpp"
#include "schema/limits.hpp"
#include "schema/ref.hpp"

#include <utility>

namespace whence::engine {
namespace {

/// Checked against the rest of the response, the given manifests have done their work: they are neither stored nor
/// compared.
void drop_given_manifests(WriteBatch& batch) {
  for (auto& given : batch.records) {
    if (auto* response = std::get_if<schema::Response>(&given.record)) response->manifest_json.reset();
  }
}

std::vector<std::string> refs_of(WriteBatch const& batch, Candidates const& candidates) {
  std::vector<std::string> refs;
  refs.reserve(batch.records.size());
  for (auto const& candidate : candidates.all().first(batch.records.size())) {
    auto const& record = *candidate.record;
    refs.push_back(schema::format_ref(schema::type_of(record), schema::id_of(record)));
  }
  return refs;
}

std::vector<schema::Record> take_records(Candidates const& candidates) {
  std::vector<schema::Record> records;
  records.reserve(candidates.new_count());
  for (std::size_t i = 0; i < candidates.new_count(); ++i) {
    records.push_back(std::move(*candidates.nth_new(i).record));
  }
  return records;
}

bool has_room(graph::Snapshot const& known, std::vector<store::VertexRow> const& rows) {
  std::uint64_t edges = known.edge_count();
  for (auto const& row : rows) edges += row.edges.size();
  return known.vertex_count() + rows.size() <= schema::limits::graph_numbers_max &&
         edges <= schema::limits::graph_numbers_max;
}

}  // namespace

Result<Plan> judge(WriteBatch& batch, Bench const& bench) {
  drop_given_manifests(batch);
  Candidates const candidates(batch, bench.known, bench.ids);
  Contents contents(bench.store, bench.group, bench.known);
  auto wanted = compared_vertices(batch, candidates);
  auto const previous = previous_versions(candidates);
  wanted.insert(wanted.end(), previous.begin(), previous.end());
  if (auto const fetched = contents.fetch(std::move(wanted)); !fetched) return fetched.error();

  Findings findings(batch);
  Plan plan;
  check_identity(batch, candidates, contents, findings);
  plan.rows = resolve_references(candidates, findings);
  check_state(candidates, contents, findings);
  auto violations = findings.take_violations();
  if (!violations.empty()) return error_from(std::move(violations));
  if (!has_room(bench.known, plan.rows)) {
    return Error{.code = Errc::limit_exceeded, .message = "the graph has no numbers left for these records"};
  }
  plan.refs = refs_of(batch, candidates);
  plan.warnings = findings.take_warnings();
  plan.records = take_records(candidates);
  return plan;
}

}  // namespace whence::engine
