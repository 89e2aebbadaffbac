#include "engine/impl/state_rules.hpp"

#include "schema/edge_type.hpp"
#include "schema/ref.hpp"
#include "schema/report.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <unordered_set>

namespace whence::engine {
namespace {

using schema::ContextUnit;
using schema::FeedbackRecord;
using schema::RecordType;
using schema::Summary;
using schema::SystemPromptTemplate;
using schema::XmlMessageAttachment;

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
    if (auto const* attachment = std::get_if<XmlMessageAttachment>(candidate.record))
      check_place(candidate, *attachment);
    if (auto const* summary = std::get_if<Summary>(candidate.record)) check_next(candidate, *summary);
    if (auto const* prompt = std::get_if<SystemPromptTemplate>(candidate.record)) check_next(candidate, *prompt);
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

  /// One attachment per message, of the message's own topic.
  void check_place(Candidate const& candidate, XmlMessageAttachment const& attachment) {
    auto const message = candidates_.find(RecordType::message, attachment.message_id);
    if (!message) return;
    auto const topic = topic_of(*message);
    if (topic && *topic != attachment.topic_id) {
      findings_.add(candidate.index, {Errc::invalid_record, "topic_mismatch", "/topicId",
                                      schema::shown(attachment.topic_id), "the message belongs to topic " + *topic});
    }
    bool const is_first = attached_.insert(schema::number(*message)).second;
    if (is_first && !has_attachment(*message)) return;
    findings_.add(candidate.index, {Errc::conflict, "message_attachment", "/messageId",
                                    schema::shown(attachment.message_id), "this message has another attachment"});
  }

  [[nodiscard]] std::optional<std::string> topic_of(VertexId message) const {
    if (auto const* proposed = candidates_.proposed(message)) {
      return std::get<schema::Message>(*proposed->record).topic_id;
    }
    auto const& known = candidates_.known();
    // Deleted or not: the message still says its topic.
    auto const relations = known.relations_from_ever(message);
    for (auto const vertex : relations.vertices) {
      if (known.type(vertex) == RecordType::topic) return std::string(known.id(vertex));
    }
    return std::nullopt;
  }

  [[nodiscard]] bool has_attachment(VertexId message) const {
    auto const& known = candidates_.known();
    if (!known.contains(message)) return false;
    auto const relations = known.relations_to(message);
    return std::ranges::any_of(
        relations.vertices, [&](VertexId vertex) { return known.type(vertex) == RecordType::xml_message_attachment; });
  }

  /// Versions follow each other; those of one batch may stand in any order.
  template <class T>
  void check_next(Candidate const& candidate, T const& record) {
    if (record.version <= 1) return;
    std::string before;
    if constexpr (std::is_same_v<T, Summary>) {
      before = schema::summary_id(record.topic, record.version - 1);
    } else {
      before = schema::join_key({record.model_id, std::to_string(record.version - 1)});
    }
    auto const& known = candidates_.known();
    if (candidates_.find(T::record_type, before) || known.find_deleted(T::record_type, before)) return;
    findings_.add(candidate.index, {Errc::precondition, "version", "/version", schema::shown(record.version),
                                    "there is no version " + std::to_string(record.version - 1) + " before it"});
  }

  Candidates const& candidates_;
  Contents const& contents_;
  Findings& findings_;
  std::unordered_set<std::uint32_t> attached_;  // vertex numbers of messages that an attachment of the batch is of
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
