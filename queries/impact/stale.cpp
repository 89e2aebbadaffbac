// Of something made, each source above it is judged by its newer versions, its state and its document; then come
// sources deleted since, and its citations. Of a source, itself and the chunks of a document, then the answers that
// rest on it and not on what is newer. Of all sources the graph alone is asked: no record is read.

#include "queries/impact/stale.hpp"

#include "graph/snapshot/acts.hpp"
#include "queries/history/chain.hpp"
#include "queries/history/chunk_places.hpp"
#include "queries/impact/source_kinds.hpp"
#include "queries/lineage/walk.hpp"
#include "queries/view/order.hpp"
#include "queries/view/resolve.hpp"
#include "queries/view/score.hpp"
#include "queries/view/whole.hpp"
#include "schema/base/poll.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <variant>

namespace whence::queries {
namespace {

using graph::EdgeType;
using schema::RecordType;

/// Which vertices a response or an answer rests on. Each is looked at once, over all questions.
class AnswersBelow {
 public:
  AnswersBelow(Snapshot const& snapshot, schema::EdgeTypeSet edge_types, schema::Poll& poll)
      : snapshot_{snapshot}, edge_types_{edge_types}, poll_{poll}, known_(snapshot.vertex_count(), Known::nothing) {}

  /// Whether `start` is one, or one rests on it. False, too, where it must stop.
  [[nodiscard]] bool has(VertexId start) {
    std::vector<Place> path;
    enter(path, start);
    while (!path.empty()) {
      if (poll_.must_stop()) return false;
      Place& at = path.back();
      if (known_[schema::number(at.vertex)] == Known::yes) {
        for (auto const& each : path) known_[schema::number(each.vertex)] = Known::yes;
        return true;
      }
      if (at.next == at.effects.size()) {
        known_[schema::number(at.vertex)] = Known::no;
        path.pop_back();
        continue;
      }
      auto const effect = at.effects.vertices[at.next];
      bool const is_walked = edge_types_.contains(snapshot_.type(at.effects.edges[at.next]));
      ++at.next;
      if (is_walked && known_[schema::number(effect)] != Known::no) enter(path, effect);
    }
    return false;
  }

 private:
  enum class Known : std::uint8_t { nothing, no, yes };

  /// Influence has no cycles, so that no vertex is in a path twice.
  struct Place {
    VertexId vertex;
    graph::Neighbours effects;
    std::size_t next = 0;
  };

  void enter(std::vector<Place>& path, VertexId vertex) {
    if (is_rated_itself(snapshot_.type(vertex))) known_[schema::number(vertex)] = Known::yes;
    path.push_back({vertex, snapshot_.effects(vertex)});
  }

  Snapshot const& snapshot_;
  schema::EdgeTypeSet edge_types_;
  schema::Poll& poll_;
  std::vector<Known> known_;
};

/// A walk or a read of a record is counted as at least so many steps, since there may be many short ones.
constexpr std::uint64_t steps_of_a_read = 64;

class StaleSearch {
 public:
  StaleSearch(View const& view, StaleParams const& params, Budget const& budget)
      : view_{view},
        snapshot_{view.snapshot},
        budget_{budget},
        limits_{.edge_types = walked_types(params.basis), .vertices_max = budget.vertices_max} {}

  /// Of something made.
  Result<Stale> of_effect(VertexId effect) {
    auto const up = graph::Direction::ancestors;
    auto const reach = graph::reach(snapshot_, {&effect, 1}, up, limits_, budget_.interrupt);
    if (!reach) return reach.error();
    if (reach->is_cut_by_vertices) made_.incomplete = Incomplete::nodes;
    auto cut = graph::cut_relations(snapshot_, {&effect, 1}, up, limits_, *reach, budget_.interrupt);
    if (!cut) return cut.error();
    take_cut(std::move(*cut), made_);
    auto ancestors = reach->vertices;
    std::ranges::sort(ancestors);
    for (auto const vertex : ancestors) {
      if (poll_.must_stop()) return poll_.error();
      if (!is_source(snapshot_.type(vertex)) && !is_versioned(snapshot_.type(vertex))) continue;
      auto const judged = judge(vertex, snapshot_.created(effect), &ancestors);
      if (!judged) return judged.error();
    }
    if (auto const added = add_deleted(effect, ancestors); !added) return added.error();
    sort_by_ref(snapshot_, std::span(made_.sources));
    if (auto const checked = check_citations(effect); !checked) return checked.error();
    return std::move(made_);
  }

