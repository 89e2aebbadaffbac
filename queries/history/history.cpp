// history.get: what happened to a node, transaction by transaction, also under its ref before it was deleted and
// written again. Edges it gains later are events of the newer nodes.

#include "queries/history/chain.hpp"
#include "queries/queries.hpp"
#include "queries/render/forms.hpp"
#include "queries/resolve.hpp"

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace whence::queries {
namespace {

/// One thing that happened to a vertex that is or was known under the ref.
struct Event {
  TxId tx;
  std::string_view op;
  std::optional<graph::Revision> revision = {};
  std::optional<graph::StateChange> change = {};
};

struct History {
  Snapshot snapshot;
  std::vector<Event> events;
};

/// What happened to one vertex: it was put, its contents or its state changed, perhaps it was deleted. No type has both
/// further contents and states.
void append_life(std::vector<Event>& events, Snapshot const& snapshot, VertexId vertex) {
  bool const is_version = find_predecessor(snapshot, vertex).has_value();
  events.push_back({.tx = snapshot.created(vertex), .op = is_version ? "version" : "put"});
  for (auto const& revision : snapshot.revisions(vertex)) {
    events.push_back({.tx = revision.tx, .op = "version", .revision = revision});
  }
  for (auto const& change : snapshot.state_changes(vertex)) {
    bool const is_feedback = change.cause == graph::StateCause::feedback;
    events.push_back({.tx = change.tx, .op = is_feedback ? "feedback" : "status", .change = change});
  }
  if (auto const deleted = snapshot.deleted_at(vertex)) events.push_back({.tx = *deleted, .op = "delete"});
}

void write_event(Writer& out, Snapshot const& snapshot, Event const& event) {
  out.begin_object().member("tx", schema::number(event.tx));
  out.member("at", schema::format_rfc3339(snapshot.committed_at(event.tx))).member("op", event.op);
  if (event.revision) out.member("revision", event.revision->number);
  if (auto const& change = event.change) {
    bool const is_feedback = change->cause == graph::StateCause::feedback;
    if (!is_feedback) out.member("status", graph::name_of(change->state.status));
    out.member("score", change->state.score);
    if (is_feedback) out.member("count", change->state.count);
  }
  out.end_object();
}

}  // namespace

Result<PageSource> history_get(View const& view, HistoryParams const& params, Budget const& /*budget*/) {
  auto const vertex = resolve(view.snapshot, params.ref, "/ref");
  if (!vertex) return vertex.error();
  auto const history = std::make_shared<History>(History{view.snapshot, {}});
  for (auto const life : view.snapshot.find_all_ever(params.ref.type, params.ref.id)) {
    append_life(history->events, view.snapshot, life);
  }
  auto const write = [history](Writer& out, std::size_t begin, std::size_t end) -> Result<void> {
    for (std::size_t i = begin; i < end; ++i) write_event(out, history->snapshot, history->events[i]);
    return {};
  };
  PageSource answer;
  answer.lists.push_back({"events", history->events.size(), write});
  return answer;
}

}  // namespace whence::queries
