#pragma once
// The records a client writes, as plain values: one struct per `$type$`, members in the order of their seed. Here are
// S0's and S3's, and what all have in common; S2's are in discussion_records.hpp, S4's in rag_records.hpp, those of PROV
// documents in prov_records.hpp. What each member must satisfy stands in record_fields.hpp; how a member is called on
// the wire does too.

#include "schema/base/digest.hpp"
#include "schema/records/discussion/records.hpp"
#include "schema/base/free_json.hpp"
#include "schema/records/prov/records.hpp"
#include "schema/records/retrieval/records.hpp"
#include "schema/records/record_type.hpp"
#include "schema/base/time.hpp"
#include "schema/xml/parts.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace whence::schema {

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

/// Which system prompt template a response was made with.
struct TemplateName {
  std::string model_id = {};
  std::int64_t version = 1;

  friend bool operator==(TemplateName const&, TemplateName const&) = default;
};

/// S3: an output of a model.
struct Response {
  std::string id = {};  ///< empty: the server makes one
  Time timestamp = {};
  std::string agent = {};
  std::string model = {};
  std::optional<std::int64_t> token_count = {};
  std::vector<ContextReference> context_units = {};
  std::optional<TemplateName> prompt_template = {};
  std::optional<std::string> query_attachment = {};  ///< hash of the llm-query it answers
  std::optional<std::vector<std::string>> prompt_refs = {};  ///< rounds and summaries its prompt was made from
  std::optional<std::string> manifest_json = {};     ///< checked against the rest, then dropped
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

/// S0: the XML text of a message. Its identity is the SHA-256 of its canonical content (schema/records/conversation/attachment.hpp).
/// On input the text comes in `xml` or `xml_content`; stored it stands in `xml_content` where it is short, else as a
/// blob under the name in `xml_blob`.
struct XmlMessageAttachment {
  std::string hash = {};  ///< 64 hex digits; not on the wire
  std::string topic_id = {};
  std::string message_id = {};
  std::optional<std::string> xml = {};          ///< input only
  std::optional<std::string> xml_content = {};  ///< at most `limits::inline_xml_bytes_max` bytes once stored
  std::optional<std::string> xml_blob = {};     ///< "sha256://" and 64 hex digits
  XmlFormat format = XmlFormat::llm_query;
  std::optional<std::int64_t> version = {};  ///< of the contract; the server puts 1
  std::optional<EpochMs> created_at = {};    ///< the server puts now
  std::optional<std::int64_t> size = {};     ///< bytes of the text
  std::optional<std::string> response_id = {};
  std::optional<Attributes> attributes = {};

  static constexpr RecordType record_type = RecordType::xml_message_attachment;
  friend bool operator==(XmlMessageAttachment const&, XmlMessageAttachment const&) = default;
};

/// S0: a term found in responses. As a later revision: `subjects` holds only what was added.
struct Keyword {
  std::string term = {};
  std::int64_t frequency = 0;
  std::vector<std::string> subjects = {};  ///< refs, each once, in order of first mention
  std::optional<double> score = {};        ///< the highest confidence seen
  std::optional<EpochMs> created_at = {};  ///< the server puts now
  EpochMs last_seen = {};
  std::optional<std::string> source_xml_hash = {};  ///< of the attachment that created it
  std::optional<bool> dangling = {};                ///< answers only: that attachment is gone
  std::optional<Attributes> attributes = {};

  static constexpr RecordType record_type = RecordType::keyword;
  friend bool operator==(Keyword const&, Keyword const&) = default;
};

/// From the first to the last response of an unbroken run.
struct TimeSpan {
  EpochMs start = {};
  EpochMs end = {};

  friend bool operator==(TimeSpan const&, TimeSpan const&) = default;
};

/// S0: a theme of a topic. As a later revision: `keywords` holds only what was added, `time_ranges` what takes the
/// place of the last range before and what follows it.
struct Subject {
  std::string id = {};
  std::string topic = {};
  std::optional<std::string> name = {};
  std::optional<std::string> description = {};
  std::vector<std::string> keywords = {};  ///< terms in byte order, each once
  std::vector<TimeSpan> time_ranges = {};
  std::int64_t message_count = 0;
  std::optional<EpochMs> created_at = {};  ///< the server puts now
  EpochMs last_seen_at = {};
  bool archived = false;
  std::optional<std::string> source_xml_hash = {};
  std::optional<bool> dangling = {};
  std::optional<Attributes> attributes = {};

