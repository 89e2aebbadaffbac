// All given records are named first, since an earlier one may need a later one. Then each is settled: what it implies
// is numbered before it, and the new candidates, in the order of their vertices, are the rows of the plan. A vertex
// that the batch renews counts as unknown.

#include "engine/plan/candidates.hpp"

#include "engine/plan/past_links.hpp"
#include "schema/base/limits.hpp"
#include "schema/base/text.hpp"
#include "schema/records/links.hpp"
#include "schema/types/belonging.hpp"
#include "schema/types/flags.hpp"
#include "schema/types/ref.hpp"
#include "store/rows/graph_row.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace whence::engine {
namespace {

using schema::LineageManifest;
using schema::RecordType;

schema::Response response_of(LineageManifest const& manifest) {
  schema::Response response{.id = manifest.response_id,
                            .timestamp = manifest.timestamp,
                            .agent = manifest.agent,
                            .model = manifest.model,
                            .token_count = manifest.token_count,
                            .attributes = manifest.attributes};
  response.context_units.reserve(manifest.context_tree.size());
  for (auto const& node : manifest.context_tree) {
    response.context_units.push_back(schema::use_named(node.id, node.weight));
  }
  return response;
}

/// A unit that was never recorded, from its manifest: a first version, as old as the manifest.
schema::ContextUnit unit_of(schema::ManifestNode const& node, schema::Time timestamp) {
  return {.id = node.id,
          .type = node.type.value_or(schema::ContextType::system),
          .source = node.source,
          .timestamp = timestamp,
          .embedding_id = node.embedding_id,
          .summary = node.summary};
}

/// `is_taken`: whether a request of the batch has an id. Request ids are short enough to collide.
template <class IsTaken>
void make_id(schema::Record& record, Candidates::Setting const& setting, IsTaken const& is_taken) {
  auto const type = schema::type_of(record);
  auto const prefix = schema::info(type).made_prefix;
  if (prefix.empty() || !schema::node_id_of(record).empty()) return;
  bool const is_request = type == RecordType::query;
  auto id = is_request ? Candidates::fresh_request_id(setting) : std::string(prefix) + setting.ids.uuid();
  while (is_request && is_taken(id)) id = Candidates::fresh_request_id(setting);
  schema::set_node_id(record, id);
}

/// Adds a cause of the prompt, where it is none yet.
void add_prompt_ref(schema::Response& response, std::string ref, schema::Basis basis) {
  auto& refs = response.prompt_refs ? *response.prompt_refs : response.prompt_refs.emplace();
  if (std::ranges::find(refs, ref) != refs.end()) return;
  auto& bases = response.prompt_basis ? *response.prompt_basis : response.prompt_basis.emplace();
  bases.resize(refs.size(), schema::Basis::given);
  refs.push_back(std::move(ref));
  bases.push_back(basis);
}

}  // namespace

/// Request ids are short enough to collide with a known one, so each is looked up.
std::string Candidates::fresh_request_id(Setting const& setting) {
  for (;;) {
    auto id = request_id_of(setting.now, setting.ids.uuid());
    if (!setting.known.find(RecordType::query, id)) return id;
  }
}

Candidates::Candidates(WriteBatch& batch, std::vector<NeededRecord> needed, Setting const& setting)
    : known_(setting.known),
      hides_purged_texts_(batch.hides_purged_texts),
      id_key_(setting.id_key),
      first_(batch.records.size()) {
  for (auto const& ref : batch.renews) {
    if (auto const vertex = known_.find(ref.type, ref.id)) renewed_.push_back(*vertex);
  }
  std::ranges::sort(renewed_);
  take_given(batch, setting);
  auto next = needed.begin();
  for (std::uint32_t i = 0; i < batch.records.size(); ++i) {
    auto& given = batch.records[i];
    if (!given.is_usable) continue;
    derive_for(given, batch.ensure, i);
    derive_belongings(i, batch.grows_captured);
    auto* const response = setting.stands_in ? std::get_if<schema::Response>(&given.record) : nullptr;
    if (response != nullptr && given.violations.empty()) stand_in(*response, needed, i);
    for (; next != needed.end() && next->index == i; ++next) derive(std::move(next->record), i, next->adds_to_known);
    settle(i);
  }
}

