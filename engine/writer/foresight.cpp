// Plans with the functions of the writer, but of a snapshot: with a memory that remembers nothing, since all that a
// snapshot has is durable, and with an index of blobs made for this question.

#include "engine/writer/foresight.hpp"

#include "engine/intake/intake.hpp"
#include "engine/state/blob_index.hpp"
#include "engine/state/contents.hpp"
#include "engine/state/proposal_index.hpp"
#include "engine/steps/content_removal.hpp"
#include "engine/steps/four_eyes.hpp"
#include "engine/validation/removal.hpp"
#include "graph/snapshot/records.hpp"
#include "schema/base/report.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>
#include <variant>

namespace whence::engine {

using schema::TxId;

Error unexpected_head(TxId expected, TxId head) {
  auto error = error_from(Violation{.code = Errc::precondition,
                                    .rule = "expect_tx",
                                    .path = "/expect_tx",
                                    .seen = schema::shown(schema::number(expected)),
                                    .message = "the head is " + std::to_string(schema::number(head))});
  error.tx = schema::number(head);
  return error;
}

namespace {

Result<Plan> plan_removal(WriteBatch const& batch, Foresight const& state) {
  auto const now = std::max(state.now, state.known.at());
  if (auto const* const removal = std::get_if<ContentRemoval>(&batch.step)) {
    BlobIndex blobs;  // of the state that is asked about; the writer's own belongs to its thread
    auto const proposals = proposals_of(state.known);
    return plan_content_removal(*removal, {.known = state.known,
                                           .store = state.store,
                                           .blobs = blobs,
                                           .proposals = proposals,
                                           .keeping = keeping(state.config, now),
                                           .names_gone = state.names_gone});
  }
  Memory memory;  // remembers nothing: everything is durable
  memory.open(state.known.tx(), schema::VertexId{state.known.vertex_count()});
  Contents contents(state.store, memory, state.known);
  return validate_removal(
      batch.deletes, batch.force,
      {state.known, contents, schema::epoch_ms_of(now), keeping(state.config, now), batch.hides_purged_texts});
}

/// What carrying the proposal out would remove.
Result<Removal> would_remove(KnownProposal const& proposal, RemovalSource const& source) {
  auto plan = plan_content_removal(removal_of(proposal), source);
  if (!plan) return plan.error();
  return std::move(plan->removal);
}

}  // namespace

bool is_dry_removal(PreparedBatch const& prepared) noexcept {
  auto const& batch = prepared->batch;
  bool const is_removal =
      std::holds_alternative<ContentRemoval>(batch.step) || (batch.records.empty() && !batch.deletes.empty());
  return batch.dry_run && is_removal && batch.idempotency_key.empty();
}

void hide_purged_texts(PreparedBatch const& prepared) noexcept {
  prepared->batch.hides_purged_texts = true;
}

Result<WriteAnswer> foresee_removal(PreparedBatch const& prepared, Foresight const& state) {
  auto const& batch = prepared->batch;
  auto const head = state.known.tx();
  if (batch.expect_tx && *batch.expect_tx != head) return unexpected_head(*batch.expect_tx, head);
  auto plan = plan_removal(batch, state);
  if (!plan) return plan.error();
  return WriteAnswer{.tx = head,
                     .refs = std::move(plan->refs),
                     .warnings = std::move(plan->warnings),
                     .is_unchanged = plan->is_empty(),
                     .removal = std::move(plan->removal)};
}

std::vector<LostRecord> find_lost(Removal const& removal, graph::Snapshot const& known) {
  std::vector<LostRecord> lost;
  std::unordered_set<std::uint32_t> seen;
  auto const add = [&](std::string const& ref, schema::VertexId vertex) {
    if (!seen.insert(schema::number(vertex)).second) return;
    std::optional<TxId> last;
    for (auto const& change : known.state_changes(vertex)) {
      if (change.cause == graph::StateCause::purged) last = change.tx;
    }
    if (!last) return;
    auto const first = known.created(vertex);
    lost.push_back({.ref = ref, .tx = first, .at = known.committed_at(first), .purged_at = known.committed_at(*last)});
  };
  for (auto const* const refs : {&removal.gone, &removal.gone_before}) {
    for (auto const& text : *refs) {
      auto const ref = schema::parse_ref(text);
      if (!ref) continue;
      for (auto const vertex : known.find_all_ever(ref->type, ref->id)) add(text, vertex);
    }
  }
  return lost;
}

Result<Proposals> find_proposals(Foresight const& state, ProposalsAsked const& asked) {
  auto const& known = state.known;
  auto const proposals = proposals_of(known);
  std::vector<schema::VertexId> const all(proposals.rbegin(), proposals.rend());
  auto const now = std::max(state.now, known.at());
  Proposals found{.proposals = {}, .total = 0};
  std::vector<schema::VertexId> listed;
  auto const read = graph::read_those_there(known, state.store, all, [&](std::size_t i, schema::Record&& record) {
    auto proposal = find_proposal_in(std::get<schema::ProvActivity>(record));
    if (!proposal) return true;
    auto const what = state_of(*proposal, now);
    if (what != ProposalState::open && !asked.has_closed) return true;
    if (found.total++ >= asked.limit) return true;
    listed.push_back(all[i]);
    found.proposals.push_back({.proposal = *std::move(proposal), .state = what});
    return true;
  });
  if (!read) return read.error();
  BlobIndex blobs;  // made once for all of them
  RemovalSource const source{.known = known,
                             .store = state.store,
                             .blobs = blobs,
                             .proposals = proposals,
                             .keeping = keeping(state.config, now)};
  for (std::size_t i = 0; i < listed.size(); ++i) {
    auto& each = found.proposals[i];
    if (each.state == ProposalState::open) each.would = would_remove({listed[i], each.proposal}, source);
  }
  return found;
}

}  // namespace whence::engine
