#pragma once
// Where the parts of a discussion are: its rounds and its summaries, by their numbers.

#include "graph/snapshot/snapshot.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace whence::graph {

/// A round, or a summary of the rounds up to one.
struct NumberedVertex {
  std::int64_t number;
  VertexId vertex;

  friend bool operator==(NumberedVertex const&, NumberedVertex const&) = default;
};

/// A summary is looked for up to so many numbers after the last round that there ever was: a copy may have come in
/// without the rounds that its last summary replaces.
inline constexpr std::int64_t late_summaries_max = 100;

/// The visible rounds of a visible discussion in the order of their numbers. O(rounds), all that ever were.
[[nodiscard]] std::vector<NumberedVertex> rounds_of(Snapshot const& snapshot, VertexId discussion);

/// Its visible summaries, likewise. O(rounds).
[[nodiscard]] std::vector<NumberedVertex> summaries_of(Snapshot const& snapshot, VertexId discussion);

/// Every summary that ever had a name of this discussion, deleted ones too. O(rounds).
[[nodiscard]] std::vector<VertexId> summaries_of_ever(Snapshot const& snapshot, VertexId discussion);

/// The round of the highest number. O(1) unless a round of the discussion was deleted.
[[nodiscard]] std::optional<NumberedVertex> last_round(Snapshot const& snapshot, VertexId discussion);

/// The number of the round that comes next once the last one is complete: after it, and after those that a summary of
/// the discussion reaches to. As `last_round`, else O(rounds).
[[nodiscard]] std::int64_t next_round_number(Snapshot const& snapshot, VertexId discussion);

/// The number of the round that is open without a response, where the last one is complete and the discussion says that
/// round `opened` is open: that of the next round, whatever number it was opened under; rounds before it may have been
/// deleted since. Nothing where it was recorded, or deleted, after its opening. As `next_round_number`.
[[nodiscard]] std::optional<std::int64_t> open_round_number(Snapshot const& snapshot, VertexId discussion,
                                                            std::optional<std::int64_t> opened);

/// Whether round `number` was begun and then deleted after its discussion was last written: then it has not been opened
/// again. O(log nodes).
[[nodiscard]] bool is_opening_void(Snapshot const& snapshot, VertexId discussion, std::int64_t number);

}  // namespace whence::graph
