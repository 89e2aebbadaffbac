// Labels are numbers of record types, types of relations numbers of edge types. `INFLUENCES` is each edge with
// influence once more, from cause to effect, with a bit of its own in its id. Where the list alone gives the direction
// (`Lists::is_simple`), edges are not looked at one by one.
#include "queries/cypher/whence/view_graph.hpp"

#include "graph/snapshot/typed_edges.hpp"
#include "graph/walks/walk.hpp"
#include "queries/cypher/whence/json_value.hpp"
#include "queries/view/moments.hpp"
#include "schema/base/poll.hpp"
#include "schema/records/indexed_fields.hpp"
#include "schema/types/edge_type.hpp"
#include "schema/types/record_type.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <bit>

namespace whence::queries::cypher {
namespace {

using schema::EdgeType;
using schema::RecordType;

constexpr NameId node_label = 0;       // record types are numbered from 1
constexpr NameId influences = 0xFFFF;  // edge types have 8 bits
/// Set in the id of a relation that was found as `INFLUENCES`: it is the same edge, seen in another way.
constexpr std::uint64_t influence_bit = std::uint64_t{1} << 40;

graph::VertexId vertex_of_node(std::uint64_t node) {
  return graph::VertexId{static_cast<std::uint32_t>(node)};
}

/// Whether a property of a type is the record's own time, as the graph has it.
bool has_time(RecordType type, std::string_view property) {
  return property == "timestamp" && (type == RecordType::response || type == RecordType::context_unit);
}

/// The column of a property that is a number; null where there is none.
schema::IndexedField const* number_field(RecordType type, std::string_view property) {
  auto const* const field = schema::find_indexed_field(type, property);
  return field != nullptr && field->member != schema::IndexedField::Member::none ? field : nullptr;
}
graph::EdgeId edge_of(Relation const& relation) {
  return graph::EdgeId{static_cast<std::uint32_t>(relation.id)};
}
bool is_influence(Relation const& relation) {
  return (relation.id & influence_bit) != 0;
}

/// The property that shows the number of an edge; empty where it has none to show.
std::string_view number_name(schema::Carries carries) {
  switch (carries) {
    case schema::Carries::weight:
      return "weight";
    case schema::Carries::version:
      return "version";
    case schema::Carries::score:
      return "score";
    case schema::Carries::confidence:
      return "confidence";
    case schema::Carries::similarity:
      return "similarity";
    default:
      return {};
  }
}

/// Of nodes whose content is gone: that it is, and whether somebody asked for it.
constexpr std::array<GraphProperty, 2> gone_properties = {{
    {"expired", ValueType::boolean, false},
    {"purged", ValueType::boolean, false},
}};

constexpr std::array<GraphProperty, 6> own_properties = {{
    {"ref", ValueType::text},
    {"id", ValueType::text},
    {"tx", ValueType::integer},
    {"status", ValueType::text, false},
    {"score", ValueType::floating, false},
    {"feedbacks", ValueType::integer, false},
}};

/// Adds the numbers that an edge shows. What a chunk was retrieved for has its rank beside its similarity.
void add_numbers(std::vector<GraphProperty>& made, schema::Carries carries) {
  auto const add = [&](std::string_view name, ValueType type) {
    if (std::ranges::find(made, name, &GraphProperty::name) == made.end()) made.push_back({name, type, false});
  };
  if (auto const name = number_name(carries); !name.empty()) add(name, ValueType::floating);
  if (carries == schema::Carries::rank || carries == schema::Carries::similarity) add("rank", ValueType::integer);
}

/// Which edges a pattern asks for.
struct Wanted {
  bool any = false;
  bool influence = false;
  std::uint64_t types = 0;  ///< bit n: the edge type of number n

