// Goes through what is reached from the nodes, causes before effects: each vertex is kept, mended, changed, left out,
// or made again, in a stage behind that of every call before it. What was asked is kept: what was found for a question
// does not change it.

#include "queries/impact/replay_plan.hpp"

#include "graph/snapshot/records.hpp"
#include "queries/lineage/walk.hpp"
#include "queries/view/order.hpp"
#include "queries/view/resolve.hpp"
#include "queries/view/score.hpp"
#include "schema/base/poll.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <unordered_set>
#include <utility>
#include <variant>

namespace whence::queries {
namespace {

using schema::RecordType;

/// What becomes of each vertex that is reached, causes before effects, and in which stage it could be made again.
class Replay {
 public:
  Replay(Snapshot const& snapshot, ReplayPlan& plan, Budget const& budget)
      : snapshot_{snapshot}, plan_{plan}, walked_{plan.withdrawn.limits.edge_types}, poll_{budget.interrupt} {}

  Result<void> run() {
    auto const& vertices = plan_.withdrawn.reach.vertices;
    plan_.states.resize(vertices.size());
    stages_.resize(vertices.size());
    effects_.resize(vertices.size(), CallEffect::mended);
    for (auto const place : plan_.withdrawn.withdrawal.order) {
      if (!look_at(vertices[place], place)) return poll_.error();
    }
    list_calls();
    return {};
  }

 private:
  bool look_at(VertexId vertex, std::uint32_t place) {
    if (is_start(vertex) || (plan_.is_mended && plan_.mended.newer.contains(vertex))) {
      plan_.states[place] = state_of_taken(vertex);
      return true;
    }
    if (plan_.is_mended && plan_.mended.standing.contains(vertex)) {
      plan_.states[place] = InputState::kept;
      return true;
    }
    auto const causes = snapshot_.causes(vertex);
    if (poll_.must_stop(1 + causes.size())) return false;
    bool is_touched = false;
    bool lacks = false;
    std::array<bool, graph::cause_kind_count> has = {};
    std::array<bool, graph::cause_kind_count> has_left = {};
    for (std::size_t i = 0; i < causes.size(); ++i) {
      if (!walked_.contains(snapshot_.type(causes.edges[i]))) continue;
      auto const cause = causes.vertices[i];
      auto const kind = static_cast<std::size_t>(plan_.withdrawn.kinds(cause));
      has[kind] = true;
      auto const at = plan_.places.find(cause);
      auto const state = is_start(cause) ? state_of_taken(cause) : at ? plan_.states[*at] : InputState::kept;
      bool const cause_lacks = at && effects_[*at] != CallEffect::mended;
      lacks = lacks || state == InputState::left_out || (state != InputState::kept && cause_lacks);
      if (state != InputState::left_out) has_left[kind] = true;
      is_touched = is_touched || state != InputState::kept;
      if (!at) continue;
      auto const after = stages_[*at] + (plan_.states[*at] == InputState::again ? 1 : 0);
      stages_[place] = std::max(stages_[place], after);
    }
    bool const falls = std::ranges::any_of(std::array{0, 1, 2}, [&](auto kind) {
      return has[static_cast<std::size_t>(kind)] && !has_left[static_cast<std::size_t>(kind)];
    });
    effects_[place] = falls ? CallEffect::lost : lacks ? CallEffect::weakened : CallEffect::mended;
    auto const type = snapshot_.type(vertex);
    // What was found for a question does not change what was asked.
    bool const is_asked = type == RecordType::query || type == RecordType::embedding_vector;
    if (is_asked || !is_touched) {
      plan_.states[place] = InputState::kept;
    } else if (is_rated_itself(type)) {
      plan_.states[place] = InputState::again;
    } else {
      plan_.states[place] = falls ? InputState::left_out : InputState::changed;
    }
    return true;
  }

  void list_calls() {
    auto const& [starts, limits, reach, kinds, withdrawal] = plan_.withdrawn;
    std::uint32_t layer = 0;
    for (std::uint32_t i = 0; i < reach.vertices.size(); ++i) {
      while (i >= reach.layer_ends[layer]) ++layer;
      auto const vertex = reach.vertices[i];
      if (plan_.states[i] != InputState::again || is_told_by_response(snapshot_, vertex)) continue;
      auto const stage = stages_[i] + 1;
      plan_.stages = std::max(plan_.stages, stage);
      auto const without = withdrawal.has_fallen[i] != 0 ? CallEffect::lost : CallEffect::weakened;
      plan_.calls.push_back({vertex, layer + 1, stage, plan_.is_mended ? effects_[i] : without, withdrawal.lost[i]});
    }
    sort_by_ref(snapshot_, std::span(plan_.calls));
    std::ranges::stable_sort(plan_.calls, {}, &PlannedCall::stage);
  }

  [[nodiscard]] bool is_start(VertexId vertex) const {
    return std::ranges::binary_search(plan_.withdrawn.starts, vertex);
  }

  [[nodiscard]] InputState state_of_taken(VertexId vertex) const {
    return plan_.is_mended && plan_.mended.newer.contains(vertex) ? InputState::mended : InputState::left_out;
  }

