// From the analysis of an llm-response to rows and revisions of the plan. All that a batch changes of a vertex gathers
// in its draft, and `finish()` plans the drafts. A copy (`keeps_derived`) brings the derived records itself: they stay
// as given, and extraction adds the edges with their confidences only.

#include "engine/extraction/extraction.hpp"

#include "graph/snapshot/summaries.hpp"
#include "schema/base/limits.hpp"
#include "schema/base/report.hpp"
#include "schema/base/text.hpp"
#include "schema/base/versions.hpp"
#include "schema/records/links.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace whence::engine {
namespace {

using schema::EdgeType;
using schema::Keyword;
using schema::RecordType;
using schema::Subject;
using schema::Summary;

std::string trimmed(std::string_view text) {
  return std::string(schema::trim_xml(text));
}

/// The terms a subject is mentioned with, in byte order, each once.
std::vector<std::string> terms_of(schema::SubjectPart const& part) {
  std::vector<std::string> terms;
  for (auto const& keyword : part.keywords) terms.push_back(trimmed(keyword.term));
  std::ranges::sort(terms);
  terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
  return terms;
}

/// Terms joined by `+`, or the name where there is none; a digest in place of a text too long for an id.
std::string subject_id(std::vector<std::string> const& terms, std::string const& name) {
  std::string id;
  for (auto const& term : terms) id.append(id.empty() ? "" : "+").append(term);
  if (id.empty()) return name;
  return id.size() <= schema::limits::id_bytes_max ? id : "sha256-" + schema::to_hex(schema::sha256(id));
}

std::string subject_path(std::size_t position) {
  return "/llmResponse/analysis/subject[" + std::to_string(position + 1) + "]";
}

store::RowEdge extracted_from(VertexId attachment, std::optional<double> confidence = {}) {
  return {.type = EdgeType::extracted_from, .owner_is_from = true, .other = attachment, .value = confidence};
}

template <class Item>
void append_new(std::vector<Item>& list, Item item) {
  if (std::ranges::find(list, item) == list.end()) list.push_back(std::move(item));
}

}  // namespace

Extraction::Extraction(Candidates const& candidates, Contents& contents, Topics topics, Plan& plan, Findings& findings,
                       bool keeps_derived)
    : candidates_(candidates),
      contents_(contents),
      topics_(topics),
      plan_(plan),
      findings_(findings),
      next_vertex_(candidates.known().vertex_count() + static_cast<std::uint32_t>(plan.rows.size())),
      keeps_derived_(keeps_derived) {
  if (keeps_derived) keep_given();
}

/// Keeps the records of the batch as given, before extraction adds to them.
void Extraction::keep_given() {
  for (auto const& candidate : candidates_.all()) {
    if (candidate.record == nullptr) continue;
    auto const type = schema::type_of(*candidate.record);
    if (type == RecordType::keyword || type == RecordType::subject) given_.emplace(candidate.vertex, *candidate.record);
    if (auto const* subject = std::get_if<Subject>(candidate.record); subject != nullptr) {
      if (subject->name) named_.try_emplace({subject->topic, *subject->name}, candidate.vertex);
      if (subject->source_xml_hash && candidate.is_new) {
        auto const maker = candidates_.find(RecordType::xml_message_attachment, *subject->source_xml_hash);
        auto const* const given = maker ? candidates_.proposed(*maker) : nullptr;
        made_by_.emplace(candidate.vertex, given == nullptr ? candidate.index : given->index);
      }
    }
    auto* summary = std::get_if<Summary>(candidate.record);
    if (summary == nullptr || !candidate.is_new || !summary->source_xml_hash) continue;
    given_summaries_.emplace(*summary->source_xml_hash, summary);
  }
}

/// Whether a subject of a copy was not there yet when this attachment came: an earlier one cannot have meant it,
/// whatever it is called.
bool Extraction::is_later(Source const& source, VertexId subject) const {
  auto const made = made_by_.find(subject);
  return made != made_by_.end() && made->second >= source.index;
}

/// A summary of the batch that was derived from this attachment gets its own part back; its text is made on reading.
void Extraction::keep_summary(Source const& source, schema::ResponseParts const& parts) {
  auto const given = given_summaries_.find(source.attachment.hash);
  if (given == given_summaries_.end() || trimmed(parts.analysis.summary_update).empty()) return;
  auto const& summary = *given->second;
  bool const is_whole =  // the version before was deleted: what it said is in this text alone
      summary.version > 1 && !find(RecordType::summary, schema::summary_id(summary.topic, summary.version - 1));
  if (is_whole && !summary.content.empty()) return;
  given->second->increment = parts.analysis.summary_update;
  given->second->content.clear();
}

