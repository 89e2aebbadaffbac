// Evaluating node.find and node.count. Conditions on values that the graph holds are checked first; only for the nodes
// that are left are records read, a slice at a time.

#include "graph/snapshot/records.hpp"
#include "queries/find/nodes.hpp"
#include "queries/find/predicate.hpp"
#include "queries/find/search_field.hpp"
#include "queries/order.hpp"
#include "queries/resolve.hpp"
#include "schema/base/poll.hpp"
#include "schema/base/report.hpp"
#include "schema/base/suggest.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace whence::queries {
namespace {

constexpr std::size_t slice_records = 1000;

/// A checked request.
struct Search {
  schema::RecordType type;
  std::vector<Predicate> on_graph = {};
  std::vector<Predicate> on_record = {};
  SearchField const* order = nullptr;  ///< null: by id, which needs no keys
};

/// A match and the value it is ordered by, if it has one.
struct Keyed {
  VertexId vertex;
  std::optional<OwnedValue> key;
};

Result<Search> parse_search(schema::RecordType type, std::vector<Condition> const& where) {
  if (!schema::info(type).is_node) {
    return error_from(invalid_param("type", "/type", schema::shown(schema::name_of(type)), "is no type of node"));
  }
  auto predicates = parse_where(type, where);
  if (!predicates) return predicates.error();
  Search search{.type = type};
  for (Predicate& predicate : *predicates) {
    auto& part = predicate.field->from_graph != nullptr ? search.on_graph : search.on_record;
    part.push_back(std::move(predicate));
  }
  return search;
}

// A condition that names ids uses the index; without one, all nodes of the type are candidates.
std::vector<VertexId> candidates(Snapshot const& snapshot, Search const& search) {
  auto const names_ids = [](Predicate const& predicate) {
    return predicate.field->name == "id" && (predicate.op == Condition::Op::eq || predicate.op == Condition::Op::in);
  };
  auto const by_id = std::find_if(search.on_graph.begin(), search.on_graph.end(), names_ids);
  if (by_id == search.on_graph.end()) return snapshot.vertices(search.type);
  std::vector<VertexId> named;
  for (OwnedValue const& id : by_id->operands) {
    if (auto const vertex = snapshot.find(search.type, std::get<std::string>(id))) named.push_back(*vertex);
  }
  std::sort(named.begin(), named.end());
  named.erase(std::unique(named.begin(), named.end()), named.end());
  return named;
}

Result<std::vector<VertexId>> filter_on_graph(Snapshot const& snapshot, Search const& search, schema::Poll& poll) {
  std::vector<VertexId> nodes = candidates(snapshot, search);
  if (search.on_graph.empty()) return nodes;
  bool is_stopped = false;
  std::erase_if(nodes, [&](VertexId vertex) {
    is_stopped = is_stopped || poll.must_stop();
    return is_stopped || !std::all_of(search.on_graph.begin(), search.on_graph.end(), [&](Predicate const& predicate) {
             return holds(predicate, predicate.field->from_graph(snapshot, vertex));
           });
  });
  if (is_stopped) return poll.error();
  return nodes;
}

std::optional<OwnedValue> key_of(Snapshot const& snapshot, SearchField const& order, VertexId vertex,
                                 schema::Record const* record) {
  auto const value = order.from_graph != nullptr ? order.from_graph(snapshot, vertex) : order.from_record(*record);
  if (!value) return std::nullopt;
  return owned(*value);
}

/// Calls `take(vertex, record)` for each of `nodes` whose record satisfies the conditions on records.
template <class Take>
Result<void> read_and_filter(View const& view, Search const& search, std::vector<VertexId> const& nodes,
                             schema::Poll& poll, Take const& take) {
  for (std::size_t begin = 0; begin < nodes.size(); begin += slice_records) {
    if (poll.must_stop(slice_records)) return poll.error();
    auto const slice = std::span(nodes).subspan(begin, std::min(slice_records, nodes.size() - begin));
    auto const read =
        graph::read_records(view.snapshot, *view.records, slice, [&](std::size_t i, schema::Record&& record) {
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

/// The matches in any order.
Result<std::vector<VertexId>> find_matches(View const& view, Search const& search, schema::Poll& poll) {
  auto nodes = filter_on_graph(view.snapshot, search, poll);
  if (!nodes) return nodes;
  if (search.on_record.empty()) {
    if (poll.must_stop(nodes->size())) return poll.error();  // sorting that many is work, too
    return nodes;
  }
  std::vector<VertexId> found;
  auto const read = read_and_filter(view, search, *nodes, poll,
                                    [&](VertexId vertex, schema::Record const&) { found.push_back(vertex); });
  if (!read) return read.error();
  return found;
}

/// The matches with their keys, in any order.
Result<std::vector<Keyed>> find_keyed(View const& view, Search const& search, schema::Poll& poll) {
  auto const nodes = filter_on_graph(view.snapshot, search, poll);
  if (!nodes) return nodes.error();
  SearchField const& order = *search.order;
  std::vector<Keyed> found;
  if (!search.on_record.empty() || order.from_record != nullptr) {
    auto const take = [&](VertexId vertex, schema::Record const& record) {
      found.push_back({vertex, key_of(view.snapshot, order, vertex, &record)});
    };
    auto const read = read_and_filter(view, search, *nodes, poll, take);
    if (!read) return read.error();
    return found;
  }
  found.reserve(nodes->size());
  for (VertexId const vertex : *nodes) {
    if (poll.must_stop()) return poll.error();
    found.push_back({vertex, key_of(view.snapshot, order, vertex, nullptr)});
  }
  return found;
}

// Ties by id, ascending in either direction; nodes without the field last in either direction.
void sort_by_key(std::vector<Keyed>& found, bool is_descending) {
  std::stable_sort(found.begin(), found.end(), [&](Keyed const& a, Keyed const& b) {
    if (!a.key || !b.key) return a.key.has_value() && !b.key.has_value();
    return is_descending ? *b.key < *a.key : *a.key < *b.key;
  });
}

Result<void> set_order(Search& search, Order const& order) {
  SearchField const* const field = find_search_field(search.type, order.by);
  bool const is_several =
      field != nullptr && (field->list_from_record != nullptr || field->texts_from_record != nullptr);
  if (field == nullptr || is_several) {
    return error_from(invalid_param("unknown_field", "/order/by", schema::shown(order.by),
                                    std::string(schema::name_of(search.type)) + " has no such field to order by" +
                                        schema::did_you_mean(order.by, search_field_names(search.type))));
  }
  if (field->name != "id") search.order = field;
  return {};
}

Result<Nodes> find_by_id(View const& view, Search const& search, bool is_descending, schema::Poll& poll) {
  auto matches = find_matches(view, search, poll);
  if (!matches) return matches.error();
  sort_by_ref(view.snapshot, std::span(*matches));
  if (is_descending) std::reverse(matches->begin(), matches->end());
  return Nodes{std::move(*matches)};
}

Result<Nodes> find_by_key(View const& view, Search const& search, bool is_descending, schema::Poll& poll) {
  auto matches = find_keyed(view, search, poll);
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
  auto search = parse_search(params.type, params.where);
  if (!search) return search.error();
  if (auto const set = set_order(*search, params.order); !set) return set.error();
  schema::Poll poll(budget.interrupt);
  return search->order == nullptr ? find_by_id(view, *search, params.order.desc, poll)
                                  : find_by_key(view, *search, params.order.desc, poll);
}

Result<NodeCount> node_count(View const& view, NodeCountParams const& params, Budget const& budget) {
  auto const search = parse_search(params.type, params.where);
  if (!search) return search.error();
  schema::Poll poll(budget.interrupt);
  auto const matches = find_matches(view, *search, poll);
  if (!matches) return matches.error();
  return NodeCount{matches->size()};
}

}  // namespace whence::queries
