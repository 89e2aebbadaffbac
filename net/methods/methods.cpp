// The table of all methods.

#include "net/base/method_names.hpp"
#include "net/calls/calls.hpp"
#include "net/calls/discussion_calls.hpp"
#include "net/calls/export_calls.hpp"
#include "net/calls/export_params.hpp"
#include "net/calls/hold_calls.hpp"
#include "net/calls/rag_calls.hpp"
#include "net/calls/rag_log.hpp"
#include "net/calls/restore_call.hpp"
#include "net/calls/steps.hpp"
#include "net/calls/write.hpp"
#include "net/calls/xml_calls.hpp"
#include "net/cypher/query_read.hpp"
#include "net/log/log_calls.hpp"
#include "net/params/json_schema.hpp"
#include "net/params/params.hpp"
#include "net/params/step_params.hpp"
#include "net/rpc/method.hpp"
#include "net/session/session_state.hpp"
#include "queries/render/answer.hpp"
#include "queries/render/conversation.hpp"
#include "queries/render/discussion.hpp"
#include "queries/render/find.hpp"
#include "queries/render/history.hpp"
#include "queries/render/impact.hpp"
#include "queries/render/lineage.hpp"
#include "queries/render/retrieval.hpp"
#include "queries/render/search.hpp"

#include <algorithm>
#include <array>
#include <memory>

