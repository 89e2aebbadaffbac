// Adds up, answer by answer, the shares that each suspect has in rated answers. Then it is judged by how much more
// often answers with it are bad than the others, as far as the intervals of both rates (Wilson's) leave no doubt.

#include "queries/impact/blame.hpp"

#include "graph/shares/each_share.hpp"
#include "graph/walks/walk.hpp"
#include "queries/impact/rated_answers.hpp"
#include "queries/impact/suspects.hpp"
#include "queries/lineage/walk.hpp"
#include "queries/view/order.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

namespace whence::queries {
namespace {

/// Steps for all shares: at most a fifth of a second in graphs beyond the caches.
constexpr std::uint64_t blame_steps_max = std::uint64_t{1} << 21U;

/// What is known of a suspect while the answers are gone through.
struct Evidence {
  std::uint32_t rated = 0;
  std::uint32_t bad = 0;
  double shares = 0;
  double squares = 0;         ///< sum of the squares of its shares
  double bad_shares = 0;      ///< of those in bad answers
  std::uint64_t answers = 0;  ///< a sum of hashes of the answers that rest on it
  bool is_asked_for = false;  ///< one of the answers that were named rests on it
};

std::uint64_t hash_of_place(std::uint64_t place) noexcept {  // splitmix64
  auto hash = (place + 1) * 0x9e37'79b9'7f4a'7c15U;
  hash = (hash ^ (hash >> 30U)) * 0xbf58'476d'1ce4'e5b9U;
  hash = (hash ^ (hash >> 27U)) * 0x94d0'49bb'1331'11ebU;
  return hash ^ (hash >> 31U);
}

/// Adds up the evidence of all answers.
class Trial {
 public:
  Trial(std::span<RatedAnswer const> answers, Suspects const& suspects)
      : answers_{answers}, suspects_{suspects}, evidence_(suspects.count()), shares_(suspects.count()) {}

  void hear(std::size_t answer, std::span<graph::CauseShare const> causes) {
    if (auto const self = suspects_.of_answer(answer)) add(*self, 1);
    for (auto const& cause : causes) {
      if (auto const suspect = suspects_.of_cause(cause.place)) add(*suspect, cause.share);
    }
    auto const& heard = answers_[answer];
    for (auto const suspect : touched_) {
      auto const share = std::min(std::exchange(shares_[suspect], 0), 1.0);
      auto& evidence = evidence_[suspect];
      ++evidence.rated;
      evidence.shares += share;
      evidence.squares += share * share;
      evidence.answers += hash_of_place(answer);
      evidence.is_asked_for = evidence.is_asked_for || heard.is_named;
      if (!heard.is_bad) continue;
      ++evidence.bad;
      evidence.bad_shares += share;
    }
    touched_.clear();
  }

  [[nodiscard]] std::span<Evidence const> evidence() const noexcept { return evidence_; }

 private:
  void add(std::uint32_t suspect, double share) {
    if (shares_[suspect] == 0) touched_.push_back(suspect);
    shares_[suspect] += share;
  }

  std::span<RatedAnswer const> answers_;
  Suspects const& suspects_;
  std::vector<Evidence> evidence_;
  std::vector<double> shares_;          ///< in the answer at hand
  std::vector<std::uint32_t> touched_;  ///< in the answer at hand
};

Verdict verdict_of(Suspicion const& suspicion) noexcept {
  if (!suspicion.lift) return Verdict::in_all;
  if (suspicion.rated < few_answers) return Verdict::few;
  if (*suspicion.lift <= 0) return Verdict::not_worse;
  return *suspicion.lower > 0 ? Verdict::likely : Verdict::possible;
}

Suspicion judge(Evidence const& evidence, Blame const& all) {
  Suspicion made{.rated = evidence.rated, .bad = evidence.bad, .rate = evidence.bad_shares / evidence.shares};
  if (evidence.bad == evidence.rated) made.rate = 1;
  if (all.bad > 0) made.share = evidence.bad_shares / all.bad;
  auto const others = all.rated - evidence.rated;
  if (others > 0) {
    made.others_rate = static_cast<double>(all.bad - evidence.bad) / others;
    made.lift = made.rate - *made.others_rate;
    auto const own = wilson(made.rate, evidence.shares * evidence.shares / evidence.squares);
    auto const theirs = wilson(*made.others_rate, others);
    made.lower = *made.lift - std::hypot(made.rate - own.lower, theirs.upper - *made.others_rate);
  }
  made.verdict = verdict_of(made);
  return made;
}

/// Ranks what is in order of share, then ref: ties keep that order.
template <class Item>
void rank_by(BlameOrder order, std::vector<Item>& items) {
  if (order == BlameOrder::share) return;
  if (order == BlameOrder::bad) {
    std::ranges::stable_sort(items, std::ranges::greater{}, [](Item const& item) { return item.suspicion.bad; });
    return;
  }
  std::ranges::stable_sort(items, std::ranges::less{}, [](Item const& item) {
    auto const& of = item.suspicion;
    int const group = of.verdict == Verdict::in_all ? 2 : of.verdict == Verdict::few ? 1 : 0;
    return std::pair{group, -of.lower.value_or(0)};
  });
}

struct RankedSuspect {
  VertexId vertex;
  double share;
  std::uint32_t number;
};

/// Takes over the evidence, in the order asked for.
void pass_judgement(Snapshot const& snapshot, Suspects const& suspects, std::span<Evidence const> evidence,
                    BlameParams const& params, Blame& blame) {
  std::unordered_map<std::uint64_t, std::uint32_t> alike;
  std::vector<std::uint32_t> heard;
  for (std::uint32_t number = 0; number < evidence.size(); ++number) {
    if (evidence[number].rated == 0 || (params.responses && !evidence[number].is_asked_for)) continue;
    heard.push_back(number);
    ++alike[evidence[number].answers];
  }
  auto const judged = [&](std::uint32_t number) {
    auto made = judge(evidence[number], blame);
    made.same_answers = alike.at(evidence[number].answers) - 1;
    return made;
  };
  if (suspects.are_named()) {
    blame.names.reserve(heard.size());
    for (auto const number : heard) blame.names.push_back({suspects.name(number), judged(number)});
    std::ranges::sort(blame.names, [](NamedSuspect const& a, NamedSuspect const& b) {
      return std::pair{-a.suspicion.share, std::string_view{a.name}} <
             std::pair{-b.suspicion.share, std::string_view{b.name}};
    });
    rank_by(params.order, blame.names);
    return;
  }
  std::vector<RankedSuspect> ranked;
  ranked.reserve(heard.size());
  for (auto const number : heard) {
    ranked.push_back({suspects.vertex(number), evidence[number].bad_shares, number});
  }
  rank(snapshot, std::span(ranked), &RankedSuspect::share);
  blame.nodes.reserve(ranked.size());
  for (auto const& each : ranked) blame.nodes.push_back({each.vertex, judged(each.number)});
  rank_by(params.order, blame.nodes);
}

/// "1,516".
std::string with_commas(std::uint32_t number) {
  std::string text = std::to_string(number);
  for (auto place = static_cast<std::ptrdiff_t>(text.size()) - 3; place > 0; place -= 3) {
    text.insert(static_cast<std::size_t>(place), ",");
  }
  return text;
}

std::string words_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::likely:
      return "likely";
    case Verdict::possible:
      return "possible, or chance";
    case Verdict::not_worse:
      return "not worse";
    case Verdict::few:
      return "too few to tell";
    case Verdict::in_all:
      return "in every answer, which cannot be blamed";
  }
  return {};
}

}  // namespace

