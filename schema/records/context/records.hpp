#pragma once
// Context records: which context units a response was made from, with which weights, and how it was rated. What each
// member means and must satisfy is in fields.hpp; the rules for clients are in schema/records/README.md.

#include "schema/base/digest.hpp"
#include "schema/base/free_json.hpp"
#include "schema/base/optional.hpp"
#include "schema/base/time.hpp"
#include "schema/types/basis.hpp"
#include "schema/types/flags.hpp"
#include "schema/types/named_enum.hpp"
#include "schema/types/record_type.hpp"

#include <array>
#include <cstdint>
#include <iosfwd>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::schema {

/// The category of a context unit. Numbers are stored.
enum class ContextType : std::uint8_t { system = 0, user = 1, external = 2, model_state = 3 };
constexpr std::array<std::string_view, 4> enum_names(ContextType) noexcept {
  return {"System", "User", "External", "ModelState"};
}

/// The version of a unit that leaves it out and names the one before it: the engine counts. In no stored record.
inline constexpr std::int64_t version_left_out = std::numeric_limits<std::int64_t>::min();

/// A discrete piece of information used in making responses.
struct ContextUnit {
  std::string id = {};  ///< empty: the server makes one
  ContextType type = ContextType::system;
  std::string source = {};
  std::optional<Time> timestamp = {};              ///< nothing: the server sets it
  std::optional<double> contribution_weight = {};  ///< kept as given, without effect
  std::optional<std::string> embedding_id = {};
  std::optional<std::string> summary = {};
  std::int64_t version = 1;
  std::optional<std::string> previous_version_id = {};
  std::optional<std::string> updated_by_response_id = {};
  std::optional<std::vector<std::string>> derived_from = {};  ///< declared sources, each once
  std::optional<Attributes> attributes = {};
  Flags flags = {};                         ///< set by the server
  std::optional<std::string> content = {};  ///< the text itself; where it is long, only its digest is here
  std::optional<Digest> content_blob = {};  ///< of a long text (long_texts.hpp)

  static constexpr RecordType record_type = RecordType::context_unit;
  friend bool operator==(ContextUnit const&, ContextUnit const&) = default;
};

/// A weight that was left out.
inline constexpr double left_out = std::numeric_limits<double>::quiet_NaN();

/// That a response used a context unit or another source, and how much. One of the two names says which. On input it
/// may be the unit itself (`is_inline`); what is stored has the name and the weight only. Most uses have no more, and
/// there are ten times as many of them as responses.
struct ContextReference {
  std::string context_unit_id = {};
  double weight = left_out;
  BoxedOptional<std::string> ref = {};      ///< of a source that is no context unit, `Type:id`
  BoxedOptional<std::string> content = {};  ///< input only, like the rest
  BoxedOptional<std::string> source = {};
  std::optional<ContextType> type = {};
  BoxedOptional<Time> timestamp = {};
  BoxedOptional<std::string> embedding_id = {};
  BoxedOptional<std::string> summary = {};
  BoxedOptional<Attributes> attributes = {};

  /// The name given: of a unit its id, else the ref.
  [[nodiscard]] std::string_view name() const noexcept { return ref ? std::string_view{*ref} : context_unit_id; }

  friend bool operator==(ContextReference const&, ContextReference const&) = default;
};

/// The use of the node `type:id`, as a record shows it.
[[nodiscard]] ContextReference use_of(RecordType type, std::string_view id, double weight);

/// The use that a manifest's entry means: `name` is the id of a unit, or a ref.
[[nodiscard]] ContextReference use_named(std::string_view name, double weight);

/// Whether a response may use records of `type`.
[[nodiscard]] constexpr bool is_usable(RecordType type) noexcept {
  return type == RecordType::context_unit || type == RecordType::retrieved_chunk || type == RecordType::document ||
         type == RecordType::response || type == RecordType::message || type == RecordType::answer;
}

/// Whether a response may be one of `type` asked again.
[[nodiscard]] constexpr bool is_replayable(RecordType type) noexcept {
  return type == RecordType::response || type == RecordType::answer;
}

