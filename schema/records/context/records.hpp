#pragma once
// Context records: which context units a response was made from, with which weights, and how it was rated. What each
// member means and must satisfy is in fields.hpp; the rules for clients are in schema/records/README.md.

#include "schema/base/free_json.hpp"
#include "schema/base/time.hpp"
#include "schema/records/flags.hpp"
#include "schema/records/record_type.hpp"

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::schema {

/// The category of a context unit. Numbers are stored.
enum class ContextType : std::uint8_t { system = 0, user = 1, external = 2, model_state = 3 };

/// A discrete piece of information used in making responses.
struct ContextUnit {
  std::string id = {};  ///< empty: the server makes one
  ContextType type = ContextType::system;
  std::string source = {};
  Time timestamp = {};
  std::optional<double> contribution_weight = {};  ///< kept as given, without effect
  std::optional<std::string> embedding_id = {};
  std::optional<std::string> summary = {};
  std::int64_t version = 1;
  std::optional<std::string> previous_version_id = {};
  std::optional<std::string> updated_by_response_id = {};
  std::optional<std::vector<std::string>> derived_from = {};  ///< declared sources, each once
  std::optional<Attributes> attributes = {};
  Flags flags = {};  ///< set by the server

  static constexpr RecordType record_type = RecordType::context_unit;
  friend bool operator==(ContextUnit const&, ContextUnit const&) = default;
};

/// That a response used a context unit, and how much.
struct ContextReference {
  std::string context_unit_id = {};
  double weight = 0;

  friend bool operator==(ContextReference const&, ContextReference const&) = default;
};

/// The system prompt template that a response was made with.
struct TemplateName {
  std::string model_id = {};
  std::int64_t version = 1;

  friend bool operator==(TemplateName const&, TemplateName const&) = default;
};

/// An output of a model.
struct Response {
  std::string id = {};  ///< empty: the server makes one
  Time timestamp = {};
  std::string agent = {};
  std::string model = {};
  std::optional<std::int64_t> token_count = {};
  std::vector<ContextReference> context_units = {};
  std::optional<TemplateName> prompt_template = {};
  std::optional<std::string> query_attachment = {};          ///< hash of the llm-query it answers
  std::optional<std::vector<std::string>> prompt_refs = {};  ///< rounds and summaries its prompt was made from
  std::optional<std::string> manifest_json = {};             ///< checked against the rest, then dropped
  std::optional<Attributes> attributes = {};
  Flags flags = {};  ///< set by the server

  static constexpr RecordType record_type = RecordType::response;
  friend bool operator==(Response const&, Response const&) = default;
};

/// Somebody's rating of a response.
struct FeedbackRecord {
  std::string id = {};  ///< empty: the server makes one
  std::string response_id = {};
  Time timestamp = {};
  double score = 0;
  std::optional<std::string> feedback_text = {};
  std::optional<std::string> user_id = {};
  std::optional<Attributes> attributes = {};
  Flags flags = {};  ///< set by the server

  static constexpr RecordType record_type = RecordType::feedback_record;
  friend bool operator==(FeedbackRecord const&, FeedbackRecord const&) = default;
};

struct ManifestNode {
  std::string id = {};
  ContextType type = ContextType::system;
  std::string source = {};
  double weight = 0;
  std::optional<std::string> embedding_id = {};
  std::optional<std::string> summary = {};

  friend bool operator==(ManifestNode const&, ManifestNode const&) = default;
};

struct ManifestEdge {
  std::string from = {};
  std::string to = {};
  double weight = 0;

  friend bool operator==(ManifestEdge const&, ManifestEdge const&) = default;
};

struct ProvenanceTree {
  std::string root = {};
  std::vector<ManifestEdge> edges = {};

  friend bool operator==(ProvenanceTree const&, ProvenanceTree const&) = default;
};

/// The making of a response as one document. As input it is short for its response and the units not yet known.
struct LineageManifest {
  std::string response_id = {};
  Time timestamp = {};
  std::string agent = {};
  std::string model = {};
  std::optional<std::int64_t> token_count = {};
  std::vector<ManifestNode> context_tree = {};
  ProvenanceTree provenance_tree = {};
  std::optional<Attributes> attributes = {};

  static constexpr RecordType record_type = RecordType::lineage_manifest;
  static constexpr auto id_member = &LineageManifest::response_id;
  friend bool operator==(LineageManifest const&, LineageManifest const&) = default;
};

[[nodiscard]] std::string_view name_of(ContextType type) noexcept;  ///< "ModelState"
[[nodiscard]] std::optional<ContextType> find_context_type(std::string_view name) noexcept;
std::ostream& operator<<(std::ostream& out, ContextType type);

}  // namespace whence::schema
