// What a batch says of a request is settled with what the graph knows of it: ranks first, then citations go to their
// answers, then prompts and answers. An answer's confidence is the mean of what was retrieved, whatever a client says;
// a copy keeps the one of its own time.

#include "engine/validation/retrieval/requests.hpp"

#include "engine/validation/retrieval/ranks.hpp"
#include "graph/snapshot/unknown.hpp"
#include "schema/base/report.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

namespace whence::engine {
namespace {

using schema::Answer;
using schema::Citation;
using schema::PromptContext;
using schema::Query;
using schema::RecordType;
using schema::Retrieval;
using schema::RetrievedChunk;
using schema::VertexId;

constexpr double confidence_tolerance = 1e-6;  ///< between a client's confidence and the one computed here

void sort_by_rank(std::vector<Retrieval>& retrievals) {
  std::ranges::sort(retrievals, [](Retrieval const& a, Retrieval const& b) {
    return a.rank != b.rank ? a.rank < b.rank : a.chunk_id < b.chunk_id;
  });
}

/// Whether a confidence is known and too low.
bool is_low(std::optional<double> const& confidence, AnswerRules const& rules) noexcept {
  return confidence && *confidence < rules.confidence_min;
}

bool agree(std::optional<double> const& a, std::optional<double> const& b) noexcept {
  return a && b ? std::abs(*a - *b) <= confidence_tolerance : a.has_value() == b.has_value();
}

/// What becomes of a text whose confidence is too low. Whether it is withheld.
bool settle_doubtful(Answer& answer, AnswerRules const& rules) {
  if (!answer.answer || !is_low(answer.confidence, rules)) return false;
  if (rules.mode == schema::Mode::capture) {
    schema::add_flag(answer.flags, schema::flag::low_confidence);
    return false;
  }
  schema::withhold(answer);
  return true;
}

Withheld withheld_by(std::span<Retrieval const> retrievals) {
  return {.mean = schema::confidence_of(retrievals).value_or(0), .best = schema::best_of(retrievals)};
}

Retrieval const* find_chunk(std::span<Retrieval const> retrievals, std::string_view chunk_id) {
  auto const found = std::ranges::find(retrievals, chunk_id, &Retrieval::chunk_id);
  return found == retrievals.end() ? nullptr : &*found;
}

/// The requests that a batch names, with the records of the batch and of the graph.
class Requests {
 public:
  Requests(WriteBatch& batch, AnswerRules const& rules, graph::Snapshot const& known, Contents& contents,
           Findings& findings)
      : batch_(batch), rules_(rules), known_(known), contents_(contents), findings_(findings) {}

  Result<std::vector<NeededRecord>> settle() {
    assign_ranks(batch_, known_);
    join_citations();
    for (std::uint32_t i = 0; i < batch_.records.size(); ++i) {
      auto& given = batch_.records[i];
      Result<void> settled;
      if (auto* prompt = sound<PromptContext>(given)) settled = settle_prompt(*prompt, i);
      if (auto* answer = sound<Answer>(given)) settled = settle_answer(*answer, i);
      if (!settled) return settled.error();
    }
    return std::move(needed_);
  }

 private:
  [[nodiscard]] std::optional<VertexId> find(RecordType type, std::string_view id) const {
    return known_.find(type, id);
  }

  /// The batch's record of type `T` for a request; null where it has none that can be used.
  template <class T>
  [[nodiscard]] T* given_for(std::string_view request_id) {
    for (auto& given : batch_.records) {
      if (auto* record = sound<T>(given); record != nullptr && record->request_id == request_id) return record;
    }
    return nullptr;
  }

  void report(std::uint32_t index, std::string_view rule, std::string path, std::string seen, std::string message,
              Errc code = Errc::invalid_record) {
    findings_.add(index, {code, rule, std::move(path), std::move(seen), std::move(message)});
  }

  // --- citations ---

  void join_citations() {
    for (std::uint32_t i = 0; i < batch_.records.size(); ++i) {
      auto const* citation = sound<Citation>(batch_.records[i]);
      if (citation == nullptr) continue;
      auto* answer = given_for<Answer>(*citation->request_id);
      if (answer == nullptr) {
        report(i, "unknown_reference", "/request_id", schema::shown(*citation->request_id),
               "a citation must be in the batch of its answer");
      } else if (answer->answer) {
        join(*answer, *citation, i);
      }
    }
  }

  void join(Answer& answer, Citation citation, std::uint32_t index) {
    citation.request_id.reset();
    if (std::ranges::find(answer.citations, citation) != answer.citations.end()) return;
    joined_[{&answer, answer.citations.size()}] = index;
    answer.citations.push_back(std::move(citation));
  }