  static constexpr RecordType record_type = RecordType::subject;
  friend bool operator==(Subject const&, Subject const&) = default;
};

/// S0: one version of a topic's summary. One drawn from a response holds its own part in `increment`, and its `content`
/// is made on reading; one that a client wrote holds the whole text in `content`.
struct Summary {
  std::string id = {};  ///< "<topic>-v<version>"
  std::string topic = {};
  std::string content = {};
  std::optional<std::string> increment = {};
  std::vector<std::string> subjects = {};  ///< ids
  std::vector<std::string> keywords = {};  ///< terms
  std::int64_t version = 1;
  std::optional<std::string> previous_version = {};
  std::optional<EpochMs> created_at = {};  ///< the server puts now
  std::optional<EpochMs> updated_at = {};  ///< the server puts now
  std::optional<std::string> change_reason = {};
  std::optional<std::string> source_xml_hash = {};
  std::optional<bool> dangling = {};
  std::optional<Attributes> attributes = {};

  static constexpr RecordType record_type = RecordType::summary;
  friend bool operator==(Summary const&, Summary const&) = default;
};

/// S0: what a model is told about the format of its answers.
struct SystemPromptTemplate {
  std::string model_id = {};
  std::string prompt_text = {};
  std::optional<std::int64_t> xml_schema_version = {};  ///< the server puts 1
  std::int64_t version = 1;
  std::optional<EpochMs> created_at = {};  ///< the server puts now
  std::optional<EpochMs> updated_at = {};  ///< the server puts now
  std::optional<bool> active = {};         ///< the server puts true
  std::optional<Attributes> attributes = {};

  static constexpr RecordType record_type = RecordType::system_prompt_template;
  friend bool operator==(SystemPromptTemplate const&, SystemPromptTemplate const&) = default;
};

using Record = std::variant<ContextUnit, Response, FeedbackRecord, LineageManifest, Topic, Message,
                            XmlMessageAttachment, Keyword, Subject, Summary, SystemPromptTemplate, Discussion,
                            DiscussionRound, SummaryEntry, Document, RetrievedChunk, Query, EmbeddingVector,
                            PromptContext, Answer, Citation, ProvEntity, ProvActivity, ProvAgent>;

[[nodiscard]] RecordType type_of(Record const& record) noexcept;

/// A record of `type` with every member at its default; nothing for a type this version does not record.
[[nodiscard]] std::optional<Record> blank_record(RecordType type);

/// The id under which its node is known: what follows the colon of its ref. Members that make it up are joined as
/// schema/records/ref.hpp says; an attachment's is its hash, a manifest's its response's, a citation's its request's.
/// Empty where the server is to make one.
[[nodiscard]] std::string node_id_of(Record const& record);

/// Sets the members that make up the id. `id` is of the form `node_id_of` gives for this type of record.
void set_node_id(Record& record, std::string_view id);

/// The record's own time (`timestamp` or `createdAt`); nothing where it has none.
[[nodiscard]] std::optional<Time> time_of(Record const& record) noexcept;

/// The digest in an `xml_blob`; nothing where the text is none.
[[nodiscard]] std::optional<Digest> blob_digest(std::string_view xml_blob);
[[nodiscard]] std::string blob_name(Digest const& digest);

/// "topic-1" and 3 to "topic-1-v3".
[[nodiscard]] std::string summary_id(std::string_view topic, std::int64_t version);

[[nodiscard]] std::string_view name_of(ContextType type) noexcept;  ///< "ModelState"
[[nodiscard]] std::optional<ContextType> find_context_type(std::string_view name) noexcept;
std::ostream& operator<<(std::ostream& out, ContextType type);

}  // namespace whence::schema