Result<void> Extraction::extract(Source const& source, schema::ResponseParts const& parts) {
  std::vector<Draft*> subjects;
  std::vector<std::string> terms;
  for (std::size_t i = 0; i < parts.analysis.subjects.size(); ++i) {
    auto const& part = parts.analysis.subjects[i];
    auto const subject = mention_subject(source, part, i);
    if (!subject) return subject.error();
    if (std::ranges::find(subjects, *subject) == subjects.end()) {
      if (auto counted = count_mention(source, **subject); !counted) return counted;
      subjects.push_back(*subject);
    }
    for (auto const& keyword : part.keywords) {
      auto const mentioned = mention_keyword(source, keyword, **subject);
      if (!mentioned) return mentioned.error();
      append_new(terms, std::get<Keyword>((*mentioned)->whole).term);
    }
  }
  auto& mentioned = mentioned_[source.attachment.topic_id];
  mentioned.clear();
  for (auto const* subject : subjects) mentioned.insert(subject->vertex);
  add_summary(source, parts, subjects, std::move(terms));
  return {};
}

/// A node of the graph, of the batch, or made by this extraction.
std::optional<VertexId> Extraction::find(RecordType type, std::string const& id) const {
  if (auto const vertex = candidates_.find(type, id)) return vertex;
  auto const made = made_.find({type, id});
  return made == made_.end() ? std::nullopt : std::optional{made->second};
}

/// The record of a vertex as the batch itself gives or changes it; null where it does not.
schema::Record const* Extraction::planned(VertexId vertex) const {
  if (auto const* revision = plan_.revision_of(vertex)) return &revision->whole;
  auto const* candidate = candidates_.proposed(vertex);
  return candidate == nullptr ? nullptr : candidate->record;
}

/// The record of a vertex at this point; null where it is gone.
Result<schema::Record const*> Extraction::peek(VertexId vertex) {
  auto const opened = drafts_.find(vertex);
  if (opened != drafts_.end()) return &opened->second.whole;
  if (auto const* record = planned(vertex)) return record;
  return contents_.fetch_one(vertex);
}

Result<Extraction::Draft*> Extraction::open_or_renew(VertexId vertex, schema::Record fresh) {
  auto const opened = drafts_.find(vertex);
  if (opened != drafts_.end()) return &opened->second;
  auto const record = peek(vertex);
  if (!record) return record.error();
  if (*record == nullptr) {
    return &drafts_.emplace(vertex, Draft{.vertex = vertex, .is_renewed = true, .whole = std::move(fresh)})
                .first->second;
  }
  Draft draft{.vertex = vertex, .whole = **record};
  if (auto const* keyword = std::get_if<Keyword>(*record)) draft.subjects_before = keyword->subjects.size();
  if (auto const* subject = std::get_if<Subject>(*record)) draft.ranges_before = subject->time_ranges.size();
  return &drafts_.emplace(vertex, std::move(draft)).first->second;
}

Extraction::Draft& Extraction::make(schema::Record record) {
  VertexId const vertex{next_vertex_++};
  made_.emplace(std::pair{schema::type_of(record), schema::node_id_of(record)}, vertex);
  return drafts_.emplace(vertex, Draft{.vertex = vertex, .is_new = true, .whole = std::move(record)}).first->second;
}

void Extraction::warn_of_is_new(Source const& source, std::size_t position, bool says_new, std::string message) {
  if (keeps_derived_) return;
  findings_.warn(source.index, {Errc::invalid_record, "is_new", subject_path(position) + "/@isNew",
                                says_new ? "true" : "false", std::move(message)});
}

/// The subject called `name`, or the one that has it as its id and has no name of its own.
Result<std::optional<VertexId>> Extraction::find_named(Source const& source, std::string const& name) {
  using Found = std::optional<VertexId>;
  auto const& topic = source.attachment.topic_id;
  auto const made = named_.find({topic, name});
  if (made != named_.end() && !is_later(source, made->second)) return Found{made->second};
  auto named = topics_.index.find_subject(topic, name, topics_.source);
  if (!named || *named) return named;
  auto const by_id = find(RecordType::subject, schema::join_key({topic, name}));
  if (!by_id || is_later(source, *by_id)) return Found{};
  auto const record = peek(*by_id);
  if (!record) return record.error();
  return *record == nullptr || std::get<Subject>(**record).name ? Found{} : by_id;
}

