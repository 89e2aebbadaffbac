// `check_chunks` finds the violations, `plan_chunks` the revisions of chunks that have a vertex already, known or of
// this batch. Several records of a batch may be one chunk: the first makes the vertex, each further one adds the edge
// of its retrieval.

#include "engine/validation/retrieval/chunks.hpp"

#include "engine/plan/identity.hpp"
#include "engine/plan/kept_edges.hpp"
#include "engine/validation/retrieval/ranks.hpp"
#include "schema/base/report.hpp"
#include "schema/types/ref.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace whence::engine {
namespace {

using schema::RecordType;
using schema::RetrievedChunk;

/// How close and in which place a chunk was retrieved.
struct Place {
  std::optional<double> similarity;
  std::int64_t rank;
};

/// A chunk record of the batch that is sound.
RetrievedChunk const* chunk_of(Candidate const& candidate) {
  if (candidate.record == nullptr || candidate.has_field_errors) return nullptr;
  return std::get_if<RetrievedChunk>(candidate.record);
}

/// The chunk known under a candidate's id, or the first of the batch; null where that has field errors.
RetrievedChunk const* known_chunk(Candidate const& candidate, Candidates const& candidates, Contents const& contents) {
  auto const* proposed = candidates.proposed(candidate.vertex);
  if (proposed != nullptr) return chunk_of(*proposed);
  auto const* const record = contents.find(candidate.vertex);
  return record == nullptr ? nullptr : &std::get<RetrievedChunk>(*record);
}

/// Why nothing is left of what a known chunk said; then nothing is compared with it.
std::optional<graph::GoneWhy> gone_before(Candidate const& candidate, Candidates const& candidates) {
  return candidates.known().contains(candidate.vertex) ? candidates.known().gone(candidate.vertex) : std::nullopt;
}

/// Whether a chunk that is gone comes back; one that was purged does so with a new request.
bool comes_back(graph::GoneWhy why, RetrievedChunk const& given, Candidates const& candidates, bool grows_captured) {
  auto const query = given.request_id ? candidates.find(RecordType::query, *given.request_id) : std::nullopt;
  return engine::comes_back(why, grows_captured || (query && candidates.proposed(*query) != nullptr));
}

/// Retrievals that exist already: in the graph, or earlier in the batch.
class SeenRetrievals {
 public:
  explicit SeenRetrievals(Candidates const& candidates) : candidates_(candidates) {}

  /// The place of the retrieval before; nothing where this is the first, which is then remembered.
  std::optional<Place> take(Candidate const& candidate, RetrievedChunk const& chunk) {
    auto const& known = candidates_.known();
    auto const query = known.find(RecordType::query, *chunk.request_id);
    if (query && known.contains(candidate.vertex)) {
      if (auto const edge = find_retrieval(known, candidate.vertex, *query)) {
        return Place{known.value(*edge), known.rank(*edge)};
      }
    }
    Place const place{chunk.similarity_score, *chunk.rank};
    auto const [entry, is_first] = in_batch_.try_emplace({chunk.chunk_id, *chunk.request_id}, place);
    return is_first ? std::nullopt : std::optional{entry->second};
  }

