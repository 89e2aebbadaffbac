// Matching: which events of a transaction a subscription wants.

#include "queries/live/events.hpp"

#include "graph/snapshot/records.hpp"
#include "queries/history/chunk_places.hpp"
#include "queries/view/order.hpp"
#include "queries/view/owned_edges.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
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

bool wants_changed(Match const& match) noexcept {
  return match.ops && holds(*match.ops, EventOp::changed);
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

std::optional<VertexId> Events::newer(std::size_t event) const noexcept {
  auto const own = delta_.events.size();
  return event < own ? std::nullopt : further_[event - own].newer;
}

Result<std::vector<std::uint32_t>> Events::select(Match const& match, std::span<Standing const* const> walks) {
  std::vector<std::uint32_t> entered;
  if (!walks.empty() && !is_snapshot_) {
    for (auto const vertex : newly_in(walks)) entered.push_back(position_of_entered(vertex));
  }
  std::pair<std::uint32_t, std::uint32_t> changed{0, 0};
  if (!is_snapshot_ && wants_changed(match)) {
    if (auto const found = find_changed(); !found) return found.error();
    changed = *changed_;
  }
  if (match.topics || match.agents) {
    if (auto const read = read_facts(); !read) return read.error();
  }
  std::vector<std::uint32_t> selected;
  auto const take = [&](std::uint32_t i) {
    auto const vertex = event_at(i).vertex;
    bool const is_in = std::ranges::all_of(
        walks, [&](Standing const* walk) { return walk->contains(vertex) || walk->has_lost(vertex); });
    if (is_in && wants(match, i)) selected.push_back(i);
  };
  for (std::uint32_t i = 0; i < delta_.events.size(); ++i) take(i);
  std::ranges::copy_if(entered, std::back_inserter(selected), [&](std::uint32_t i) { return wants(match, i); });
  for (auto i = changed.first; i < changed.second; ++i) take(i);
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
  if (is_new) further_.push_back({{.op = EventOp::put, .vertex = vertex}});
  return known->second;
}

/// Looked for once for all matches: their positions follow one another.
Result<void> Events::find_changed() {
  if (changed_) return {};
  std::vector<std::pair<VertexId, VertexId>> changed;
  find_loaded(changed);
  std::map<VertexId, std::vector<VertexId>> loaded;
  for (auto const& event : delta_.events) {
    if (event.op != EventOp::put || view_.snapshot.type(event.vertex) != RecordType::retrieved_chunk) continue;
    for (auto const cause : view_.snapshot.causes(event.vertex).vertices) {
      bool const is_older =
          view_.snapshot.type(cause) == RecordType::document && number(cause) < delta_.vertices_before;
      if (is_older) loaded[cause].push_back(event.vertex);
    }
  }
  for (auto const& [document, chunks] : loaded) {
    if (auto const found = find_replaced(document, chunks, changed); !found) return found.error();
  }
  std::ranges::sort(changed, [&](auto const& a, auto const& b) {
    auto const order = compare_refs(view_.snapshot, a.first, b.first);
    return order != 0 ? order < 0 : a.second < b.second;
  });
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  auto const first = static_cast<std::uint32_t>(size());
  for (auto const& [vertex, newer] : changed) {
    further_.push_back({{.op = EventOp::changed, .vertex = vertex}, newer});
  }
  changed_.emplace(first, static_cast<std::uint32_t>(size()));
  return {};
}

/// Documents that were there and are loaded from something else.
void Events::find_loaded(std::vector<std::pair<VertexId, VertexId>>& changed) const {
  for (auto const& edge : delta_.edges) {
    if (view_.snapshot.type(edge.edge) != schema::EdgeType::loaded_from) continue;
    if (number(edge.from) >= delta_.vertices_before || view_.snapshot.is_deleted(edge.from)) continue;
    changed.emplace_back(edge.from, edge.to);
  }
}

/// Earlier chunks that something was made from, at the place of one of `loaded` with another text.
Result<void> Events::find_replaced(VertexId document, std::span<VertexId const> loaded,
                                   std::vector<std::pair<VertexId, VertexId>>& changed) const {
  auto const& snapshot = view_.snapshot;
  std::unordered_set<std::uint32_t> is_new;
  for (auto const each : loaded) is_new.insert(number(each));
  auto chunks = chunks_of(snapshot, document);
  std::erase_if(chunks,
                [&](VertexId each) { return !is_new.contains(number(each)) && snapshot.effects(each).empty(); });
  // The newest are compared, as everywhere.
  if (chunks.size() > document_chunks_max) chunks.erase(chunks.begin(), chunks.end() - document_chunks_max);
  if (chunks.size() == is_new.size()) return {};
  auto const placed = read_places(view_, chunks);
  if (!placed) return placed.error();
  for (auto const& [older, newer] : newer_at_place(*placed)) {
    if (!is_new.contains(number(older)) && is_new.contains(number(newer))) changed.emplace_back(older, newer);
  }
  return {};
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
