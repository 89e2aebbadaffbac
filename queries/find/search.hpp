#pragma once
// A checked `where` on nodes of one type, and its evaluation. Conditions on values that the graph holds are checked
// first; only for the nodes that are left are records read, a slice at a time.

#include "graph/snapshot/records.hpp"
#include "queries/find/predicate.hpp"
#include "queries/view.hpp"
#include "schema/base/poll.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace whence::queries {

/// Records that are read at once.
inline constexpr std::size_t slice_records = 1000;

/// A checked request.
struct Search {
  schema::RecordType type;
  std::vector<Predicate> on_graph = {};
  std::vector<Predicate> on_record = {};
};

/// Fails with `invalid_params` where `type` is no type of node, and as `parse_where`.
[[nodiscard]] Result<Search> parse_search(schema::RecordType type, std::vector<Condition> const& where);

/// The nodes among which all matches are: those that a condition names by id, else all of the type.
[[nodiscard]] std::vector<VertexId> candidates(Snapshot const& snapshot, Search const& search);

/// Leaves out of `nodes`, all of the search's type, those for which a condition on the graph does not hold.
[[nodiscard]] Result<void> keep_on_graph(Snapshot const& snapshot, Search const& search, std::vector<VertexId>& nodes,
                                         schema::Poll& poll);

/// Leaves in `nodes`, all of the search's type, the matches, in their order.
[[nodiscard]] Result<void> keep_matches(View const& view, Search const& search, std::vector<VertexId>& nodes,
                                        schema::Poll& poll);

/// The matches in any order.
[[nodiscard]] Result<std::vector<VertexId>> find_matches(View const& view, Search const& search, schema::Poll& poll);

/// Calls `take(vertex, record)` for each of `nodes` whose record satisfies the conditions on records.
template <class Take>
Result<void> read_and_filter(View const& view, Search const& search, std::vector<VertexId> const& nodes,
                             schema::Poll& poll, Take const& take) {
  for (std::size_t begin = 0; begin < nodes.size(); begin += slice_records) {
    if (poll.must_stop(slice_records)) return poll.error();
    auto const slice = std::span(nodes).subspan(begin, std::min(slice_records, nodes.size() - begin));
    auto read = graph::read_records(view.snapshot, *view.records, slice, [&](std::size_t i, schema::Record&& record) {
      if (view.snapshot.gone(slice[i])) return true;  // nothing is left that a condition could hold for
      bool const is_match = std::all_of(search.on_record.begin(), search.on_record.end(),
                                        [&](Predicate const& predicate) { return holds(predicate, record); });
      if (is_match) take(slice[i], record);
      return true;
    });
    if (!read) return read;
  }
  return {};
}

}  // namespace whence::queries