 private:
  Candidates const& candidates_;
  std::map<std::pair<std::string, std::string>, Place> in_batch_;  // by chunk and request
};

void report_other(Candidate const& candidate, RetrievedChunk const& given, std::string_view path, Findings& findings) {
  findings.add(
      candidate.index,
      {Errc::conflict, "conflict", std::string(path), schema::shown(given.chunk_id),
       "this chunk is known with other content: what a chunk says never changes; write what it says now under another "
       "`chunk_id`, and delete the old one if it is not to be retrieved any more"});
}

/// Whether both name the same model; `unnamed` is the one of a chunk that names none.
bool is_same_model(RetrievedChunk const& a, RetrievedChunk const& b, std::string const& unnamed) {
  return a.embedding_model.value_or(unnamed) == b.embedding_model.value_or(unnamed);
}

/// A retrieval may repeat the model of its chunk's embedding, but there must be an embedding.
void check_model(Candidate const& candidate, RetrievedChunk const& given, RetrievedChunk const* known,
                 std::string const& unnamed, Findings& findings) {
  if (!given.embedding_model || given.embedding) return;
  if (known == nullptr || !known->embedding) {
    findings.add(candidate.index,
                 {Errc::invalid_record, "embedding", "/embedding_model", schema::shown(*given.embedding_model),
                  "belongs to an embedding, which this chunk does not have"});
  } else if (!is_same_model(given, *known, unnamed)) {
    report_other(candidate, given, "/embedding_model", findings);
  }
}

void check_content(Candidate const& candidate, RetrievedChunk const& given, RetrievedChunk const& known,
                   ChunkRules const& rules, Findings& findings) {
  auto const conflict = [&](std::string_view path) { report_other(candidate, given, path, findings); };
  if (given.content != known.content) conflict("/content");
  if (given.metadata != known.metadata) conflict("/metadata");
  if (given.embedding && known.embedding && *given.embedding != *known.embedding) conflict("/embedding");
  if (given.embedding && known.embedding && !is_same_model(given, known, rules.unnamed_model))
    conflict("/embedding_model");
  // A retrieval may leave out the attributes of its chunk. Captured ones may be of the retrieval: the first ones stay.
  bool const may_differ = given.request_id && (!given.attributes || rules.mode == schema::Mode::capture);
  if (!may_differ && given.attributes != known.attributes) conflict("/attributes");
}

void check_place(Candidate const& candidate, RetrievedChunk const& given, Place const& known, Findings& findings) {
  auto const conflict = [&](std::string_view path, std::string seen) {
    findings.add(candidate.index, {Errc::conflict, "conflict", std::string(path), std::move(seen),
                                   "this retrieval is known with another value"});
  };
  if (given.similarity_score && given.similarity_score != known.similarity)
    conflict("/similarity_score", schema::shown(*given.similarity_score));
  if (*given.rank != known.rank) conflict("/rank", schema::shown(*given.rank));
}

store::RowEdge retrieval_edge(RetrievedChunk const& given, Candidates const& candidates) {
  return {.type = schema::EdgeType::retrieved_for,
          .owner_is_from = true,
          .other = candidates.find(RecordType::query, *given.request_id).value(),
          .value = given.similarity_score,
          .rank = static_cast<std::uint32_t>(*given.rank)};
}

/// A revision of a chunk whose content is gone: its content again, a retrieval's edge, or both.
void plan_again(Candidate const& candidate, RetrievedChunk const& given, bool does_come_back, bool has_edge,
                Candidates const& candidates, Plan& plan) {
  if (!does_come_back && !has_edge) return;
  RetrievedChunk chunk;
  if (does_come_back) chunk = given;
  chunk.request_id.reset();
  chunk.similarity_score.reset();
  chunk.rank.reset();
  PlannedRevision revision{.row = {.vertex = candidate.vertex,
                                   .type = RecordType::retrieved_chunk,
                                   .revision = 0,
                                   .kind = does_come_back ? schema::RevisionKind::whole : schema::RevisionKind::update,
                                   .rows_before = candidates.rows_up_to(candidate.index)},
                           .content = chunk,
                           .whole = chunk};
  if (has_edge) revision.row.edges.push_back(retrieval_edge(given, candidates));
  plan.revise(std::move(revision), candidates.known());
}

/// A revision that brings an embedding, a retrieval's edge, or both. Where it brings the edge only, the chunk
/// itself does not change.
void plan_gain(Candidate const& candidate, RetrievedChunk const& given, RetrievedChunk const& known, bool has_edge,
               Candidates const& candidates, Plan& plan) {
  bool const is_embedded = given.embedding && !known.embedding;
  if (!is_embedded && !has_edge) return;
  PlannedRevision revision{.row = {.vertex = candidate.vertex,
                                   .type = RecordType::retrieved_chunk,
                                   .revision = 0,
                                   .kind = is_embedded ? schema::RevisionKind::addition : schema::RevisionKind::update,
                                   .rows_before = candidates.rows_up_to(candidate.index)},
                           .content = RetrievedChunk{},
                           .whole = known};
  if (is_embedded) {
    for (auto* const record : {&revision.content, &revision.whole}) {
      auto& chunk = std::get<RetrievedChunk>(*record);
      chunk.embedding = given.embedding;
      chunk.embedding_model = given.embedding_model;
    }
  }
  if (has_edge) revision.row.edges.push_back(retrieval_edge(given, candidates));
  plan.revise(std::move(revision), candidates.known());
}

}  // namespace