  Snapshot const& snapshot_;
  ReplayPlan& plan_;
  schema::EdgeTypeSet const walked_;
  schema::Poll poll_;
  std::vector<CallEffect> effects_ = {};    ///< `mended` too where nothing goes
  std::vector<std::uint32_t> stages_ = {};  ///< how many calls after one another come before each
};

void add(std::optional<double> const& value, KnownSum& sum) {
  if (!value) return;
  ++sum.known;
  sum.sum += *value;
}

/// Tokens and costs of the calls, where somebody gave them.
Result<void> add_usage(View const& view, Budget const& budget, ReplayPlan& plan) {
  schema::Poll poll(budget.interrupt);
  std::vector<VertexId> vertices;
  vertices.reserve(plan.calls.size());
  for (auto const& call : plan.calls) vertices.push_back(call.vertex);
  bool is_stopped = false;
  auto const read =
      graph::read_those_there(view.snapshot, *view.records, vertices, [&](std::size_t i, schema::Record&& record) {
        is_stopped = poll.must_stop();
        auto const* const response = std::get_if<schema::Response>(&record);
        if (response == nullptr) return !is_stopped;
        auto& call = plan.calls[i];
        if (response->usage) {
          call.input_tokens = response->usage->input_tokens;
          call.output_tokens = response->usage->output_tokens;
        }
        call.cost = response->cost;
        add(call.input_tokens, plan.input_tokens);
        add(call.output_tokens, plan.output_tokens);
        add(call.cost, plan.cost);
        return !is_stopped;
      });
  if (!read) return read.error();
  if (is_stopped) return poll.error();
  return {};
}

/// In the place of documents their chunks that were mended: the others are as they were.
void put_chunks(Mended const& mended, std::vector<VertexId>& starts) {
  std::erase_if(starts, [&](VertexId each) { return mended.documents.contains(each); });
  for (auto const& [document, chunks] : mended.documents) starts.insert(starts.end(), chunks.begin(), chunks.end());
}

/// Gathers the inputs of one call.
class InputList {
 public:
  InputList(Snapshot const& snapshot, ReplayPlan const& plan) : snapshot_{snapshot}, plan_{plan} {}

  void take(VertexId vertex) {
    if (!known_.insert(schema::number(vertex)).second) return;
    if (made_.inputs.size() == inputs_max) {
      ++made_.more;
      return;
    }
    CallInput input{vertex, plan_.withdrawn.kinds(vertex), state_of(vertex)};
    bool const goes = input.state == InputState::left_out || input.state == InputState::mended;
    auto const newer = plan_.mended.newer.find(vertex);
    if (goes && newer != plan_.mended.newer.end()) input.newer = newer->second;
    made_.inputs.push_back(input);
  }

  /// What a prompt was put together from.
  void take_prompt(VertexId prompt) {
    auto const included = snapshot_.causes(prompt);
    std::vector<std::pair<double, VertexId>> chunks;
    for (std::size_t i = 0; i < included.size() && i < inputs_max; ++i) {
      auto const type = snapshot_.type(included.vertices[i]);
      if (type == RecordType::query) take(included.vertices[i]);
      if (type != RecordType::retrieved_chunk) continue;
      chunks.emplace_back(snapshot_.value(included.edges[i]).value_or(0), included.vertices[i]);
    }
    std::ranges::sort(chunks);
    for (auto const& [rank, chunk] : chunks) take(chunk);
    if (included.size() > inputs_max) made_.more += included.size() - inputs_max;
  }

  void add_more(std::size_t count) { made_.more += count; }
  CallInputs made() && { return std::move(made_); }

 private:
  [[nodiscard]] InputState state_of(VertexId vertex) const {
    if (std::ranges::binary_search(plan_.withdrawn.starts, vertex)) {
      return plan_.is_mended && plan_.mended.newer.contains(vertex) ? InputState::mended : InputState::left_out;
    }
    auto const place = plan_.places.find(vertex);
    return place ? plan_.states[*place] : InputState::kept;
  }

  Snapshot const& snapshot_;
  ReplayPlan const& plan_;
  std::unordered_set<std::uint32_t> known_ = {};
  CallInputs made_ = {};
};

}  // namespace

CallInputs inputs_of(Snapshot const& snapshot, ReplayPlan const& plan, VertexId call) {
  InputList list(snapshot, plan);
  auto const causes = snapshot.causes(call);
  auto const& walked = plan.withdrawn.limits.edge_types;
  for (std::size_t i = 0; i < causes.size(); ++i) {
    if (i == inputs_max) {
      list.add_more(causes.size() - i);
      break;
    }
    if (!walked.contains(snapshot.type(causes.edges[i]))) continue;
    if (snapshot.type(causes.vertices[i]) == RecordType::prompt_context) {
      list.take_prompt(causes.vertices[i]);
    } else {
      list.take(causes.vertices[i]);
    }
  }
  return std::move(list).made();
}

Result<ReplayPlan> impact_replay_plan(View const& view, ReplayPlanParams const& params, Budget const& budget) {
  auto starts = resolve_all(view.snapshot, params.refs, "/refs");
  if (!starts) return starts.error();
  auto mended = mended_of(view, *starts, budget);
  if (!mended) return mended.error();
  if (params.mended) put_chunks(*mended, *starts);
  auto withdrawn = withdraw_vertices(view, std::move(*starts), params.basis, budget);
  if (!withdrawn) return withdrawn.error();
  ReplayPlan plan(std::move(*withdrawn), std::move(*mended), params.mended);
  if (plan.withdrawn.reach.is_cut_by_vertices) plan.incomplete = Incomplete::nodes;
  auto cut = graph::cut_relations(view.snapshot, plan.withdrawn.starts, graph::Direction::descendants,
                                  plan.withdrawn.limits, plan.withdrawn.reach, budget.interrupt);
  if (!cut) return cut.error();
  take_cut(std::move(*cut), plan);
  if (auto const run = Replay(view.snapshot, plan, budget).run(); !run) return run.error();
  if (auto const added = add_usage(view, budget, plan); !added) return added.error();
  return plan;
}

}  // namespace whence::queries