  explicit Wanted(std::span<NameId const> names) : any(names.empty()) {
    for (auto const name : names) {
      if (name == influences) {
        influence = true;
      } else {
        types |= std::uint64_t{1} << name;
      }
    }
  }
  [[nodiscard]] bool has(EdgeType type) const {
    return any || ((types >> static_cast<unsigned>(schema::named_type(type))) & 1u) != 0;
  }
};

/// Where edges of a type lie, one bit for each type: in the lists of influence, which it runs along or against, or
/// among the relations without.
struct Ways {
  std::uint64_t along = 0;
  std::uint64_t against = 0;
  std::uint64_t relation = 0;
};

/// With the types that are stored as variants of these: asked for each node, so without a loop.
constexpr std::uint64_t with_variants(std::uint64_t types) noexcept {
  using namespace schema::relation_variants;
  constexpr auto originals = (std::uint64_t{2} << last_original) - (std::uint64_t{1} << first_original);
  auto all = types | ((types & originals) << distance);
  constexpr auto bit = [](schema::EdgeType type) { return std::uint64_t{1} << static_cast<unsigned>(type); };
  for (auto const type :
       {schema::EdgeType::prompted, schema::EdgeType::through_act, schema::EdgeType::prov_was_derived_from}) {
    if ((types & bit(type)) == 0) continue;
    schema::for_each_variant(type, [&](schema::EdgeType variant) { all |= bit(variant); });
  }
  return all;
}

Ways const& ways_of_types() {
  static Ways const ways = [] {
    Ways made;
    for (auto const& rule : schema::edge_rules()) {
      auto const bit = std::uint64_t{1} << static_cast<unsigned>(rule.type);
      if (rule.influence == schema::Influence::along) made.along |= bit;
      if (rule.influence == schema::Influence::against) made.against |= bit;
      if (rule.influence == schema::Influence::none) made.relation |= bit;
      schema::for_each_variant(rule.type, [&](schema::EdgeType variant) {
        auto& of_influence = rule.influence == schema::Influence::along ? made.along : made.against;
        auto& lists = schema::is_relation_variant(variant) ? made.relation : of_influence;
        lists |= std::uint64_t{1} << static_cast<unsigned>(variant);
      });
    }
    return made;
  }();
  return ways;
}

}  // namespace

ViewGraph::ViewGraph(View view) : view_(std::move(view)) {}
ViewGraph::~ViewGraph() = default;

std::optional<Error> ViewGraph::error() const {
  if (records_.error()) return records_.error();
  for (auto const& moment : moments_) {
    if (auto found = moment.second->error()) return found;
  }
  return std::nullopt;
}

std::optional<Relation> ViewGraph::find_relation(graph::VertexId from, graph::VertexId to,
                                                 schema::EdgeType type) const {
  auto const& snapshot = view_.snapshot;
  auto const degree = [&](graph::VertexId vertex) {
    return snapshot.causes(vertex).size() + snapshot.effects(vertex).size() + snapshot.relations_from(vertex).size() +
           snapshot.relations_to(vertex).size();
  };
  bool const is_from = degree(from) <= degree(to);
  auto const name = static_cast<NameId>(type);
  std::vector<RelationEnds> around;
  relations(schema::number(is_from ? from : to), is_from ? Direction::out : Direction::in, {&name, 1}, around);
  auto const found = std::ranges::find_if(around, [&](RelationEnds const& each) {
    return each.from == schema::number(from) && each.to == schema::number(to);
  });
  return found != around.end() ? std::optional{found->in(this)} : std::nullopt;
}

std::vector<GraphProperty> ViewGraph::properties_of(RecordType type) {
  std::vector<GraphProperty> made;
  for (auto const& each : own_properties) {
    if (each.is_of_all || schema::info(type).has_status) made.push_back({each.name, each.type});
  }
  made.insert(made.end(), gone_properties.begin(), gone_properties.end());
  return made;
}

std::vector<GraphProperty> ViewGraph::properties_of(std::optional<EdgeType> type) {
  std::vector<GraphProperty> made = {{"tx", ValueType::integer}};
  auto const add_basis = [&] {
    made.push_back({"basis", ValueType::text, false});
    made.push_back({"role", ValueType::text, false});
  };
  if (type) {
    bool const has_influence = std::ranges::any_of(schema::edge_rules(), [&](schema::EdgeRule const& rule) {
      return rule.type == *type && rule.influence != schema::Influence::none;
    });
    if (has_influence) add_basis();
    add_numbers(made, schema::carried_by(*type));
    return made;
  }
  made.push_back({"type", ValueType::text});
  add_basis();
  for (auto const& rule : schema::edge_rules()) {
    if (rule.influence != schema::Influence::none) add_numbers(made, rule.carries);
  }
  return made;
}

std::size_t ViewGraph::kept_bytes() const noexcept {
  std::size_t bytes = records_.bytes();
  for (auto const& nodes : by_label_) bytes += nodes.second.capacity() * sizeof(graph::VertexId);
  for (auto const& moment : moments_) bytes += moment.second->kept_bytes();
  return bytes;
}

void ViewGraph::let_go() const noexcept {
  records_.let_go();
  by_label_.clear();
  for (auto const& moment : moments_) moment.second->let_go();
}

std::uint64_t ViewGraph::node_bound() const {
  return view_.snapshot.vertex_count();
}

std::optional<NameId> ViewGraph::find_label(std::string_view name) const {
  if (name == node_label_name) return node_label;
  auto const type = schema::find_record_type(name);
  if (!type) return std::nullopt;
  return static_cast<NameId>(*type);
}

std::optional<NameId> ViewGraph::find_type(std::string_view name) const {
  if (name == influences_name) return influences;
  auto const type = schema::find_edge_type(name);
  if (!type) return std::nullopt;
  return static_cast<NameId>(*type);
}

std::string ViewGraph::type_name(NameId type) const {
  return std::string{type == influences ? influences_name : schema::name_of(static_cast<EdgeType>(type))};
}

std::string_view ViewGraph::gap(NameId type) const {
  if (type != influences || !graph::has_cut_relations(view_.snapshot)) return {};
  return "the graph has relations that would close a cycle of influence: INFLUENCES does not follow them "
         "(`cycle_cut` of a relation; `cut_edges` of lineage.ancestors and the like)";
}

std::size_t ViewGraph::scan(std::optional<NameId> label, std::uint64_t& position, std::span<std::uint64_t> out) const {
  std::size_t count = 0;
  if (!label || *label == node_label) {
    for (; position < node_bound() && count < out.size(); ++position) {
      if (!view_.snapshot.is_deleted(vertex_of_node(position))) out[count++] = position;
    }
    return count;
  }
  auto [known, is_new] = by_label_.try_emplace(*label);
  auto& nodes = known->second;
  if (is_new) {
    nodes = view_.snapshot.vertices(static_cast<RecordType>(*label));
    if (!std::ranges::is_sorted(nodes)) std::ranges::sort(nodes);
  }
  auto const number = [](graph::VertexId vertex) { return std::uint64_t{schema::number(vertex)}; };
  for (auto at = std::ranges::lower_bound(nodes, position, {}, number); at != nodes.end() && count < out.size(); ++at) {
    out[count++] = number(*at);
    position = number(*at) + 1;
  }
  return count;
}

bool ViewGraph::has_label(std::uint64_t node, NameId label) const {
  // A node of another graph may be compared: of the schema, or of a later moment.
  return label == node_label ||
         (node < node_bound() && static_cast<NameId>(view_.snapshot.type(vertex_of_node(node))) == label);
}

bool ViewGraph::all_have_label(std::span<std::uint32_t const> nodes, NameId label) const {
  if (label == node_label) return true;
  auto const type = static_cast<RecordType>(label);
  bool all = true;
  for (auto const node : nodes) all &= view_.snapshot.type(vertex_of_node(node)) == type;
  return all;
}

std::vector<std::string> ViewGraph::labels_of(std::uint64_t node) const {
  return {std::string{schema::name_of(view_.snapshot.type(vertex_of_node(node)))}, std::string{node_label_name}};
}

std::optional<Value> ViewGraph::graph_property(std::uint64_t node, std::string_view name) const {
  auto const vertex = vertex_of_node(node);
  auto const& snapshot = view_.snapshot;
  if (name == "ref") return Value{schema::format_ref(snapshot.type(vertex), snapshot.id(vertex))};
  if (name == "id") return Value{std::string{snapshot.id(vertex)}};
  if (name == "tx") return Value{static_cast<std::int64_t>(schema::number(snapshot.created(vertex)))};
  if (name == "expired" || name == "purged") {
    auto const why = snapshot.gone(vertex);
    bool const is_so = name == "purged" ? why == graph::GoneWhy::purged : why.has_value();
    return is_so ? std::optional{Value{true}} : std::nullopt;
  }
  if (!schema::info(snapshot.type(vertex)).has_status) return std::nullopt;
  if (name == "status") return Value{std::string{schema::name_of(snapshot.state(vertex).status)}};
  if (name == "score") return Value{snapshot.state(vertex).score};
  if (name == "feedbacks") return Value{std::int64_t{snapshot.state(vertex).count}};
  return std::nullopt;
}

Value ViewGraph::node_property(std::uint64_t node, std::string_view name) const {
  if (node >= node_bound()) return {};
  if (auto own = graph_property(node, name)) return *std::move(own);
  if (auto const time = time_property(node, name)) return from_time(*time);
  if (auto number = number_property(node, name)) return *std::move(number);
  auto const record = records_.read(view_, vertex_of_node(node));
  auto const found = record->find(name);
  return found == record->end() ? Value{} : found->second;
}

Map ViewGraph::node_properties(std::uint64_t node) const {
  if (node >= node_bound()) return {};
  Map made = *records_.read(view_, vertex_of_node(node));
  for (auto const& each : own_properties) {
    if (auto own = graph_property(node, each.name)) made[std::string{each.name}] = *std::move(own);
  }
  for (auto const& each : gone_properties) {
    if (auto own = graph_property(node, each.name)) made[std::string{each.name}] = *std::move(own);
  }
  return made;
}

bool ViewGraph::has_index(std::optional<NameId> /*label*/, std::string_view property) const {
  return property == "ref" || property == "id";
}

std::optional<std::vector<std::uint64_t>> ViewGraph::find_nodes(std::optional<NameId> label, std::string_view property,
                                                                Value const& value) const {
  if (!has_index(label, property)) return std::nullopt;
  std::vector<std::uint64_t> made;
  auto const* text = value.find_text();
  if (text == nullptr) return made;
  if (property == "id" && (!label || *label == node_label)) {
    for (auto const& type : schema::record_types()) {
      auto const vertex = type.is_node ? view_.snapshot.find(type.type, *text) : std::nullopt;
      if (vertex) made.push_back(schema::number(*vertex));
    }
    return made;
  }
  auto const take = [&](std::optional<graph::VertexId> const& found) {
    if (found) made.push_back(schema::number(*found));
  };
  if (property == "ref") {
    auto const ref = schema::parse_ref(*text);
    // Only a whole ref is the property's value: `cu_1` names a node, but is not its `ref`.
    if (ref && schema::format_ref(*ref) == *text) take(view_.snapshot.find(ref->type, ref->id));
  } else {
    take(view_.snapshot.find(static_cast<RecordType>(*label), *text));
  }
  return made;
}

void ViewGraph::relations(std::uint64_t node, Direction direction, std::span<NameId const> types,
                          std::vector<RelationEnds>& out) const {
  auto const vertex = vertex_of_node(node);
  auto const& snapshot = view_.snapshot;
  Wanted const wanted{types};
  auto const add = [&](graph::EdgeId edge, std::uint64_t from, std::uint64_t to) {
    out.push_back({.id = schema::number(edge),
                   .from = from,
                   .to = to,
                   .type = static_cast<NameId>(schema::named_type(snapshot.type(edge)))});
  };
  auto const add_influence = [&](graph::EdgeId edge, std::uint64_t cause, std::uint64_t effect) {
    out.push_back({.id = schema::number(edge) | influence_bit, .from = cause, .to = effect, .type = influences});
  };
  // An edge with influence lies in the lists of causes and effects; which way it is stored its type says.
  auto const around = [&](graph::Neighbours const& found, bool are_causes) {
    for (std::size_t i = 0; i < found.size(); ++i) {
      auto const other = schema::number(found.vertices[i]);
      if (wanted.influence && direction != (are_causes ? Direction::out : Direction::in)) {
        add_influence(found.edges[i], are_causes ? other : node, are_causes ? node : other);
      }
      if (!wanted.any && !wanted.has(snapshot.type(found.edges[i]))) continue;
      auto const cause = are_causes ? found.vertices[i] : vertex;
      auto const effect = are_causes ? vertex : found.vertices[i];
      // Where influence runs against the arrow, the effect is the stored `from`.
      bool const is_against =
          schema::influence_of(snapshot.type(found.edges[i]), snapshot.type(effect)) == schema::Influence::against;
      auto const stored_from = is_against ? effect : cause;
      auto const stored_to = is_against ? cause : effect;
      bool const is_out = stored_from == vertex;
      bool const is_loop = stored_from == stored_to;
      if (direction == Direction::any ? is_loop && are_causes : !is_loop && is_out != (direction == Direction::out))
        continue;
      add(found.edges[i], schema::number(stored_from), schema::number(stored_to));
    }
  };
  bool const has_stored = wanted.any || wanted.types != 0;
  if (has_stored || direction != Direction::out) around(snapshot.causes(vertex), true);
  if (has_stored || direction != Direction::in) around(snapshot.effects(vertex), false);
  if (!has_stored) return;
  auto const relations = [&](graph::Neighbours const& found, bool is_from) {
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!wanted.has(snapshot.type(found.edges[i]))) continue;
      auto const other = schema::number(found.vertices[i]);
      if (!is_from && direction == Direction::any && other == node) continue;
      add(found.edges[i], is_from ? node : other, is_from ? other : node);
    }
  };
  if (direction != Direction::in) relations(snapshot.relations_from(vertex), true);
  if (direction != Direction::out) relations(snapshot.relations_to(vertex), false);
}