namespace whence::net {

namespace {

using queries::Budget;
using queries::View;

/// What a read does with its params: `evaluate` is a function of queries/.
template <class Params, auto evaluate>
Result<Query> parse(boost::json::object const& params) {
  auto parsed = parse_params<Params>(params);
  if (!parsed) return parsed.error();
  auto const asked = std::make_shared<Params const>(std::move(*parsed));
  Query query;
  query.answer = [asked](View const& view, std::uint32_t limit, Budget const& budget) {
    return queries::answer<evaluate>(view, *asked, limit, budget);
  };
  if constexpr (queries::ShowsVertices<queries::FoundBy<evaluate>>) {
    query.select = [asked](View const& view, std::uint32_t limit, Budget const& budget) {
      return queries::select<evaluate>(view, *asked, limit, budget);
    };
  }
  return query;
}

/// A read: its params and its function of queries/.
template <class Params, auto evaluate>
constexpr Method read(std::string_view name, Shape shape, std::string_view lists, std::string_view doc,
                      std::string_view result_doc) {
  return {.name = name,
          .kind = Kind::read,
          .role = Role::read,
          .shape = shape,
          .lists = lists,
          .doc = doc,
          .result_doc = result_doc,
          .write_params = write_descriptors<Params>,
          .parse_query = parse<Params, evaluate>,
          .selects = queries::ShowsVertices<queries::FoundBy<evaluate>>};
}

template <class Params>
constexpr Method other(std::string_view name, Kind kind, Role role, std::string_view doc, std::string_view result_doc,
                       Call answer = nullptr) {
  return {.name = name,
          .kind = kind,
          .role = role,
          .doc = doc,
          .result_doc = result_doc,
          .write_params = write_descriptors<Params>,
          .answer = answer};
}

template <class Params>
constexpr Method writing(std::string_view name, std::string_view doc, std::string_view result_doc,
                         Result<WriteRequest> (*parser)(Request const&),
                         void (*answer)(std::string&, engine::WriteAnswer const&)) {
  Method row = other<Params>(name, Kind::write, Role::write, doc, result_doc);
  row.parse_write = parser;
  row.write_answer = answer;
  return row;
}

/// A method of the session itself.
template <class Params>
constexpr Method of_session(std::string_view name, Role role, std::string_view doc, std::string_view result_doc,
                            decltype(Method::start) start) {
  Method row = other<Params>(name, Kind::session, role, doc, result_doc);
  row.start = start;
  return row;
}

/// A write that reads a member of its params item by item.
constexpr Method reading_text(std::string_view member, Method row) {
  row.text_array = member;
  return row;
}

constexpr Method for_admins(Method row) {
  row.role = Role::admin;
  return row;
}

/// A row whose params may ask for a write, which `answer` then answers.
constexpr Method perhaps_writing(Method row, bool (*writes)(boost::json::object const&), Call answer = nullptr) {
  row.writes = writes;
  if (answer != nullptr) row.answer = answer;
  return row;
}

constexpr Method logged(Method row, MethodLog const& log) {
  row.log = &log;
  return row;
}

constexpr Method logging_records(Method row) {
  row.logs_records = true;
  return row;
}

/// A read in a language of its own.
constexpr Method querying(std::string_view name, std::string_view doc, std::string_view result_doc) {
  return {.name = name,
          .kind = Kind::read,
          .role = Role::read,
          .shape = Shape::prefix,
          .lists = "rows",
          .doc = doc,
          .result_doc = result_doc,
          .write_params = write_cypher_params,
          .parse_query = parse_cypher_query};
}

/// `xml.build`: the members of its parts may be params themselves.
constexpr Method building() {
  Method row = other<BuildParams>("xml.build", Kind::worker, Role::read, "Writes the XML document of the given parts.",
                                  "xml: what is built is accepted.", build_xml);
  row.write_params = write_build_params;
  return row;
}

namespace q = queries;

constexpr auto method_rows = std::to_array<Method>({
    other<BackupParams>("admin.backup", Kind::worker, Role::admin, "Copies the store while writes go on.",
                        "path, tx, bytes: a store that can be served, as of tx.", backup),
    other<LogParams>("admin.log", Kind::worker, Role::admin, "Transactions as a backup keeps them.",
                     "epoch, tx, leaf, last, groups: base64url of the transactions after `after` up to `last`.",
                     read_log),
    for_admins(reading_text(
        "events", writing<RestoreParams>("admin.restore", "Writes transactions of a jsonl export as they were.",
                                         "tx: the last of them.", parse_restore, write_restored))),
    other<RetentionParams>("admin.retention", Kind::worker, Role::admin,
                           "Lets contents expire that are older than the server's rules keep them.",
                           "tx, rules in seconds, expired, types, kept by type, oldest, the first refs.", retention),
    other<ProgressParams>("admin.verify", Kind::worker, Role::admin, "Checks every hash, link and count of the store.",
                          "ok, tx, checked, problems: damage is a result.", verify),
    read<q::AttachmentGetParams, q::attachment_get>("attachment.get", Shape::whole, "", "An XML message with its text.",
                                                    "hash, record, xml, responseId where it has one."),
    read<q::AttachmentListParams, q::attachment_list>("attachment.list", Shape::list, "records",
                                                      "XML messages by message, topic and format, oldest first.",
                                                      "records with their hash; count and total_size of all matches."),
    writing<AbandonParams>("discussion.abandon", "Takes back the opening of a round that has no response yet.",
                           "tx, ref of the discussion.", parse_abandon, write_abandoned),
    writing<AddResponseParams>("discussion.addResponse", "Adds the next response to the round that is open.",
                               "tx, ref, roundNumber, turn, complete, next: who speaks next, or null.",
                               parse_add_response, write_added),
    writing<RoundAnswerParams>(
        "discussion.answer", "Gives the last complete round the user's answers, or questions, until the next opens.",
        "tx, ref, roundNumber; unchanged where it had them.", parse_round_answer, write_round_answered),
    read<q::DiscussionParams, q::discussion_context>(
        "discussion.context", Shape::whole, "", "What a model is shown of a discussion.",
        "userId, discussionId, currentSummary, rounds after it, currentRound, tokens, refs."),
    read<q::DiscussionGetParams, q::discussion_get>(
        "discussion.get", Shape::whole, "",
        "The facts about a discussion: its rounds, turn, tokens, summary and files.",
        "ref, userId, discussionId, topic, isResolved, needsUserInput, createdAt, updatedAt, rounds: complete ones, "
        "currentRound, currentTurn, next, tokenCount, currentSummary, paths."),
    writing<OpenParams>("discussion.open", "Opens the next round of a discussion, which is made where it is missing.",
                        "tx, ref, roundNumber, next, turn.", parse_open, write_opened),
    read<q::DiscussionPromptParams, q::discussion_prompt>("discussion.prompt", Shape::whole, "",
                                                          "The same as the text of a prompt.",
                                                          "prompt; refs: the nodes it was made from; tokens."),
    perhaps_writing(
        other<ReconcileParams>("discussion.reconcile", Kind::worker, Role::read,
                               "Compares a discussion with its files, which it follows; repairs on request.",
                               "tx, differences, repaired: how many.", reconcile_discussion),
        asks_for_repair),
    writing<DiscussionSetParams>("discussion.set",
                                 "Says whether a discussion is settled or waits for its user; what is left out stays.",
                                 "tx, ref; unchanged where it was so.", parse_discussion_set, write_discussion_set),
    writing<SummarizeParams>("discussion.summarize",
                             "Puts a summary in the place of the complete rounds since the summary before.",
                             "tx, ref, roundNumber, replacesRounds, token counts.", parse_summarize, write_summarized),
    read<q::DiscussionParams, q::discussion_tokens>("discussion.tokens", Shape::whole, "",
                                                    "About how many tokens that has.", "total, parts, rounds."),
    other<FilesParams>("discussion.write", Kind::worker, Role::write,
                       "Writes a discussion as JSON and Markdown, both files or neither.", "tx, json, md: where.",
                       write_discussion),
    other<ExportJobParams>("export.cancel", Kind::worker, Role::read, "Stops an export and removes its files.",
                           "job, state.", cancel_export),
    other<ExportStartParams>(
        "export.start", Kind::worker, Role::read,
        "Begins to write the graph, or what a method answers, as files in a format of other tools.",
        "job, tx: what is exported is fixed.", start_export),
    other<ExportJobParams>("export.status", Kind::plain, Role::read,
                           "How far an export is, and its files once it is done.",
                           "job, state, tx, done, total, files (each with url), manifest, error.", export_status),
    read<q::FeedbackListParams, q::feedback_list>("feedback.list", Shape::list, "records",
                                                  "The feedback on a response or an answer, or that reached a source.",
                                                  "records, and the running score."),
    read<q::HistoryParams, q::history_get>("history.get", Shape::list, "events",
                                           "What happened to a node, transaction by transaction.",
                                           "events: tx, at, op and what the op says."),
    for_admins(writing<HoldClearParams>("hold.clear", "Ends a hold: what it held may go again.",
                                        "tx, ref; unchanged where it was cleared.", parse_hold_clear, write_hold)),
    read<q::HoldListParams, q::hold_list>("hold.list", Shape::list, "holds", "What must stay, and why.",
                                          "holds: their records."),
    for_admins(writing<HoldSetParams>(
        "hold.set",
        "Holds records, a person, a topic or what a query matches: none of it expires, is deleted or purged.",
        "tx, ref.", parse_hold_set, write_hold)),
    read<q::ImpactParams, q::impact_analyze>(
        "impact.analyze", Shape::list, "nodes", "Everything affected by the given nodes.",
        "counts by type and by depth; nodes with influence and share; dominator of each, if asked."),
    read<q::BlameParams, q::impact_blame>(
        "impact.blame", Shape::list, "nodes names",
        "Which sources, tools, agents, models or prompts badly rated answers rest on more often than the others do.",
        "nodes, or names of tools, agents and models: rated, bad, rate, others_rate, lift, lower, verdict."),
    read<q::ReplayPlanParams, q::impact_replay_plan>(
        "impact.replay_plan", Shape::list, "calls",
        "Which calls would have to be made again if the given nodes had not been there, in which order and with what.",
        "calls with inputs, stage, tokens and cost as they were; counts and sums of what is known."),
    read<q::WithoutParams, q::impact_without>(
        "impact.without", Shape::list, "answers fallen alternatives",
        "What answers would lose if the given nodes had not been there.",
        "answers that are lost or weakened, what falls between, other sources; counts."),
    read<q::LineageParams, q::lineage_ancestors>("lineage.ancestors", Shape::list, "nodes edges",
                                                 "What a node was made from.",
                                                 "nodes with depth and weight, nearest first; edges."),
    read<q::LineageParams, q::lineage_descendants>("lineage.descendants", Shape::list, "nodes edges",
                                                   "What was made from a node.",
                                                   "nodes with depth and weight, nearest first; edges."),
    read<q::LineageDiffParams, q::lineage_diff>(
        "lineage.diff", Shape::list, "added removed reweighted versions moved common",
        "How two ancestries differ: of two nodes, or of one at two moments.",
        "added, removed, reweighted, other versions, moved in the prompt, common; text by words."),
    read<q::LineageGraphParams, q::lineage_graph>(
        "lineage.graph", Shape::bounded, "nodes edges frontier", "The surroundings of a node, for drawing.",
        "nodes, edges, frontier: how many neighbours are not shown; reduced_edges, if asked."),
    read<q::InfluenceParams, q::lineage_influence>("lineage.influence", Shape::list, "nodes",
                                                   "How much of a node is due to each ancestor.",
                                                   "nodes with depth and share, largest share first."),
    read<q::ManifestParams, q::lineage_manifest>("lineage.manifest", Shape::whole, "",
                                                 "A response's manifest, made from the graph.",
                                                 "manifest, manifest_bytes, omitted."),
    read<q::PathParams, q::lineage_path>("lineage.path", Shape::prefix, "paths", "How a cause influenced an effect.",
                                         "paths: weight, refs, edges; dominators, if asked."),
    read<q::StaleParams, q::lineage_stale>(
        "lineage.stale", Shape::list, "sources answers citations",
        "Which sources changed since, and which answers rest on what changed.",
        "sources with reasons and what is newer; answers of a source; citations checked in the text as it was."),
    other<BundleParams>("log.bundle", Kind::worker, Role::read,
                        "A record, all that it rests on, or a period, with the proof that the log has it.",
                        "The bundle: format, about, checkpoint, events.", log_bundle),
    other<CheckpointParams>("log.checkpoint", Kind::worker, Role::read, "The size and root of the log's tree, signed.",
                            "checkpoint, size, key; cosigned: checkpoints that witnesses signed.", log_checkpoint),
    other<ConsistencyParams>("log.consistency", Kind::worker, Role::read,
                             "That the log only grew from one size to another.", "from, to, proof: hashes in base64.",
                             log_consistency),
    other<CosignParams>("log.cosign", Kind::worker, Role::write,
                        "Keeps what witnesses of the log signed of a checkpoint.", "size, witnesses: key, time.",
                        log_cosign),
    other<ProofParams>("log.proof", Kind::worker, Role::read, "An event of the log with the proof that it is there.",
                       "index, line, proof.", log_proof),
    other<RotateParams>("log.rotate", Kind::worker, Role::admin,
                        "Changes the key that signs checkpoints, in a record that the key before signs.",
                        "tx, ref of the record, key, until: up to when the key before signs too.", log_rotate),
    read<q::NodeActivityParams, q::node_activity>(
        "node.activity", Shape::whole, "", "How many records fall into each hour, day, week, month or year.",
        "period, from, to, lanes: total and counts of each; other: of the smaller lanes."),
    read<q::NodeCountParams, q::node_count>("node.count", Shape::whole, "",
                                            "How many nodes of a type fulfil conditions.", "count."),
    read<q::NodeFindParams, q::node_find>("node.find", Shape::list, "nodes",
                                          "Nodes of a type that fulfil conditions, sorted.", "nodes."),
    read<q::NodeGetParams, q::node_get>("node.get", Shape::list, "nodes", "Nodes by their refs.",
                                        "nodes, in the order asked."),
    read<q::NodeNeighborsParams, q::node_neighbors>(
        "node.neighbors", Shape::list, "nodes groups", "The neighbours of a node, or how many there are of each kind.",
        "total; nodes with edge_types and weight; or groups: value and count."),
    other<CertificateParams>(
        "person.certificate", Kind::worker, Role::read, "The proof that somebody was erased, without their name.",
        "The certificate: format, about, checkpoint, before, extension, events.", person_certificate),
    for_admins(writing<PersonEraseParams>(
        "person.erase", "Removes what there is of a person, for every moment.",
        "tx; proposed and confirm_until where another user has to confirm it; erasure: the record of it; purged; "
        "shared: what stays, since others' records rest on it; backups: "
        "those made before that still have something of it; list: what must stay gone, where it is asked for; "
        "redacted; blobs; not_reached.",
        parse_person_erase, write_person_erased)),
    read<q::PersonParams, q::person_find>(
        "person.find", Shape::list, "nodes shared", "What there is of a person, and what would stay without them.",
        "nodes, which go with the person; shared, which stay; counts by type; held, by hold."),
    for_admins(writing<PurgeConfirmParams>(
        "purge.confirm", "Carries out a purge or an erasure that another user proposed, as it is now.",
        "tx; purged, shared, redacted, blobs, not_reached, backups, list and erasure as of person.erase.",
        parse_purge_confirm, write_person_erased)),
    other<PurgeProposalsParams>("purge.proposals", Kind::worker, Role::admin,
                                "Purges and erasures that wait for another user, and what would go now.",
                                "tx; proposals, the newest first: ref, state, who, why, until when; types: how many "
                                "would go, or refused: why none "
                                "would; total.",
                                purge_proposals),
    for_admins(writing<PurgeProposalParams>("purge.withdraw", "Ends a proposal: nobody can confirm it any more.",
                                            "tx, ref.", parse_purge_withdraw, write_withdrawn)),
    querying(
        "query", "Answers a query in openCypher, which reads and does not write.",
        "columns; rows, each a list with a value for each column; plan, with EXPLAIN or PROFILE; warnings, of names "
        "that the schema lacks."),
    logged(writing<AnswerParams>(
               "rag.answer", "Takes a model's answer: reads and checks its citations, computes its confidence.",
               "tx, ref, answer as it is stored; unchanged where it was known.", parse_answer, write_answered),
           generation_log),
    read<q::RagGetParams, q::rag_get>("rag.get", Shape::whole, "", "Everything recorded for a request.",
                                      "request_id, query, embedding, retrieved_chunks, prompt_context, answer."),
    logged(perhaps_writing(read<q::RagRetrieveParams, q::rag_retrieve>(
                               "rag.retrieve", Shape::whole, "", "The chunks most similar to a vector.",
                               "chunks, most similar first, with similarity_score and rank; "
                               "request_id where it was recorded."),
                           asks_to_record, record_retrieval),
           retrieval_log),
    writing<DeleteParams>("records.delete", "Deletes nodes from now on: earlier moments still show them.",
                          "tx; deleted, with parts; orphaned attachments; dangling: what lost its source.",
                          parse_delete, write_removal),
    for_admins(writing<PurgeParams>(
        "records.purge", "Removes what records say, for every moment; their nodes and edges stay.",
        "tx; proposed and confirm_until where another user has to confirm it; purged, with copies of their texts; "
        "list: what must stay gone, where it is asked for; redacted answers; blobs; not_reached.",
        parse_purge, write_purge)),
    logging_records(reading_text(
        "records",
        writing<WriteParams>("records.write", "Records a batch: all of it, durably, or nothing.",
                             "tx, refs, warnings; unchanged where nothing was new.", parse_write, write_answer))),
    other<NoParams>("rpc.discover", Kind::plain, Role::read, "This document.", "An OpenRPC document.", discover),
    read<q::SearchParams, q::search>(
        "search", Shape::list, "nodes", "Records whose texts have all of the given words.",
        "nodes, those that fit best first, with score and snippets; total; suggestions where nothing is found."),
    other<InfoParams>("server.info", Kind::plain, Role::read, "What is served.",
                      "version, build, nodes, edges, store_bytes, uptime_s, epoch, tx.", server_info),
    of_session<HelloParams>("session.hello", Role::none, "Opens a session: versions, token, limits.",
                            "server, version, protocol, tx, epoch, limits, capabilities.", &SessionState::start_hello),
    of_session<SubscribeParams>("subscribe", Role::read,
                                "Sends every matching change, once and in order, until `unsubscribe`.",
                                "sub, from_tx: `event` notifications for sub follow, of transactions after from_tx.",
                                &SessionState::start_subscribe),
    read<q::SummaryGetParams, q::summary_get>("summary.get", Shape::whole, "",
                                              "A topic's summary with all of its text.",
                                              "summary, its content accumulated."),
    read<q::TemplateActiveParams, q::template_active>("template.active", Shape::whole, "",
                                                      "The system prompt a model uses now.", "template."),
    read<q::TemplateListParams, q::template_list>("template.list", Shape::list, "templates",
                                                  "System prompts, all versions.", "templates, by model and version."),
    read<q::TraceParams, q::trace>(
        "trace", Shape::list, "nodes edges",
        "Where a node comes from: of a keyword, subject or summary XML, responses, context units; "
        "of any other all that it was made from.",
        "nodes, edges; dangling: sources that are deleted."),
    writing<UnitUpdateParams>("unit.update",
                              "Records the next version of a context unit: what it says, with what changed.",
                              "tx, ref of the new version, version.", parse_unit_update, write_unit_updated),
    of_session<UnsubscribeParams>("unsubscribe", Role::read, "Ends a subscription.",
                                  "sub, tx: where to resume; nothing for sub follows.",
                                  &SessionState::start_unsubscribe),
    read<q::VersionsDiffParams, q::versions_diff>("versions.diff", Shape::whole, "",
                                                  "How two versions of one thing differ, field by field.",
                                                  "changes: path, before, after."),
    read<q::VersionsListParams, q::versions_list>("versions.list", Shape::list, "versions",
                                                  "The chain of versions a node belongs to.",
                                                  "versions, first to last."),
    building(),
    read<q::XmlContextParams, q::xml_context>("xml.context", Shape::whole, "",
                                              "The context of a conversation's next query, as a part for xml.build.",
                                              "context: topicId, messageCount, activeSubjects, recentKeywords."),
    other<NoParams>("xml.instructions", Kind::worker, Role::read,
                    "The system text that makes a model answer in the XML contract.", "version of the contract, text.",
                    xml_instructions),
    other<ValidateParams>("xml.validate", Kind::worker, Role::read, "Checks an XML document and takes it apart.",
                          "valid, format, parts, warnings; a document that breaks a rule is the error invalid_xml.",
                          validate_xml),
});

constexpr bool by_name(Method const& a, Method const& b) {
  return a.name < b.name;
}
static_assert(std::is_sorted(method_rows.begin(), method_rows.end(), by_name));

constexpr auto names_of_methods = [] {
  std::array<std::string_view, method_rows.size()> names;
  std::ranges::transform(method_rows, names.begin(), &Method::name);
  return names;
}();

constexpr auto names_of_text_arrays = [] {
  constexpr auto count = std::ranges::count_if(method_rows, [](Method const& row) { return !row.text_array.empty(); });
  std::array<std::string_view, static_cast<std::size_t>(count)> names;
  std::size_t filled = 0;
  for (Method const& row : method_rows) {
    if (!row.text_array.empty()) names[filled++] = row.text_array;
  }
  return names;
}();

}  // namespace

std::span<Method const> methods() noexcept {
  return method_rows;
}

std::span<std::string_view const> method_names() noexcept {
  return names_of_methods;
}

Method const* find_method(std::string_view name) noexcept {
  auto const found = std::lower_bound(method_rows.begin(), method_rows.end(), name,
                                      [](Method const& row, std::string_view wanted) { return row.name < wanted; });
  return found != method_rows.end() && found->name == name ? &*found : nullptr;
}

std::span<std::string_view const> text_arrays() noexcept {
  return names_of_text_arrays;
}

std::size_t index_of(Method const* method) noexcept {
  return method == nullptr ? method_rows.size() : static_cast<std::size_t>(method - method_rows.data());
}

}  // namespace whence::net
