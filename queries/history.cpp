// history.get: what happened to a node, transaction by transaction. Edges it gains later are events of the newer nodes.

#include "queries/impl/chain.hpp"
#include "queries/impl/render.hpp"
#include "queries/impl/resolve.hpp"
#include "queries/queries.hpp"

#include <memory>

namespace whence::queries {
namespace {

/// The node's first event and then, each in order of transactions, its further contents or the changes of its state.
struct History {
  Snapshot snapshot;
  VertexId vertex;
  bool is_version;
  std::vector<graph::Revision> revisions;   // of keywords, subjects, templates
  std::vector<graph::StateChange> changes;  // of context units
};

void begin_event(Writer& out, Snapshot const& snapshot, TxId tx, std::string_view op) {
  out.begin_object().member("tx", schema::number(tx));
  out.member("at", schema::format_rfc3339(snapshot.committed_at(tx))).member("op", op);
}

void write_change(Writer& out, Snapshot const& snapshot, graph::StateChange const& change) {
  if (change.cause == graph::StateCause::feedback) {
    begin_event(out, snapshot, change.tx, "feedback");
    out.member("score", change.state.score).member("count", change.state.count);
  } else {
    begin_event(out, snapshot, change.tx, "status");
    out.member("status", graph::name_of(change.state.status)).member("score", change.state.score);
  }
  out.end_object();
}

void write_event(Writer& out, History const& history, std::size_t i) {
  if (i > history.revisions.size()) {
    return write_change(out, history.snapshot, history.changes[i - 1 - history.revisions.size()]);
  }
  if (i > 0) {
    auto const& revision = history.revisions[i - 1];
    begin_event(out, history.snapshot, revision.tx, "version");
    out.member("revision", revision.number).end_object();
    return;
  }
  begin_event(out, history.snapshot, history.snapshot.created(history.vertex), history.is_version ? "version" : "put");
  out.end_object();
}

}  // namespace

Result<Answer> history_get(View const& view, HistoryParams const& params, Budget const& /*budget*/) {
  auto const vertex = resolve(view.snapshot, params.ref, "/ref");
  if (!vertex) return vertex.error();
  bool const is_version = find_predecessor(view.snapshot, *vertex).has_value();
  auto const history = std::make_shared<History const>(History{
      view.snapshot, *vertex, is_version, view.snapshot.revisions(*vertex), view.snapshot.state_changes(*vertex)});
  auto const write = [history](Writer& out, std::size_t begin, std::size_t end) -> Result<void> {
    for (std::size_t i = begin; i < end; ++i) write_event(out, *history, i);
    return {};
  };
  Answer answer;
  answer.lists.push_back({"events", history->revisions.size() + history->changes.size() + 1, write});
  return answer;
}

}  // namespace whence::queries