namespace {

/// So many lists are asked for at once; more would push each other out of the nearest cache.
constexpr std::size_t expected_ahead = 16;

/// Which lists of a vertex hold the relations of some types in one direction, and which of their edges count.
struct Lists {
  struct Part {
    bool has_influence = false;  ///< each edge, as `INFLUENCES`
    std::uint64_t types = 0;     ///< bit n: edges of type n, as themselves
    [[nodiscard]] bool is_read() const noexcept { return has_influence || types != 0; }
  };
  bool is_simple = false;  ///< else only a look at each edge says its direction
  Part causes = {};
  Part effects = {};
  Part relations = {};

  Lists(Direction direction, Wanted const& wanted) {
    auto const& ways = ways_of_types();
    auto const stored = wanted.any ? ~std::uint64_t{0} : with_variants(wanted.types);
    is_simple = direction != Direction::any && (stored & ways.along & ways.against) == 0;
    bool const is_out = direction == Direction::out;
    causes = {wanted.influence && !is_out, stored & (is_out ? ways.against : ways.along)};
    effects = {wanted.influence && is_out, stored & (is_out ? ways.along : ways.against)};
    relations = {false, stored & ways.relation};
  }
};

}  // namespace

void ViewGraph::neighbours(std::uint64_t node, Direction direction, std::span<NameId const> types,
                           std::vector<std::uint32_t>& nodes, std::vector<std::uint64_t>* ids) const {
  Lists const lists{direction, Wanted{types}};
  if (!lists.is_simple) return PropertyGraph::neighbours(node, direction, types, nodes, ids);
  auto const vertex = vertex_of_node(node);
  auto const& snapshot = view_.snapshot;
  auto const take = [&](graph::Neighbours const& found, Lists::Part const& part) {
    if (ids == nullptr && !part.has_influence) return graph::append_of_types(snapshot, found, part.types, nodes);
    if (ids == nullptr && part.types == 0) {
      for (auto const other : found.vertices) nodes.push_back(schema::number(other));
      return;
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
      auto const edge = found.edges[i];
      auto const other = schema::number(found.vertices[i]);
      if (part.has_influence) {
        nodes.push_back(other);
        if (ids != nullptr) ids->push_back(schema::number(edge) | influence_bit);
      }
      if (part.types == 0 || ((part.types >> static_cast<unsigned>(snapshot.type(edge))) & 1u) == 0) continue;
      nodes.push_back(other);
      if (ids != nullptr) ids->push_back(schema::number(edge));
    }
  };
  if (lists.causes.is_read()) take(snapshot.causes(vertex), lists.causes);
  if (lists.effects.is_read()) take(snapshot.effects(vertex), lists.effects);
  if (!lists.relations.is_read()) return;
  take(direction == Direction::out ? snapshot.relations_from(vertex) : snapshot.relations_to(vertex), lists.relations);
}

