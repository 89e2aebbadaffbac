// Each new record is looked at by itself, but the batch counts as known: the second of two records that replace one
// unit or belong to one message is a conflict. `count_versions` numbers the units that leave their version out, along
// lines that a batch may give in any order.

#include "engine/validation/state_rules.hpp"

#include "graph/snapshot/unit_version.hpp"
#include "graph/snapshot/version_line.hpp"
#include "schema/base/limits.hpp"
#include "schema/base/report.hpp"
#include "schema/types/edge_type.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

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
  return graph::living_after(known, unit).has_value();
}

class StateRules {
 public:
  StateRules(Candidates const& candidates, bool are_copies, Contents const& contents, Findings& findings)
      : candidates_(candidates), are_copies_(are_copies), contents_(contents), findings_(findings) {}

  void check(Candidate const& candidate) {
    if (auto const* unit = std::get_if<ContextUnit>(candidate.record)) check_version(candidate, *unit);
    if (auto const* feedback = std::get_if<FeedbackRecord>(candidate.record)) check_time(candidate, *feedback);
    if (auto const* attachment = std::get_if<XmlMessageAttachment>(candidate.record))
      check_place(candidate, *attachment);
    if (auto const* response = std::get_if<schema::Response>(candidate.record)) check_query(candidate, *response);
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
    auto const previous = proposed != nullptr ? std::get<ContextUnit>(*proposed->record).version
                                              : graph::version_of(candidates_.known(), previous_vertex).number;
    auto const expected = previous + 1;
    if (unit.version == expected && expected <= static_cast<std::int64_t>(schema::limits::int32_max)) return;
    findings_.add(candidate.index, {Errc::precondition, "version", "/version", schema::shown(unit.version),
                                    "the next version is " + std::to_string(expected)});
  }

  void check_time(Candidate const& candidate, FeedbackRecord const& feedback) {
    if (feedback.ref) return;  // an answer has no time
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
    if (!candidates_.find(RecordType::topic, attachment.topic_id)) {
      findings_.add(candidate.index,
                    {Errc::invalid_record, "unknown_reference", "/topicId", schema::shown(attachment.topic_id),
                     schema::format_ref(RecordType::topic, attachment.topic_id) + " is not known"});
    }
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
    // Deleted or not: the message still names its topic.
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

  /// The attachment that prompted a response is a query.
  void check_query(Candidate const& candidate, schema::Response const& response) {
    if (!response.query_attachment) return;
    auto const vertex = candidates_.find(RecordType::xml_message_attachment, *response.query_attachment);
    if (!vertex) return;
    auto const* proposed = candidates_.proposed(*vertex);
    auto const* const record = proposed != nullptr ? proposed->record : contents_.find(*vertex);
    if (record == nullptr) return;  // nothing is left that says what it is
    if (std::get<XmlMessageAttachment>(*record).format == schema::XmlFormat::llm_query) return;
    findings_.add(candidate.index, {Errc::invalid_record, "format", "/query_attachment",
                                    schema::shown(*response.query_attachment), "this attachment is no llm-query"});
  }

  static std::string version_id(Summary const& summary, std::int64_t version) {
    return schema::summary_id(summary.topic, version);
  }
  static std::string version_id(SystemPromptTemplate const& prompt, std::int64_t version) {
    return schema::join_key({prompt.model_id, std::to_string(version)});
  }

  /// Versions follow each other: the one before is known or was deleted, and no later one is left from before this
  /// batch. Versions of one batch may be in any order.
  template <class T>
  void check_next(Candidate const& candidate, T const& record) {
    if (are_copies_ || candidate.has_field_errors) return;  // versions may be lost; its number or name may be invalid
    auto const& known = candidates_.known();
    auto const was = [&](std::int64_t version) {
      auto const id = version_id(record, version);
      return known.find(T::record_type, id) || known.find_deleted(T::record_type, id);
    };
    auto const before = record.version - 1;
    bool const follows = before == 0 || was(before) || candidates_.find(T::record_type, version_id(record, before));
    auto later = record.version + 1;
    while (was(later) && !known.find(T::record_type, version_id(record, later))) ++later;
    if (follows && !was(later)) return;
    findings_.add(candidate.index, {Errc::precondition, "version", "/version", schema::shown(record.version),
                                    follows ? std::string("there are later versions")
                                            : "there is no version " + std::to_string(before) + " before it"});
  }

  Candidates const& candidates_;
  bool const are_copies_;
  Contents const& contents_;
  Findings& findings_;
  std::unordered_set<std::uint32_t> attached_;  // vertex numbers of messages that an attachment of the batch is of
  std::unordered_set<std::uint32_t> replaced_;  // vertex numbers that a unit of the batch replaces
};

}  // namespace

void count_versions(Candidates const& candidates) {
  auto const& known = candidates.known();
  for (auto const& candidate : candidates.all()) {
    if (candidate.record == nullptr) continue;
    auto* unit = std::get_if<ContextUnit>(candidate.record);
    std::vector<ContextUnit*> line;  // the newest first, each the next version of the one after it
    std::int64_t number = 1;         // of the version before the last of them, where that is not known
    while (unit != nullptr && unit->version == schema::version_left_out) {
      unit->version = 0;  // is being counted: a line that comes back to it ends here
      line.push_back(unit);
      auto const before = candidates.find(RecordType::context_unit, unit->previous_version_id.value());
      auto const* const proposed = before ? candidates.proposed(*before) : nullptr;
      auto const itself = before ? before : known.find(RecordType::context_unit, unit->id);
      if (proposed == nullptr && itself) number = graph::version_of(known, *itself).number - (before ? 0 : 1);
      unit = proposed == nullptr || proposed->record == nullptr ? nullptr : std::get_if<ContextUnit>(proposed->record);
      if (unit != nullptr && unit->version > 0) number = unit->version;
    }
    while (!line.empty()) {
      line.back()->version = ++number;
      line.pop_back();
    }
  }
}

std::vector<VertexId> asked_vertices(Candidates const& candidates) {
  std::vector<VertexId> vertices;
  for (std::size_t i = 0; i < candidates.new_count(); ++i) {
    auto const* response = std::get_if<schema::Response>(candidates.nth_new(i).record);
    if (response != nullptr && response->query_attachment) {
      auto const query = candidates.known().find(RecordType::xml_message_attachment, *response->query_attachment);
      if (query) vertices.push_back(*query);
    }
  }
  return vertices;
}

void check_state(Candidates const& candidates, bool are_copies, Contents const& contents, Findings& findings) {
  StateRules rules(candidates, are_copies, contents, findings);
  for (std::size_t i = 0; i < candidates.new_count(); ++i) rules.check(candidates.nth_new(i));
}

}  // namespace whence::engine