void check_chunks(Candidates const& candidates, Contents const& contents, ChunkRules const& rules, Findings& findings) {
  SeenRetrievals seen(candidates);
  std::map<VertexId, RetrievedChunk const*> embedded;  // by this batch: the first that brings an embedding
  std::set<VertexId> gone;                             // that were warned of
  for (auto const& candidate : candidates.all()) {
    auto const* given = chunk_of(candidate);
    if (given == nullptr) continue;
    auto const before = given->request_id ? seen.take(candidate, *given) : std::nullopt;
    auto const first = given->embedding ? embedded.try_emplace(candidate.vertex, given).first->second : given;
    auto const* known = candidate.is_new ? nullptr : known_chunk(candidate, candidates, contents);
    if (known != nullptr || candidate.is_new) check_model(candidate, *given, known, rules.unnamed_model, findings);
    if (auto const why = gone_before(candidate, candidates)) {
      bool const does = comes_back(*why, *given, candidates, rules.grows_captured);
      bool const agrees = !does || agrees_with_kept(candidate, *why, candidates, findings);
      if (agrees && gone.insert(candidate.vertex).second)
        warn_of_gone(findings, candidate.index, "/chunk_id", given->chunk_id, *why, does);
      continue;
    }
    if (known == nullptr) continue;
    check_content(candidate, *given, *known, rules, findings);
    if (given->embedding != first->embedding) report_other(candidate, *given, "/embedding", findings);
    if (!is_same_model(*given, *first, rules.unnamed_model))
      report_other(candidate, *given, "/embedding_model", findings);
    if (before) check_place(candidate, *given, *before, findings);
    if (given->request_id && !candidates.find(RecordType::query, *given->request_id)) {
      findings.add(candidate.index,
                   {Errc::invalid_record, "unknown_reference", "/request_id", schema::shown(*given->request_id),
                    schema::format_ref(RecordType::query, *given->request_id) + " is not known"});
    }
  }
}

void plan_chunks(Candidates const& candidates, bool grows_captured, Contents const& contents, Plan& plan) {
  SeenRetrievals seen(candidates);
  std::set<VertexId> embedded;  // by this batch
  std::set<VertexId> again;     // likewise: were gone and come back
  for (auto const& candidate : candidates.all()) {
    auto const* given = chunk_of(candidate);
    if (given == nullptr) continue;
    bool const is_first = given->request_id && !seen.take(candidate, *given);
    if (candidate.is_new) continue;
    if (auto const why = gone_before(candidate, candidates)) {
      bool const does = comes_back(*why, *given, candidates, grows_captured) && again.insert(candidate.vertex).second;
      plan_again(candidate, *given, does, is_first, candidates, plan);
      continue;
    }
    auto known = *known_chunk(candidate, candidates, contents);
    if (embedded.contains(candidate.vertex)) known.embedding = given->embedding;  // it has been given one above
    if (given->embedding) embedded.insert(candidate.vertex);
    plan_gain(candidate, *given, known, is_first, candidates, plan);
  }
}

}  // namespace whence::engine