void ViewGraph::expect(std::span<std::uint32_t const> nodes, Direction direction, std::span<NameId const> types) const {
  Lists const lists{direction, Wanted{types}};
  bool const are_all_read = !lists.is_simple;
  if (are_all_read || lists.causes.is_read()) graph::ask_for_lists(view_.snapshot, true, nodes);
  if (are_all_read || lists.effects.is_read()) graph::ask_for_lists(view_.snapshot, false, nodes);
}

std::size_t ViewGraph::degrees(std::span<std::uint32_t const> nodes, Direction direction, std::span<NameId const> types,
                               std::span<std::uint64_t> counts) const {
  Lists const lists{direction, Wanted{types}};
  if (!lists.is_simple) return PropertyGraph::degrees(nodes, direction, types, counts);
  auto const& snapshot = view_.snapshot;
  std::uint64_t looked_at = 0;
  auto const count = [&](graph::Neighbours const& found, Lists::Part const& part) -> std::uint64_t {
    looked_at += found.size();
    return (part.has_influence ? found.size() : 0) +
           (part.types != 0 ? graph::count_of_types(snapshot, found, part.types) : 0);
  };
  std::size_t done = 0;
  bool const reads_edges = !knows_degrees(direction, types);
  while (done < nodes.size() && done < counts.size() && looked_at < degrees_at_once) {
    if (reads_edges && done % expected_ahead == 0)
      expect(nodes.subspan(done, std::min(expected_ahead, nodes.size() - done)), direction, types);
    auto const vertex = vertex_of_node(nodes[done]);
    std::uint64_t sum = 0;
    if (lists.causes.is_read()) sum += count(snapshot.causes(vertex), lists.causes);
    if (lists.effects.is_read()) sum += count(snapshot.effects(vertex), lists.effects);
    if (lists.relations.is_read()) {
      sum += count(direction == Direction::out ? snapshot.relations_from(vertex) : snapshot.relations_to(vertex),
                   lists.relations);
    }
    counts[done++] = sum;
  }
  return done;
}

