// Lists of found nodes, groups of neighbours, lanes of activity.

#include "queries/render/find.hpp"

#include "queries/find/calendar.hpp"
#include "queries/render/lists.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace whence::queries {
namespace {

PageSource render_nodes(View const& view, Nodes&& nodes, std::vector<Include> const& include) {
  auto const found = std::make_shared<Nodes const>(std::move(nodes));
  return {.lists = {node_list("nodes", found, view, found->nodes, include)}, .ordered_items = found->ordered};
}

void write_neighbor(Writer& out, Neighbor const& neighbor) {
  out.key("edge_types").begin_array();
  for_each_edge_type(neighbor.edge_types, [&](schema::EdgeType type) { out.value(schema::name_of(type)); });
  out.end_array();
  if (neighbor.weight) out.member("weight", *neighbor.weight);
}

/// A value as its field shows it.
void write_value(Writer& out, OwnedValue const& value, ValueKind kind) {
  if (auto const* text = std::get_if<std::string>(&value)) {
    out.value(*text);
  } else if (auto const* time = std::get_if<schema::Time>(&value)) {
    if (kind == ValueKind::epoch_ms) {
      out.value(schema::epoch_ms_of(*time).value);
    } else {
      out.value(schema::format_rfc3339(*time));
    }
  } else if (kind == ValueKind::flag) {
    out.value(std::get<double>(value) != 0);
  } else {
    out.value(std::get<double>(value));
  }
}

void write_group(Writer& out, NeighborGroup const& group, ValueKind kind) {
  out.begin_object().key("value");
  if (group.value) {
    write_value(out, *group.value, kind);
  } else {
    out.null();
  }
  out.member("count", group.count).end_object();
}

void write_counts(Writer& out, Lane const& lane, Period period) {
  out.member("total", lane.total).key("counts").begin_array();
  for (PeriodCount const& each : lane.counts) {
    out.begin_object().member("start", schema::format_rfc3339(start_of(each.period, period)));
    out.member("count", each.count).end_object();
  }
  out.end_array();
}

void write_activity(Writer& out, Activity const& activity) {
  out.member("period", schema::name_of(activity.period));
  if (activity.from) out.member("from", schema::format_rfc3339(*activity.from));
  if (activity.to) out.member("to", schema::format_rfc3339(*activity.to));
  out.key("lanes").begin_array();
  for (Lane const& lane : activity.lanes) {
    out.begin_object().member("lane", lane.name);
    write_counts(out, lane, activity.period);
    out.end_object();
  }
  out.end_array();
  if (activity.other_lanes == 0) return;
  out.key("other").begin_object().member("lanes", std::uint64_t{activity.other_lanes});
  write_counts(out, activity.other, activity.period);
  out.end_object();
}

}  // namespace

PageSource render(View const& view, Nodes&& nodes, NodeGetParams const& params) {
  return render_nodes(view, std::move(nodes), params.include);
}

PageSource render(View const& view, Nodes&& nodes, NodeFindParams const& params) {
  return render_nodes(view, std::move(nodes), params.include);
}

PageSource render(View const& view, PersonFound&& person, PersonParams const& params) {
  auto const found = std::make_shared<PersonFound const>(std::move(person));
  return {.lists = {node_list("nodes", found, view, found->own, params.include),
                    node_list("shared", found, view, found->shared, params.include)},
          .write_members = [found](Writer& out) {
            out.key("counts").begin_object();
            for (auto const& [type, count] : found->counts) out.member(type, count);
            out.end_object();
            if (found->gone > 0) out.member("gone", std::uint64_t{found->gone});
            if (found->deleted > 0) out.member("deleted", std::uint64_t{found->deleted});
            if (found->held.empty()) return;
            out.key("held").begin_object();
            for (auto const& [hold, count] : found->held) out.member(hold, count);
            out.end_object();
          }};
}

PageSource render(View const& view, HoldList&& list, HoldListParams const& /*params*/) {
  auto const found = std::make_shared<HoldList const>(std::move(list));
  return {.lists = {record_list("holds", found, view, found->holds)}};
}

PageSource render(View const& /*view*/, NodeCount&& count, NodeCountParams const& /*params*/) {
  return {.write_members = [count](Writer& out) { out.member("count", count.count); }};
}

PageSource render(View const& view, Neighbors&& neighbors, NodeNeighborsParams const& params) {
  auto const found = std::make_shared<Neighbors const>(std::move(neighbors));
  auto const write_group_of = [kind = found->kind](Writer& out, NeighborGroup const& group) {
    write_group(out, group, kind);
  };
  PageSource source;
  source.lists = {found->groups ? list_of_each("groups", found, *found->groups, write_group_of)
                                : node_list("nodes", found, view, found->nodes, params.include, write_neighbor)};
  source.write_members = [total = found->total, other = found->other](Writer& out) {
    out.member("total", total);
    if (other > 0) out.member("other", other);
  };
  return source;
}

PageSource render(View const& /*view*/, Activity&& activity, NodeActivityParams const& /*params*/) {
  auto const found = std::make_shared<Activity const>(std::move(activity));
  return {.write_members = [found](Writer& out) { write_activity(out, *found); }};
}

}  // namespace whence::queries
