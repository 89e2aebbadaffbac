#pragma once
// node.activity: how many records of each lane fall into each period.

#include "queries/find/params.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"
#include "schema/base/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace whence::queries {

/// Lanes of one answer; the records of smaller ones are counted together.
inline constexpr std::size_t lanes_max = 20;
/// Periods of one answer where none is asked for, and where one is.
inline constexpr std::int64_t periods_wanted = 100;
inline constexpr std::int64_t periods_max = 10'000;

struct PeriodCount {
  std::int64_t period;  ///< its number (queries/find/calendar.hpp)
  std::uint64_t count;
};

struct Lane {
  std::string name;
  std::uint64_t total = 0;
  std::vector<PeriodCount> counts = {};  ///< periods with records only, in order
};

struct Activity {
  Period period = Period::hour;
  std::optional<schema::Time> from = {};  ///< as asked, else of the oldest record; nothing where there is none
  std::optional<schema::Time> to = {};
  std::vector<Lane> lanes = {};  ///< largest first, then by name
  std::size_t other_lanes = 0;
  Lane other = {};  ///< all of these
};

/// Counts records by their own time, or that of their transaction. Fails with `invalid_params` where the types are no
/// nodes, the range is empty or has more than `periods_max` periods; with `corrupt`, or as the interrupt says. O(nodes
/// of the types); lanes other than types cost a read of the records that name one.
[[nodiscard]] Result<Activity> node_activity(View const& view, NodeActivityParams const& params, Budget const& budget);

}  // namespace whence::queries
