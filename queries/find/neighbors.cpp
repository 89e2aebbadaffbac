// Evaluating node.neighbors: the list of one side, its conditions, then its order or its groups.

#include "queries/find/neighbors.hpp"

#include "queries/find/calendar.hpp"
#include "queries/find/field_values.hpp"
#include "queries/find/own_time.hpp"
#include "queries/find/search.hpp"
#include "queries/view/order.hpp"
#include "queries/view/resolve.hpp"
#include "schema/base/report.hpp"
#include "schema/base/suggest.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace whence::queries {
namespace {

/// Lower ends of the bands of scores, each but the last up to the next.
constexpr std::array score_bands = {-1.0, -0.8, -0.6, -0.4, -0.2, 0.0, 0.2, 0.4, 0.6, 0.8};

/// What neighbours are ordered or grouped by.
enum class By : std::uint8_t { weight, time, type, edge_type, month, day, score, field };

struct Named {
  By by;
  std::string_view name;
};
constexpr std::array orders = {Named{By::weight, "weight"}, Named{By::time, "time"}};
constexpr std::array groupings = {Named{By::type, "type"}, Named{By::edge_type, "edge_type"}, Named{By::month, "month"},
                                  Named{By::day, "day"}, Named{By::score, "score"}};

struct Chosen {
  By by;
  SearchField const* field = nullptr;
};

/// A checked request.
struct Request {
  VertexId start;
  std::optional<Search> search = {};
  Chosen order = {By::weight};
  bool is_descending = true;
  std::optional<Chosen> group_by = {};
};

std::optional<By> find_by(std::span<Named const> names, std::string_view name) {
  auto const found = std::ranges::find(names, name, &Named::name);
  if (found == names.end()) return std::nullopt;
  return found->by;
}

bool has_several_values(SearchField const& field) {
  return field.list_from_record != nullptr || field.texts_from_record != nullptr;
}

/// The field of the type, or one that all nodes have where none is named.
SearchField const* find_field(std::optional<schema::RecordType> type, std::string_view name) {
  if (type) return find_search_field(*type, name);
  bool const is_of_all = name == "id" || name == "tx";
  return is_of_all ? find_search_field(schema::RecordType::response, name) : nullptr;
}

Violation unknown_field(std::string path, std::string const& name, std::optional<schema::RecordType> type,
                        std::span<Named const> words) {
  std::vector<std::string_view> names;
  for (Named const& each : words) names.push_back(each.name);
  std::string message = "is none of";
  for (std::string_view const each : names) message.append(" ").append(each);
  if (type) {
    auto const fields = search_field_names(*type);
    names.insert(names.end(), fields.begin(), fields.end());
    message.append(" and no field of ").append(schema::name_of(*type));
  } else {
    message.append("; fields of records need `type`");
  }
  return invalid_param("unknown_field", std::move(path), schema::shown(name),
                       message + schema::did_you_mean(name, names));
}

void parse_order(NodeNeighborsParams const& params, Request& request, std::vector<Violation>& wrong) {
  if (!params.order) return;
  request.is_descending = params.order->desc;
  auto const* const field = find_field(params.type, params.order->by);
  if (field != nullptr && !has_several_values(*field)) {
    request.order = {By::field, field};
  } else if (auto const by = find_by(orders, params.order->by)) {
    request.order = {*by};
  } else {
    wrong.push_back(unknown_field("/order/by", params.order->by, params.type, orders));
  }
}

// A type's own field of a name comes first: a context unit has a `type`. But scores are always in bands.
void parse_group(NodeNeighborsParams const& params, Request& request, std::vector<Violation>& wrong) {
  if (!params.group_by) return;
  auto const by = find_by(groupings, *params.group_by);
  auto const* const field = find_field(params.type, *params.group_by);
  if (field != nullptr && by != By::score) {
    request.group_by = {By::field, field};
  } else if (by) {
    request.group_by = {*by};
  } else {
    wrong.push_back(unknown_field("/group_by", *params.group_by, params.type, groupings));
  }
}

Result<Request> parse(Snapshot const& snapshot, NodeNeighborsParams const& params) {
  Request request{};
  std::vector<Violation> wrong;
  if (params.type) {
    auto search = parse_search(*params.type, params.where);
    if (!search) {
      Error const error = search.error();
      wrong.insert(wrong.end(), error.violations.begin(), error.violations.end());
    } else {
      request.search = std::move(*search);
    }
  } else if (!params.where.empty()) {
    wrong.push_back(invalid_param("needs_type", "/where", "", "conditions are on fields of a type: name it in `type`"));
  }
  parse_order(params, request, wrong);
  parse_group(params, request, wrong);
  if (!wrong.empty()) return error_from(std::move(wrong));
  auto const start = resolve(snapshot, params.ref, "/ref");
  if (!start) return start.error();
  request.start = *start;
  return request;
}

graph::Neighbours list_of_side(Snapshot const& snapshot, VertexId vertex, Side side) {
  switch (side) {
    case Side::causes:
      return snapshot.causes(vertex);
    case Side::effects:
      return snapshot.effects(vertex);
    case Side::wholes:
      return snapshot.relations_from(vertex);
    case Side::parts:
      break;
  }
  return snapshot.relations_to(vertex);
}

std::optional<double> weight_of(Snapshot const& snapshot, EdgeId edge) {
  if (schema::carried_by(snapshot.type(edge)) != schema::Carries::weight) return std::nullopt;
  return snapshot.value(edge);
}

/// The neighbours by number, each once with all its edges.
Result<std::vector<Neighbor>> neighbours_of(Snapshot const& snapshot, Request const& request,
                                            NodeNeighborsParams const& params, schema::Poll& poll) {
  auto const edge_types = params.edge_types.value_or(schema::EdgeTypeSet::all());
  auto const list = list_of_side(snapshot, request.start, params.side);
  std::vector<Neighbor> found;
  found.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (poll.must_stop()) return poll.error();
    auto const edge = list.edges[i];
    auto const type = snapshot.type(edge);
    if (!edge_types.contains(type)) continue;
    if (params.type && snapshot.type(list.vertices[i]) != *params.type) continue;
    auto const bit = std::uint64_t{1} << static_cast<unsigned>(schema::named_type(type));
    found.push_back({list.vertices[i], bit, weight_of(snapshot, edge)});
  }
  if (!std::ranges::is_sorted(found, {}, &Neighbor::vertex)) std::ranges::stable_sort(found, {}, &Neighbor::vertex);
  std::size_t kept = 0;
  for (Neighbor const& each : found) {
    if (kept == 0 || found[kept - 1].vertex != each.vertex) {
      found[kept++] = each;
      continue;
    }
    Neighbor& same = found[kept - 1];
    same.edge_types |= each.edge_types;
    same.weight = std::max(same.weight, each.weight);
  }
  found.resize(kept);
  return found;
}

