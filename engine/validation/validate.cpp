// The order of the steps in `validate` matters. What the server fills in comes before the comparison with known
// records; the violations of all checks are answered together; only a batch without any gets its revisions planned and
// its documents extracted.

#include "engine/validation/validate.hpp"

#include "engine/extraction/extraction.hpp"
#include "engine/plan/candidates.hpp"
#include "engine/plan/findings.hpp"
#include "engine/plan/identity.hpp"
#include "engine/validation/attachments.hpp"
#include "engine/validation/discussion/discussions.hpp"
#include "engine/validation/id_hashes.hpp"
#include "engine/validation/prov_usages.hpp"
#include "engine/validation/references.hpp"
#include "engine/validation/renewal.hpp"
#include "engine/validation/retrieval/acts.hpp"
#include "engine/validation/retrieval/chunks.hpp"
#include "engine/validation/retrieval/document_sources.hpp"
#include "engine/validation/retrieval/requests.hpp"
#include "engine/validation/revisions.hpp"
#include "engine/validation/state_rules.hpp"
#include "engine/validation/templates.hpp"
#include "engine/values/purge_proposal.hpp"
#include "schema/base/limits.hpp"
#include "schema/base/report.hpp"
#include "schema/prov/join.hpp"
#include "schema/stored/blobs.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <type_traits>
#include <utility>

