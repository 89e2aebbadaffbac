#pragma once
// What a write is: records to write, nodes to delete, or a step whose records the writer makes.

#include "engine/values/history.hpp"
#include "schema/base/ids.hpp"
#include "schema/records/check.hpp"
#include "schema/records/discussion/discussion.hpp"
#include "schema/records/records.hpp"
#include "schema/types/ref.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace whence::engine {

/// Opens the next round of a discussion. A missing discussion is created.
struct RoundOpening {
  schema::Discussion discussion = {};             ///< its ids, and its topic where one is given
  std::optional<std::int64_t> round_number = {};  ///< where given, must be the next
  std::optional<schema::QuestionSet> questions = {};
};

/// The next response of the open round.
struct RoundResponse {
  std::string user_id = {};
  std::string discussion_id = {};
  std::int64_t round_number = 1;
  schema::Persona persona = schema::Persona::analyzer;
  schema::ConversationMessage message = {};
};

/// What a user is asked about the last complete round, and answers. What is left out stays as it is.
struct RoundAnswers {
  std::string user_id = {};
  std::string discussion_id = {};
  std::int64_t round_number = 1;
  std::optional<schema::QuestionSet> questions = {};
  std::optional<std::vector<std::string>> user_answers = {};
};

/// The next version of a context unit: what it says, with what changed.
struct UnitUpdate {
  schema::NodeRef ref = {};
  schema::ContextUnit given = {};              ///< only `members` count
  std::vector<std::string_view> members = {};  ///< names of fields, static
  std::vector<std::string_view> cleared = {};  ///< likewise
};

/// What a discussion says of itself, apart from its rounds. What is left out stays as it is.
struct DiscussionSetting {
  schema::Discussion given = {};
  std::vector<std::string> cleared = {};
};

/// Takes back the opening of a round that has no response yet.
struct RoundAbandoning {
  std::string user_id = {};
  std::string discussion_id = {};
};

/// A summary in place of all complete rounds after the one before it, up to a round.
struct RoundsSummary {
  std::string user_id = {};
  std::string discussion_id = {};
  std::string summary = {};
  std::optional<std::int64_t> round_number = {};  ///< nothing: the last complete one
};

/// The text that a model made for a request. The writer reads and checks its citations and computes its confidence.
struct AnswerText {
  std::string request_id = {};
  std::optional<std::string> answer = {};  ///< nothing: nothing was found
  std::optional<std::string> message = {};
  std::string system_prompt = {};  ///< of the prompt's record, where the writer has to make that
  std::optional<std::int64_t> processing_time_ms = {};
};

/// The result of a retrieval, to be recorded under the id of its query, which the writer makes where it is empty. A
/// known query of the same question may have none yet.
struct RetrievalRecording {
  schema::Query query = {};
  schema::EmbeddingVector embedding = {};
  std::vector<schema::RetrievedChunk> chunks = {};
};

/// Makes a discussion equal its file: what differs is replaced, what the file lacks is deleted, what is new is added.
/// An open round stays if the file has neither that nor one after it.
struct DiscussionRestoring {
  schema::DiscussionState state = {};   ///< complete rounds only
  schema::DiscussionState before = {};  ///< the whole discussion as it was compared with the file: must be unchanged
};

/// Removes what records say, now and for earlier moments; their nodes, edges and weights stay. Somebody asks for a
/// purge, which takes copies of the texts too; age makes contents expire.
struct ContentRemoval {
  bool is_purge = false;
  std::vector<schema::NodeRef> refs = {};    ///< of a purge
  std::string person = {};                   ///< of a purge: with all that there is of this Person; empty: of none
  std::vector<schema::VertexId> nodes = {};  ///< of a purge: these and no others of their names
  bool cascades = false;                     ///< of a purge: also responses and answers that have no other source
  std::optional<schema::VertexId> proposal =
      {};                                  ///< of a purge: the proposal that it carries out, left to who closes it
  std::vector<schema::VertexId> old = {};  ///< what expires
  schema::TxId found_at = {};              ///< when it was old; what was given another content since stays
};

/// Carries out a purge or an erasure that somebody else proposed.
struct PurgeConfirming {
  std::string id = {};  ///< of the PurgeProposal
};

/// Ends a proposal without carrying it out.
struct PurgeWithdrawing {
  std::string id = {};
};

/// Holds what `given` names, from now on.
struct HoldSetting {
  schema::Hold given = {};  ///< without its time
};

/// Ends a hold.
struct HoldClearing {
  std::string id = {};
  std::string reason = {};
};

/// A write whose records depend on the present state, so that the writer makes them, or a history to restore.
using Step = std::variant<std::monostate, RoundOpening, RoundResponse, RoundAnswers, RoundAbandoning, RoundsSummary,
                          DiscussionSetting, UnitUpdate, AnswerText, RetrievalRecording, DiscussionRestoring,
                          ContentRemoval, PurgeConfirming, PurgeWithdrawing, HoldSetting, HoldClearing, History>;

/// The peer of writes that no client sent.
inline constexpr std::uint64_t no_peer = 0;

/// One write request: records to write, nodes to delete, or a step; or records, and nodes to delete in the next
/// transaction, durable in one commit.
struct WriteBatch {
  std::vector<schema::IncomingRecord> records = {};
  std::vector<schema::NodeRef> deletes = {};  ///< nodes to delete; with records: those not needed
  bool force = false;                         ///< deletes context units that responses use, too
  /// With `grows_captured`: nodes that are deleted in the transaction of the records and begin anew under their ids,
  /// since an edge cannot be taken back. The records have each of them, and all that names them: what says the same as
  /// before gets its edges to the new node. What must stay (graph/removal/holds.hpp) is changed like any other.
  std::vector<schema::NodeRef> renews = {};
  Step step = {};                         ///< instead of records
  std::optional<schema::Mode> mode = {};  ///< nothing: that of the engine's configuration
  bool ensure = false;                    ///< create the Topics and Messages that are named and missing
  /// A copy of what was recorded elsewhere: its keywords, subjects and summaries are taken as the batch gives them.
  /// Extraction adds only their edges to its attachments.
  bool keeps_derived = false;
  /// Records made from what instrumented programs send (net/capture, net/openlineage): a known Response, context unit
  /// or PROV thing given with other content becomes that. Its caller gives what the record says from now on, names
  /// no fewer causes than it has, but for those that the batch deletes, or where it renews the record, and none that
  /// was made from it.
  bool grows_captured = false;
  bool has_checked_fields = false;   ///< `Engine::check` was called for each of `records`
  std::string idempotency_key = {};  ///< empty: none
  std::optional<schema::TxId> expect_tx = {};
  bool dry_run = false;
  /// Of who may not know which texts were purged (graph/snapshot/snapshot.hpp): what names one names nothing.
  bool hides_purged_texts = false;
  std::string actor = {};        ///< in which role and with which client, for the log
  std::string who = {};          ///< whose write it is by name, for the log: nothing that a client may choose
  std::string reason = {};       ///< why something is deleted, purged or let expire, for the log
  std::uint64_t peer = no_peer;  ///< whose write it is: peers take turns, the writes of one keep their order
  std::size_t bytes = 0;         ///< approximate size in memory
};

/// A batch after the checks that need no state (engine/intake/intake.hpp), which for a large batch take longer than a
/// thread of sockets has.
struct Request;
using PreparedBatch = std::shared_ptr<Request>;

}  // namespace whence::engine