std::vector<VertexId> vertices_of(std::span<Neighbor const> neighbours) {
  std::vector<VertexId> vertices;
  vertices.reserve(neighbours.size());
  for (Neighbor const& each : neighbours) vertices.push_back(each.vertex);
  return vertices;
}

/// Leaves what satisfies the conditions. Both lists are by number.
Result<void> keep_matches(View const& view, Search const& search, std::vector<Neighbor>& neighbours,
                          schema::Poll& poll) {
  if (search.on_graph.empty() && search.on_record.empty()) return {};
  auto matches = vertices_of(neighbours);
  if (auto kept = keep_matches(view, search, matches, poll); !kept) return kept;
  auto match = matches.begin();
  std::erase_if(neighbours, [&](Neighbor const& each) {
    if (match == matches.end() || *match != each.vertex) return true;
    ++match;
    return false;
  });
  return {};
}

/// The lower end of the band that a node's score is in.
std::optional<Value> band_of(Snapshot const& snapshot, VertexId vertex) {
  auto const type = snapshot.type(vertex);
  if (!schema::info(type).is_rated) return std::nullopt;
  auto const score = find_search_field(type, "score")->from_graph(snapshot, vertex);
  if (!score) return std::nullopt;
  return *std::prev(std::upper_bound(std::next(score_bands.begin()), score_bands.end(), std::get<double>(*score)));
}

/// Calls `visit(i, value)` as `read_field` does for what is neither a field nor an edge.
using Visit = std::function<void(std::size_t, std::optional<Value> const&)>;

Result<void> read_chosen(View const& view, Chosen chosen, std::span<Neighbor const> neighbours, schema::Poll& poll,
                         Visit const& visit) {
  if (chosen.by == By::field) return read_field(view, *chosen.field, vertices_of(neighbours), poll, visit);
  auto const& snapshot = view.snapshot;
  auto const visit_text = [&](std::size_t i, std::string const& text) { visit(i, std::string_view(text)); };
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    if (poll.must_stop()) return poll.error();
    Neighbor const& each = neighbours[i];
    switch (chosen.by) {
      case By::weight:
        visit(i, each.weight ? std::optional<Value>{*each.weight} : std::nullopt);
        break;
      case By::time:
        visit(i, time_or_commit(snapshot, each.vertex));
        break;
      case By::type:
        visit(i, schema::name_of(snapshot.type(each.vertex)));
        break;
      case By::edge_type:
        for_each_edge_type(each.edge_types, [&](schema::EdgeType type) { visit(i, schema::name_of(type)); });
        break;
      case By::month:
        visit_text(i, month_of(time_or_commit(snapshot, each.vertex)));
        break;
      case By::day:
        visit_text(i, day_of(time_or_commit(snapshot, each.vertex)));
        break;
      case By::score:
        visit(i, band_of(snapshot, each.vertex));
        break;
      case By::field:
        break;
    }
  }
  return {};
}

