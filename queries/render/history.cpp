// Members and lists of the answers about versions, history and feedback.

#include "queries/render/history.hpp"

#include "queries/render/lists.hpp"
#include "schema/json/json.hpp"

#include <memory>
#include <string_view>
#include <utility>
#include <variant>

namespace whence::queries {
namespace {

void write_change(Writer& out, MemberChange const& change) {
  auto const write_side = [&](std::string_view name, std::optional<boost::json::value> const& side) {
    out.key(name).raw(side ? schema::json::to_canonical_text(*side) : "null");
  };
  out.begin_object().member("path", change.path);
  write_side("before", change.before);
  write_side("after", change.after);
  out.end_object();
}

/// Empty where it is not known: who wrote something is given beside it, and does not keep it back.
schema::Author author_of(View const& view, TxId tx) {
  if (view.authors == nullptr) return {};
  auto found = view.authors->read_author(tx);
  return found ? std::move(*found) : schema::Author{};
}

bool is_of_removal(HistoryEvent const& event) {
  return event.op == HistoryOp::expire || event.op == HistoryOp::purge || event.op == HistoryOp::remove;
}

void write_event(Writer& out, Snapshot const& snapshot, HistoryEvent const& event, schema::Author const& author) {
  out.begin_object().member("tx", schema::number(event.tx));
  out.member("at", schema::format_rfc3339(snapshot.committed_at(event.tx))).member("op", schema::name_of(event.op));
  if (!author.who.empty()) out.member("who", author.who);
  if (!author.actor.empty()) out.member("actor", author.actor);
  if (is_of_removal(event) && !author.reason.empty()) out.member("reason", author.reason);
  if (event.revision) out.member("revision", event.revision->number);
  if (event.is_active) out.member("status", *event.is_active ? "active" : "inactive");
  if (auto const& change = event.change) {
    bool const is_feedback = change->cause == graph::StateCause::feedback;
    bool const is_gone = is_removal(change->cause);
    if (!is_feedback && !is_gone) out.member("status", schema::name_of(change->state.status));
    if (!is_gone) out.member("score", change->state.score);
    if (is_feedback) out.member("count", change->state.count);
  }
  out.end_object();
}

void write_score(Writer& out, graph::UnitState const& state) {
  out.member("aggregate_score", state.score).member("feedback_count", state.count);
  out.member("status", schema::name_of(state.status));
}

// Without feedback a response has no score.
void write_score(Writer& out, ScoreSum const& score) {
  out.key("mean_score");
  if (auto const mean = score.mean()) {
    out.value(*mean);
  } else {
    out.null();
  }
  out.member("feedback_count", score.count);
}

}  // namespace

PageSource render(View const& view, VersionChain&& chain, VersionsListParams const& params) {
  auto const found = std::make_shared<VersionChain const>(std::move(chain));
  auto const write = [has_numbers = found->has_numbers](Writer& out, Version const& version) {
    if (has_numbers) out.member("version", version.version);
    if (version.is_dangling) out.member("dangling", true);
  };
  return {.lists = {node_list("versions", found, view, found->versions, params.include, write)}};
}

PageSource render(View const& view, VersionsDifference&& difference, VersionsDiffParams const& /*params*/) {
  auto const found = std::make_shared<VersionsDifference const>(std::move(difference));
  return {.lists = {list_of_each("changes", found, found->changes, write_change)},
          .write_members = [view, found](Writer& out) { write_gone_nodes(out, view.snapshot, found->gone); }};
}

PageSource render(View const& view, History&& history, HistoryParams const& /*params*/) {
  auto const found = std::make_shared<History const>(std::move(history));
  auto const write = [view](Writer& out, HistoryEvent const& event) {
    write_event(out, view.snapshot, event, author_of(view, event.tx));
  };
  return {.lists = {list_of_each("events", found, found->events, write)}};
}

PageSource render(View const& view, Feedback&& feedback, FeedbackListParams const& /*params*/) {
  auto const found = std::make_shared<Feedback const>(std::move(feedback));
  return {.lists = {record_list("records", found, view, found->records)}, .write_members = [found](Writer& out) {
            std::visit([&](auto const& score) { write_score(out, score); }, found->score);
          }};
}

}  // namespace whence::queries
