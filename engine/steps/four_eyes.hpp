#pragma once
// Purges that one user proposes and another confirms.

#include "engine/plan/plan.hpp"
#include "engine/values/batch.hpp"
#include "engine/values/purge_proposal.hpp"
#include "graph/removal/of_person.hpp"
#include "graph/snapshot/snapshot.hpp"
#include "schema/base/error.hpp"
#include "schema/base/ids.hpp"
#include "schema/base/time.hpp"

#include <chrono>
#include <string>
#include <string_view>

namespace whence::engine {

/// Who proposes something, why, when, and how long it may be confirmed.
struct Proposing {
  std::string const& id;      ///< a fresh one
  std::string const& who;     ///< by name
  std::string const& reason;  ///< empty: none was given
  schema::Time at;
  std::chrono::seconds open_for;
};

/// The proposal to do what `step` says. Fails with `precondition`, rule "four_eyes", where the proposer is not known: a
/// second user could not be distinguished from the first.
[[nodiscard]] Result<PurgeProposal> proposal_of(ContentRemoval const& step, Proposing const& proposing);

/// What is asked about a proposal. Everything it refers to outlives it.
struct ProposalSource {
  graph::Snapshot const& known;
  graph::ReadRecord const& read;
};

/// Where a proposal is, and what it says.
struct KnownProposal {
  schema::VertexId vertex;
  PurgeProposal proposal;
};

/// The proposal `id` while it is neither confirmed nor withdrawn, however old. Fails with `not_found` where there is
/// none, with `precondition`, rule "closed", where it is confirmed or withdrawn, or what it named was purged otherwise;
/// and as `read`.
[[nodiscard]] Result<KnownProposal> find_proposal(std::string_view id, ProposalSource const& source);

/// Whether `who` may carry it out at `now`. Fails with `precondition`: rule "four_eyes" where `who` proposed it or
/// it is not known who that is, "too_late" where the time is over.
[[nodiscard]] Result<void> check_confirmer(PurgeProposal const& proposal, std::string const& who, schema::Time now);

/// What it says to remove.
[[nodiscard]] ContentRemoval removal_of(KnownProposal const& known);

/// Says in `plan`, which carries it out, that `who` confirmed the proposal, and takes out of it, for every moment, what
/// it named.
void close_confirmed(KnownProposal known, std::string const& who, graph::Snapshot const& snapshot, Plan& plan);

/// The plan of withdrawing the proposal `id`. Fails as `find_proposal`, and with rule "four_eyes" where it is not known
/// who withdraws it.
[[nodiscard]] Result<Plan> withdraw_purge(std::string_view id, std::string const& who, ProposalSource const& source);

/// Adds to `plan`, which purges what the proposal names, that it names nothing any more, at no moment.
void forget_named(KnownProposal known, graph::Snapshot const& snapshot, Plan& plan);

}  // namespace whence::engine