/// Whether the prompt of a response may be made from records of `type`.
[[nodiscard]] constexpr bool is_promptable(RecordType type) noexcept {
  return is_usable(type) || type == RecordType::query || type == RecordType::discussion_round ||
         type == RecordType::summary_entry;
}

/// The system prompt template that a response was made with.
struct TemplateName {
  std::string model_id = {};
  std::int64_t version = 1;

  friend bool operator==(TemplateName const&, TemplateName const&) = default;
};

/// How many tokens a call took.
struct Usage {
  std::optional<std::int64_t> input_tokens = {};
  std::optional<std::int64_t> output_tokens = {};

  friend bool operator==(Usage const&, Usage const&) = default;
};

/// One message of a prompt, as a part of its text.
struct PromptMessage {
  std::string role = {};   ///< "user"
  std::int64_t start = 0;  ///< in code points of `prompt`
  std::int64_t end = 0;    ///< past its last code point

  friend bool operator==(PromptMessage const&, PromptMessage const&) = default;
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
  std::optional<std::vector<std::string>> prompt_refs = {};  ///< what its prompt was made from, without weights
  std::optional<std::vector<Basis>> prompt_basis = {};       ///< of each of these; nothing: all are given
  /// Holds every rule and agrees with the rest, then is dropped. A response without an id has none, since the id that
  /// the server makes is not in it.
  std::optional<std::string> manifest_json = {};
  std::optional<Attributes> attributes = {};
  Flags flags = {};                         ///< set by the server
  std::optional<std::string> content = {};  ///< what the model said; where it is long, only its digest is here
  std::optional<Digest> content_blob = {};  ///< of a long text (long_texts.hpp)
  std::optional<std::string> prompt = {};   ///< what the model was given
  std::optional<Digest> prompt_blob = {};
  std::optional<std::vector<PromptMessage>> prompt_messages = {};  ///< in the order of `prompt`
  std::optional<std::string> question = {};                        ///< the last message of the user, cut
  std::optional<std::string> conversation = {};                    ///< the session that it is part of
  std::optional<std::string> person = {};                          ///< whom it was made for
  std::optional<std::string> replay_of = {};   ///< ref of the first answer, where its call was made again
  std::optional<std::string> request_id = {};  ///< of the request it answers: one act with its Answer
  std::optional<Usage> usage = {};
  std::optional<double> latency_ms = {};
  std::optional<double> cost = {};                        ///< in the client's currency
  std::optional<std::vector<double>> given_weights = {};  ///< of `context_units`, before they were scaled

  static constexpr RecordType record_type = RecordType::response;
  friend bool operator==(Response const&, Response const&) = default;
};

/// Somebody's rating of a response or an answer.
struct FeedbackRecord {
  std::string id = {};           ///< empty: the server makes one
  std::string response_id = {};  ///< empty where `ref` names what is rated
  Time timestamp = {};
  std::optional<double> score = {};  ///< -1..1; absent where somebody said it in words alone
  std::optional<std::string> feedback_text = {};
  std::optional<std::string> user_id = {};
  std::optional<Attributes> attributes = {};
  Flags flags = {};                     ///< set by the server
  std::optional<std::string> ref = {};  ///< of the answer rated, `Answer:id`

  static constexpr RecordType record_type = RecordType::feedback_record;
  friend bool operator==(FeedbackRecord const&, FeedbackRecord const&) = default;
};

/// What a person decided about a record. Numbers are stored.
enum class Verdict : std::uint8_t { approve = 0, override_it = 1, reject = 2, stop = 3 };
constexpr std::array<std::string_view, 4> enum_names(Verdict) noexcept {
  return {"approve", "override", "reject", "stop"};
}

/// A person's decision about a record: an answer approved or rejected, replaced by the person's own, a run stopped.
struct Decision {
  std::string id = {};                      ///< empty: the server makes one
  std::optional<std::string> subject = {};  ///< ref of what was decided about; absent in a copy without that
  Verdict verdict = Verdict::approve;
  std::string by = {};
  Time timestamp = {};
  std::optional<std::string> reason = {};
  std::optional<Attributes> attributes = {};
  Flags flags = {};  ///< set by the server