  /// Of a source, with the chunks of a document.
  Result<Stale> of_source(VertexId source) {
    std::vector<VertexId> members{source};
    if (snapshot_.type(source) == RecordType::document) {
      auto const chunks = chunks_of(snapshot_, source);
      members.insert(members.end(), chunks.begin(), chunks.end());
    }
    for (auto const vertex : members) {
      if (poll_.must_stop()) return poll_.error();
      if (auto judged = judge(vertex, snapshot_.created(vertex), nullptr); !judged) return judged.error();
    }
    sort_by_ref(snapshot_, std::span(made_.sources));
    if (auto const added = add_answers(); !added) return added.error();
    return std::move(made_);
  }

  /// Of all sources that answers rest on, by what the graph alone says.
  Result<Stale> of_all() {
    AnswersBelow below{snapshot_, limits_.edge_types, poll_};
    for (auto const& row : schema::record_types()) {
      if (!row.is_node || (!is_source(row.type) && !is_versioned(row.type))) continue;
      for (auto const vertex : snapshot_.vertices(row.type)) {
        if (poll_.must_stop()) return poll_.error();
        if (snapshot_.effects(vertex).empty()) continue;
        StaleSource source{vertex, {}, {}};
        if (!judge_version(source, nullptr)) return poll_.error();
        judge_state(source);
        if (!source.reasons.empty() && is_used(vertex, below)) take(std::move(source));
        if (poll_.has_stopped()) return poll_.error();
      }
    }
    sort_by_ref(snapshot_, std::span(made_.sources));
    return std::move(made_);
  }

 private:
  void take(StaleSource source) {
    if (source.reasons.empty()) return;
    std::ranges::sort(source.reasons);
    source.reasons.erase(std::unique(source.reasons.begin(), source.reasons.end()), source.reasons.end());
    made_.sources.push_back(std::move(source));
  }

  /// Whether there is a newer version, and where ancestors are given none of the newer ones is among them. False where
  /// it must stop.
  [[nodiscard]] bool judge_version(StaleSource& source, std::vector<VertexId> const* ancestors) {
    if (!is_versioned(snapshot_.type(source.vertex))) return true;
    auto const chain = version_chain(snapshot_, source.vertex);
    if (poll_.must_stop(chain.size())) return false;
    auto own = std::ranges::find(chain, source.vertex, &Version::vertex);
    if (own == chain.end() || ++own == chain.end()) return true;
    bool const has_newer = ancestors != nullptr && std::any_of(own, chain.end(), [&](Version const& version) {
                             return std::ranges::binary_search(*ancestors, version.vertex);
                           });
    if (has_newer) return true;
    source.reasons.push_back(StaleReason::updated);
    source.newer = chain.back().vertex;
    return true;
  }

  /// Whether an answer rests on a source otherwise than through another version of it.
  [[nodiscard]] bool is_used(VertexId source, AnswersBelow& below) {
    std::vector<VertexId> versions;
    if (is_versioned(snapshot_.type(source))) {
      for (auto const& version : version_chain(snapshot_, source)) versions.push_back(version.vertex);
      std::ranges::sort(versions);
    }
    auto const effects = snapshot_.effects(source);
    for (std::size_t i = 0; i < effects.size(); ++i) {
      if (poll_.must_stop()) return false;
      bool const is_walked = limits_.edge_types.contains(snapshot_.type(effects.edges[i]));
      if (!is_walked || std::ranges::binary_search(versions, effects.vertices[i])) continue;
      if (below.has(effects.vertices[i])) return true;
    }
    return false;
  }

