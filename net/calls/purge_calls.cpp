// purge.confirm, purge.withdraw and purge.proposals: purges that one user proposes and another confirms.

#include "engine/values/purge_proposal.hpp"
#include "engine/writer/foresight.hpp"
#include "net/calls/hold_calls.hpp"
#include "net/calls/write.hpp"
#include "net/params/params.hpp"
#include "net/params/wire_params.hpp"
#include "net/state/service_state.hpp"
#include "schema/base/report.hpp"
#include "schema/json/writer.hpp"
#include "schema/types/ref.hpp"

#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace whence::net {

namespace {

constexpr std::uint64_t listed_max = 100;  // of what goes with each there is a list

/// The id of the proposal that the params name.
template <class Step, class Params>
Result<WriteRequest> parse_of_proposal(Request const& request) {
  auto const params = parse_params<Params>(request);
  if (!params) return params.error();
  if (!engine::is_proposal_id(params->ref.id)) {
    return error_from(param_violation("ref", "/ref", schema::shown(schema::format_ref(params->ref)),
                                      "must be a proposal, as records.purge or person.erase answered it"));
  }
  return with_step(request, *params, Step{.id = params->ref.id});
}

void write_would(schema::json::Writer& out, Result<engine::Removal> const& would) {
  if (!would) {
    auto const error = would.error();
    bool const has_rule = !error.violations.empty();
    out.key("refused").begin_object();
    if (has_rule) out.member("rule", error.violations.front().rule);
    out.member("message",
               has_rule ? error.violations.front().seen + " " + error.violations.front().message : error.message);
    out.end_object();
    return;
  }
  std::map<std::string_view, std::uint64_t> counts;
  for (std::string_view const ref : would->gone) ++counts[ref.substr(0, ref.find(':'))];
  out.key("types").begin_object();
  for (auto const& [type, count] : counts) out.member(type, count);
  out.end_object();
}

void write_proposal(schema::json::Writer& out, engine::ProposedPurge const& each) {
  auto const& proposal = each.proposal;
  auto const add = [&](std::string_view name, std::string const& text) {
    if (!text.empty()) out.member(name, text);
  };
  out.begin_object().member("ref", schema::format_ref(schema::RecordType::prov_activity, proposal.id));
  out.member("state", schema::name_of(each.state));
  add("person", proposal.person);
  if (!proposal.refs.empty()) {
    out.key("refs").begin_array();
    for (auto const& ref : proposal.refs) out.value(schema::format_ref(ref));
    out.end_array();
  }
  if (proposal.cascades) out.member("cascade", true);
  add("reason", proposal.reason);
  add("proposed_by", proposal.proposed_by);
  out.member("proposed_at", schema::format_rfc3339(proposal.proposed_at));
  out.member("confirm_until", schema::format_rfc3339(proposal.confirm_until));
  add("confirmed_by", proposal.confirmed_by);
  add("withdrawn_by", proposal.withdrawn_by);
  if (proposal.purged) out.member("purged", *proposal.purged);
  if (each.would) write_would(out, *each.would);
  out.end_object();
}

}  // namespace

Result<WriteRequest> parse_purge_confirm(Request const& request) {
  auto write = parse_of_proposal<engine::PurgeConfirming, PurgeConfirmParams>(request);
  if (write) write->names_backups = true;
  return write;
}

Result<WriteRequest> parse_purge_withdraw(Request const& request) {
  return parse_of_proposal<engine::PurgeWithdrawing, PurgeProposalParams>(request);
}

void write_withdrawn(std::string& out, engine::WriteAnswer const& answer) {
  schema::json::Writer writer(out);
  writer.begin_object().member("tx", number(answer.tx)).member("ref", answer.refs.front());
  if (!answer.warnings.empty()) add_warnings(writer, answer.warnings);
  writer.end_object();
}

Result<std::string> purge_proposals(ServiceState& service, boost::json::object const& params, Progress const&) {
  auto const asked = parse_params<PurgeProposalsParams>(params);
  if (!asked) return asked.error();
  auto const snapshot = service.engine.snapshot();
  auto const found = engine::find_proposals({.known = snapshot,
                                             .store = service.engine.records(),
                                             .now = service.clock.now(),
                                             .config = service.engine.config()},
                                            {.has_closed = asked->all, .limit = listed_max});
  if (!found) return found.error();
  std::string text;
  schema::json::Writer out(text);
  out.begin_object().member("tx", number(snapshot.tx())).key("proposals").begin_array();
  for (auto const& each : found->proposals) {
    write_proposal(out, each);
  }
  out.end_array().member("total", found->total).end_object();
  return text;
}

}  // namespace whence::net
