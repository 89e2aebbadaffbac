#pragma once
// From a query to the answer that the network sends. A query is a function that returns a result; the `render` overload
// for its result and params, declared per family in this folder, makes that a page source.

#include "queries/render/page_source.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace whence::queries {

/// A query, and one whose work depends on how many items are needed.
template <class Found, class Params>
using PlainQuery = Result<Found> (*)(View const&, Params const&, Budget const&);
template <class Found, class Params>
using LimitedQuery = Result<Found> (*)(View const&, Params const&, std::uint32_t, Budget const&);

/// The result and the params of a query.
template <class Query>
struct QueryTypes;
template <class F, class P>
struct QueryTypes<PlainQuery<F, P>> {
  using Found = F;
  using Params = P;
  static constexpr bool is_limited = false;
};
template <class F, class P>
struct QueryTypes<LimitedQuery<F, P>> {
  using Found = F;
  using Params = P;
  static constexpr bool is_limited = true;
};

template <auto query>
using FoundBy = typename QueryTypes<decltype(query)>::Found;
template <auto query>
using ParamsOf = typename QueryTypes<decltype(query)>::Params;

/// The result of `query`; a plain one ignores the limit.
template <auto query>
[[nodiscard]] Result<FoundBy<query>> evaluate(View const& view, ParamsOf<query> const& params, std::uint32_t limit,
                                              Budget const& budget) {
  if constexpr (QueryTypes<decltype(query)>::is_limited) {
    return query(view, params, limit, budget);
  } else {
    return query(view, params, budget);
  }
}

/// The result of `query`, rendered. Fails as the query does.
template <auto query>
[[nodiscard]] Result<PageSource> answer(View const& view, ParamsOf<query> const& params, std::uint32_t limit,
                                        Budget const& budget) {
  auto found = evaluate<query>(view, params, limit, budget);
  if (!found) return found.error();
  return render(view, *std::move(found), params);
}

/// A result that is a part of the graph: it has a function `shown_vertices`, which needs only the result, or also has
/// to look at the graph.
template <class Found>
concept ShowsItself = requires(Found const& found) {
  shown_vertices(found);
};
template <class Found>
concept ShowsVertices = ShowsItself<Found> || requires(Found const& found, Budget const& budget, View const& view) {
  shown_vertices(found, view.snapshot, budget.interrupt);
};

/// The vertices that a query is asked about and all that its result shows, in any order, each perhaps more than once:
/// what an export of the result holds. Fails as the query does.
template <auto query>
requires ShowsVertices<FoundBy<query>>
[[nodiscard]] Result<std::vector<VertexId>> select(View const& view, ParamsOf<query> const& params, std::uint32_t limit,
                                                   Budget const& budget) {
  auto const found = evaluate<query>(view, params, limit, budget);
  if (!found) return found.error();
  if constexpr (ShowsItself<FoundBy<query>>) {
    return shown_vertices(*found);
  } else {
    return shown_vertices(*found, view.snapshot, budget.interrupt);
  }
}

}  // namespace whence::queries
