// Two walks to the ancestors, each at the moment of its side, are compared node by node. Then come the newest versions
// that the sides have of one thing, places in the prompt, and texts word by word.

#include "queries/lineage/difference.hpp"

#include "queries/history/chain.hpp"
#include "queries/lineage/walk.hpp"
#include "queries/view/moments.hpp"
#include "queries/view/order.hpp"
#include "queries/view/resolve.hpp"
#include "queries/view/vertex_map.hpp"
#include "queries/view/whole.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>

namespace whence::queries {
namespace {

/// Sources of a prompt whose places are compared.
constexpr std::size_t prompt_sources_max = 1'000;

/// One side of the comparison.
struct DiffSide {
  Snapshot snapshot;
  VertexId start;
};

Violation missing_param(std::string path) {
  return invalid_param("required", std::move(path), "", "give either `a` and `b`, or `ref`, `as_of_a` and `as_of_b`");
}

Result<void> check_form(LineageDiffParams const& params) {
  std::vector<Violation> wrong;
  if (params.ref) {
    if (!params.as_of_a) wrong.push_back(missing_param("/as_of_a"));
    if (!params.as_of_b) wrong.push_back(missing_param("/as_of_b"));
    if (params.a) wrong.push_back(invalid_param("one_of", "/a", "", "`a` does not go with `ref`"));
    if (params.b) wrong.push_back(invalid_param("one_of", "/b", "", "`b` does not go with `ref`"));
  } else {
    if (!params.a) wrong.push_back(missing_param("/a"));
    if (!params.b) wrong.push_back(missing_param("/b"));
    if (params.as_of_a) wrong.push_back(invalid_param("one_of", "/as_of_a", "", "`as_of_a` goes with `ref`"));
    if (params.as_of_b) wrong.push_back(invalid_param("one_of", "/as_of_b", "", "`as_of_b` goes with `ref`"));
  }
  if (!wrong.empty()) return error_from(std::move(wrong));
  return {};
}

Result<DiffSide> side_at(Snapshot const& head, NodeRef const& ref, AsOf const& moment, std::string_view path) {
  auto snapshot = snapshot_at(head, moment, path);
  if (!snapshot) return snapshot.error();
  auto const start = resolve(*snapshot, ref, "/ref");
  if (!start) return start.error();
  return DiffSide{std::move(*snapshot), *start};
}

Result<std::pair<DiffSide, DiffSide>> sides_of(Snapshot const& head, LineageDiffParams const& params) {
  if (auto const checked = check_form(params); !checked) return checked.error();
  if (!params.ref) {
    auto const starts = resolve_both(head, {*params.a, "/a"}, {*params.b, "/b"});
    if (!starts) return starts.error();
    return std::pair{DiffSide{head, starts->first}, DiffSide{head, starts->second}};
  }
  auto a = side_at(head, *params.ref, *params.as_of_a, "/as_of_a");
  if (!a) return a.error();
  auto b = side_at(head, *params.ref, *params.as_of_b, "/as_of_b");
  if (!b) return b.error();
  return std::pair{std::move(*a), std::move(*b)};
}

VertexMap places_of(std::vector<RankedNode> const& nodes) {
  std::vector<VertexId> vertices;
  vertices.reserve(nodes.size());
  for (RankedNode const& node : nodes) vertices.push_back(node.vertex);
  return VertexMap(vertices);
}

/// The newest version that each side has of the things of which both have one.
std::vector<OtherVersion> other_versions(Snapshot const& snapshot, std::vector<RankedNode> const& a,
                                         std::vector<RankedNode> const& b) {
  struct Newest {
    std::optional<std::size_t> before = {};  // places in the chain
    std::optional<std::size_t> after = {};
  };
  std::vector<std::vector<Version>> chains;
  std::vector<Newest> newest;
  std::unordered_map<std::uint32_t, std::pair<std::size_t, std::size_t>> places;  // of a vertex: chain, place in it
  auto const note = [&](VertexId vertex, std::optional<std::size_t> Newest::*side) {
    if (!is_versioned(snapshot.type(vertex))) return;
    auto found = places.find(schema::number(vertex));
    if (found == places.end()) {
      auto chain = version_chain(snapshot, vertex);
      for (std::size_t i = 0; i < chain.size(); ++i) places[schema::number(chain[i].vertex)] = {chains.size(), i};
      chains.push_back(std::move(chain));
      newest.emplace_back();
      found = places.find(schema::number(vertex));
      if (found == places.end()) return;  // deleted since, at another moment
    }
    auto& place = newest[found->second.first].*side;
    place = std::max(place.value_or(0), found->second.second);
  };
  for (RankedNode const& node : a) note(node.vertex, &Newest::before);
  for (RankedNode const& node : b) note(node.vertex, &Newest::after);
  std::vector<OtherVersion> versions;
  for (std::size_t i = 0; i < chains.size(); ++i) {
    auto const& [before, after] = newest[i];
    if (!before || !after || *before == *after) continue;
    versions.push_back({chains[i][*before].vertex, chains[i][*after].vertex, {}});
  }
  std::ranges::sort(versions, [&](OtherVersion const& one, OtherVersion const& other) {
    return compare_refs(snapshot, one.before, other.before) < 0;
  });
  return versions;
}

/// What an act was given, in order: its causes as they were named, and in the place of a prompt the chunks in it.
std::vector<VertexId> prompt_order(Snapshot const& snapshot, VertexId start) {
  std::vector<VertexId> order;
  auto const take = [&](VertexId vertex) {
    if (std::ranges::find(order, vertex) == order.end()) order.push_back(vertex);
  };
  auto const causes = snapshot.causes(start);
  for (std::size_t i = 0; i < causes.size() && order.size() < prompt_sources_max; ++i) {
    if (snapshot.type(causes.vertices[i]) != schema::RecordType::prompt_context) {
      take(causes.vertices[i]);
      continue;
    }
    auto const included = snapshot.causes(causes.vertices[i]);
    std::vector<std::pair<double, VertexId>> chunks;
    for (std::size_t k = 0; k < included.size(); ++k) {
      if (snapshot.type(included.vertices[k]) != schema::RecordType::retrieved_chunk) continue;
      chunks.emplace_back(snapshot.value(included.edges[k]).value_or(0), included.vertices[k]);
    }
    std::ranges::sort(chunks);
    for (auto const& [rank, chunk] : chunks) take(chunk);
  }
  return order;
}

std::vector<Moved> moved_sources(DiffSide const& a, DiffSide const& b) {
  auto before = prompt_order(a.snapshot, a.start);
  auto after = prompt_order(b.snapshot, b.start);
  auto const keep_common = [](std::vector<VertexId>& order, std::vector<VertexId> const& other) {
    std::erase_if(order, [&](VertexId each) { return std::ranges::find(other, each) == other.end(); });
  };
  keep_common(before, after);
  keep_common(after, before);
  std::vector<Moved> moved;
  for (std::uint32_t place = 0; place < after.size(); ++place) {
    auto const was = static_cast<std::uint32_t>(std::ranges::find(before, after[place]) - before.begin());
    if (was != place) moved.push_back({after[place], was + 1, place + 1});
  }
  return moved;
}

std::vector<GoneNode> gone_sides(DiffSide const& a, DiffSide const& b) {
  std::vector<GoneNode> gone;
  if (auto const why = a.snapshot.gone(a.start)) gone.push_back({a.start, *why});
  auto const why = b.snapshot.gone(b.start);
  if (why && b.start != a.start) gone.push_back({b.start, *why});
  return gone;
}

/// What a record says, where it says something.
Result<std::optional<std::string>> text_of(View const& view, VertexId vertex) {
  auto said = read_one(view, vertex);
  if (!said) return said.error();
  auto* const record = said->find();
  std::optional<std::string> text;
  if (record == nullptr) return text;
  std::visit(
      [&](auto& each) {
        using T = std::decay_t<decltype(each)>;
        if constexpr (requires { each.content; }) {
          text = std::move(each.content);
        } else if constexpr (std::is_same_v<T, schema::Answer>) {
          text = std::move(each.answer);
        } else if constexpr (std::is_same_v<T, schema::SystemPromptTemplate>) {
          text = std::move(each.prompt_text);
        }
      },
      *record);
  return text;
}

Result<std::optional<WordDifference>> compare_texts(View const& view_a, VertexId a, View const& view_b, VertexId b) {
  auto const before = text_of(view_a, a);
  if (!before) return before.error();
  auto const after = text_of(view_b, b);
  if (!after) return after.error();
  if (!*before || !*after) return std::optional<WordDifference>{};
  return std::optional{word_difference(**before, **after)};
}

Result<void> add_texts(View const& view, DiffSide const& a, DiffSide const& b, LineageDifference& difference) {
  View view_a = view;
  view_a.snapshot = a.snapshot;
  View view_b = view;
  view_b.snapshot = b.snapshot;
  auto text = compare_texts(view_a, a.start, view_b, b.start);
  if (!text) return text.error();
  difference.text = std::move(*text);
  for (auto& each : std::span(difference.versions).first(std::min(difference.versions.size(), compared_texts_max))) {
    auto versions = compare_texts(view_a, each.before, view_b, each.after);
    if (!versions) return versions.error();
    each.text = std::move(*versions);
  }
  return {};
}

LineageDifference compare(Snapshot const& snapshot, LineageWalk&& a, LineageWalk&& b) {
  LineageDifference difference;
  VertexMap const places_a = places_of(a.nodes);
  VertexMap const places_b = places_of(b.nodes);
  for (RankedNode const& node : b.nodes) {
    auto const before = places_a.find(node.vertex);
    if (!before) {
      difference.added.push_back(node);
      continue;
    }
    double const weight = a.nodes[*before].value;
    difference.common.push_back({node.vertex, weight, node.value});
    if (weight != node.value) difference.reweighted.push_back(difference.common.back());
  }
  for (RankedNode const& node : a.nodes) {
    if (!places_b.find(node.vertex)) difference.removed.push_back(node);
  }
  sort_by_ref(snapshot, std::span(difference.added));
  sort_by_ref(snapshot, std::span(difference.removed));
  sort_by_ref(snapshot, std::span(difference.reweighted));
  sort_by_ref(snapshot, std::span(difference.common));
  difference.versions = other_versions(snapshot, a.nodes, b.nodes);
  if (a.is_cut_by_vertices || b.is_cut_by_vertices) difference.incomplete = Incomplete::nodes;
  take_cut(std::move(a.cut), difference);
  take_cut(std::move(b.cut), difference);
  return difference;
}

}  // namespace

Result<LineageDifference> lineage_diff(View const& view, LineageDiffParams const& params, Budget const& budget) {
  auto const sides = sides_of(view.snapshot, params);
  if (!sides) return sides.error();
  auto const walk = [&](DiffSide const& side) {
    graph::WalkLimits const limits{.edge_types = walked_types(params.basis), .vertices_max = budget.vertices_max};
    return walk_lineage(side.snapshot, side.start, graph::Direction::ancestors, limits, {}, budget.interrupt);
  };
  auto a = walk(sides->first);
  if (!a) return a.error();
  auto b = walk(sides->second);
  if (!b) return b.error();
  auto difference = compare(view.snapshot, std::move(*a), std::move(*b));
  difference.moved = moved_sources(sides->first, sides->second);
  difference.gone = gone_sides(sides->first, sides->second);
  if (auto const added = add_texts(view, sides->first, sides->second, difference); !added) return added.error();
  return difference;
}

}  // namespace whence::queries
