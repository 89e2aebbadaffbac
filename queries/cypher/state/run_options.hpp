#pragma once
// What a run is given besides the query and the graph, and the lines of a plan.

#include "queries/cypher/values/zones.hpp"
#include "schema/base/interrupt.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace whence::queries::cypher {

/// The bounds of one run. Passing one ends the run with `limit_exceeded` and the bound's name.
struct QueryBudget {
  schema::Interrupt const& interrupt;
  std::uint64_t rows_max = 1'000'000;        ///< rows that are pulled
  std::uint64_t bytes_max = 256ull << 20;    ///< held by sorts, groups, distinct sets and lists
  std::uint64_t steps_max = 10'000'000'000;  ///< relations and nodes looked at
  /// Asked before a run holds more, and informed when it holds less, in steps of `counted_step`: whether there is room
  /// for so many bytes in all. Empty: there is. The first step is not asked for.
  std::function<bool(std::uint64_t bytes)> may_hold = {};

  static constexpr std::uint64_t counted_step = 1u << 20;
};

/// Who asks, and what a client may name.
struct Caller {
  std::string user = {};  ///< what the credential is called; empty where none is asked for
  std::string role = {};
  std::vector<std::string> databases = {};
  std::string home = {};  ///< the one that is asked without a name
};

/// What a run knows of the world. The objects outlive the run.
struct Environment {
  std::int64_t now_seconds = 0;  ///< what `datetime()` answers, the same all through a run
  std::int32_t now_nanos = 0;
  Zones const* zones = nullptr;   ///< none: only offsets are known
  std::uint64_t random_seed = 1;  ///< of `rand()`
  Caller const* caller = nullptr;
};

/// A node of the plan, for `EXPLAIN` and `PROFILE`.
struct PlanLine {
  std::uint32_t depth = 0;                  ///< 0: the operator that makes the result
  std::string name = {};                    ///< "NodeByLabelScan"
  std::string detail = {};                  ///< "(n:Response)"
  double estimate = 0;                      ///< rows that the planner expects
  std::optional<std::uint64_t> rows = {};   ///< rows that it made; with `PROFILE` after the last row only
  std::optional<std::uint64_t> steps = {};  ///< relations and nodes it looked at, likewise
};

}  // namespace whence::queries::cypher
