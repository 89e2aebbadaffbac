#include "engine/steps/content_removal.hpp"

#include "graph/snapshot/discussion.hpp"
#include "graph/snapshot/records.hpp"
#include "graph/snapshot/unknown.hpp"
#include "schema/stored/blobs.hpp"
#include "schema/types/edge_type.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace whence::engine {
namespace {

using graph::GoneWhy;
using graph::Neighbours;
using graph::Snapshot;
using schema::EdgeType;
using schema::RecordType;
using schema::VertexId;

/// Every vertex that is or was named, deleted ones too: what they said is still stored.
Result<std::vector<VertexId>> resolve_ever(std::vector<schema::NodeRef> const& refs, Snapshot const& known) {
  std::vector<VertexId> found;
  std::vector<Violation> violations;
  for (std::uint32_t i = 0; i < refs.size(); ++i) {
    auto const named = known.find_all_ever(refs[i].type, refs[i].id);
    found.insert(found.end(), named.begin(), named.end());
    if (!named.empty()) continue;
    violations.push_back(graph::unknown_ref(known, refs[i], "/refs/" + std::to_string(i)));
    violations.back().index = i;
  }
  if (!violations.empty()) return error_from(std::move(violations));
  return found;
}

/// What expires, without what was revised or named since it was found to be old.
std::vector<VertexId> still_old(ContentRemoval const& step, Snapshot const& known) {
  auto const then = known.as_of(step.found_at);
  std::vector<VertexId> old;
  std::ranges::copy_if(step.old, std::back_inserter(old), [&](VertexId vertex) {
    return then.contains(vertex) && known.contents_count(vertex) == then.contents_count(vertex) &&
           known.effects_ever(vertex).size() == then.effects_ever(vertex).size() &&
           known.relations_to_ever(vertex).size() == then.relations_to_ever(vertex).size();
  });
  return old;
}

/// Follows texts to their copies.
class Copies {
 public:
  Copies(Snapshot const& known, bool cascades) : known_{known}, cascades_{cascades} {}

  /// All that goes with `named`, those first, each once; and the answers that lose an excerpt.
  void find(std::vector<VertexId> const& named) {
    for (auto const vertex : named) add(vertex);
    for (std::size_t i = 0; i < found_.size(); ++i) spread(found_[i]);  // grows while it is walked
    std::erase_if(citing_, [&](VertexId answer) { return contains(answer); });
  }

  [[nodiscard]] std::vector<VertexId> const& found() const noexcept { return found_; }
  [[nodiscard]] std::vector<VertexId> const& citing() const noexcept { return citing_; }
  [[nodiscard]] bool contains(VertexId vertex) const { return known_of_.contains(schema::number(vertex)); }

 private:
  void add(VertexId vertex) {
    if (known_of_.insert(schema::number(vertex)).second) found_.push_back(vertex);
  }

  void spread(VertexId from) {
    for_each(known_.relations_to_ever(from), [&](VertexId part, EdgeType edge) {
      bool const is_part = edge == EdgeType::part_of && schema::info(known_.type(from)).deletes_parts;
      if (is_part || edge == EdgeType::evaluates || edge == EdgeType::same_act) add(part);
    });
    for_each(known_.relations_from_ever(from), [&](VertexId half, EdgeType edge) {
      if (edge == EdgeType::same_act) add(half);
    });
    for_each(known_.effects_ever(from), [&](VertexId effect, EdgeType edge) { spread_along(from, effect, edge); });
    if (known_.type(from) != RecordType::discussion) return;
    for (auto const summary : graph::summaries_of_ever(known_, from)) add(summary);
  }

  void spread_along(VertexId from, VertexId effect, EdgeType edge) {
    switch (edge) {
      case EdgeType::part_of:  // a chunk of a document
        return add(effect);
      case EdgeType::included_in:  // a prompt has the texts of its chunks and the question, not the numbers
        if (known_.type(from) != RecordType::embedding_vector) add(effect);
        return;
      case EdgeType::extracted_from:
      case EdgeType::rendered_as:
      case EdgeType::embeds:
        if (has_no_other(effect, {edge})) add(effect);
        return;
      case EdgeType::cites:
        if (cascades_ && has_no_other(effect, sources)) return add(effect);
        if (is_citing_.insert(schema::number(effect)).second) citing_.push_back(effect);
        return;
      case EdgeType::used_in:
      case EdgeType::through_act:
      case EdgeType::generated_from:
        if (cascades_ && has_no_other(effect, sources)) add(effect);
        return;
      default:
        return;
    }
  }

