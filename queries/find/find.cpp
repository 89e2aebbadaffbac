// node.find and node.count. By id the graph alone has the order; by another field each match gets a key, from the graph
// or from its record, and only as many as are wanted are sorted.

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
template <class Key>
struct Keyed {
  VertexId vertex;
  std::optional<Key> key;
};

/// The matches with their keys, in any order, where the graph has the keys.
Result<std::vector<Keyed<Value>>> find_keyed_on_graph(View const& view, Search const& search, SearchField const& order,
                                                      schema::Poll& poll) {
  auto const nodes = find_matches(view, search, poll);
  if (!nodes) return nodes.error();
  std::vector<Keyed<Value>> found;
  found.reserve(nodes->size());
  for (VertexId const vertex : *nodes) {
    if (poll.must_stop()) return poll.error();
    found.push_back({vertex, order.from_graph(view.snapshot, vertex)});
  }
  return found;
}

/// The matches with their keys, in any order, where records have the keys.
Result<std::vector<Keyed<OwnedValue>>> find_keyed_in_records(View const& view, Search const& search,
                                                             SearchField const& order, schema::Poll& poll) {
  std::vector<Keyed<OwnedValue>> found;
  if (reads_all(view, search)) {  // what is gone fulfils no condition on a record
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
  found.reserve(nodes->size());
  for (VertexId const vertex : *nodes) found.push_back({vertex, std::nullopt});
  auto const set_key = [&](std::size_t i, std::optional<Value> const& value) {
    if (value) found[i].key = owned(*value);
  };
  if (auto const read = read_field(view, order, *nodes, poll, set_key); !read) return read.error();
  return found;
}

/// Sorts those that `comes_before` does not order, by id, ascending.
template <class Key, class Before>
void sort_ties(Snapshot const& snapshot, std::span<Keyed<Key>> found, Before const& comes_before) {
  for (auto first = found.begin(); first != found.end();) {
    auto const last =
        std::find_if(first, found.end(), [&](Keyed<Key> const& each) { return comes_before(*first, each); });
    if (last - first > 1) sort_by_ref(snapshot, std::span(first, last));
    first = last;
  }
}

/// The vertices of `found`, of which the first `count` are in order: by key, those without one last, ties by id
/// ascending in either direction. The others follow in any order. O(found + count log count) where ties are few.
template <class Key>
std::vector<VertexId> first_by_key(Snapshot const& snapshot, std::vector<Keyed<Key>> found, bool is_descending,
                                   std::size_t count) {
  auto const comes_before = [is_descending](Keyed<Key> const& a, Keyed<Key> const& b) {
    if (!a.key || !b.key) return a.key.has_value() && !b.key.has_value();
    return is_descending ? *b.key < *a.key : *a.key < *b.key;
  };
  std::span<Keyed<Key>> ordered(found.data(), count);
  std::span<Keyed<Key>> tied;  // with the key of the last that is wanted: the first of them by id are
  if (count > 0 && count < found.size()) {
    auto const last = found.begin() + static_cast<std::ptrdiff_t>(count - 1);
    std::nth_element(found.begin(), last, found.end(), comes_before);
    auto const kth = *last;
    auto const tied_begin =
        std::partition(found.begin(), last, [&](Keyed<Key> const& each) { return comes_before(each, kth); });
    auto const tied_end =
        std::partition(last, found.end(), [&](Keyed<Key> const& each) { return !comes_before(kth, each); });
    ordered = std::span(found.begin(), tied_begin);
    tied = std::span(tied_begin, tied_end);
  }
  std::sort(ordered.begin(), ordered.end(), comes_before);
  sort_ties(snapshot, ordered, comes_before);
  std::vector<VertexId> vertices;
  vertices.reserve(found.size());
  for (auto const& each : found) vertices.push_back(each.vertex);
  sort_first_by_id(snapshot, std::span(vertices).subspan(ordered.size(), tied.size()), count - ordered.size(), false);
  return vertices;
}

/// Whether a record may have several values of the field: then no order follows it.
bool has_several(SearchField const& field) {
  return field.list_from_record != nullptr || field.texts_from_record != nullptr;
}

/// The field of an order; null where that is the id, which needs no keys.
Result<SearchField const*> parse_order(schema::RecordType type, Order const& order) {
  SearchField const* const field = find_search_field(type, order.by);
  if (field == nullptr || has_several(*field)) {
    auto names = search_field_names(type);
    std::erase_if(names, [type](std::string_view name) { return has_several(*find_search_field(type, name)); });
    auto const of_type = std::string(schema::name_of(type));
    auto const why = field == nullptr ? of_type + " has no such field to order by"
                                      : "a " + of_type + " may have several of them: no order follows it";
    return error_from(invalid_param("unknown_field", "/order/by", schema::shown(order.by),
                                    why + schema::alternatives(field == nullptr ? order.by : "", names)));
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

template <class Key>
Result<Nodes> in_order(View const& view, Result<std::vector<Keyed<Key>>> found, bool is_descending,
                       std::size_t ordered_items) {
  if (!found) return found.error();
  auto const count = std::min(ordered_items, found->size());
  return Nodes{first_by_key(view.snapshot, std::move(*found), is_descending, count), ordered_items};
}

Result<Nodes> find_by_key(View const& view, Search const& search, SearchField const& order, bool is_descending,
                          std::size_t ordered_items, schema::Poll& poll) {
  if (order.from_graph != nullptr) {
    return in_order(view, find_keyed_on_graph(view, search, order, poll), is_descending, ordered_items);
  }
  return in_order(view, find_keyed_in_records(view, search, order, poll), is_descending, ordered_items);
}

}  // namespace

Result<Nodes> node_find(View const& view, NodeFindParams const& params, Budget const& budget) {
  auto const search = parse_search(params.type, params.where);
  if (!search) return search.error();
  auto const order = parse_order(params.type, params.order);
  if (!order) return order.error();
  schema::Poll poll(budget.interrupt);
  return *order == nullptr ? find_by_id(view, *search, params.order.desc, budget.ordered_items, poll)
                           : find_by_key(view, *search, **order, params.order.desc, budget.ordered_items, poll);
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