/// Records that a record always needs, and those that the batch asks to create where they are missing.
void Candidates::derive_for(schema::IncomingRecord const& given, bool is_ensured, std::uint32_t index) {
  if (auto const* manifest = std::get_if<LineageManifest>(&given.record)) derive_units(*manifest, index);
  if (auto const* chunk = std::get_if<schema::RetrievedChunk>(&given.record)) {
    if (!chunk->metadata.document_name.empty()) {
      derive(schema::Document{.document_name = chunk->metadata.document_name}, index);
    }
  }
  if (!is_ensured) return;
  if (auto const* message = std::get_if<schema::Message>(&given.record)) derive_topic(message->topic_id, index);
  if (auto const* attachment = std::get_if<schema::XmlMessageAttachment>(&given.record)) {
    derive_message(*attachment, index);
  }
  if (auto const* round = std::get_if<schema::DiscussionRound>(&given.record)) {
    derive(schema::Discussion{.user_id = round->user_id, .discussion_id = round->discussion_id}, index);
  }
  if (auto const* summary = std::get_if<schema::SummaryEntry>(&given.record)) {
    derive(schema::Discussion{.user_id = summary->user_id, .discussion_id = summary->discussion_id}, index);
  }
}

/// The persons and the session that a record names come with it. A repeat of a known record says nothing new and brings
/// none; one that grows brings what it did not name before, but nothing that was deleted since.
void Candidates::derive_belongings(std::uint32_t index, bool grows) {
  auto const* const record = all_[index].record;
  auto const vertex = known_.find(all_[index].type, all_[index].id, all_[index].hash);  // one that is renewed, too
  if (vertex && !grows && !known_.gone(*vertex)) return;
  std::optional<PastLinks> past;  // once it is needed
  auto const make = [&]<class Made>(Made made, std::string const& name) {
    if (name.empty()) return;
    made.id = schema::belonging_id(name);
    if (is_there(Made::record_type, made.id)) return;
    if (vertex && !past) past.emplace(known_, *vertex);
    if (!past || !past->has_deleted(Made::record_type, made.id)) derive(std::move(made), index);
  };
  if (auto const* const response = std::get_if<schema::Response>(record)) {
    if (response->person) make(schema::Person{}, *response->person);
    if (response->conversation) make(schema::Session{}, *response->conversation);
  } else if (auto const* const feedback = std::get_if<schema::FeedbackRecord>(record)) {
    if (feedback->user_id) make(schema::Person{}, *feedback->user_id);
  } else if (auto const* const message = std::get_if<schema::Message>(record)) {
    if (message->person) make(schema::Person{}, *message->person);
  }
}

/// All given ids are known before anything is derived, since an earlier record may need a later one.
void Candidates::take_given(WriteBatch& batch, Setting const& setting) {
  all_.reserve(batch.records.size());
  for (std::uint32_t i = 0; i < batch.records.size(); ++i) {
    auto& given = batch.records[i];
    auto& candidate = all_.emplace_back();
    candidate.index = i;
    candidate.has_field_errors = !given.violations.empty();
    if (!given.is_usable) continue;
    candidate.record = &given.record;
    if (auto const* manifest = std::get_if<LineageManifest>(&given.record)) {
      candidate.origin = Origin::manifest;
      candidate.record = &made_.emplace_back(response_of(*manifest));
    } else if (auto const* citation = std::get_if<schema::Citation>(&given.record)) {
      candidate.origin = Origin::citation;
      point_to_answer(batch, *citation, candidate);
    } else {
      make_id(given.record, setting, [this](std::string const& id) {
        return find_first(RecordType::query, id, known_.hash_of(RecordType::query, id)).has_value();
      });
    }
    name(candidate);
    announce(i);
  }
}

/// The candidate of a citation is its answer, whose list it was added to.
void Candidates::point_to_answer(WriteBatch const& batch, schema::Citation const& citation, Candidate& candidate) {
  schema::Answer answer{.request_id = citation.request_id.value_or("")};
  for (auto const& given : batch.records) {
    auto const* found = given.is_usable ? std::get_if<schema::Answer>(&given.record) : nullptr;
    if (found != nullptr && found->request_id == answer.request_id) answer = *found;
  }
  candidate.record = &made_.emplace_back(std::move(answer));
}

void Candidates::name(Candidate& candidate, std::string id) {
  candidate.id = names_.emplace_back(std::move(id));
  candidate.type = schema::type_of(*candidate.record);
  candidate.hash = known_.hash_of(candidate.type, candidate.id);
}