namespace whence::engine {
namespace {

/// Manifests given with a response have been checked against the rest of it. They are neither stored nor compared.
void drop_given_manifests(WriteBatch& batch) {
  for (auto& given : batch.records) {
    if (auto* response = std::get_if<schema::Response>(&given.record)) response->manifest_json.reset();
  }
}

/// A relation without a name that a record states twice is one.
void drop_repeated_relations(WriteBatch& batch, Findings& findings) {
  for (std::uint32_t i = 0; i < batch.records.size(); ++i) {
    auto const drop = [&]<class T>(T& record) {
      if constexpr (std::is_base_of_v<schema::ProvNode, T>) {
        if (!record.relations) return;
        auto places = schema::json::drop_repeated(*record.relations);
        if (!places.empty()) findings.set_relations(i, std::move(places));
      }
    };
    std::visit(drop, batch.records[i].record);
  }
}

std::vector<std::string> refs_of(WriteBatch const& batch, Candidates const& candidates) {
  std::vector<std::string> refs;
  refs.reserve(batch.records.size());
  for (auto const& candidate : candidates.all().first(batch.records.size())) {
    refs.push_back(schema::format_ref(schema::type_of(*candidate.record), candidate.id));
  }
  return refs;
}

/// A retrieval is stored as an edge; its record keeps the chunk only.
void drop_retrieval(schema::Record& record) {
  auto* chunk = std::get_if<schema::RetrievedChunk>(&record);
  if (chunk == nullptr) return;
  chunk->request_id.reset();
  chunk->rank.reset();
  chunk->similarity_score.reset();
}

std::vector<schema::Record> take_records(Candidates const& candidates) {
  std::vector<schema::Record> records;
  records.reserve(candidates.new_count());
  for (std::size_t i = 0; i < candidates.new_count(); ++i) {
    records.push_back(std::move(*candidates.nth_new(i).record));
    drop_retrieval(records.back());
  }
  return records;
}

/// A response that a manifest makes has as many sources as one that is written as such.
void check_manifest_sizes(WriteBatch const& batch, Candidates const& candidates, schema::Mode mode,
                          Findings& findings) {
  if (mode == schema::Mode::capture) return;
  for (auto const& candidate : candidates.all()) {
    if (candidate.origin != Origin::manifest || !candidate.is_new || candidate.has_field_errors) continue;
    auto const count = std::get<schema::LineageManifest>(batch.records[candidate.index].record).context_tree.size();
    if (count <= schema::limits::context_units_max) continue;
    findings.add(candidate.index, {Errc::invalid_record, "items", "/context_tree", schema::shown(std::uint64_t{count}),
                                   "must be 1 to " + std::to_string(schema::limits::context_units_max) + " items"});
  }
}

/// A user could confirm what no other had proposed, or say what was erased.
void refuse_own(WriteBatch const& batch, Findings& findings) {
  if (!std::holds_alternative<std::monostate>(batch.step)) return;
  for (std::uint32_t i = 0; i < batch.records.size(); ++i) {
    auto const* const activity = std::get_if<schema::ProvActivity>(&batch.records[i].record);
    if (activity == nullptr || (!is_proposal_id(activity->id) && !is_erasure_id(activity->id))) continue;
    findings.add(
        i, {Errc::invalid_record, "server_field", "/id", schema::shown(activity->id),
            is_proposal_id(activity->id) ? "is the id of a proposal, which only the server writes"
                                         : "is the id of the record of an erasure, which only the server writes"});
  }
}

bool has_room(graph::Snapshot const& known, Plan const& plan) {
  std::uint64_t edges = known.edge_count();
  for (auto const& row : plan.rows) edges += row.edges.size();
  for (auto const& revision : plan.revisions) {
    edges += revision.row.edges.size();
    if (revision.row.revision > schema::revisions_max) return false;
  }
  return known.vertex_count() + plan.rows.size() <= schema::limits::graph_numbers_max &&
         edges <= schema::limits::graph_edges_max;
}

/// `needed` and the units that new responses bring, in the order of the records that need them.
std::vector<NeededRecord> with_units(std::vector<NeededRecord> needed, Request const& request,
                                     graph::Snapshot const& known) {
  for (auto const& each : request.units) {
    auto const id = schema::node_id_of(request.batch.records[each.index].record);
    if (!known.find(schema::RecordType::response, id)) needed.push_back({each.unit, each.index});
  }
  std::ranges::stable_sort(needed, {}, &NeededRecord::index);
  return needed;
}

/// Fills in the members that a client may leave to the server. Topics and messages get none.
template <class T>
void fill_defaults(T& record, schema::Time moment) {
  auto const now = schema::epoch_ms_of(moment);
  if constexpr (std::is_same_v<T, schema::ContextUnit>) {
    if (!record.timestamp) record.timestamp = moment;
  }
  constexpr bool is_plain = std::is_same_v<T, schema::Topic> || std::is_same_v<T, schema::Message>;
  if constexpr (!is_plain && requires { record.created_at; }) {
    if (!record.created_at) record.created_at = now;
  }
  if constexpr (requires { record.updated_at; }) {
    if (!record.updated_at) record.updated_at = record.created_at;
  }
  if constexpr (std::is_same_v<T, schema::SystemPromptTemplate>) {
    record.xml_schema_version = record.xml_schema_version.value_or(schema::limits::xml_schema_version);
    record.active = record.active.value_or(true);
  }
}

void fill_defaults(Candidates const& candidates, std::vector<Candidate const*> const& changed, schema::Time now) {
  auto const fill = [&](schema::Record& record) { std::visit([&](auto& each) { fill_defaults(each, now); }, record); };
  for (std::size_t i = 0; i < candidates.new_count(); ++i) fill(*candidates.nth_new(i).record);
  for (auto const* candidate : changed) {
    auto* discussion = std::get_if<schema::Discussion>(candidate->record);
    if (discussion != nullptr && !discussion->updated_at) discussion->updated_at = schema::epoch_ms_of(now);
    fill(*candidate->record);
  }
}

/// Extraction from every llm-response that is new, in the batch's order.
Result<void> extract_all(Extraction& extraction, std::vector<TakenXml> const& taken, Candidates const& candidates) {
  for (auto const& each : taken) {
    auto const& candidate = candidates.all()[each.index];
    if (!candidate.is_new || !each.document) continue;
    auto const* parts = std::get_if<schema::ResponseParts>(&each.document->parts);
    if (parts == nullptr) continue;
    auto const& attachment = std::get<schema::XmlMessageAttachment>(*candidate.record);
    auto const extracted = extraction.extract({attachment, candidate.vertex, each.index}, *parts);
    if (!extracted) return extracted.error();
  }
  return {};
}

/// The texts that are too long for their records.
std::vector<store::Blob> take_blobs(std::vector<TakenXml>& taken, Candidates const& candidates, Plan const& plan) {
  std::vector<store::Blob> blobs;
  for (auto& each : taken) {
    bool const is_long = each.text.size() > schema::limits::inline_xml_bytes_max;
    auto const& candidate = candidates.all()[each.index];
    if (!is_long || (!candidate.is_new && plan.revision_of(candidate.vertex) == nullptr)) continue;
    blobs.push_back({schema::sha256(each.text), std::move(each.text)});
  }
  return blobs;
}

/// The long texts that the plan's records name: what stays gone leaves no text behind.
void take_named_texts(std::vector<schema::LongText>& texts, Plan& plan) {
  if (texts.empty()) return;
  std::set<schema::Digest> named;
  auto const take = [&](schema::Record const& record) {
    for (auto const& digest : schema::stored::blobs_of(record)) named.insert(digest);
  };
  for (auto const& record : plan.records) take(record);
  for (auto const& revision : plan.revisions) take(revision.content);
  for (auto& text : texts) {
    if (named.contains(text.digest)) plan.blobs.push_back({text.digest, std::move(text.text)});
  }
}

}  // namespace

Result<Plan> validate(Request& request, ValidationContext const& context) {
  auto& batch = request.batch;
  drop_given_manifests(batch);
  Findings findings(batch);
  drop_repeated_relations(batch, findings);
  Contents contents(context.store, context.memory, context.known);
  auto const now = schema::epoch_ms_of(context.now);
  if (auto const identified = identify_attachments(batch, request.xml, context.known, contents, now); !identified) {
    return identified.error();
  }
  if (auto const resolved = resolve_id_hashes(batch, context, findings); !resolved) return resolved.error();
  auto needed =
      settle_requests(batch, {context.config.confidence_min, context.mode}, context.known, contents, findings);
  if (!needed) return needed.error();
  if (auto const left = leave_held(batch, context, contents); !left) return left.error();
  auto described = join_usages(batch, context.known, contents);
  if (!described) return described.error();
  std::ranges::move(*described, std::back_inserter(*needed));
  Candidates const candidates(batch, with_units(std::move(*needed), request, context.known),
                              {.known = context.known,
                               .ids = context.ids,
                               .now = context.now,
                               .id_key = context.id_key,
                               .stands_in = context.mode == schema::Mode::capture});
  if (auto const checked = check_renewed(candidates); !checked) return checked.error();
  count_versions(candidates);
  check_manifest_sizes(batch, candidates, context.mode, findings);
  refuse_own(batch, findings);
  auto wanted = compared_vertices(batch, request.units, candidates);
  auto const asked = asked_vertices(candidates);
  wanted.insert(wanted.end(), asked.begin(), asked.end());
  if (auto const fetched = contents.fetch(std::move(wanted)); !fetched) return fetched.error();

  Plan plan;
  auto differing = check_identity(batch, request.units, candidates, contents, findings);
  if (!differing) return differing.error();
  for (auto const& unit : differing->revised_units) differing->revised.push_back(&unit);
  if (!batch.grows_captured) check_described(candidates, differing->described, findings);
  check_chunks(candidates, contents, {context.config.embeddings.unnamed, context.mode, batch.grows_captured}, findings);
  fill_defaults(candidates, differing->revised, context.now);
  plan.hidden.assign(candidates.renewed().begin(), candidates.renewed().end());
  plan.rows = resolve_references(candidates, context.helper, findings);
  auto const joined =
      join_acts(candidates, context.mode, context.indexes.of<RequestIndex>(), context.source(), plan, findings);
  if (!joined) return joined.error();
  auto const loaded =
      join_documents(candidates, batch.grows_captured, context.indexes.of<DocumentIndex>(), context.source(), plan);
  if (!loaded) return loaded.error();
  check_state(candidates, batch.keeps_derived, contents, findings);
  auto const answered =
      check_discussions(batch, candidates, differing->numbered, context.config.token_rules, contents, findings);
  if (!answered) return answered.error();
  auto violations = findings.take_violations();
  if (!violations.empty()) return error_from(std::move(violations));

  auto const revised = plan_revised(candidates, *differing, batch.grows_captured, context.indexes.of<DocumentIndex>(),
                                    context.source(), plan, findings);
  if (!revised) return revised.error();
  plan_answered(candidates, *answered, contents, plan);
  plan_chunks(candidates, batch.grows_captured, contents, plan);
  join_revised(candidates, context.mode, plan, findings);
  if (!batch.keeps_derived) {
    auto const corrected =
        correct_confidences(candidates, {context.config.confidence_min, context.mode}, contents, plan);
    if (!corrected) return corrected.error();
  }
  auto const planned = plan_templates(candidates, differing->activated, now, contents,
                                      context.indexes.of<TemplateIndex>(), context.source(), plan);
  if (!planned) return planned.error();
  plan.refs = refs_of(batch, candidates);
  if (!std::holds_alternative<std::monostate>(batch.step)) plan.made = *candidates.all().front().record;
  warn_of_documents(batch, request.xml, findings);
  Extraction extraction(candidates, contents, {context.indexes.of<TopicIndex>(), context.source()}, plan, findings,
                        batch.keeps_derived);
  if (auto const extracted = extract_all(extraction, request.xml, candidates); !extracted) return extracted.error();
  plan.records = take_records(candidates);
  extraction.finish();
  plan.blobs = take_blobs(request.xml, candidates, plan);
  take_named_texts(request.texts, plan);
  plan.warnings = findings.take_warnings();
  if (!has_room(context.known, plan)) {
    return Error{.code = Errc::limit_exceeded, .message = "the graph has no numbers left for these records"};
  }
  return plan;
}

}  // namespace whence::engine
