#include "engine/restore/restored_edges.hpp"

#include "schema/types/belonging.hpp"
#include "schema/types/edge_type.hpp"

#include <algorithm>
#include <string>

namespace whence::engine {
namespace {

using schema::NodeRef;

bool is_edge_of(schema::Link const& link, NodeRef const& owner, RestoredEdge const& edge) {
  auto const& other = link.owner_is_from ? edge.to : edge.from;
  auto const& own = link.owner_is_from ? edge.from : edge.to;
  return edge.type == link.type && own == owner && other.type == link.other_type && other.id == link.other_id();
}

}  // namespace

Result<void> check_links(RestoredEvent const& event, std::vector<schema::Link> const& links) {
  bool const has_exact_edges = schema::edges_equal_links(event.ref.type);
  std::size_t lacking = 0;
  for (auto const& link : links) {
    auto const edge =
        std::ranges::find_if(event.edges, [&](RestoredEdge const& each) { return is_edge_of(link, event.ref, each); });
    if (edge == event.edges.end()) {
      if (schema::is_belonging(link.type)) {  // a record of an older program is without
        ++lacking;
      } else if (has_exact_edges) {
        return history_error(event.line, "lacks the edge that its " + link.place.pointer() + " names");
      }
    } else if ((link.value || has_exact_edges) && edge->value != link.value) {
      return history_error(event.line, "has an edge with another number than its " + link.place.pointer());
    }
  }
  auto const named = std::ranges::count_if(
      event.edges, [](RestoredEdge const& each) { return !schema::is_added_by_engine(each.type); });
  bool const has_more = has_exact_edges && static_cast<std::size_t>(named) + lacking != links.size();
  return has_more ? history_error(event.line, "brings an edge that its record does not name") : Result<void>{};
}

Result<void> check_edge(RestoredEvent const& event, RestoredEdge const& edge) {
  auto const fits = [&](schema::EdgeRule const& rule) {
    return rule.type == schema::named_type(edge.type) && rule.from == edge.from.type && rule.to == edge.to.type;
  };
  if (std::ranges::none_of(schema::edge_rules(), fits)) {
    return history_error(event.line, "brings an edge that is not allowed between such nodes");
  }
  bool const is_weight = schema::carried_by(edge.type) == schema::Carries::weight;
  bool const is_fraction = edge.value && *edge.value >= 0 && *edge.value <= 1;
  if (is_weight && !is_fraction) return history_error(event.line, "brings an edge without a weight from 0 to 1");
  return {};
}

void order_edges(RestoredEvent& event, std::vector<schema::Link> const& links) {
  auto const place = [&](RestoredEdge const& edge) {
    auto const link =
        std::ranges::find_if(links, [&](schema::Link const& each) { return is_edge_of(each, event.ref, edge); });
    return link - links.begin();
  };
  std::ranges::stable_sort(event.edges, {}, place);
}

}  // namespace whence::engine
