// Evaluating node.find and node.count.

#include "queries/find/field_values.hpp"
#include "queries/find/nodes.hpp"
#include "queries/find/search.hpp"
#include "queries/find/search_field.hpp"
#include "queries/view/order.hpp"
#include "queries/view/resolve.hpp"
#include "schema/base/poll.hpp"
#include "schema/base/report.hpp"
#include "schema/base/suggest.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace whence::queries {
namespace {

/// A match and the value it is ordered by, if it has one.
struct Keyed {
  VertexId vertex;
  std::optional<OwnedValue> key;
};

/// The matches with their keys, in any order.
Result<std::vector<Keyed>> find_keyed(View const& view, Search const& search, SearchField const& order,
                                      schema::Poll& poll) {
  std::vector<Keyed> found;
  if (order.from_record != nullptr && (reads_all(view, search) || view.columns == nullptr)) {
    auto nodes = candidates(view, search, poll);
    if (!nodes) return nodes.error();
    if (auto const kept = keep_on_graph(view.snapshot, search, *nodes, poll); !kept) return kept.error();
    auto const take = [&](VertexId vertex, schema::Record const& record) {
      auto const key = order.from_record(record);
      found.push_back({vertex, key ? std::optional{owned(*key)} : std::nullopt});
    };
    if (auto const read = read_and_filter(view, search, *nodes, poll, take); !read) return read.error();
    return found;
  }
  auto nodes = find_matches(view, search, poll);
  if (!nodes) return nodes.error();
  if (order.from_record != nullptr) {  // what is gone has nothing to be ordered by
    std::erase_if(*nodes, [&](VertexId vertex) { return view.snapshot.gone(vertex).has_value(); });
  }
  found.reserve(nodes->size());
  for (VertexId const vertex : *nodes) found.push_back({vertex, std::nullopt});
  auto const set_key = [&](std::size_t i, std::optional<Value> const& value) {
    if (value) found[i].key = owned(*value);
  };
  if (auto const read = read_field(view, order, *nodes, poll, set_key); !read) return read.error();
  return found;
}

// Ties by id, ascending in either direction; nodes without the field last in either direction.
void sort_by_key(std::vector<Keyed>& found, bool is_descending) {
  std::stable_sort(found.begin(), found.end(), [&](Keyed const& a, Keyed const& b) {
    if (!a.key || !b.key) return a.key.has_value() && !b.key.has_value();
    return is_descending ? *b.key < *a.key : *a.key < *b.key;
  });
}

/// The field of an order; null where that is the id, which needs no keys.
Result<SearchField const*> parse_order(schema::RecordType type, Order const& order) {
  SearchField const* const field = find_search_field(type, order.by);
  bool const is_several =
      field != nullptr && (field->list_from_record != nullptr || field->texts_from_record != nullptr);
  if (field == nullptr || is_several) {
    return error_from(invalid_param("unknown_field", "/order/by", schema::shown(order.by),
                                    std::string(schema::name_of(type)) + " has no such field to order by" +
                                        schema::did_you_mean(order.by, search_field_names(type))));
  }
  return field->name == "id" ? nullptr : field;
}

Result<Nodes> find_by_id(View const& view, Search const& search, bool is_descending, std::size_t ordered_items,
                         schema::Poll& poll) {
  if (ordered_items != std::numeric_limits<std::size_t>::max()) {
    auto matches = find_first_matches(view, search, ordered_items, is_descending, poll);
    if (!matches) return matches.error();
    return Nodes{std::move(*matches), ordered_items};
  }
  auto matches = find_matches(view, search, poll);
  if (!matches) return matches.error();
  sort_by_ref(view.snapshot, std::span(*matches));
  if (is_descending) std::reverse(matches->begin(), matches->end());
  return Nodes{std::move(*matches)};
}

Result<Nodes> find_by_key(View const& view, Search const& search, SearchField const& order, bool is_descending,
                          schema::Poll& poll) {
  auto matches = find_keyed(view, search, order, poll);
  if (!matches) return matches.error();
  sort_by_ref(view.snapshot, std::span(*matches));
  sort_by_key(*matches, is_descending);
  Nodes found;
  found.nodes.reserve(matches->size());
  for (Keyed const& match : *matches) found.nodes.push_back(match.vertex);
  return found;
}

}  // namespace

Result<Nodes> node_find(View const& view, NodeFindParams const& params, Budget const& budget) {
  auto const search = parse_search(params.type, params.where);
  if (!search) return search.error();
  auto const order = parse_order(params.type, params.order);
  if (!order) return order.error();
  schema::Poll poll(budget.interrupt);
  return *order == nullptr ? find_by_id(view, *search, params.order.desc, budget.ordered_items, poll)
                           : find_by_key(view, *search, **order, params.order.desc, poll);
}

Result<NodeCount> node_count(View const& view, NodeCountParams const& params, Budget const& budget) {
  auto const search = parse_search(params.type, params.where);
  if (!search) return search.error();
  schema::Poll poll(budget.interrupt);
  auto const count = count_matches(view, *search, poll);
  if (!count) return count.error();
  return NodeCount{*count};
}

}  // namespace whence::queries