ValueKind kind_of(Chosen chosen) {
  if (chosen.by == By::field) return chosen.field->kind;
  return chosen.by == By::score ? ValueKind::number : ValueKind::text;
}

/// Orders values of one kind and numbers, also against a view of a text.
struct LessValue {
  using is_transparent = void;
  static Value view_of(OwnedValue const& value) {
    if (auto const* text = std::get_if<std::string>(&value)) return std::string_view(*text);
    if (auto const* number = std::get_if<double>(&value)) return *number;
    return std::get<schema::Time>(value);
  }
  static Value const& view_of(Value const& value) { return value; }
  bool operator()(auto const& a, auto const& b) const { return view_of(a) < view_of(b); }
};

Result<void> add_groups(View const& view, Chosen group_by, std::span<Neighbor const> neighbours, std::uint32_t limit,
                        Neighbors& found, schema::Poll& poll) {
  std::map<OwnedValue, std::uint64_t, LessValue> counts;
  std::uint64_t without = 0;
  auto const count = [&](std::size_t /*i*/, std::optional<Value> const& value) {
    if (!value) {
      ++without;
    } else if (auto const known = counts.find(*value); known != counts.end()) {
      ++known->second;
    } else {
      counts.emplace(owned(*value), 1);
    }
  };
  if (auto read = read_chosen(view, group_by, neighbours, poll, count); !read) return read;
  std::vector<NeighborGroup>& groups = found.groups.emplace();
  for (auto const& [value, each] : counts) groups.push_back({value, each});
  if (without > 0) groups.push_back({std::nullopt, without});
  std::ranges::stable_sort(groups, std::greater{}, &NeighborGroup::count);
  if (groups.size() > limit) {
    auto const beyond = std::span(groups).subspan(limit);
    for (NeighborGroup const& each : beyond) found.other += each.count;
    groups.resize(limit);
  }
  found.kind = kind_of(group_by);
  return {};
}

/// By the value of the order; what has none comes last, and ties are by ref.
Result<void> sort_nodes(View const& view, Request const& request, std::vector<Neighbor>& neighbours,
                        schema::Poll& poll) {
  struct Sortable {
    VertexId vertex;
    std::uint32_t place;
    std::optional<OwnedValue> key = {};
  };
  std::vector<Sortable> keyed;
  keyed.reserve(neighbours.size());
  for (Neighbor const& each : neighbours) keyed.push_back({each.vertex, static_cast<std::uint32_t>(keyed.size())});
  auto const set_key = [&](std::size_t i, std::optional<Value> const& value) {
    if (value) keyed[i].key = owned(*value);
  };
  if (auto read = read_chosen(view, request.order, neighbours, poll, set_key); !read) return read;
  sort_by_ref(view.snapshot, std::span(keyed));
  if (poll.must_stop(keyed.size())) return poll.error();
  std::ranges::stable_sort(keyed, [&](Sortable const& a, Sortable const& b) {
    if (!a.key || !b.key) return a.key.has_value() && !b.key.has_value();
    return request.is_descending ? *b.key < *a.key : *a.key < *b.key;
  });
  std::vector<Neighbor> sorted;
  sorted.reserve(neighbours.size());
  for (Sortable const& each : keyed) sorted.push_back(neighbours[each.place]);
  neighbours = std::move(sorted);
  return {};
}

}  // namespace

Result<Neighbors> node_neighbors(View const& view, NodeNeighborsParams const& params, std::uint32_t limit,
                                 Budget const& budget) {
  auto const request = parse(view.snapshot, params);
  if (!request) return request.error();
  schema::Poll poll(budget.interrupt);
  auto neighbours = neighbours_of(view.snapshot, *request, params, poll);
  if (!neighbours) return neighbours.error();
  if (request->search) {
    if (auto const kept = keep_matches(view, *request->search, *neighbours, poll); !kept) return kept.error();
  }
  Neighbors found{.total = neighbours->size()};
  if (request->group_by) {
    auto const added = add_groups(view, *request->group_by, *neighbours, limit, found, poll);
    if (!added) return added.error();
    return found;
  }
  if (auto const sorted = sort_nodes(view, *request, *neighbours, poll); !sorted) return sorted.error();
  found.nodes = std::move(*neighbours);
  return found;
}

std::vector<VertexId> shown_vertices(Neighbors const& found) {
  return vertices_of(found.nodes);
}

}  // namespace whence::queries