/// The subject that a part means, or a new one. A new name whose keywords give the id of a known subject is not added
/// to that subject: with other keywords it would mean another one.
Result<Extraction::Draft*> Extraction::find_subject(Source const& source, schema::SubjectPart const& part,
                                                    std::size_t position) {
  auto const& topic = source.attachment.topic_id;
  auto const name = trimmed(part.name);
  auto const known = find_named(source, name);
  if (!known) return known.error();
  if (*known) {
    if (part.is_new) warn_of_is_new(source, position, true, "this subject is known");
    return open_or_renew(**known, Subject{});  // it is there
  }
  auto const terms = terms_of(part);
  auto const id = subject_id(terms, name);
  auto const at = *source.attachment.created_at;
  Subject fresh{.id = id,
                .topic = topic,
                .name = name,
                .description = part.description,
                .created_at = at,
                .last_seen_at = at,
                .source_xml_hash = source.attachment.hash};
  auto const taken = find(RecordType::subject, schema::join_key({topic, id}));
  auto const maker = taken ? made_by_.find(*taken) : made_by_.end();
  if (maker != made_by_.end() && maker->second == source.index) made_by_.erase(maker);  // this part makes it
  if (taken && !is_later(source, *taken)) {
    bool const is_gone = candidates_.known().contains(*taken) && candidates_.known().gone(*taken);
    if (!keeps_derived_ && !is_gone) {
      findings_.warn(source.index, {Errc::invalid_record, "subject_alias", subject_path(position) + "/@name",
                                    schema::shown(name), "the topic has a subject of these keywords: " + id});
    }
    auto opened = open_or_renew(*taken, std::move(fresh));
    if (opened && is_gone) named_.emplace(std::pair{topic, name}, (*opened)->vertex);
    return opened;
  }
  if (!part.is_new) warn_of_is_new(source, position, false, "this subject is not known");
  auto& made = make(std::move(fresh));
  named_.emplace(std::pair{topic, name}, made.vertex);
  return &made;
}

Result<Extraction::Draft*> Extraction::mention_subject(Source const& source, schema::SubjectPart const& part,
                                                       std::size_t position) {
  auto found = find_subject(source, part, position);
  if (!found) return found;
  if (auto const topic = find(RecordType::topic, source.attachment.topic_id)) append_new((*found)->wholes, *topic);
  auto& subject = std::get<Subject>((*found)->whole);
  for (auto& term : terms_of(part)) {
    auto const place = std::ranges::lower_bound(subject.keywords, term);
    if (place != subject.keywords.end() && *place == term) continue;
    subject.keywords.insert(place, term);
    (*found)->added_keywords.push_back(std::move(term));
  }
  return found;
}

/// Once per response, however often it names the subject.
Result<void> Extraction::count_mention(Source const& source, Draft& draft) {
  auto const is_continued = continues_run(source, draft);
  if (!is_continued) return is_continued.error();
  auto const at = *source.attachment.created_at;
  auto& subject = std::get<Subject>(draft.whole);
  ++subject.message_count;
  subject.last_seen_at = std::max(subject.last_seen_at, at);
  if (*is_continued && !subject.time_ranges.empty()) {
    auto& end = subject.time_ranges.back().end;
    end = std::max(end, at);  // responses may arrive out of order
  } else {
    subject.time_ranges.push_back({at, at});
  }
  draft.edges.push_back(extracted_from(source.vertex));
  return {};
}

/// Whether the topic's response before this one mentions the subject too.
Result<bool> Extraction::continues_run(Source const& source, Draft const& subject) {
  auto const& topic = source.attachment.topic_id;
  if (auto const here = mentioned_.find(topic); here != mentioned_.end()) {
    return here->second.contains(subject.vertex);
  }
  auto const last = topics_.index.last_response(topic, candidates_.known(), contents_);
  if (!last) return last.error();
  if (!*last || !candidates_.known().contains(subject.vertex)) return false;
  // Mentions are edges in the order of writing, so only the latest can be of the response before.
  auto const mentions = candidates_.known().causes_ever(subject.vertex);
  return !mentions.empty() && mentions.vertices.back() == **last;
}