  /// Where a citation of an answer was given: a record, and the path to it there.
  struct CitationPlace {
    std::uint32_t index;
    std::string path;
  };
  [[nodiscard]] CitationPlace place_of(Answer const& answer, std::size_t i, std::uint32_t index) const {
    if (auto const joined = joined_.find({&answer, i}); joined != joined_.end()) return {joined->second, ""};
    return {index, "/citations/" + std::to_string(i)};
  }

  // --- prompts ---

  Result<void> settle_prompt(PromptContext& prompt, std::uint32_t index) {
    auto const retrievals = retrievals_of(prompt.request_id);
    if (!retrievals) return retrievals.error();
    for (std::size_t i = 0; i < prompt.retrieved_chunks.size(); ++i) {
      auto& item = prompt.retrieved_chunks[i];
      auto const path = "/retrieved_chunks/" + std::to_string(i);
      auto const* retrieval = find_chunk(**retrievals, item.chunk_id);
      if (retrieval == nullptr) {
        if (batch_.keeps_derived) {  // the retrieval went with the query, or with the chunk
          item = {.chunk_id = std::move(item.chunk_id)};
          continue;
        }
        if (!is_known(prompt.request_id)) continue;  // reported as an unknown reference
        report(index, "not_retrieved", path + "/chunk_id", schema::shown(item.chunk_id),
               "was not retrieved for this request");
        continue;
      }
      check_agreement(item, *retrieval, path, index);
      item = {.chunk_id = std::move(item.chunk_id)};
    }
    return {};
  }

  void check_agreement(schema::IncludedChunk const& item, Retrieval const& retrieval, std::string const& path,
                       std::uint32_t index) {
    auto const disagree = [&](std::string_view member) {
      report(index, "conflict", path + "/" + std::string(member), schema::shown(item.chunk_id),
             "the chunk is known with another value", Errc::conflict);
    };
    bool const is_there = !retrieval.is_expired;
    if (is_there && item.content && *item.content != retrieval.content) disagree("content");
    if (is_there && item.metadata && *item.metadata != retrieval.metadata) disagree("metadata");
    if (item.similarity_score && item.similarity_score != retrieval.similarity) disagree("similarity_score");
    if (item.rank && *item.rank != retrieval.rank) disagree("rank");
  }

  // --- answers ---

  Result<void> settle_answer(Answer& answer, std::uint32_t index) {
    if (!is_known(answer.request_id)) {
      report(index, "unknown_reference", "/request_id", schema::shown(answer.request_id),
             schema::format_ref(RecordType::query, answer.request_id) + " is not known");
      return {};
    }
    auto const retrievals = retrievals_of(answer.request_id);
    if (!retrievals) return retrievals.error();
    auto const mean = schema::confidence_of(**retrievals);
    if (auto const existing = find(RecordType::answer, answer.request_id)) {
      return take_known(answer, *existing, mean, index);
    }
    bool const has_text = answer.answer.has_value();
    settle_confidence(answer, mean, index);
    if (has_text && !answer.answer) {  // the text itself is not kept, not even in an answer that is
      findings_.warn(index, {Errc::invalid_record, "withheld", "/answer", schema::shown(mean.value_or(0)),
                             why_withheld(withheld_by(**retrievals), rules_)});
    }
    if (answer.answer) settle_citations(answer, **retrievals, index);
    return make_prompt(answer, **retrievals, index);
  }

  /// The confidence is the mean, whatever a client says; where it is too low, the text is withheld or flagged.
  void settle_confidence(Answer& answer, std::optional<double> mean, std::uint32_t index) {
    take_confidence(answer, mean, index);
    if (!keeps_flags()) (void)settle_doubtful(answer, rules_);
  }

  /// Capture mode flags what it finds, but not in a copy: what was retrieved and cited then may be deleted now.
  [[nodiscard]] bool keeps_flags() const noexcept {
    return batch_.keeps_derived && rules_.mode == schema::Mode::capture;
  }

  void take_confidence(Answer& answer, std::optional<double> computed, std::uint32_t index) {
    if (batch_.keeps_derived) return;  // a copy has the mean of its own time; chunks may have been retrieved since
    if (answer.confidence && !agree(answer.confidence, computed)) {
      findings_.warn(index, {Errc::invalid_record, "confidence", "/confidence", schema::shown(*answer.confidence),
                             computed ? "the mean of what was retrieved is " + schema::shown(*computed)
                                      : "nothing says how similar what was retrieved is"});
    }
    answer.confidence = computed;
  }

