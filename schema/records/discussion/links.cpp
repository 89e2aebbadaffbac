// The references of discussion records as edges.
#include "schema/records/discussion/discussion.hpp"
#include "schema/records/discussion/rules.hpp"
#include "schema/types/link.hpp"

namespace whence::schema {
std::vector<Link> links(DiscussionRound const& round) {
  if (round.user_id.empty() || round.discussion_id.empty()) return {};  // defaults where the text was unusable
  std::vector<Link> result{{EdgeType::part_of,
                            RecordType::discussion,
                            {},
                            true,
                            std::nullopt,
                            {"discussionId"},
                            true,
                            discussion_key(round.user_id, round.discussion_id)}};
  if (round.round_number <= 1) return result;
  result.push_back({EdgeType::follows,
                    RecordType::discussion_round,
                    {},
                    true,
                    std::nullopt,
                    {"roundNumber"},
                    false,  // a number that does not follow is reported as that
                    round_key(round.user_id, round.discussion_id, round.round_number - 1)});
  return result;
}

std::vector<Link> links(SummaryEntry const& summary) {
  std::vector<Link> result;
  for (std::size_t i = 0; i < summary.replaces_rounds.size(); ++i) {
    result.push_back({EdgeType::summarizes,
                      RecordType::discussion_round,
                      {},
                      true,
                      std::nullopt,
                      {"replacesRounds", static_cast<std::uint32_t>(i)},
                      false,  // reported with the rules of the summary's own round
                      round_key(summary.user_id, summary.discussion_id, summary.replaces_rounds[i])});
  }
  return result;
}

}  // namespace whence::schema
