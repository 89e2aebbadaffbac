#pragma once
// The records a client writes, as plain values: one struct per `$type$`, members in the order of their seed. What each
// member must satisfy stands in record_fields.hpp; how a member is called on the wire does too.

#include "schema/record_type.hpp"
#include "schema/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace whence::schema {

/// Free data a client keeps beside any record: a JSON object as compact UTF-8 text with sorted keys, so that equal
/// objects have equal text. At most `limits::attributes_bytes_max` bytes.
struct Attributes {
  std::string json = {};

  friend bool operator==(Attributes const&, Attributes const&) = default;
};

/// S3: the category of a context unit. Numbers are stored.
enum class ContextType : std::uint8_t { system = 0, user = 1, external = 2, model_state = 3 };

/// S3: a discrete piece of information used in making responses.
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

  static constexpr RecordType record_type = RecordType::context_unit;
  friend bool operator==(ContextUnit const&, ContextUnit const&) = default;
};

/// S3: that a response used a context unit, and how much.
struct ContextReference {
  std::string context_unit_id = {};
  double weight = 0;

  friend bool operator==(ContextReference const&, ContextReference const&) = default;
};

/// S3: an output of a model.
struct Response {
  std::string id = {};  ///< empty: the server makes one
  Time timestamp = {};
  std::string agent = {};
  std::string model = {};
  std::optional<std::int64_t> token_count = {};
  std::vector<ContextReference> context_units = {};
  std::optional<std::string> manifest_json = {};  ///< checked against the rest, then dropped
  std::optional<Attributes> attributes = {};

  static constexpr RecordType record_type = RecordType::response;
  friend bool operator==(Response const&, Response const&) = default;
};

/// S3: somebody's rating of a response.
struct FeedbackRecord {
  std::string id = {};  ///< empty: the server makes one
  std::string response_id = {};
  Time timestamp = {};
  double score = 0;
  std::optional<std::string> feedback_text = {};
  std::optional<std::string> user_id = {};
  std::optional<Attributes> attributes = {};

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

/// S3: how a response was made, as one document. As input it stands for its response and the units not yet known.
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
  friend bool operator==(LineageManifest const&, LineageManifest const&) = default;
};

/// S0: a conversation.
struct Topic {
  std::string id = {};  ///< empty: the server makes one
  std::optional<std::string> name = {};
  std::optional<EpochMs> created_at = {};
  std::optional<Attributes> attributes = {};

  static constexpr RecordType record_type = RecordType::topic;
  friend bool operator==(Topic const&, Topic const&) = default;
};

/// S0: one message of a conversation.
struct Message {
  std::string id = {};  ///< empty: the server makes one
  std::string topic_id = {};
  std::optional<EpochMs> created_at = {};
  std::optional<std::string> role = {};
  std::optional<std::string> text = {};
  std::optional<Attributes> attributes = {};

  static constexpr RecordType record_type = RecordType::message;
  friend bool operator==(Message const&, Message const&) = default;
};

using Record = std::variant<ContextUnit, Response, FeedbackRecord, LineageManifest, Topic, Message>;

[[nodiscard]] RecordType type_of(Record const& record) noexcept;

/// The id under which the record is known: `id`, or a manifest's `response_id`. Empty where the server is to make one.
[[nodiscard]] std::string const& id_of(Record const& record) noexcept;
void set_id(Record& record, std::string id);

/// The record's own time (`timestamp` or `createdAt`); nothing where it has none.
[[nodiscard]] std::optional<Time> time_of(Record const& record) noexcept;

[[nodiscard]] std::string_view name_of(ContextType type) noexcept;  ///< "ModelState"
[[nodiscard]] std::optional<ContextType> find_context_type(std::string_view name) noexcept;
std::ostream& operator<<(std::ostream& out, ContextType type);

}  // namespace whence::schema