  /// A repeat takes the members that the server computed for the first write, perhaps from other chunks.
  Result<void> take_known(Answer& answer, VertexId existing, std::optional<double> mean, std::uint32_t index) {
    auto const record = contents_.fetch_one(existing);
    if (!record) return record.error();
    if (*record == nullptr) {  // given again: what it said, where the mean of its time is not known any more
      if (answer.confidence.value_or(0) == 0 || !has_deleted_retrievals(answer.request_id))
        settle_confidence(answer, mean, index);
      return {};
    }
    auto const& known = std::get<Answer>(**record);
    if (answer.answer && answer.answer == known.answer) {
      take_confidence(answer, known.confidence, index);
    } else {
      settle_confidence(answer, mean, index);
    }
    if (answer.answer != known.answer) return {};
    answer.confidence = known.confidence;
    answer.processing_time_ms = known.processing_time_ms;
    if (answer.citations.empty()) answer.citations = known.citations;
    for (std::size_t i = 0; i < std::min(answer.citations.size(), known.citations.size()); ++i) {
      auto& chunk_id = answer.citations[i].chunk_id;
      if (!chunk_id) chunk_id = known.citations[i].chunk_id;
    }
    return {};
  }

  [[nodiscard]] bool has_deleted_retrievals(std::string const& request_id) const {
    auto const query = find(RecordType::query, request_id);
    return query && std::ranges::any_of(known_.causes_ever(*query).vertices,
                                        [this](VertexId chunk) { return known_.is_deleted(chunk); });
  }

  void settle_citations(Answer& answer, std::span<Retrieval const> retrievals, std::uint32_t index) {
    auto const found = schema::find_citations(*answer.answer, retrievals);
    if (found.unsupported) refuse_unsupported(answer, nullptr, {index, "/answer"}, *found.unsupported);
    for (std::size_t i = 0; i < answer.citations.size(); ++i) {
      auto& citation = answer.citations[i];
      auto const place = place_of(answer, i, index);
      if (auto const cited = schema::find_cited(citation, retrievals)) {
        check_cited(answer, citation, retrievals[*cited], place);
        citation.chunk_id = retrievals[*cited].chunk_id;
      } else {
        CitationPlace const at{place.index, place.path.empty() ? "/document_name" : place.path};
        refuse_unsupported(answer, &citation, at, citation.document_name);
      }
    }
    if (!answer.citations.empty()) return;
    for (auto const place : found.retrievals) answer.citations.push_back(schema::citation_of(retrievals[place]));
    if (!answer.citations.empty() || found.unsupported || keeps_flags()) return;
    if (rules_.mode == schema::Mode::capture) return schema::add_flag(answer.flags, schema::flag::no_citations);
    report(index, "citation_missing", "/answer", schema::shown(*answer.answer), "an answer must cite its sources");
  }

  /// What a citation says of its chunk must be so.
  void check_cited(Answer& answer, Citation& citation, Retrieval const& chunk, CitationPlace const& place) {
    auto const differs = [&](std::string_view member, std::string const& seen, std::string_view message) {
      refuse(answer, &citation, {place.index, place.path + "/" + std::string(member)},
             {Errc::invalid_record, member, {}, seen, std::string(message) + chunk.chunk_id});
    };
    if (chunk.is_expired) return;
    if (!schema::is_excerpt(citation.excerpt, chunk.content)) {
      differs("excerpt", schema::shown(citation.excerpt), "is not in the text of ");
    }
    if (citation.page_number && citation.page_number != chunk.metadata.page_number) {
      differs("page_number", schema::shown(*citation.page_number), "is not the page of ");
    }
    if (citation.section && citation.section != chunk.metadata.section) {
      differs("section", schema::shown(*citation.section), "is not the section of ");
    }
  }

  void refuse_unsupported(Answer& answer, Citation* citation, CitationPlace const& at, std::string_view seen) {
    refuse(answer, citation, at,
           {Errc::invalid_record,
            "unsupported_citation",
            {},
            schema::shown(seen),
            schema::shown(seen) + " means no chunk retrieved for this request" +
                (citation == nullptr ? "; a bracket that is no citation is written \\[" : "")});
  }

  /// A citation that does not hold, or a bracket of the text, where `citation` is null. Capture mode keeps it, and
  /// flags it and its answer.
  void refuse(Answer& answer, Citation* citation, CitationPlace const& at, Findings::Finding finding) {
    if (keeps_flags()) return;
    if (rules_.mode == schema::Mode::capture) {
      schema::add_flag(answer.flags, schema::flag::unsupported);
      if (citation != nullptr) schema::add_flag(citation->flags, schema::flag::unsupported);
      return;
    }
    finding.path = at.path;
    findings_.add(at.index, std::move(finding));
  }