Result<Extraction::Draft*> Extraction::mention_keyword(Source const& source, schema::KeywordPart const& part,
                                                       Draft const& subject_draft) {
  auto const term = trimmed(part.term);
  auto const at = *source.attachment.created_at;
  auto const known = find(RecordType::keyword, term);
  Keyword fresh{.term = term, .created_at = at, .last_seen = at, .source_xml_hash = source.attachment.hash};
  auto draft = known ? open_or_renew(*known, std::move(fresh)) : Result<Draft*>(&make(std::move(fresh)));
  if (!draft) return draft;
  auto& keyword = std::get<Keyword>((*draft)->whole);
  ++keyword.frequency;
  keyword.score = std::max(keyword.score.value_or(0), part.confidence);
  keyword.last_seen = std::max(keyword.last_seen, at);
  append_new(keyword.subjects, schema::format_ref(RecordType::subject, schema::node_id_of(subject_draft.whole)));
  append_new((*draft)->wholes, subject_draft.vertex);
  auto& edges = (*draft)->edges;
  if (!edges.empty() && edges.back().other == source.vertex) {
    edges.back().value = std::max(edges.back().value.value(), part.confidence);
  } else {
    edges.push_back(extracted_from(source.vertex, part.confidence));
  }
  return draft;
}

void Extraction::add_summary(Source const& source, schema::ResponseParts const& parts,
                             std::vector<Draft*> const& subjects, std::vector<std::string> terms) {
  if (keeps_derived_) return keep_summary(source, parts);
  if (trimmed(parts.analysis.summary_update).empty()) return;
  auto const& topic = source.attachment.topic_id;
  auto& latest = summaries_.try_emplace(topic, 0).first->second;
  auto const exists = [&](std::int64_t version) {
    auto const id = schema::summary_id(topic, version);
    return find(RecordType::summary, id) || candidates_.known().find_deleted(RecordType::summary, id);
  };
  if (latest == 0) {
    latest = std::max(schema::latest_version(exists), graph::last_summary_of(candidates_.known(), topic));
  }
  // No number is given twice, whatever gaps there are.
  latest += schema::latest_version([&](std::int64_t further) { return exists(latest + further); });
  if (latest >= schema::limits::int32_max) {  // a copy brought it: a higher one could not be read back
    findings_.warn(source.index, {Errc::limit_exceeded, "last_version", "/llmResponse/analysis/summaryUpdate",
                                  std::to_string(latest), "the summary of the topic has no version after this one"});
    return;
  }
  auto const at = *source.attachment.created_at;
  Summary summary{.id = schema::summary_id(topic, latest + 1),
                  .topic = topic,
                  .increment = parts.analysis.summary_update,
                  .keywords = std::move(terms),
                  .version = latest + 1,
                  .created_at = at,
                  .updated_at = at,
                  .change_reason = "summaryUpdate",
                  .source_xml_hash = source.attachment.hash};
  for (auto const* subject : subjects) summary.subjects.push_back(std::get<Subject>(subject->whole).id);
  std::optional<VertexId> previous;
  if (latest > 0) {
    summary.previous_version = schema::summary_id(topic, latest);
    previous = find(RecordType::summary, *summary.previous_version);
  }
  auto& draft = make(std::move(summary));
  draft.edges.push_back(extracted_from(source.vertex));
  if (auto const whole = find(RecordType::topic, topic)) draft.wholes.push_back(*whole);
  ++latest;
  if (!previous) return;
  draft.edges.push_back(
      {.type = EdgeType::revision_of, .owner_is_from = true, .other = *previous, .value = static_cast<double>(latest)});
}

void Extraction::finish() {
  for (auto& [vertex, draft] : drafts_) {
    if (keeps_derived_) {
      if (auto given = given_.find(vertex); given != given_.end()) plan_given(std::move(draft), given->second);
      continue;
    }
    add_relations(draft);
    if (draft.is_new) {
      plan_row(std::move(draft));
    } else {
      plan_revision(std::move(draft));
    }
  }
}

/// The edges from the record's own links carry less: they have no confidence.
void Extraction::plan_given(Draft&& draft, schema::Record given) {
  if (candidates_.proposed(draft.vertex) == nullptr) {
    draft.whole = std::move(given);
    if (auto const* keyword = std::get_if<Keyword>(&draft.whole)) draft.subjects_before = keyword->subjects.size();
    if (auto const* subject = std::get_if<Subject>(&draft.whole)) draft.ranges_before = subject->time_ranges.size();
    draft.added_keywords.clear();
    return plan_revision(std::move(draft));
  }
  auto& edges = plan_.rows[schema::number(draft.vertex) - candidates_.known().vertex_count()].edges;
  for (auto& edge : draft.edges) {
    auto const existing = std::ranges::find(edges, edge.other, &store::RowEdge::other);
    if (existing == edges.end()) {
      edges.push_back(edge);
    } else {
      existing->value = edge.value;
    }
  }
}