bool ViewGraph::knows_degrees(Direction direction, std::span<NameId const> types) const {
  Lists const lists{direction, Wanted{types}};
  return lists.is_simple && lists.causes.types == 0 && lists.effects.types == 0 && lists.relations.types == 0;
}

bool ViewGraph::leads_to(std::span<NameId const> types, Direction direction, NameId label) const {
  if (label == node_label) return true;
  auto const has_label = [&](schema::EdgeRule const& rule) {
    return (direction == Direction::in || static_cast<NameId>(rule.to) == label) &&
           (direction == Direction::out || static_cast<NameId>(rule.from) == label);
  };
  return !types.empty() && std::ranges::all_of(types, [&](NameId type) {
    return type != influences && std::ranges::all_of(schema::edge_rules(), [&](schema::EdgeRule const& rule) {
             return static_cast<NameId>(rule.type) != type || has_label(rule);
           });
  });
}

std::optional<std::vector<std::uint32_t>> ViewGraph::walk(std::uint64_t start, Direction direction,
                                                          std::span<NameId const> types, std::uint64_t most,
                                                          schema::Interrupt const& interrupt) const {
  if (direction == Direction::any || types.size() != 1 || types[0] != influences) return std::nullopt;
  auto const vertex = vertex_of_node(start);
  graph::WalkLimits limits;
  if (most < limits.depth) limits.depth = static_cast<std::uint32_t>(most);
  auto const reach = graph::reach(
      view_.snapshot, {&vertex, 1},
      direction == Direction::out ? graph::Direction::descendants : graph::Direction::ancestors, limits, interrupt);
  std::vector<std::uint32_t> reached;
  if (!reach) return reached;
  reached.reserve(reach->vertices.size());
  for (auto const each : reach->vertices) reached.push_back(schema::number(each));
  return reached;
}