  /// Whether every cause over edges of these types goes, or was purged before. One that expired still counts.
  [[nodiscard]] bool has_no_other(VertexId effect, std::initializer_list<EdgeType> types) const {
    bool has_none = true;
    for_each(known_.causes_ever(effect), [&](VertexId cause, EdgeType edge) {
      bool const counts = std::ranges::find(types, edge) != types.end();
      has_none = has_none && (!counts || contains(cause) || known_.gone(cause) == GoneWhy::purged);
    });
    return has_none;
  }

  template <class Visit>
  void for_each(Neighbours const& neighbours, Visit const& visit) const {
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      visit(neighbours.vertices[i], schema::named_type(known_.type(neighbours.edges[i])));
    }
  }

  /// Over what a response or answer was made from something.
  static constexpr auto sources = {EdgeType::used_in, EdgeType::through_act, EdgeType::generated_from, EdgeType::cites};

  Snapshot const& known_;
  bool cascades_;
  std::vector<VertexId> found_;
  std::vector<VertexId> citing_;
  std::unordered_set<std::uint32_t> is_citing_;  // `citing_` by number
  std::unordered_set<std::uint32_t> known_of_;   // `found_` by number
};

/// Revises answers so that they say nothing of chunks that go. What a deleted one says goes whole.
Result<void> take_excerpts(std::vector<VertexId> const& answers, Copies const& copies, RemovalSource const& source,
                           Plan& plan) {
  auto const& known = source.known;
  return graph::read_those_there(known, source.store, answers, [&](std::size_t i, schema::Record&& record) {
    auto& answer = std::get<schema::Answer>(record);
    bool has_changed = false;
    for (auto& citation : answer.citations) {
      auto const chunk = citation.chunk_id ? known.find_all_ever(RecordType::retrieved_chunk, *citation.chunk_id)
                                           : std::vector<VertexId>{};
      bool const goes = std::ranges::any_of(chunk, [&](VertexId each) { return copies.contains(each); });
      if (!goes || citation.excerpt.empty()) continue;
      citation.excerpt.clear();
      has_changed = true;
    }
    if (!has_changed) return true;
    plan.gone.push_back(answers[i]);
    auto const ref = schema::format_ref(known.type(answers[i]), known.id(answers[i]));
    if (known.is_deleted(answers[i])) {  // nothing can revise it
      plan.removal.gone.push_back(ref);
      return true;
    }
    plan.removal.redacted.push_back(ref);
    plan.revise({.row = {.vertex = answers[i],
                         .type = RecordType::answer,
                         .revision = 0,
                         .kind = schema::RevisionKind::whole,
                         .edges = {}},
                 .content = record,
                 .whole = record},
                known);
    return true;
  });
}

/// The blobs that the contents of `plan.gone` name, and those of them that nothing else names.
Result<void> release_blobs(RemovalSource const& source, Plan& plan) {
  std::vector<schema::ContentId> contents;
  for (auto const vertex : plan.gone) {
    contents.push_back({vertex, 0});
    for (auto const& revision : source.known.revisions(vertex)) contents.push_back({vertex, revision.number});
  }
  std::map<schema::Digest, std::uint32_t> named;
  auto read = source.store.read(contents, [&](std::size_t, schema::StoredContent&& content) {
    if (!content) return true;
    for (auto const& digest : schema::stored::blobs_of(*content)) {
      plan.released_blobs.push_back(digest);
      ++named[digest];
    }
    return true;
  });
  if (!read || named.empty()) return read;
  if (auto made = source.blobs.make(source.known, source.store); !made) return made;
  for (auto const& [digest, times] : named) {
    if (source.blobs.count(digest) <= times) plan.removed_blobs.push_back(digest);
  }
  return {};
}

}  // namespace

Result<Plan> plan_content_removal(ContentRemoval const& step, RemovalSource const& source) {
  auto const& known = source.known;
  auto const named = resolve_ever(step.refs, known);
  if (!named) return named.error();
  Copies copies{known, step.cascades};
  if (step.is_purge) copies.find(*named);
  auto const going = step.is_purge ? copies.found() : still_old(step, known);
  Plan plan;
  plan.gone_why = step.is_purge ? GoneWhy::purged : GoneWhy::expired;
  for (auto const vertex : going) {
    auto const before = known.gone(vertex);
    if (before && (*before == GoneWhy::purged || !step.is_purge)) continue;
    plan.gone.push_back(vertex);
    plan.removal.gone.push_back(schema::format_ref(known.type(vertex), known.id(vertex)));
  }
  if (auto const taken = take_excerpts(copies.citing(), copies, source, plan); !taken) return taken.error();
  if (auto const released = release_blobs(source, plan); !released) return released.error();
  plan.removal.blobs = plan.removed_blobs.size();
  return plan;
}

}  // namespace whence::engine
