// Matching: which events of a transaction a subscription wants.

#include "queries/live/events.hpp"

#include "graph/snapshot/records.hpp"
#include "queries/view/owned_edges.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <variant>

namespace whence::queries {
namespace {

using graph::DeltaEvent;
using graph::EventOp;
using schema::RecordType;

template <class T>
bool holds(std::vector<T> const& wanted, T const& value) {
  return std::ranges::find(wanted, value) != wanted.end();
}

bool is_own_record(EventOp op) {
  return op == EventOp::put || op == EventOp::version;
}

template <class T>
concept HasTopicId = requires(T const& record) {
  record.topic_id;
};

/// A discussion has a `topic` too, but that is a text.
template <class T>
constexpr bool has_topic = std::is_same_v<T, schema::Subject> || std::is_same_v<T, schema::Summary>;

/// The topic a record belongs to; empty where it names none.
template <class T>
std::string topic_of(T const& record) {
  if constexpr (HasTopicId<T>) {
    return record.topic_id;
  } else if constexpr (has_topic<T>) {
    return record.topic;
  } else {
    return {};
  }
}

template <class... Records>
constexpr std::array<bool, sizeof...(Records)> types_with_facts(std::variant<Records...> const*) {
  return {(HasTopicId<Records> || has_topic<Records> || std::is_same_v<Records, schema::Response>)...};
}

/// Whether records of a type name their topic or agent. Only these are read.
bool has_facts(RecordType type) {
  static constexpr auto table = types_with_facts(static_cast<schema::Record const*>(nullptr));
  return table[static_cast<std::size_t>(type) - 1];
}

}  // namespace

EventParts parts_of(std::vector<EventPart> const& include) noexcept {
  return {.has_record = holds(include, EventPart::record), .has_edges = holds(include, EventPart::edges)};
}

std::vector<WalkSpec> walks_of(Match const& match) {
  std::vector<WalkSpec> walks;
  auto const depth = match.depth.value_or(graph::depth_unbounded);
  if (match.downstream_of) walks.push_back({*match.downstream_of, graph::Direction::descendants, depth});
  if (match.upstream_of) walks.push_back({*match.upstream_of, graph::Direction::ancestors, depth});
  return walks;
}

Events::Events(View after, graph::Delta delta) : view_(std::move(after)), delta_(std::move(delta)) {}

Events::Events(View at, std::span<VertexId const> nodes) : view_(std::move(at)), is_snapshot_(true) {
  delta_.tx = view_.snapshot.tx();
  for (auto const node : nodes) {
    DeltaEvent event{.op = EventOp::put, .vertex = node};
    event.edges_begin = static_cast<std::uint32_t>(delta_.edges.size());
    append_owned_edges(view_.snapshot, node, delta_.edges);
    event.edges_end = static_cast<std::uint32_t>(delta_.edges.size());
    delta_.events.push_back(event);
  }
}

DeltaEvent Events::event(std::size_t event) const noexcept {
  if (!is_entered(event)) return delta_.events[event];
  return {.op = EventOp::put, .vertex = entered_[event - delta_.events.size()]};
}

Result<std::vector<std::uint32_t>> Events::select(Match const& match, std::span<Standing const* const> walks) {
  std::vector<std::uint32_t> entered;
  if (!walks.empty() && !is_snapshot_) {
    for (auto const vertex : newly_in(walks)) entered.push_back(position_of_entered(vertex));
  }
  if (match.topics || match.agents) {
    if (auto const read = read_facts(); !read) return read.error();
  }
  std::vector<std::uint32_t> selected;
  for (std::uint32_t i = 0; i < delta_.events.size(); ++i) {
    auto const vertex = delta_.events[i].vertex;
    bool const is_in = std::ranges::all_of(
        walks, [&](Standing const* walk) { return walk->contains(vertex) || walk->has_lost(vertex); });
    if (is_in && wants(match, i)) selected.push_back(i);
  }
  std::ranges::copy_if(entered, std::back_inserter(selected), [&](std::uint32_t i) { return wants(match, i); });
  return selected;
}

bool Events::wants(Match const& match, std::size_t event) const {
  auto const wanted = this->event(event);
  auto const type = view_.snapshot.type(wanted.vertex);
  if (match.types && !holds(*match.types, type)) return false;
  if (match.ops && !is_snapshot_ && !holds(*match.ops, wanted.op)) return false;
  if (match.edge_types && !brings_edge(*match.edge_types, wanted)) return false;
  if (match.agents && (type != RecordType::response || !holds(*match.agents, facts_[event].agent))) return false;
  if (!match.topics) return true;
  auto const& topic = facts_[event].topic;
  return !topic.empty() && holds(*match.topics, topic);
}

/// A topic belongs to itself; other records name theirs.
Events::Facts Events::facts_of_topic(std::size_t event) const {
  auto const vertex = this->event(event).vertex;
  if (view_.snapshot.type(vertex) != RecordType::topic) return {};
  return {.topic = std::string(view_.snapshot.id(vertex))};
}

bool Events::brings_edge(std::vector<schema::EdgeType> const& types, DeltaEvent const& event) const {
  auto const edges = delta_.edges_of(event);
  return std::ranges::any_of(edges, [&](graph::DeltaEdge const& edge) {
    return holds(types, schema::named_type(view_.snapshot.type(edge.edge)));
  });
}

/// In the order of the first walk. A node is newly in all walks if the transaction brought it into one of them.
std::vector<VertexId> Events::newly_in(std::span<Standing const* const> walks) const {
  // Of the nodes that were there before: a new node always has an event with its record.
  std::unordered_set<std::uint32_t> shown;
  for (auto const& event : delta_.events) {
    if (is_own_record(event.op) && number(event.vertex) < delta_.vertices_before) shown.insert(number(event.vertex));
  }
  std::vector<VertexId> found;
  for (Standing const* const walk : walks) {
    for (auto const vertex : walk->entered()) {
      if (number(vertex) >= delta_.vertices_before) continue;
      bool const is_in_all = std::ranges::all_of(walks, [&](Standing const* each) { return each->contains(vertex); });
      if (is_in_all && shown.insert(number(vertex)).second) found.push_back(vertex);
    }
  }
  return found;
}

std::uint32_t Events::position_of_entered(VertexId vertex) {
  auto const next = static_cast<std::uint32_t>(size());
  auto const [known, is_new] = entered_positions_.try_emplace(number(vertex), next);
  if (is_new) entered_.push_back(vertex);
  return known->second;
}

Result<std::span<Events::Facts const>> Events::facts() {
  if (auto const read = read_facts(); !read) return read.error();
  return std::span<Facts const>(facts_);
}

/// Of the events that have none yet: those that entered may have become more.
Result<void> Events::read_facts() {
  std::vector<VertexId> vertices;
  std::vector<std::size_t> places;
  for (auto i = facts_.size(); i < size(); ++i) {
    auto const vertex = event(i).vertex;
    if (!has_facts(view_.snapshot.type(vertex))) continue;
    vertices.push_back(vertex);
    places.push_back(i);
  }
  for (auto i = facts_.size(); i < size(); ++i) facts_.push_back(facts_of_topic(i));
  return graph::read_those_there(view_.snapshot, *view_.records, vertices, [&](std::size_t i, schema::Record&& record) {
    auto& facts = facts_[places[i]];
    if (auto const* response = std::get_if<schema::Response>(&record)) facts.agent = response->agent;
    facts.topic = std::visit([](auto const& each) { return topic_of(each); }, record);
    return true;
  });
}

}  // namespace whence::queries