bool ViewGraph::is_unique(std::optional<NameId> label, std::string_view property) const {
  return property == "ref" || (property == "id" && label && *label != node_label);
}

bool ViewGraph::is_at_hand(NameId label, std::string_view property) const {
  if (label == node_label) return false;
  auto const type = static_cast<RecordType>(label);
  if (has_time(type, property)) return true;
  return number_field(type, property) != nullptr && view_.columns != nullptr && view_.columns->figures().is_built;
}

void ViewGraph::prefetch_unknown(std::span<std::uint64_t const> nodes,
                                 std::span<std::string_view const> properties) const {
  std::vector<std::uint64_t> unknown;
  for (auto const node : nodes) {
    bool const is_known = std::ranges::all_of(properties, [&](std::string_view name) {
      return time_property(node, name).has_value() || number_property(node, name).has_value();
    });
    if (!is_known) unknown.push_back(node);
  }
  if (unknown.size() > 1) records_.read_ahead(view_, unknown);
}

/// The property where it is a number that the columns know; null where they know that the record has none.
std::optional<Value> ViewGraph::number_property(std::uint64_t node, std::string_view name) const {
  auto const vertex = vertex_of_node(node);
  auto const type = view_.snapshot.type(vertex);
  auto const* const field = view_.columns != nullptr ? number_field(type, name) : nullptr;
  if (field == nullptr) return std::nullopt;
  schema::NoInterrupt const never;
  schema::Poll poll{never};
  std::optional<Value> found;
  auto const take = [&](std::size_t, std::optional<double> number) {
    if (!number) {
      found = Value{};
    } else if (field->member == schema::IndexedField::Member::integer) {
      found = Value{static_cast<std::int64_t>(*number)};
    } else {
      found = Value{*number};
    }
  };
  static_cast<void>(view_.columns->read_numbers(view_.snapshot, type, name, {&vertex, 1}, poll, take));
  return found;
}

