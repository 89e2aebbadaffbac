#pragma once
// impact.replay_plan: which calls would have to be made again if some nodes had not been there, and with what.

#include "graph/walks/walk.hpp"
#include "queries/impact/mended.hpp"
#include "queries/impact/params.hpp"
#include "queries/impact/withdrawn.hpp"
#include "queries/view/incomplete.hpp"
#include "queries/view/vertex_map.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"
#include "schema/types/named_enum.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace whence::queries {

/// What becomes of an input of a call that is made again.
enum class InputState : std::uint8_t {
  kept,      ///< as it was
  again,     ///< an earlier call of the plan: its new answer
  changed,   ///< made of what goes or of a call that is made again, and of other things: it is not known what it would
             ///< be
  left_out,  ///< taken away, or made of nothing else
  mended,    ///< what is in its place now
};
constexpr std::array<std::string_view, 5> enum_names(InputState) noexcept {
  return {"kept", "again", "changed", "left_out", "mended"};
}

/// What becomes of a call.
enum class CallEffect : std::uint8_t {
  lost,      ///< no other source of a kind is left to it
  weakened,  ///< something of it goes
  mended,    ///< all that goes has something in its place
};
constexpr std::array<std::string_view, 3> enum_names(CallEffect) noexcept {
  return {"lost", "weakened", "mended"};
}

/// A response or an answer that rests on what is taken away; an act once, as its response.
struct PlannedCall {
  VertexId vertex;
  std::uint32_t depth;  ///< least number of edges from what is taken away
  std::uint32_t stage;  ///< from 1; calls of one stage do not need one another
  CallEffect effect;
  double lost;                              ///< the part of it that goes or is replaced, 0 where that has no share
  std::optional<double> input_tokens = {};  ///< as it was made
  std::optional<double> output_tokens = {};
  std::optional<double> cost = {};
};

/// The sum of what calls have, and how many have it.
struct KnownSum {
  std::uint64_t known = 0;
  double sum = 0;
};

struct CallInput {
  VertexId vertex;
  graph::CauseKind kind;
  InputState state;
  std::optional<VertexId> newer = {};  ///< of what is left out or mended: what is in its place, or could
};

/// Inputs that are listed of a call.
inline constexpr std::size_t inputs_max = 1'000;

struct CallInputs {
  std::vector<CallInput> inputs = {};  ///< as the call names them; of a prompt the question, then its chunks by rank
  std::size_t more = 0;                ///< causes beyond `inputs_max`, which are not listed
};

/// Valid as long as the snapshot of its view.
struct ReplayPlan {
  ReplayPlan(Withdrawn made, Mended found, bool puts_mended)
      : withdrawn{std::move(made)},
        places{withdrawn.reach.vertices},
        mended{std::move(found)},
        is_mended{puts_mended} {}

  std::vector<PlannedCall> calls = {};  ///< by stage, then ref: causes before their effects
  KnownSum input_tokens = {};
  KnownSum output_tokens = {};
  KnownSum cost = {};
  std::uint32_t stages = 0;
  Withdrawn withdrawn;
  VertexMap places;  ///< in `withdrawn.reach`
  Mended mended;
  bool is_mended;                       ///< what was mended is put in its place
  std::vector<InputState> states = {};  ///< parallel to `withdrawn.reach.vertices`
  std::vector<graph::CutRelation> cut = {};
  Incomplete incomplete = Incomplete::no;
};

/// Fails as `impact_without` and `mended_of`. O(V + E) of the part reached and its causes; the record of each call is
/// read.
[[nodiscard]] Result<ReplayPlan> impact_replay_plan(View const& view, ReplayPlanParams const& params,
                                                    Budget const& budget);

/// What a call of the plan was given.
[[nodiscard]] CallInputs inputs_of(Snapshot const& snapshot, ReplayPlan const& plan, VertexId call);

}  // namespace whence::queries