  void judge_state(StaleSource& source) {
    if (snapshot_.state(source.vertex).status == graph::UnitStatus::deprecated) {
      source.reasons.push_back(StaleReason::deprecated);
    }
    if (auto const gone = snapshot_.gone(source.vertex)) {
      source.reasons.push_back(*gone == graph::GoneWhy::purged ? StaleReason::purged : StaleReason::expired);
    }
  }

  /// What was loaded after a moment, or is at the place of a chunk.
  Result<void> judge_document(StaleSource& source, schema::TxId since) {
    auto const type = snapshot_.type(source.vertex);
    auto const causes = snapshot_.causes(source.vertex);
    if (poll_.must_stop(causes.size())) return poll_.error();
    for (std::size_t i = 0; i < causes.size(); ++i) {
      if (type == RecordType::document && snapshot_.type(causes.edges[i]) == EdgeType::loaded_from &&
          snapshot_.tx(causes.edges[i]) > since) {
        source.reasons.push_back(StaleReason::changed);
        source.newer = causes.vertices[i];
      }
      if (type != RecordType::retrieved_chunk || snapshot_.type(causes.vertices[i]) != RecordType::document) continue;
      auto const newer = find_in_place(causes.vertices[i], source.vertex);
      if (!newer) return newer.error();
      if (!*newer) continue;
      source.reasons.push_back(StaleReason::changed);
      source.newer = **newer;
    }
    return {};
  }

  Result<void> judge(VertexId vertex, schema::TxId since, std::vector<VertexId> const* ancestors) {
    StaleSource source{vertex, {}, {}};
    if (!judge_version(source, ancestors)) return poll_.error();
    judge_state(source);
    if (auto judged = judge_document(source, since); !judged) return judged;
    take(std::move(source));
    return {};
  }

  /// The latest chunk of a document at the place of `chunk`, if that is a later one with another text.
  Result<std::optional<VertexId>> find_in_place(VertexId document, VertexId chunk) {
    auto found = newer_in_.find(document);
    if (found == newer_in_.end()) {
      auto read = read_newer(document);
      if (!read) return read.error();
      found = newer_in_.emplace(document, std::move(*read)).first;
    }
    auto const newer = found->second.find(chunk);
    return newer == found->second.end() ? std::nullopt : std::optional{newer->second};
  }

  /// By chunk, the latest one at its place, where that has another text. O(chunks log chunks).
  Result<std::map<VertexId, VertexId>> read_newer(VertexId document) {
    auto chunks = chunks_of(snapshot_, document);
    if (chunks.size() > document_chunks_max) {
      made_.incomplete = Incomplete::nodes;
      chunks.erase(chunks.begin(), chunks.end() - document_chunks_max);
    }
    if (poll_.must_stop(chunks.size())) return poll_.error();
    auto const placed = read_places(view_, chunks);
    if (!placed) return placed.error();
    return newer_at_place(*placed);
  }

  /// Sources that were deleted since, next to what is there.
  Result<void> add_deleted(VertexId effect, std::vector<VertexId> const& ancestors) {
    std::set<VertexId> known;
    for (auto const& source : made_.sources) known.insert(source.vertex);
    auto const look = [&](VertexId vertex) {
      auto const all = snapshot_.causes_ever(vertex);
      for (auto const cause : all.vertices) {
        if (!snapshot_.is_deleted(cause) || !is_source(snapshot_.type(cause))) continue;
        if (!known.insert(cause).second) continue;
        made_.sources.push_back({cause, {StaleReason::deleted}, {}});
      }
      return !poll_.must_stop(1 + all.size());
    };
    if (!look(effect)) return poll_.error();
    for (auto const vertex : ancestors) {
      if (!look(vertex)) return poll_.error();
    }
    return {};
  }