bool ViewGraph::has_texts(NameId label, std::string_view property) const {
  if (view_.columns == nullptr || label == node_label) return false;
  auto const type = static_cast<RecordType>(label);
  auto const* const field = schema::find_indexed_field(type, property);
  // The document of a chunk is no property of its own.
  return type != RecordType::retrieved_chunk && field != nullptr && field->text != nullptr && !field->is_list;
}

std::vector<std::size_t> ViewGraph::texts(
    NameId label, std::span<std::uint32_t const> nodes, std::string_view property,
    std::function<void(std::size_t, std::optional<std::string_view> const&)> const& visit) const {
  if (!has_texts(label, property)) return PropertyGraph::texts(label, nodes, property, visit);
  std::vector<graph::VertexId> vertices;
  vertices.reserve(nodes.size());
  for (auto const node : nodes) vertices.push_back(vertex_of_node(node));
  schema::NoInterrupt const never;  // the caller asks between batches
  schema::Poll poll{never};
  auto unknown = view_.columns->read(view_.snapshot, static_cast<RecordType>(label), property, vertices, poll, visit);
  if (!unknown) return PropertyGraph::texts(label, nodes, property, visit);
  return *std::move(unknown);
}

/// The property where it is the record's own time, as the graph has it; none also where its content is gone.
std::optional<schema::Time> ViewGraph::time_property(std::uint64_t node, std::string_view name) const {
  auto const vertex = vertex_of_node(node);
  auto const type = view_.snapshot.type(vertex);
  if (!has_time(type, name)) return std::nullopt;
  if (view_.snapshot.contents_count(vertex) != 1 || view_.snapshot.gone(vertex)) return std::nullopt;
  return view_.snapshot.time(vertex);
}

std::optional<std::int64_t> ViewGraph::day_of(std::uint64_t node, std::string_view property) const {
  auto const time = time_property(node, property);
  if (!time) return std::nullopt;
  constexpr std::int64_t day = 86'400;
  return time->seconds / day - (time->seconds % day < 0 ? 1 : 0);
}

