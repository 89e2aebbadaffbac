#pragma once
// Small records for tests: valid as they are, each builder naming only what tests usually vary.

#include "engine/values/batch.hpp"
#include "schema/records/check.hpp"
#include "schema/records/records.hpp"
#include "schema/xml/contract.hpp"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace whence::test {

/// The moment at which test records are made unless they say otherwise: 2025-10-09T16:15:00Z.
inline constexpr schema::Time noon{1'760'026'500, 0};

inline schema::Time at_second(std::int64_t seconds) {
  return {noon.seconds + seconds, 0};
}

inline schema::ContextUnit unit(std::string id, std::string source = "file:notes") {
  return {.id = std::move(id), .type = schema::ContextType::user, .source = std::move(source), .timestamp = noon};
}

/// Version `version` of a line of units, after `previous`.
inline schema::ContextUnit next_version(std::string id, std::string previous, std::int64_t version) {
  auto result = unit(std::move(id));
  result.version = version;
  result.previous_version_id = std::move(previous);
  return result;
}

inline schema::ContextUnit derived(std::string id, std::vector<std::string> sources) {
  auto result = unit(std::move(id));
  result.derived_from = std::move(sources);
  return result;
}

using Uses = std::vector<schema::ContextReference>;

inline schema::Response response(std::string id, Uses uses) {
  return {.id = std::move(id), .timestamp = noon, .agent = "agent", .model = "model", .context_units = std::move(uses)};
}

/// A response made from `units` in equal shares.
inline schema::Response response(std::string id, std::initializer_list<char const*> units) {
  Uses uses;
  for (auto const* each : units) uses.push_back({each, 1.0 / static_cast<double>(units.size())});
  return response(std::move(id), std::move(uses));
}

inline schema::FeedbackRecord feedback(std::string id, std::string response_id, double score) {
  return {.id = std::move(id), .response_id = std::move(response_id), .timestamp = noon, .score = score};
}

inline schema::Topic topic(std::string id) {
  return {.id = std::move(id)};
}

inline schema::Message message(std::string id, std::string topic_id) {
  return {.id = std::move(id), .topic_id = std::move(topic_id)};
}

/// A response's document: what it says of subjects, and its summary.
inline schema::ResponseParts said(std::vector<schema::SubjectPart> subjects, std::string summary = "") {
  return {.response = "Yes.", .analysis = {.subjects = std::move(subjects), .summary_update = std::move(summary)}};
}

inline schema::SubjectPart about(std::string name, bool is_new, std::vector<schema::KeywordPart> keywords = {}) {
  return {.name = std::move(name),
          .description = "A description that is long enough to stay within fifty to two hundred",
          .is_new = is_new,
          .keywords = std::move(keywords)};
}

/// An attachment of `message` with the document that says `parts`, created `minute` minutes after the example's.
inline schema::XmlMessageAttachment attachment(std::string topic, std::string message, schema::XmlParts const& parts,
                                               std::int64_t minute = 0) {
  return {.topic_id = std::move(topic),
          .message_id = std::move(message),
          .xml = schema::xml::write(parts).value(),
          .format = schema::format_of(parts),
          .created_at = schema::EpochMs{1'728'234'567'890 + minute * 60'000}};
}

inline schema::ManifestNode manifest_node(std::string id, double weight, std::string source = "file:notes") {
  return {.id = std::move(id), .type = schema::ContextType::user, .source = std::move(source), .weight = weight};
}

/// A manifest that agrees with itself: one edge for each of `nodes`.
inline schema::LineageManifest manifest(std::string response_id, std::vector<schema::ManifestNode> nodes) {
  schema::LineageManifest result{.response_id = response_id,
                                 .timestamp = noon,
                                 .agent = "agent",
                                 .model = "model",
                                 .provenance_tree = {.root = response_id}};
  for (auto const& node : nodes) result.provenance_tree.edges.push_back({node.id, response_id, node.weight});
  result.context_tree = std::move(nodes);
  return result;
}

/// A batch of `records`, as a codec would hand it over.
inline engine::WriteBatch batch(std::vector<schema::Record> records) {
  engine::WriteBatch result;
  for (auto& record : records) result.records.push_back({.record = std::move(record)});
  return result;
}

}  // namespace whence::test