  /// What rests on the stale sources, and not on what is newer.
  Result<void> add_answers() {
    for (auto const& source : made_.sources) {
      auto const down = graph::Direction::descendants;
      auto const below = graph::reach(snapshot_, {&source.vertex, 1}, down, limits_, budget_.interrupt);
      if (!below) return below.error();
      std::vector<VertexId> beside;
      if (source.newer) {
        auto newer = graph::reach(snapshot_, {&*source.newer, 1}, down, limits_, budget_.interrupt);
        if (!newer) return newer.error();
        beside = std::move(newer->vertices);
        std::ranges::sort(beside);
      }
      if (poll_.must_stop(steps_of_a_read + below->vertices.size() + beside.size())) return poll_.error();
      for (auto const vertex : below->vertices) {
        if (!is_rated_itself(snapshot_.type(vertex)) || std::ranges::binary_search(beside, vertex)) continue;
        auto const half = graph::other_half(snapshot_, vertex);
        if (half && snapshot_.type(vertex) == RecordType::answer) continue;
        made_.answers.push_back(vertex);
      }
    }
    std::ranges::sort(made_.answers);
    made_.answers.erase(std::unique(made_.answers.begin(), made_.answers.end()), made_.answers.end());
    sort_by_ref(snapshot_, std::span(made_.answers));
    return {};
  }

  /// The text of a chunk as of a moment; nothing where it is gone.
  Result<std::optional<std::string>> text_of(VertexId chunk, schema::TxId tx) {
    View then = view_;
    then.snapshot = snapshot_.as_of(std::max(tx, snapshot_.created(chunk)));
    auto said = read_one(then, chunk);
    if (!said) return said.error();
    auto* const record = said->find();
    if (record == nullptr) return std::optional<std::string>{};
    return std::optional{std::move(std::get<schema::RetrievedChunk>(*record).content)};
  }

  Result<void> check_citations(VertexId effect) {
    std::optional<VertexId> answer;
    if (snapshot_.type(effect) == RecordType::answer) answer = effect;
    if (snapshot_.type(effect) == RecordType::response) answer = graph::other_half(snapshot_, effect);
    if (!answer) return {};
    auto said = read_one(view_, *answer);
    if (!said) return said.error();
    auto const* const record = said->find();
    if (record == nullptr) return {};
    std::size_t number = 0;
    for (auto const& citation : std::get<schema::Answer>(*record).citations) {
      CheckedCitation checked{.number = ++number, .document_name = citation.document_name};
      if (citation.chunk_id && !citation.excerpt.empty()) {
        auto chunk = snapshot_.find(RecordType::retrieved_chunk, *citation.chunk_id);
        if (!chunk) chunk = snapshot_.find_deleted(RecordType::retrieved_chunk, *citation.chunk_id);
        if (poll_.must_stop(steps_of_a_read)) return poll_.error();
        if (auto done = check(citation.excerpt, *answer, chunk, checked); !done) return done;
      }
      made_.citations.push_back(std::move(checked));
    }
    return {};
  }

  Result<void> check(std::string const& quote, VertexId answer, std::optional<VertexId> chunk,
                     CheckedCitation& checked) {
    if (!chunk) return {};
    checked.chunk = chunk;
    auto const then = text_of(*chunk, snapshot_.created(answer));
    if (!then) return then.error();
    if (*then && poll_.must_stop((**then).size())) return poll_.error();
    if (*then) checked.then = check_quote(quote, **then);
    auto const stale = std::ranges::find(made_.sources, *chunk, &StaleSource::vertex);
    if (stale == made_.sources.end() || !stale->newer) return {};
    auto const now = text_of(*stale->newer, snapshot_.tx());
    if (!now) return now.error();
    if (*now && poll_.must_stop((**now).size())) return poll_.error();
    if (*now) checked.now = check_quote(quote, **now);
    return {};
  }

  View const& view_;
  Snapshot const& snapshot_;
  Budget const& budget_;
  graph::WalkLimits const limits_;
  schema::Poll poll_{budget_.interrupt};
  std::map<VertexId, std::map<VertexId, VertexId>> newer_in_ = {};  ///< by document
  Stale made_ = {};
};

}  // namespace

Result<Stale> lineage_stale(View const& view, StaleParams const& params, Budget const& budget) {
  StaleSearch search(view, params, budget);
  if (!params.ref) return search.of_all();
  auto const start = resolve(view.snapshot, *params.ref, "/ref");
  if (!start) return start.error();
  return is_source(params.ref->type) ? search.of_source(*start) : search.of_effect(*start);
}

}  // namespace whence::queries
