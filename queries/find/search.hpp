#pragma once
// A checked `where` on nodes of one type, and its evaluation. Conditions on fields that are in columns choose the
// candidates, conditions on values that the graph holds are checked next; only for the nodes that are left are records
// read, a slice at a time.

#include "graph/snapshot/records.hpp"
#include "queries/find/predicate.hpp"
#include "queries/view/view.hpp"
#include "schema/base/poll.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace whence::queries {

/// Records that are read at once.
inline constexpr std::size_t slice_records = 1000;

/// A checked request.
struct Search {
  schema::RecordType type;
  std::vector<Predicate> on_graph = {};
  std::vector<Predicate> on_record = {};  ///< those on columns among them
  std::vector<Predicate> on_columns = {};
};

/// Nodes that fulfil all conditions, and nodes whose records decide. Both ascending.
struct Split {
  std::vector<VertexId> matches = {};
  std::vector<VertexId> unknown = {};
};

/// Fails with `invalid_params` where `type` is no type of node, and as `parse_where`.
[[nodiscard]] Result<Search> parse_search(schema::RecordType type, std::vector<Condition> const& where);

/// The nodes among which all matches are: those that a condition names by id, else those that the columns leave, else
/// all of the type. Ascending.
[[nodiscard]] Result<std::vector<VertexId>> candidates(View const& view, Search const& search, schema::Poll& poll);

/// Whether reading a record can be of use: where a condition is on a field that no column has.
[[nodiscard]] bool reads_all(View const& view, Search const& search) noexcept;

/// Leaves out of `nodes`, all of the search's type, those for which a condition on the graph does not hold.
[[nodiscard]] Result<void> keep_on_graph(Snapshot const& snapshot, Search const& search, std::vector<VertexId>& nodes,
                                         schema::Poll& poll);

/// Leaves in `nodes`, all of the search's type, the matches, in their order.
[[nodiscard]] Result<void> keep_matches(View const& view, Search const& search, std::vector<VertexId>& nodes,
                                        schema::Poll& poll);

/// The matches, ascending.
[[nodiscard]] Result<std::vector<VertexId>> find_matches(View const& view, Search const& search, schema::Poll& poll);

/// The matches: the first `ordered_items` in the order of their ids, or in the opposite order; those behind them in any
/// order.
[[nodiscard]] Result<std::vector<VertexId>> find_first_matches(View const& view, Search const& search,
                                                               std::size_t ordered_items, bool is_descending,
                                                               schema::Poll& poll);

/// How many matches there are.
[[nodiscard]] Result<std::uint64_t> count_matches(View const& view, Search const& search, schema::Poll& poll);

/// Calls `take(vertex, record)` for each of `nodes` whose record satisfies the conditions on records.
template <class Take>
Result<void> read_and_filter(View const& view, Search const& search, std::vector<VertexId> const& nodes,
                             schema::Poll& poll, Take const& take) {
  for (std::size_t begin = 0; begin < nodes.size(); begin += slice_records) {
    if (poll.must_stop(slice_records)) return poll.error();
    auto const slice = std::span(nodes).subspan(begin, std::min(slice_records, nodes.size() - begin));
    auto read =
        graph::read_those_there(view.snapshot, *view.records, slice, [&](std::size_t i, schema::Record&& record) {
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
