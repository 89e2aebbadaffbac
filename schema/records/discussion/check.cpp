// Checks of discussion records: personas and turns of a round, the rounds that a summary replaces.
#include "schema/base/report.hpp"
#include "schema/checks/check_context.hpp"
#include "schema/records/discussion/discussion.hpp"
#include "schema/records/discussion/rules.hpp"

namespace whence::schema {
namespace {

void check_response(ConversationMessage const& response, Speaker const& speaker, DiscussionRound const& round,
                    Time latest_time, Path const& at, Report& report) {
  if (response.timestamp && time_of(*response.timestamp) > latest_time) {
    report.add(Path{at, "timestamp"}, "future", shown(response.timestamp->value), "lies in the future");
  }
  if (response.persona && *response.persona != speaker.name) {
    report.add(Path{at, "persona"}, "persona", shown(*response.persona), "must be " + std::string(speaker.name));
  }
  auto const turn = turn_of(round.round_number, speaker.persona);
  if (response.turn && *response.turn != turn) {
    report.add(Path{at, "turn"}, "turn", shown(*response.turn), "must be " + std::to_string(turn));
  }
  if (!has_content(response.content)) {
    report.add(Path{at, "content"}, "blank", shown(response.content), "must hold more than white space");
  }
}

}  // namespace

void prepare(DiscussionRound& round, CheckContext const& /*context*/) {
  name_speakers(round);
}

void check_joined(DiscussionRound const& round, CheckContext const& context, Path const& root, Report& report) {
  // Turns follow from the round's number: where that is none they mean nothing.
  bool const is_numbered = !report.has(Path{root, "roundNumber"}) && round.round_number >= 1;
  for (Speaker const& each : speakers()) {
    auto const& response = round.*each.response;
    Path const at{root, each.member};
    if (!response || report.has(at)) continue;
    auto checked = *response;
    if (!is_numbered) checked.turn.reset();
    check_response(checked, each, round, context.latest_time, at, report);
  }
}

void check_joined(SummaryEntry const& summary, CheckContext const& /*context*/, Path const& root, Report& report) {
  Path const text{root, "summary"};
  if (!report.has(text) && !has_content(summary.summary)) {
    report.add(text, "blank", shown(summary.summary), "must hold more than white space");
  }
  Path const list{root, "replacesRounds"};
  if (summary.replaces_rounds.empty() || report.has_within(list)) return;
  for (std::size_t i = 1; i < summary.replaces_rounds.size(); ++i) {
    if (summary.replaces_rounds[i] > summary.replaces_rounds[i - 1]) continue;
    report.add(Path{list, i}, "rounds", shown(summary.replaces_rounds[i]), "rounds must ascend, each named once");
  }
  auto const last = summary.replaces_rounds.size() - 1;
  if (!report.has(Path{root, "roundNumber"}) && summary.replaces_rounds[last] != summary.round_number) {
    report.add(Path{list, last}, "rounds", shown(summary.replaces_rounds[last]), "the last must be roundNumber");
  }
}

}  // namespace whence::schema