NameId ViewGraph::type_of(Relation const& relation) const {
  return is_influence(relation) ? influences
                                : static_cast<NameId>(schema::named_type(view_.snapshot.type(edge_of(relation))));
}

Value ViewGraph::relation_property(Relation const& relation, std::string_view name) const {
  auto const edge = edge_of(relation);
  auto const type = view_.snapshot.type(edge);
  if (name == "tx") return static_cast<std::int64_t>(schema::number(view_.snapshot.tx(edge)));
  if (name == "basis" || name == "role") {
    auto const from = view_.snapshot.type(vertex_of_node(relation.from));
    if (!is_influence(relation) && schema::influence_of(type, from) == schema::Influence::none) return {};
    auto const basis = schema::basis_of(type);
    auto const text = name == "role" ? schema::role_of(basis) : schema::name_of(schema::without_role(basis));
    return text.empty() ? Value{} : Value{std::string{text}};
  }
  if (name == "type" && is_influence(relation)) return std::string{schema::name_of(type)};
  if (name == "rank") {
    auto const rank = view_.snapshot.rank(edge);
    if (rank != 0) return std::int64_t{rank};
    auto const place = schema::carried_by(type) == schema::Carries::rank ? view_.snapshot.value(edge) : std::nullopt;
    return place ? Value{static_cast<std::int64_t>(*place)} : Value{};
  }
  if (name.empty() || name != number_name(schema::carried_by(type))) return {};
  auto const value = view_.snapshot.value(edge);
  return value ? Value{*value} : Value{};
}

Map ViewGraph::relation_properties(Relation const& relation) const {
  Map made;
  auto const number = number_name(schema::carried_by(view_.snapshot.type(edge_of(relation))));
  for (std::string_view const name : {std::string_view{"tx"}, std::string_view{"type"}, std::string_view{"basis"},
                                      std::string_view{"role"}, std::string_view{"rank"}, number}) {
    auto value = relation_property(relation, name);
    if (!value.is_null()) made[std::string{name}] = std::move(value);
  }
  return made;
}

double ViewGraph::count_nodes(std::optional<NameId> label) const {
  if (!label || *label == node_label) return static_cast<double>(view_.snapshot.vertex_count());
  return static_cast<double>(view_.snapshot.vertex_count(static_cast<RecordType>(*label)));
}

double ViewGraph::count_relations(std::optional<NameId> type) const {
  if (!type || *type == influences) return static_cast<double>(view_.snapshot.edge_count());
  return static_cast<double>(view_.snapshot.edge_count(static_cast<EdgeType>(*type)));
}

Outcome<PropertyGraph const*> ViewGraph::at(Moment const& moment) const {
  auto tx = moment.tx;
  if (moment.is_time) tx = static_cast<std::int64_t>(schema::number(view_.snapshot.last_tx_at(moment.time)));
  auto const wanted = schema::TxId{static_cast<std::uint64_t>(tx)};
  if (wanted > view_.snapshot.tx()) {
    return QueryError{.kind = ErrorKind::argument_error,
                      .detail = "NumberOutOfRange",
                      .message = "the newest transaction is " + std::to_string(schema::number(view_.snapshot.tx())),
                      .is_compile_time = false};
  }
  if (wanted == view_.snapshot.tx()) return this;
  if (auto const known = moments_.find(schema::number(wanted)); known != moments_.end()) return known->second.get();
  if (moments_.size() >= moments_max) {
    return QueryError{.kind = ErrorKind::limit_exceeded,
                      .detail = "moments",
                      .message = "a query reads at most 64 past moments",
                      .is_compile_time = false};
  }
  auto past = view_;
  past.snapshot = view_.snapshot.as_of(wanted);
  auto const* const made =
      moments_.emplace(schema::number(wanted), std::make_unique<ViewGraph>(std::move(past))).first->second.get();
  auto const parts = moments_.size() + 1;
  records_.share_among(parts);
  for (auto const& each : moments_) each.second->records_.share_among(parts);
  return made;
}

}  // namespace whence::queries::cypher