  /// Makes the prompt of an answer where none was recorded. Each answer had one where a copy comes from: it was deleted
  /// there if the copy has none.
  Result<void> make_prompt(Answer const& answer, std::span<Retrieval const> retrievals, std::uint32_t index) {
    if (batch_.keeps_derived) return {};
    auto const& request_id = answer.request_id;
    if (find(RecordType::prompt_context, request_id) || given_for<PromptContext>(request_id) != nullptr) return {};
    auto const question = question_of(request_id);
    if (!question) return question.error();
    PromptContext prompt{.request_id = request_id, .question = *question};
    for (auto const& each : retrievals) prompt.retrieved_chunks.push_back({.chunk_id = each.chunk_id});
    if (auto const* text = std::get_if<AnswerText>(&batch_.step)) prompt.system_prompt = text->system_prompt;
    prompt.formatted_context = schema::format_context(retrievals);
    needed_.push_back({std::move(prompt), index});
    return {};
  }

  Result<std::string> question_of(std::string const& request_id) {
    if (auto const* query = given_for<Query>(request_id)) return query->question;
    auto const vertex = find(RecordType::query, request_id);
    if (!vertex) return std::string{};
    auto const record = contents_.fetch_one(*vertex);
    if (!record) return record.error();
    return *record == nullptr ? std::string{} : std::get<Query>(**record).question;
  }

  // --- known records ---

  [[nodiscard]] bool is_known(std::string const& request_id) {
    return find(RecordType::query, request_id) || given_for<Query>(request_id) != nullptr;
  }

  /// The retrievals of a request, known ones and those of this batch.
  Result<std::vector<Retrieval> const*> retrievals_of(std::string const& request_id) {
    auto const found = retrievals_.find(request_id);
    if (found != retrievals_.end()) return &found->second;
    std::vector<Retrieval> retrievals;
    if (auto const query = find(RecordType::query, request_id)) {
      auto known = known_retrievals(*query, known_, contents_);
      if (!known) return known.error();
      retrievals = std::move(*known);
    }
    for (auto& given : batch_.records) {
      auto const* chunk = sound<RetrievedChunk>(given);
      if (chunk == nullptr || chunk->request_id != request_id) continue;
      if (find_chunk(retrievals, chunk->chunk_id) != nullptr) continue;
      retrievals.push_back({.chunk_id = chunk->chunk_id,
                            .content = chunk->content,
                            .metadata = chunk->metadata,
                            .similarity = chunk->similarity_score,
                            .rank = static_cast<std::uint32_t>(*chunk->rank)});
    }
    sort_by_rank(retrievals);
    return &retrievals_.emplace(request_id, std::move(retrievals)).first->second;
  }

