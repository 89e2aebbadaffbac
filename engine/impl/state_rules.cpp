#include "engine/impl/state_rules.hpp"

#include "schema/edge_type.hpp"
#include "schema/report.hpp"

#include <string>
#include <unordered_set>

namespace whence::engine {
namespace {

using schema::ContextUnit;
using schema::FeedbackRecord;
using schema::RecordType;

/// Whether a newer version of `unit` exists. O(1) but for a deprecated unit, whose status hides whether it was
/// replaced.
bool has_successor(graph::Snapshot const& known, VertexId unit) {
  auto const status = known.state(unit).status;
  if (status != graph::UnitStatus::deprecated) return status == graph::UnitStatus::updated;
  auto const effects = known.effects(unit);
  for (auto const edge : effects.edges) {
    if (known.type(edge) == schema::EdgeType::derived_from && known.value(edge)) return true;
  }
  return false;
}

class StateRules {
 public:
  StateRules(Candidates const& candidates, Contents const& contents, Findings& findings)
      : candidates_(candidates), contents_(contents), findings_(findings) {}

  void check(Candidate const& candidate) {
    if (auto const* unit = std::get_if<ContextUnit>(candidate.record)) check_version(candidate, *unit);
    if (auto const* feedback = std::get_if<FeedbackRecord>(candidate.record)) check_time(candidate, *feedback);
  }

 private:
  void check_version(Candidate const& candidate, ContextUnit const& unit) {
    if (!unit.previous_version_id) return;
    auto const previous = candidates_.find(RecordType::context_unit, *unit.previous_version_id);
    if (!previous || *previous == candidate.vertex) return;
    // A version 1 that names a predecessor contradicts itself, which is reported as such.
    if (unit.version > 1) check_number(candidate, unit, *previous);
    bool const is_first = replaced_.insert(schema::number(*previous)).second;
    bool const is_known = candidates_.known().contains(*previous);
    if (is_first && !(is_known && has_successor(candidates_.known(), *previous))) return;
    findings_.add(candidate.index, {Errc::conflict, "successor", "/previous_version_id",
                                    schema::shown(*unit.previous_version_id), "this unit has a newer version already"});
  }

  void check_number(Candidate const& candidate, ContextUnit const& unit, VertexId previous_vertex) {
    auto const* proposed = candidates_.proposed(previous_vertex);
    if (proposed != nullptr && proposed->has_field_errors) return;
    auto const& previous = proposed != nullptr ? *proposed->record : contents_.at(previous_vertex);
    auto const expected = std::get<ContextUnit>(previous).version + 1;
    if (unit.version == expected) return;
    findings_.add(candidate.index, {Errc::precondition, "version", "/version", schema::shown(unit.version),
                                    "the next version is " + std::to_string(expected)});
  }

  void check_time(Candidate const& candidate, FeedbackRecord const& feedback) {
    auto const response = candidates_.find(RecordType::response, feedback.response_id);
    if (!response) return;
    auto const* proposed = candidates_.proposed(*response);
    auto const made = proposed != nullptr ? schema::time_of(*proposed->record) : candidates_.known().time(*response);
    if (!made || feedback.timestamp >= *made) return;
    findings_.add(candidate.index, {Errc::invalid_record, "before_response", "/timestamp",
                                    schema::shown(schema::format_rfc3339(feedback.timestamp)),
                                    "the response is of " + schema::format_rfc3339(*made)});
  }

  Candidates const& candidates_;
  Contents const& contents_;
  Findings& findings_;
  std::unordered_set<std::uint32_t> replaced_;  // vertex numbers that a unit of the batch replaces
};

}  // namespace

std::vector<VertexId> previous_versions(Candidates const& candidates) {
  std::vector<VertexId> vertices;
  for (std::size_t i = 0; i < candidates.new_count(); ++i) {
    auto const* unit = std::get_if<ContextUnit>(candidates.nth_new(i).record);
    if (unit == nullptr || !unit->previous_version_id) continue;
    auto const previous = candidates.known().find(RecordType::context_unit, *unit->previous_version_id);
    if (previous) vertices.push_back(*previous);
  }
  return vertices;
}

void check_state(Candidates const& candidates, Contents const& contents, Findings& findings) {
  StateRules rules(candidates, contents, findings);
  for (std::size_t i = 0; i < candidates.new_count(); ++i) rules.check(candidates.nth_new(i));
}

}  // namespace whence::engine