std::optional<std::uint32_t> Candidates::find_first(RecordType type, std::string_view id, std::uint64_t hash) const {
  return first_.find(hash,
                     [&](std::uint32_t candidate) { return all_[candidate].id == id && all_[candidate].type == type; });
}

void Candidates::announce(std::uint32_t candidate) {
  auto const& announced = all_[candidate];
  if (find_first(announced.type, announced.id, announced.hash)) return;
  first_.add(announced.hash, candidate);
}

/// Decides whether a candidate is new. Candidates are settled in the order in which new ones are numbered.
void Candidates::settle(std::uint32_t candidate) {
  auto& settled = all_[candidate];
  if (auto const existing = find_known(settled.type, settled.id, settled.hash)) {
    settled.vertex = *existing;
    return;
  }
  auto const first = find_first(settled.type, settled.id, settled.hash).value();
  settled.is_new = first == candidate;
  if (settled.is_new) {
    settled.vertex = VertexId{known_.vertex_count() + static_cast<std::uint32_t>(new_.size())};
    new_.push_back(candidate);
  } else {
    settled.vertex = all_[first].vertex;
  }
}

std::uint32_t Candidates::rows_up_to(std::uint32_t index) const {
  auto const end = std::ranges::upper_bound(new_, index, {}, [this](std::uint32_t each) { return all_[each].index; });
  return end == new_.end() ? store::all_rows : static_cast<std::uint32_t>(end - new_.begin());
}

void Candidates::derive(schema::Record record, std::uint32_t index, bool adds_to_known) {
  auto id = schema::node_id_of(record);
  if (!adds_to_known && is_there(schema::type_of(record), id)) return;
  auto const candidate = static_cast<std::uint32_t>(all_.size());
  bool const has_field_errors = all_[index].has_field_errors;
  all_.push_back({.record = &made_.emplace_back(std::move(record)),
                  .index = index,
                  .origin = Origin::derived,
                  .has_field_errors = has_field_errors});
  name(all_.back(), std::move(id));
  announce(candidate);
  settle(candidate);
}

bool Candidates::is_there(RecordType type, std::string_view id) const {
  auto const hash = known_.hash_of(type, id);
  return find_first(type, id, hash) || find_known(type, id, hash);
}

std::optional<VertexId> Candidates::find_known(RecordType type, std::string_view id, std::uint64_t hash) const {
  auto const known = known_.find(type, id, hash);
  return known && std::ranges::binary_search(renewed_, *known) ? std::nullopt : known;
}

bool Candidates::names_renewed(schema::Record const& record) const {
  if (renewed_.empty()) return false;
  return std::ranges::any_of(schema::links_of(record), [this](schema::Link const& link) {
    auto const known = known_.find(link.other_type, link.other_id());
    return known && std::ranges::binary_search(renewed_, *known);
  });
}

void Candidates::derive_units(LineageManifest const& manifest, std::uint32_t index) {
  for (auto const& node : manifest.context_tree) {
    bool const is_marked = node.deleted.value_or(false) || node.expired.value_or(false);
    if (!is_marked && !schema::use_named(node.id, node.weight).ref) derive(unit_of(node, manifest.timestamp), index);
  }
}

/// Names a record that represents what `ref` names, where that is not known: a unit or document of its id, or for other
/// types, whose records say more than anybody said, a unit whose source is the ref. Nothing where it is known.
std::optional<schema::NodeRef> Candidates::stand_in_for(schema::NodeRef const& ref, schema::Time timestamp,
                                                        std::uint32_t index) {
  if (find_named(ref.type, ref.id)) return std::nullopt;
  if (ref.type == RecordType::document) {
    schema::Document document{.document_name = ref.id};
    schema::add_flag(document.flags, schema::flag::unknown_source);
    derive(std::move(document), index);
    return ref;
  }
  bool const is_unit = ref.type == RecordType::context_unit;
  auto const name = schema::format_ref(ref);
  schema::ContextUnit unit{.id = is_unit ? ref.id : schema::unit_id_of(id_key_, "unknown", name),
                           .type = schema::ContextType::external,
                           .source = is_unit ? "unknown" : schema::cut(name, schema::limits::source_max),
                           .timestamp = timestamp};
  schema::add_flag(unit.flags, schema::flag::unknown_source);
  schema::NodeRef const made{RecordType::context_unit, unit.id};
  derive(std::move(unit), index);
  return made;
}

