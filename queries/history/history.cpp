// Evaluating history.get.

#include "queries/history/history.hpp"

#include "queries/history/chain.hpp"
#include "queries/view/resolve.hpp"
#include "schema/records/records.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <variant>

namespace whence::queries {
namespace {

HistoryOp op_of(graph::StateCause cause) {
  switch (cause) {
    case graph::StateCause::feedback:
      return HistoryOp::feedback;
    case graph::StateCause::expired:
      return HistoryOp::expire;
    case graph::StateCause::purged:
      return HistoryOp::purge;
    case graph::StateCause::updated:
    case graph::StateCause::deprecated:
    case graph::StateCause::current:
      break;
  }
  return HistoryOp::status;
}

/// Whether a later version of the model's template was deleted in the transaction.
bool was_later_deleted(Snapshot const& snapshot, VertexId prompt, TxId tx) {
  schema::Record blank = schema::SystemPromptTemplate{};
  schema::set_node_id(blank, snapshot.id(prompt));
  auto const& named = std::get<schema::SystemPromptTemplate>(blank);
  for (auto version = named.version + 1;; ++version) {
    auto const id = schema::join_key({named.model_id, std::to_string(version)});
    auto const later = snapshot.find_all_ever(schema::RecordType::system_prompt_template, id);
    if (later.empty()) return false;
    if (std::ranges::any_of(later, [&](VertexId each) { return snapshot.deleted_at(each) == tx; })) return true;
  }
}

/// What a further content of a vertex is. That a template becomes inactive is one, and that it is active again since
/// later versions were deleted (engine/writer/delta.cpp).
HistoryEvent event_of(Snapshot const& snapshot, VertexId vertex, graph::Revision const& revision) {
  HistoryEvent event{.tx = revision.tx, .op = HistoryOp::version, .revision = revision};
  if (snapshot.type(vertex) != schema::RecordType::system_prompt_template) return event;
  if (revision.kind == schema::RevisionKind::whole) event.is_active = false;
  bool const may_be_again = revision.kind == schema::RevisionKind::update;
  if (may_be_again && was_later_deleted(snapshot, vertex, revision.tx)) event.is_active = true;
  if (event.is_active) event.op = HistoryOp::status;
  return event;
}

/// Appends what happened to one vertex: it was put, its contents or its state changed, perhaps it was deleted, and its
/// contents went after that. Within a transaction contents change before states.
void append_life(std::vector<HistoryEvent>& events, Snapshot const& snapshot, VertexId vertex) {
  bool const is_version = find_predecessor(snapshot, vertex).has_value();
  auto const begin = static_cast<std::ptrdiff_t>(events.size());
  events.push_back({.tx = snapshot.created(vertex), .op = is_version ? HistoryOp::version : HistoryOp::put});
  for (auto const& revision : snapshot.revisions(vertex)) {
    events.push_back(event_of(snapshot, vertex, revision));
  }
  for (auto const& change : snapshot.state_changes(vertex)) {
    events.push_back({.tx = change.tx, .op = op_of(change.cause), .change = change});
  }
  if (auto const deleted = snapshot.deleted_at(vertex)) events.push_back({.tx = *deleted, .op = HistoryOp::remove});
  std::stable_sort(events.begin() + begin, events.end(),
                   [](HistoryEvent const& a, HistoryEvent const& b) { return a.tx < b.tx; });
}

}  // namespace

Result<History> history_get(View const& view, HistoryParams const& params, Budget const& /*budget*/) {
  auto const lives = view.snapshot.find_all_ever(params.ref.type, params.ref.id);
  if (!params.deleted || lives.empty()) {
    if (auto const vertex = resolve(view.snapshot, params.ref, "/ref"); !vertex) return vertex.error();
  }
  History history;
  for (auto const life : lives) {
    append_life(history.events, view.snapshot, life);
  }
  return history;
}

}  // namespace whence::queries
