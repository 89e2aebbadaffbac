#pragma once
// impact.blame: which sources the badly rated responses and answers rest on more often than the others do.

#include "graph/walks/walk.hpp"
#include "queries/impact/params.hpp"
#include "queries/view/incomplete.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"
#include "schema/types/named_enum.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::queries {

/// What the numbers of a suspect say.
enum class Verdict : std::uint8_t {
  likely,     ///< the answers that rest on it are worse: `lower` is above 0
  possible,   ///< they are worse, but chance may do that
  not_worse,  ///< they are not worse than the others
  few,        ///< fewer than `few_answers` rest on it: nothing follows from so few
  in_all,     ///< every rated answer rests on it: there are no others to compare with
};
constexpr std::array<std::string_view, 5> enum_names(Verdict) noexcept {
  return {"likely", "possible", "not_worse", "few", "in_all"};
}

/// Suspects with fewer rated answers come behind the others.
inline constexpr std::uint32_t few_answers = 5;

/// The numbers of a suspect. A response and an answer that are one act are one rated answer.
struct Suspicion {
  std::uint32_t rated = 0;                 ///< rated answers that rest on it
  std::uint32_t bad = 0;                   ///< of these
  double rate = 0;                         ///< the bad part of them, each weighed by the suspect's share in it
  std::optional<double> others_rate = {};  ///< the bad part of all others; nothing where there are none
  std::optional<double> lift = {};         ///< `rate` less `others_rate`
  std::optional<double> lower = {};        ///< the lower end of the 95 % interval of `lift`
  double share = 0;                        ///< the mean of its shares in the bad answers of all, 0 where it is in none
  std::uint32_t same_answers = 0;          ///< further suspects on which the very same rated answers rest
  Verdict verdict = Verdict::few;
};

/// A node that is suspected.
struct Suspect {
  VertexId vertex;
  Suspicion suspicion;
};

/// A tool, an agent or a model that is suspected.
struct NamedSuspect {
  std::string name;
  Suspicion suspicion;
};

struct Blame {
  std::uint32_t rated = 0;                   ///< answers that were compared
  std::uint32_t bad = 0;                     ///< of these
  std::vector<Suspect> nodes = {};           ///< in the order asked for
  std::vector<NamedSuspect> names = {};      ///< in place of `nodes`, where `of` groups by a name
  std::optional<std::uint32_t> depth = {};   ///< where there was too much: no cause more edges away is counted
  std::vector<graph::CutRelation> cut = {};  ///< relations that a cycle of influence kept the walk from following
  Incomplete incomplete = Incomplete::no;
};

/// Compares all rated responses and answers that the bounds of `params` leave. Bad are those with a mean score below
/// `score_below`, 0 where it is left out, and those in `responses`, which are compared rated or not; where these are
/// given, only what they rest on is suspected. Where both are given, those of `responses` count that are below, too.
///
/// A suspect's rate weighs each answer by its share s in it, as if of (sum s)^2 / (sum s^2) answers; the interval of
/// the difference is Newcombe's, of the two intervals of Wilson. Each answer is walked by itself, since the squares of
/// shares do not add up along paths. Order: those with fewer than `few_answers` rated answers behind the others, and
/// those that are in all behind them; then by `lower`, then by `share`, largest first, then by ref or name; or as
/// `order` says.
///
/// Fails with `invalid_params` ("type" at "/responses/N"), `not_found` at "/responses/N" or "/topic", or as the
/// interrupt says. O(V + E) of the part reached by each answer, as far as `blame_steps_max` suffices; beyond it to a
/// `depth`.
[[nodiscard]] Result<Blame> impact_blame(View const& view, BlameParams const& params, Budget const& budget);

/// "5 of 5 bad, of all rated answers 32 %: likely".
[[nodiscard]] std::string sentence_of(Suspicion const& suspicion, Blame const& blame);

/// Wilson's 95 % interval of a rate seen in `count` answers, which may be no whole number.
struct RateInterval {
  double lower;
  double upper;
};
[[nodiscard]] RateInterval wilson(double rate, double count) noexcept;

}  // namespace whence::queries