  static constexpr RecordType record_type = RecordType::decision;
  friend bool operator==(Decision const&, Decision const&) = default;
};

/// Whom answers are made for, who says messages and who rates: made from the members that name them.
struct Person {
  std::string id = {};                   ///< as the application names them (belonging.hpp)
  std::optional<std::string> name = {};  ///< for people
  std::optional<Attributes> attributes = {};
  Flags flags = {};  ///< set by the server

  static constexpr RecordType record_type = RecordType::person;
  friend bool operator==(Person const&, Person const&) = default;
};

/// A session that answers are part of, over any number of traces: made from the member that names it.
struct Session {
  std::string id = {};                   ///< as the application names it (belonging.hpp)
  std::optional<std::string> name = {};  ///< for people
  std::optional<Attributes> attributes = {};
  Flags flags = {};  ///< set by the server

  static constexpr RecordType record_type = RecordType::session;
  friend bool operator==(Session const&, Session const&) = default;
};

/// What must stay although it is old or somebody would remove it, for as long as it is not cleared.
struct Hold {
  std::string id = {};                                ///< empty: the server makes one
  std::optional<std::vector<std::string>> refs = {};  ///< of nodes that stay
  std::optional<std::string> person = {};             ///< id of a Person of whom everything stays
  std::optional<std::string> topic = {};              ///< id of a Topic of which everything stays
  std::optional<std::string> query = {};              ///< set by the server: `hold.set`'s, as compact JSON
  std::string reason = {};
  Time timestamp = {};
  std::optional<std::string> cleared = {};  ///< set by the server: why it holds nothing any more
  std::optional<Attributes> attributes = {};
  Flags flags = {};  ///< set by the server

  static constexpr RecordType record_type = RecordType::hold;
  friend bool operator==(Hold const&, Hold const&) = default;
};

struct ManifestNode {
  std::string id = {};
  std::optional<ContextType> type = {};  ///< like the source, always there where the node is not marked
  std::string source = {};
  double weight = 0;
  std::optional<std::string> embedding_id = {};
  std::optional<std::string> summary = {};
  std::optional<bool> deleted = {};  ///< the unit is deleted, so that only id and weight are known
  std::optional<bool> expired = {};  ///< its content is gone, so that only id and weight are known
  std::optional<bool> purged = {};   ///< likewise, where somebody asked for it

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
  std::optional<bool> expired = {};  ///< the response's content is gone, with agent, model and token count
  std::optional<bool> purged = {};   ///< likewise, where somebody asked for it

  static constexpr RecordType record_type = RecordType::lineage_manifest;
  static constexpr auto id_member = &LineageManifest::response_id;
  friend bool operator==(LineageManifest const&, LineageManifest const&) = default;
};

/// Whether a use brings its unit, besides the id and the weight.
[[nodiscard]] bool is_inline(ContextReference const& use) noexcept;

/// The unit that such a use brings, under the use's id.
[[nodiscard]] ContextUnit unit_of(ContextReference use);

/// The id of a unit that is given with its text and without an id: `cu_` and the first 32 hex digits of HMAC-SHA-256
/// over the compact JSON `[source, content]` in UTF-8, of a person's own text `[source, content, person]`, with the
/// store's key: the same text is one unit, and it cannot be tried whether a text that is gone was there.
[[nodiscard]] std::string unit_id_of(SecretKey const& key, std::string_view source, std::string_view content,
                                     std::string_view person = {});

/// Whether the text of a unit of `type` is the own text of whom the response was made for: what people said or gave.
/// Documents, instructions and what a model said are the same for everybody.
[[nodiscard]] constexpr bool is_own_text(ContextType type) noexcept {
  return type == ContextType::user;
}

/// Whether people decide about records of `type`.
[[nodiscard]] bool is_decidable(RecordType type) noexcept;

}  // namespace whence::schema