RateInterval wilson(double rate, double count) noexcept {
  constexpr double z = 1.959963984540054;  // 97.5 % of a normal distribution lie below it
  auto const whole = 1 + z * z / count;
  auto const middle = rate + z * z / (2 * count);
  auto const half = z * std::sqrt(rate * (1 - rate) / count + z * z / (4 * count * count));
  return {std::max(0.0, (middle - half) / whole), std::min(1.0, (middle + half) / whole)};
}

std::string sentence_of(Suspicion const& suspicion, Blame const& blame) {
  auto const average = blame.rated == 0 ? 0 : std::lround(100.0 * blame.bad / blame.rated);
  std::string text = with_commas(suspicion.bad) + " of " + with_commas(suspicion.rated) +
                     " bad, of all rated answers " + std::to_string(average) + " %: " + words_of(suspicion.verdict);
  if (suspicion.same_answers > 0) {
    text += "; " + with_commas(suspicion.same_answers) + (suspicion.same_answers == 1 ? " other is" : " others are") +
            " in the same answers";
  }
  return text;
}

Result<Blame> impact_blame(View const& view, BlameParams const& params, Budget const& budget) {
  auto const answers = rated_answers(view, params, budget);
  if (!answers) return answers.error();
  std::vector<VertexId> effects;
  effects.reserve(answers->size());
  Blame blame{.rated = static_cast<std::uint32_t>(answers->size())};
  for (auto const& answer : *answers) {
    effects.push_back(answer.vertex);
    if (answer.is_bad) ++blame.bad;
  }

  auto const upward = graph::Direction::ancestors;
  // Instructions and questions have a part where they are the suspects.
  bool const has_roles = params.of == BlameOf::prompts || params.of == BlameOf::questions;
  graph::WalkLimits limits{
      .edge_types = walked_types(params.basis), .vertices_max = budget.vertices_max, .has_roles = has_roles};
  if (!has_roles) limits.edge_types.leave_out_roles();
  auto const reach = graph::reach(view.snapshot, effects, upward, limits, budget.interrupt);
  if (!reach) return reach.error();
  if (reach->is_cut_by_vertices) blame.incomplete = Incomplete::nodes;
  auto cut = graph::cut_relations(view.snapshot, effects, upward, limits, *reach, budget.interrupt);
  if (!cut) return cut.error();
  take_cut(std::move(*cut), blame);

  auto const suspects = find_suspects(view, params.of, effects, *reach, budget);
  if (!suspects) return suspects.error();
  Trial trial(*answers, *suspects);
  graph::EachShareBounds const bounds{
      .steps_max = blame_steps_max, .edge_types = limits.edge_types, .has_roles = has_roles};
  auto const depth = graph::each_share(
      view.snapshot, effects, *reach, bounds, budget.interrupt,
      [&](std::size_t answer, std::span<graph::CauseShare const> causes) { trial.hear(answer, causes); });
  if (!depth) return depth.error();
  if (*depth != graph::depth_unbounded) {
    blame.depth = *depth;
    blame.incomplete = Incomplete::nodes;
  }
  pass_judgement(view.snapshot, *suspects, trial.evidence(), params, blame);
  return blame;
}

}  // namespace whence::queries