  WriteBatch& batch_;
  AnswerRules const rules_;
  graph::Snapshot const& known_;
  Contents& contents_;
  Findings& findings_;
  std::map<std::string, std::vector<Retrieval>> retrievals_;               // by request
  std::map<std::pair<Answer const*, std::size_t>, std::uint32_t> joined_;  // citations from records of their own
  std::vector<NeededRecord> needed_;
};

/// Most batches have no such record.
bool concerns_requests(WriteBatch const& batch) {
  return std::ranges::any_of(batch.records, [](schema::IncomingRecord const& given) {
    if (!given.is_usable) return false;
    auto const type = schema::type_of(given.record);
    return type == RecordType::retrieved_chunk || type == RecordType::prompt_context || type == RecordType::answer ||
           type == RecordType::citation;
  });
}

}  // namespace

Result<std::vector<NeededRecord>> settle_requests(WriteBatch& batch, AnswerRules const& rules,
                                                  graph::Snapshot const& known, Contents& contents,
                                                  Findings& findings) {
  if (!concerns_requests(batch)) return std::vector<NeededRecord>{};
  return Requests(batch, rules, known, contents, findings).settle();
}

namespace {

/// The name of a chunk's document, which its edge keeps.
std::string_view document_of(graph::Snapshot const& known, VertexId chunk) {
  for (auto const cause : known.causes_ever(chunk).vertices) {
    if (known.type(cause) == RecordType::document) return known.id(cause);
  }
  return {};
}

}  // namespace

Result<std::vector<Retrieval>> known_retrievals(VertexId query, graph::Snapshot const& known, Contents& contents) {
  auto const causes = known.causes(query);
  if (auto const fetched = contents.fetch({causes.vertices.begin(), causes.vertices.end()}); !fetched) {
    return fetched.error();
  }
  std::vector<Retrieval> retrievals;
  for (std::size_t i = 0; i < causes.size(); ++i) {
    auto const* const record = contents.find(causes.vertices[i]);
    retrievals.push_back({.chunk_id = std::string(known.id(causes.vertices[i])),
                          .metadata = {.document_name = std::string(document_of(known, causes.vertices[i]))},
                          .similarity = known.value(causes.edges[i]),
                          .rank = known.rank(causes.edges[i]),
                          .is_expired = record == nullptr});
    if (record == nullptr) continue;
    auto const& chunk = std::get<RetrievedChunk>(*record);
    retrievals.back().content = chunk.content;
    retrievals.back().metadata = chunk.metadata;
  }
  sort_by_rank(retrievals);
  return retrievals;
}

std::string why_withheld(Withheld const& withheld, AnswerRules const& rules) {
  return "the mean of what was retrieved is " + schema::shown(withheld.mean) + ", below " +
         schema::shown(rules.confidence_min) + "; the best is " + schema::shown(withheld.best);
}

Result<ComposedAnswer> compose_answer(AnswerText const& text, AnswerRules const& rules, graph::Snapshot const& known,
                                      Contents& contents) {
  auto const query = known.find(RecordType::query, text.request_id);
  if (!query) return error_from(graph::unknown_ref(known, {RecordType::query, text.request_id}, "/request_id"));
  auto const retrievals = known_retrievals(*query, known, contents);
  if (!retrievals) return retrievals.error();
  Answer answer{.request_id = text.request_id,
                .answer = text.answer,
                .confidence = schema::confidence_of(*retrievals),
                .message = text.message,
                .processing_time_ms = text.processing_time_ms};
  ComposedAnswer composed;
  if (settle_doubtful(answer, rules)) composed.withheld = withheld_by(*retrievals);
  if (!answer.answer && answer.message.value_or("").empty()) answer.message = schema::not_found_message;
  composed.answer = answer;
  auto const existing = known.find(RecordType::answer, text.request_id);
  if (!existing) return composed;
  auto const record = contents.fetch_one(*existing);
  if (!record) return record.error();
  if (*record == nullptr) return composed;
  auto const& before = std::get<Answer>(**record);
  // A new measurement (a time, a mean over further retrievals) does not make it another answer.
  if (before.answer != (before.answer ? text.answer : answer.answer)) return composed;
  composed.answer = before;
  if (before.answer) composed.withheld.reset();  // texts are withheld when they are written alone
  return composed;
}

Result<void> correct_confidences(Candidates const& candidates, AnswerRules const& rules, Contents& contents,
                                 Plan& plan) {
  auto const& known = candidates.known();
  std::map<std::string, std::uint32_t> asked;  // requests that gain a retrieval, with the last record that brings one
  for (auto const& candidate : candidates.all()) {
    auto const* const chunk = candidate.record == nullptr ? nullptr : std::get_if<RetrievedChunk>(candidate.record);
    if (chunk != nullptr && chunk->request_id) asked[*chunk->request_id] = candidate.index;
  }
  for (auto const& [request_id, index] : asked) {
    auto const query = known.find(RecordType::query, request_id);
    auto const vertex = known.find(RecordType::answer, request_id);
    if (!query || !vertex || known.gone(*vertex)) continue;
    auto const record = contents.fetch_one(*vertex);
    if (!record) return record.error();
    if (*record == nullptr) continue;
    auto answer = std::get<Answer>(**record);
    auto retrievals = known_retrievals(*query, known, contents);
    if (!retrievals) return retrievals.error();
    for (auto const& candidate : candidates.all()) {
      auto const* const chunk = candidate.record == nullptr ? nullptr : std::get_if<RetrievedChunk>(candidate.record);
      if (chunk == nullptr || chunk->request_id != request_id) continue;
      if (find_chunk(*retrievals, chunk->chunk_id) != nullptr) continue;
      retrievals->push_back({.chunk_id = chunk->chunk_id, .similarity = chunk->similarity_score});
    }
    auto const mean = schema::confidence_of(*retrievals);
    if (agree(answer.confidence, mean)) continue;
    answer.confidence = mean;
    if (answer.answer && is_low(mean, rules)) {
      schema::add_flag(answer.flags, schema::flag::low_confidence);
    } else {
      schema::drop_flag(answer.flags, schema::flag::low_confidence);
    }
    plan.revise({.row = {.vertex = *vertex,
                         .type = RecordType::answer,
                         .revision = 0,
                         .kind = schema::RevisionKind::whole,
                         .rows_before = candidates.rows_up_to(index)},
                 .content = answer,
                 .whole = answer},
                known);
  }
  return {};
}

}  // namespace whence::engine