/// A keyword that a program without these relations wrote gets those to its earlier subjects when it is mentioned
/// again.
void Extraction::add_older_wholes(Draft& draft) const {
  auto const* keyword = std::get_if<Keyword>(&draft.whole);
  auto const& known = candidates_.known();
  if (keyword == nullptr || !known.contains(draft.vertex)) return;
  if (known.relations_from_ever(draft.vertex).size() >= draft.subjects_before) return;
  for (std::size_t i = 0; i < draft.subjects_before; ++i) {
    auto const ref = schema::parse_ref(keyword->subjects[i]);
    auto const subject = ref ? find(ref->type, ref->id) : std::nullopt;
    if (subject) append_new(draft.wholes, *subject);
  }
}

/// What the record is part of in the graph, or by the batch itself; in order.
std::vector<VertexId> Extraction::linked_already(VertexId vertex) const {
  std::vector<VertexId> linked;
  auto const& known = candidates_.known();
  auto const take = [&linked](std::vector<store::RowEdge> const& edges) {
    for (auto const& edge : edges) linked.push_back(edge.other);
  };
  if (known.contains(vertex)) {
    auto const wholes = known.relations_from_ever(vertex).vertices;
    linked.assign(wholes.begin(), wholes.end());
  } else if (auto const row = schema::number(vertex) - known.vertex_count(); row < plan_.rows.size()) {
    take(plan_.rows[row].edges);
  }
  if (auto const* revision = plan_.revision_of(vertex)) take(revision->row.edges);
  std::ranges::sort(linked);
  return linked;
}

/// Relations come before the other edges, as among the links of a record.
void Extraction::add_relations(Draft& draft) const {
  add_older_wholes(draft);
  auto const linked = linked_already(draft.vertex);
  std::vector<store::RowEdge> edges;
  for (auto const whole : draft.wholes) {
    if (std::ranges::binary_search(linked, whole)) continue;
    edges.push_back({.type = EdgeType::part_of, .owner_is_from = true, .other = whole, .value = std::nullopt});
  }
  draft.edges.insert(draft.edges.begin(), edges.begin(), edges.end());
}

void Extraction::plan_row(Draft&& draft) {
  plan_.rows.push_back({.vertex = draft.vertex,
                        .type = schema::type_of(draft.whole),
                        .id = schema::node_id_of(draft.whole),
                        .time = schema::time_of(draft.whole),
                        .edges = std::move(draft.edges)});
  plan_.records.push_back(std::move(draft.whole));
}

/// The stored content of a revision holds only what it adds to lists; its other members are small. A keyword of a
/// thousand subjects would otherwise be written whole at each mention.
void Extraction::plan_revision(Draft&& draft) {
  auto content = draft.whole;
  bool has_additions = false;
  if (draft.is_renewed) {
    // Nothing is there to add to: all of it is written.
  } else if (auto* keyword = std::get_if<Keyword>(&content)) {
    keyword->subjects.erase(keyword->subjects.begin(),
                            std::next(keyword->subjects.begin(), static_cast<std::ptrdiff_t>(draft.subjects_before)));
    has_additions = !keyword->subjects.empty();
  } else if (auto* subject = std::get_if<Subject>(&content)) {
    subject->keywords = std::move(draft.added_keywords);
    has_additions = !subject->keywords.empty() || subject->time_ranges.size() > draft.ranges_before;
    auto const kept = draft.ranges_before == 0 ? 0 : draft.ranges_before - 1;
    subject->time_ranges.erase(subject->time_ranges.begin(),
                               std::next(subject->time_ranges.begin(), static_cast<std::ptrdiff_t>(kept)));
  }
  plan_.revise({.row = {.vertex = draft.vertex,
                        .type = schema::type_of(draft.whole),
                        .revision = 0,
                        .kind = draft.is_renewed ? schema::RevisionKind::whole
                                : has_additions  ? schema::RevisionKind::addition
                                                 : schema::RevisionKind::update,
                        .edges = std::move(draft.edges)},
                .content = std::move(content),
                .whole = std::move(draft.whole)},
               candidates_.known());
}

}  // namespace whence::engine
