// Spreads from what is named over the edges that lead to the same text, until nothing is new: parts, feedback, the
// other half of an act, prompts with it, and what was extracted from it or renders it alone. What was made from it goes
// only with a cascade, where all its sources go.
#include "graph/removal/copies.hpp"

#include "graph/snapshot/discussion.hpp"
#include "schema/types/record_type.hpp"

#include <algorithm>
#include <cstddef>

namespace whence::graph {

using schema::EdgeType;
using schema::RecordType;
using schema::VertexId;

namespace {

/// Over what a response or answer was made from something.
constexpr auto source_edges = {EdgeType::used_in, EdgeType::through_act, EdgeType::generated_from, EdgeType::cites};

}  // namespace

void Copies::find(std::span<VertexId const> named) {
  for (auto const vertex : named) add(vertex);
  for (std::size_t i = 0; i < found_.size(); ++i) spread(found_[i]);  // grows while it is walked
  std::erase_if(citing_, [&](VertexId answer) { return contains(answer); });
}

void Copies::add(VertexId vertex) {
  if (known_of_.insert(schema::number(vertex)).second) found_.push_back(vertex);
}

void Copies::spread(VertexId from) {
  for_each_neighbour(known_, known_.relations_to_ever(from), [&](VertexId part, EdgeType edge) {
    bool const is_part = edge == EdgeType::part_of && schema::info(known_.type(from)).deletes_parts;
    if (is_part || edge == EdgeType::evaluates || edge == EdgeType::same_act) add(part);
  });
  for_each_neighbour(known_, known_.relations_from_ever(from), [&](VertexId half, EdgeType edge) {
    if (edge == EdgeType::same_act) add(half);
  });
  for_each_neighbour(known_, known_.effects_ever(from),
                     [&](VertexId effect, EdgeType edge) { spread_along(from, effect, edge); });
  if (known_.type(from) != RecordType::discussion) return;
  for (auto const summary : summaries_of_ever(known_, from)) add(summary);
}

void Copies::spread_along(VertexId from, VertexId effect, EdgeType edge) {
  switch (edge) {
    case EdgeType::part_of:  // a chunk of a document
      return add(effect);
    case EdgeType::included_in:  // a prompt has the texts of its chunks and the question, not the numbers
      if (known_.type(from) != RecordType::embedding_vector) add(effect);
      return;
    case EdgeType::extracted_from:
    case EdgeType::rendered_as:
    case EdgeType::embeds:
      if (has_no_other(effect, {edge})) add(effect);
      return;
    case EdgeType::cites:
      if (cascades_ && has_no_other(effect, source_edges)) return add(effect);
      if (is_citing_.insert(schema::number(effect)).second) citing_.push_back(effect);
      return;
    case EdgeType::used_in:
    case EdgeType::through_act:
    case EdgeType::generated_from:
      if (cascades_ && has_no_other(effect, source_edges)) add(effect);
      return;
    default:
      return;
  }
}

/// Whether every cause over edges of these types goes, or was purged before. One that expired still counts.
bool Copies::has_no_other(VertexId effect, std::initializer_list<EdgeType> types) const {
  bool has_none = true;
  for_each_neighbour(known_, known_.causes_ever(effect), [&](VertexId cause, EdgeType edge) {
    bool const counts = std::ranges::find(types, edge) != types.end();
    has_none = has_none && (!counts || contains(cause) || known_.gone(cause) == GoneWhy::purged);
  });
  return has_none;
}

}  // namespace whence::graph
