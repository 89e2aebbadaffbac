// A proposal is a PROV activity that states what is to be purged. Confirming it gives the removal to plan. Once that is
// planned the proposal forgets what it named: it is revised without it, and its earlier contents go with what is
// purged.

#include "engine/steps/four_eyes.hpp"

#include "graph/snapshot/unknown.hpp"
#include "schema/base/report.hpp"
#include "schema/types/ref.hpp"

#include <optional>
#include <utility>
#include <variant>

namespace whence::engine {
namespace {

using schema::RecordType;

Error refused_proposal(std::string_view rule, std::string seen, std::string message) {
  return error_from(Violation{.code = Errc::precondition,
                              .rule = std::string(rule),
                              .path = "/ref",
                              .seen = std::move(seen),
                              .message = std::move(message)});
}

Error nameless() {
  return refused_proposal("four_eyes", "",
                          "a purge is proposed by one user and confirmed by another here, and this credential has no "
                          "name by which the two could be told apart");
}

/// Why nothing more can become of it; empty while something can.
std::string why_closed(PurgeProposal const& proposal) {
  if (!proposal.confirmed_by.empty()) return "was confirmed by " + proposal.confirmed_by;
  if (!proposal.withdrawn_by.empty()) return "was withdrawn by " + proposal.withdrawn_by;
  bool const is_empty = proposal.refs.empty() && proposal.person.empty();
  return is_empty ? "names nothing any more, since that was purged without it" : "";
}

void revise_proposal(KnownProposal const& known, graph::Snapshot const& snapshot, Plan& plan) {
  auto const record = record_of(known.proposal);
  plan.revise({.row = {.vertex = known.vertex,
                       .type = RecordType::prov_activity,
                       .revision = 0,
                       .kind = schema::RevisionKind::whole,
                       .edges = {}},
               .content = record,
               .whole = record},
              snapshot);
}

}  // namespace

Result<PurgeProposal> proposal_of(ContentRemoval const& step, Proposing const& proposing) {
  if (proposing.who.empty()) return nameless();
  return PurgeProposal{
      .id = proposal_id(proposing.id),
      .refs = step.refs,
      .person = step.person,
      .cascades = step.cascades,
      .reason = proposing.reason,
      .proposed_by = proposing.who,
      .proposed_at = proposing.at,
      .confirm_until = schema::plus_seconds(proposing.at, static_cast<double>(proposing.open_for.count()))};
}

Result<KnownProposal> find_proposal(std::string_view id, ProposalSource const& source) {
  auto const& known = source.known;
  schema::NodeRef const ref{RecordType::prov_activity, std::string(id)};
  auto const vertex = known.find(ref.type, ref.id);
  if (!vertex) return error_from(graph::unknown_ref(known, ref, "/ref"));
  auto const record = source.read(*vertex);
  if (!record) return record.error();
  if (!*record) return error_from(graph::gone_content(known, *vertex, "/ref"));
  auto proposal = find_proposal_in(std::get<schema::ProvActivity>(**record));
  auto const seen = schema::shown(schema::format_ref(ref));
  if (!proposal) return refused_proposal("closed", seen, "is no proposal");
  if (auto const why = why_closed(*proposal); !why.empty()) return refused_proposal("closed", seen, why);
  return KnownProposal{.vertex = *vertex, .proposal = *std::move(proposal)};
}

Result<void> check_confirmer(PurgeProposal const& proposal, std::string const& who, schema::Time now) {
  if (who.empty()) return nameless();
  if (who == proposal.proposed_by)
    return refused_proposal("four_eyes", schema::shown(who), "proposed it: somebody else has to confirm it");
  if (now > proposal.confirm_until)
    return refused_proposal(
        "too_late", schema::shown(schema::format_rfc3339(now)),
        "could be confirmed until " + schema::format_rfc3339(proposal.confirm_until) + ": propose it again");
  return {};
}

ContentRemoval removal_of(KnownProposal const& known) {
  auto const& proposal = known.proposal;
  return {.is_purge = true,
          .refs = proposal.refs,
          .person = proposal.person,
          .cascades = proposal.cascades,
          .proposal = known.vertex};
}

void close_confirmed(KnownProposal known, std::string const& who, graph::Snapshot const& snapshot, Plan& plan) {
  known.proposal.confirmed_by = who;
  known.proposal.purged = plan.removal.gone.size();
  plan.gone_why = graph::GoneWhy::purged;
  forget_named(std::move(known), snapshot, plan);
}

Result<Plan> withdraw_purge(std::string_view id, std::string const& who, ProposalSource const& source) {
  auto known = find_proposal(id, source);
  if (!known) return known.error();
  if (who.empty()) return nameless();
  known->proposal.withdrawn_by = who;
  Plan plan;
  plan.refs = {schema::format_ref(RecordType::prov_activity, id)};
  revise_proposal(*known, source.known, plan);
  return plan;
}

void forget_named(KnownProposal known, graph::Snapshot const& snapshot, Plan& plan) {
  plan.gone.push_back(known.vertex);
  plan.removal.redacted.push_back(schema::format_ref(RecordType::prov_activity, snapshot.id(known.vertex)));
  known.proposal.refs.clear();
  known.proposal.person.clear();
  revise_proposal(known, snapshot, plan);
}

}  // namespace whence::engine