void Candidates::stand_in(schema::Response& response, std::vector<NeededRecord> const& needed, std::uint32_t index) {
  auto const is_needed = [&](schema::NodeRef const& ref) {
    return std::ranges::any_of(needed, [&](NeededRecord const& each) {
      return schema::type_of(each.record) == ref.type && schema::node_id_of(each.record) == ref.id;
    });
  };
  // A response that is given again names what it named: nothing represents what was deleted since.
  std::optional<PastLinks> past;  // once it is needed: most name what is there
  auto const is_past = [&](schema::NodeRef const& ref) {
    auto const vertex = known_.find(RecordType::response, response.id);
    if (!vertex) return false;
    if (!past) past.emplace(known_, *vertex);
    return past->has_deleted(ref.type, ref.id);
  };
  bool const is_known = known_.find(RecordType::response, response.id).has_value();  // it names what it named
  auto const is_seen = [&](schema::NodeRef const& ref) {
    return is_known ? is_there(ref.type, ref.id) : find_named(ref.type, ref.id).has_value();
  };
  auto const stand_in = [&](schema::NodeRef const& ref) -> std::optional<schema::NodeRef> {
    bool const is_own = ref.type == RecordType::response && ref.id == response.id;
    if (is_own || is_seen(ref) || is_needed(ref) || is_past(ref)) return std::nullopt;
    return stand_in_for(ref, response.timestamp, index);
  };
  for (auto& use : response.context_units) {
    if (schema::is_inline(use) || use.name().empty()) continue;
    auto const ref = use.ref ? schema::parse_ref(*use.ref)
                             : Result<schema::NodeRef>{schema::NodeRef{RecordType::context_unit, use.context_unit_id}};
    auto const made = ref ? stand_in(*ref) : std::nullopt;
    if (made && made->type != ref->type) use = schema::use_of(made->type, made->id, use.weight);
  }
  if (response.prompt_refs) {
    for (auto& text : *response.prompt_refs) {
      auto const ref = schema::parse_ref(text);
      auto const made = ref ? stand_in(*ref) : std::nullopt;
      if (made) text = schema::format_ref(*made);
    }
  }
  // What represents the two members is no record of their types, so it goes where its type may be.
  if (response.prompt_template) {
    auto const& [model, version] = *response.prompt_template;
    if (auto const made = stand_in({RecordType::system_prompt_template, schema::template_id(model, version)})) {
      add_prompt_ref(response, schema::format_ref(*made), schema::Basis::instruction);
      response.prompt_template.reset();
    }
  }
  if (response.query_attachment) {
    if (auto const made = stand_in({RecordType::xml_message_attachment, *response.query_attachment})) {
      add_prompt_ref(response, schema::format_ref(*made), schema::Basis::question);
      response.query_attachment.reset();
    }
  }
}

void Candidates::derive_topic(std::string const& topic_id, std::uint32_t index) {
  derive(schema::Topic{.id = topic_id}, index);
}

void Candidates::derive_message(schema::XmlMessageAttachment const& attachment, std::uint32_t index) {
  derive_topic(attachment.topic_id, index);
  derive(schema::Message{.id = attachment.message_id, .topic_id = attachment.topic_id}, index);
}

/// The batch first: an id that it gives leads to the known vertex too, where there is one.
std::optional<VertexId> Candidates::find(RecordType type, std::string_view id) const {
  auto const hash = known_.hash_of(type, id);
  if (auto const first = find_first(type, id, hash)) return all_[*first].vertex;
  return find_known(type, id, hash);
}

std::optional<VertexId> Candidates::find_named(RecordType type, std::string_view id) const {
  auto const hash = known_.hash_of(type, id);
  if (auto const first = find_first(type, id, hash)) return all_[*first].vertex;
  auto const known = find_known(type, id, hash);
  return known && is_hidden(*known) ? std::nullopt : known;
}

bool Candidates::is_hidden(VertexId vertex) const {
  return hides_purged_texts_ && known_.type(vertex) == RecordType::xml_message_attachment &&
         known_.gone(vertex) == graph::GoneWhy::purged;
}

Candidate const* Candidates::proposed(VertexId vertex) const {
  if (known_.contains(vertex)) return nullptr;
  auto const position = schema::number(vertex) - known_.vertex_count();
  assert(position < new_.size());
  return &nth_new(position);
}

}  // namespace whence::engine
