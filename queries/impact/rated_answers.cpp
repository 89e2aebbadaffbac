// Choosing the answers that are compared: by rating, name, time, agent, model and topic.

#include "queries/impact/rated_answers.hpp"

#include "graph/snapshot/acts.hpp"
#include "queries/find/field_values.hpp"
#include "queries/view/moments.hpp"
#include "queries/view/resolve.hpp"
#include "queries/view/score.hpp"
#include "schema/base/poll.hpp"
#include "schema/base/report.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace whence::queries {
namespace {

using graph::EdgeType;
using schema::RecordType;

// An act is counted once, as its response: both halves have the same ancestors.
VertexId response_half(Snapshot const& snapshot, VertexId vertex) {
  if (snapshot.type(vertex) != RecordType::answer) return vertex;
  return graph::other_half(snapshot, vertex).value_or(vertex);
}

void make_set(std::vector<VertexId>& vertices) {
  std::ranges::sort(vertices);
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
}

// All responses, and the answers that are one act with none.
std::vector<VertexId> all_acts(Snapshot const& snapshot) {
  auto acts = snapshot.vertices(RecordType::response);
  for (VertexId const answer : snapshot.vertices(RecordType::answer)) {
    if (!graph::other_half(snapshot, answer)) acts.push_back(answer);
  }
  std::ranges::sort(acts);
  return acts;
}

// Each named response or answer once, in order of commit.
Result<std::vector<VertexId>> resolve_named(Snapshot const& snapshot, std::vector<NodeRef> const& refs) {
  std::vector<Violation> wrong;
  for (std::size_t i = 0; i < refs.size(); ++i) {
    if (is_rated_itself(refs[i].type)) continue;
    wrong.push_back(invalid_param("type", "/responses/" + std::to_string(i), schema::shown(schema::format_ref(refs[i])),
                                  "blame is asked of responses and answers only"));
    wrong.back().index = static_cast<std::uint32_t>(i);
  }
  if (!wrong.empty()) return error_from(std::move(wrong));
  auto named = resolve_all(snapshot, refs, "/responses");
  if (!named) return named;
  for (VertexId& each : *named) each = response_half(snapshot, each);
  make_set(*named);
  return named;
}

bool is_since(Snapshot const& snapshot, VertexId act, AsOf const& since) {
  if (auto const* const tx = std::get_if<TxId>(&since)) return snapshot.created(act) >= *tx;
  auto const own = snapshot.time(act);
  return (own ? *own : snapshot.committed_at(snapshot.created(act))) >= std::get<schema::Time>(since);
}

/// The acts whose prompt or text is a message of the topic, or is in the XML of one.
Result<std::vector<VertexId>> acts_of_topic(Snapshot const& snapshot, std::string_view name, schema::Poll& poll) {
  constexpr std::string_view prefix = "Topic:";
  if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  auto const topic = resolve(snapshot, {RecordType::topic, std::string(name)}, "/topic");
  if (!topic) return topic.error();
  std::vector<VertexId> acts;
  auto const take = [&](std::span<VertexId const> vertices) {
    for (auto const each : vertices) {
      if (is_rated_itself(snapshot.type(each))) acts.push_back(response_half(snapshot, each));
    }
  };
  for (auto const message : snapshot.relations_to(*topic).vertices) {
    auto const parts = snapshot.relations_to(message);
    if (poll.must_stop(1 + parts.size())) return poll.error();
    take(snapshot.effects(message).vertices);
    for (auto const part : parts.vertices) {
      take(snapshot.effects(part).vertices);
      take(snapshot.causes(part).vertices);
    }
  }
  make_set(acts);
  return acts;
}

/// Leaves the responses whose `field` is `wanted`.
Result<void> keep_with(View const& view, std::string_view field, std::string const& wanted, std::vector<VertexId>& acts,
                       schema::Poll& poll) {
  std::erase_if(acts, [&](VertexId act) { return view.snapshot.type(act) != RecordType::response; });
  std::vector<VertexId> kept;
  auto read = read_field(view, *find_search_field(RecordType::response, field), acts, poll,
                         [&](std::size_t i, std::optional<Value> const& value) {
                           auto const* const text = value ? std::get_if<std::string_view>(&*value) : nullptr;
                           if (text != nullptr && *text == wanted) kept.push_back(acts[i]);
                         });
  std::ranges::sort(kept);
  acts = std::move(kept);
  return read;
}

Result<void> keep_bounded(View const& view, BlameParams const& params, std::vector<VertexId>& acts,
                          schema::Poll& poll) {
  if (params.since) {
    std::erase_if(acts, [&](VertexId act) { return !is_since(view.snapshot, act, *params.since); });
  }
  if (params.topic) {
    auto const of_topic = acts_of_topic(view.snapshot, *params.topic, poll);
    if (!of_topic) return of_topic.error();
    std::erase_if(acts, [&](VertexId act) { return !std::ranges::binary_search(*of_topic, act); });
  }
  for (auto const& [field, wanted] : {std::pair{"agent", &params.agent}, std::pair{"model", &params.model}}) {
    if (!*wanted) continue;
    if (auto kept = keep_with(view, field, **wanted, acts, poll); !kept) return kept;
  }
  return {};
}

}  // namespace

Result<std::vector<RatedAnswer>> rated_answers(View const& view, BlameParams const& params, Budget const& budget) {
  schema::Poll poll(budget.interrupt);
  Snapshot const& snapshot = view.snapshot;
  std::vector<VertexId> named;
  if (params.responses) {
    auto resolved = resolve_named(snapshot, *params.responses);
    if (!resolved) return resolved.error();
    named = std::move(*resolved);
  }
  auto acts = all_acts(snapshot);
  if (auto const kept = keep_bounded(view, params, acts, poll); !kept) return kept.error();
  auto const bound = params.score_below.value_or(0);
  std::vector<RatedAnswer> answers;
  for (VertexId const act : acts) {
    if (poll.must_stop(1 + snapshot.relations_to(act).size())) return poll.error();
    auto const score = score_of(snapshot, act).mean();
    bool const is_below = score && *score < bound;
    bool const is_named = std::ranges::binary_search(named, act) && (is_below || !params.score_below);
    if (score || is_named) answers.push_back({act, is_below || is_named, is_named});
  }
  return answers;
}

}  // namespace whence::queries
