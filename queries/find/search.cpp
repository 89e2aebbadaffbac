// Lists of nodes ascend, so that what columns found and what records decided are merged. With a condition that no
// column has, all candidates are read, and none counts as found before.

#include "queries/find/search.hpp"

#include "queries/view/order.hpp"
#include "queries/view/resolve.hpp"
#include "schema/base/report.hpp"
#include "schema/records/indexed_fields.hpp"

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace whence::queries {
namespace {

/// The conditions on columns as the columns take them. Refers to `search`, and to `texts`, which it fills.
std::vector<graph::ColumnCondition> column_conditions(Search const& search,
                                                      std::vector<std::vector<std::string>>& texts) {
  std::vector<graph::ColumnCondition> conditions;
  texts.reserve(search.on_columns.size());  // the conditions refer to them
  for (Predicate const& predicate : search.on_columns) {
    auto& equal = texts.emplace_back();
    if (predicate.op == Condition::Op::eq || predicate.op == Condition::Op::in) {
      for (OwnedValue const& operand : predicate.operands) equal.push_back(std::get<std::string>(operand));
    }
    auto const is_one = [&predicate](std::string_view text) { return holds(predicate, std::optional<Value>{text}); };
    auto const is_any = [is_one](std::string_view list) { return schema::any_in_list(list, is_one); };
    conditions.push_back({.field = predicate.field->name, .equals = equal, .holds = is_one});
    if (predicate.op == Condition::Op::has) conditions.back().holds = is_any;
  }
  return conditions;
}

/// Whether nothing but columns is asked, where they know enough.
bool is_by_columns(View const& view, Search const& search) {
  return view.columns != nullptr && !search.on_columns.empty() && search.on_graph.empty() && !reads_all(view, search);
}

std::optional<Predicate> condition_by_id(Search const& search) {
  auto const names_ids = [](Predicate const& predicate) {
    return predicate.field->name == "id" && (predicate.op == Condition::Op::eq || predicate.op == Condition::Op::in);
  };
  auto const by_id = std::find_if(search.on_graph.begin(), search.on_graph.end(), names_ids);
  if (by_id == search.on_graph.end()) return std::nullopt;
  return *by_id;
}

std::vector<VertexId> nodes_named(Snapshot const& snapshot, Search const& search, Predicate const& by_id) {
  std::vector<VertexId> named;
  for (OwnedValue const& id : by_id.operands) {
    if (auto const vertex = snapshot.find(search.type, std::get<std::string>(id))) named.push_back(*vertex);
  }
  std::sort(named.begin(), named.end());
  named.erase(std::unique(named.begin(), named.end()), named.end());
  return named;
}

/// What the columns say of all nodes of the type; all of them `unknown` where the columns say nothing.
Result<graph::ColumnMatches> look_in_columns(View const& view, Search const& search, graph::ColumnAsked const& asked,
                                             schema::Poll& poll) {
  if (auto const by_id = condition_by_id(search)) {
    return graph::ColumnMatches{.unknown = nodes_named(view.snapshot, search, *by_id)};
  }
  if (view.columns != nullptr && !search.on_columns.empty()) {
    std::vector<std::vector<std::string>> texts;
    auto const conditions = column_conditions(search, texts);
    auto found = view.columns->find(view.snapshot, search.type, conditions, asked, poll);
    if (!found) return found.error();
    if (*found) return std::move(**found);
  }
  return graph::ColumnMatches{.unknown = view.snapshot.vertices(search.type)};
}

std::vector<VertexId> merged(std::vector<VertexId> into, std::vector<VertexId> const& from) {
  if (from.empty()) return into;
  auto const middle = static_cast<std::ptrdiff_t>(into.size());
  into.insert(into.end(), from.begin(), from.end());
  std::inplace_merge(into.begin(), into.begin() + middle, into.end());
  return into;
}

/// Leaves in `nodes` those whose records satisfy the conditions on records.
Result<void> keep_by_record(View const& view, Search const& search, std::vector<VertexId>& nodes, schema::Poll& poll) {
  if (search.on_record.empty() || nodes.empty()) return {};
  std::vector<VertexId> found;
  auto read = read_and_filter(view, search, nodes, poll,
                              [&](VertexId vertex, schema::Record const&) { found.push_back(vertex); });
  if (!read) return read;
  nodes = std::move(found);
  return {};
}

/// The matches among what columns found and do not know.
Result<std::vector<VertexId>> decide(View const& view, Search const& search, graph::ColumnMatches looked,
                                     schema::Poll& poll) {
  if (reads_all(view, search)) {
    looked.unknown = merged(std::move(looked.found), looked.unknown);
    looked.found.clear();
  }
  if (auto const kept = keep_on_graph(view.snapshot, search, looked.found, poll); !kept) return kept.error();
  if (auto const kept = keep_on_graph(view.snapshot, search, looked.unknown, poll); !kept) return kept.error();
  if (auto const kept = keep_by_record(view, search, looked.unknown, poll); !kept) return kept.error();
  return merged(std::move(looked.found), looked.unknown);
}

}  // namespace

Result<Search> parse_search(schema::RecordType type, std::vector<Condition> const& where) {
  if (!schema::info(type).is_node) {
    return error_from(invalid_param("type", "/type", schema::shown(schema::name_of(type)), "is no type of node"));
  }
  auto predicates = parse_where(type, where);
  if (!predicates) return predicates.error();
  Search search{.type = type};
  for (Predicate& predicate : *predicates) {
    if (is_in_column(type, *predicate.field)) search.on_columns.push_back(predicate);
    auto& part = predicate.field->from_graph != nullptr ? search.on_graph : search.on_record;
    part.push_back(std::move(predicate));
  }
  return search;
}

Result<void> keep_on_graph(Snapshot const& snapshot, Search const& search, std::vector<VertexId>& nodes,
                           schema::Poll& poll) {
  if (search.on_graph.empty()) return {};
  bool is_stopped = false;
  std::erase_if(nodes, [&](VertexId vertex) {
    is_stopped = is_stopped || poll.must_stop();
    return is_stopped || !std::all_of(search.on_graph.begin(), search.on_graph.end(), [&](Predicate const& predicate) {
             return holds(predicate, predicate.field->from_graph(snapshot, vertex));
           });
  });
  if (is_stopped) return poll.error();
  return {};
}

Result<void> keep_matches(View const& view, Search const& search, std::vector<VertexId>& nodes, schema::Poll& poll) {
  graph::ColumnMatches looked{.unknown = std::move(nodes)};
  if (view.columns != nullptr && !search.on_columns.empty()) {
    std::vector<std::vector<std::string>> texts;
    auto const conditions = column_conditions(search, texts);
    auto found = view.columns->filter(view.snapshot, search.type, conditions, looked.unknown, poll);
    if (!found) return found.error();
    if (*found) looked = std::move(**found);
  }
  auto matches = decide(view, search, std::move(looked), poll);
  if (!matches) return matches.error();
  nodes = std::move(*matches);
  return {};
}

bool reads_all(View const& view, Search const& search) noexcept {
  return search.on_record.size() > (view.columns == nullptr ? 0 : search.on_columns.size());
}

Result<std::vector<VertexId>> candidates(View const& view, Search const& search, schema::Poll& poll) {
  auto looked = look_in_columns(view, search, {}, poll);
  if (!looked) return looked.error();
  return merged(std::move(looked->found), looked->unknown);
}

Result<std::vector<VertexId>> find_matches(View const& view, Search const& search, schema::Poll& poll) {
  auto looked = look_in_columns(view, search, {}, poll);
  if (!looked) return looked.error();
  auto nodes = decide(view, search, std::move(*looked), poll);
  if (!nodes) return nodes;
  if (search.on_record.empty() && poll.must_stop(nodes->size())) return poll.error();  // sorting them is work, too
  return nodes;
}

Result<std::vector<VertexId>> find_first_matches(View const& view, Search const& search, std::size_t ordered_items,
                                                 bool is_descending, schema::Poll& poll) {
  bool const is_quick = is_by_columns(view, search);
  graph::ColumnAsked const asked{.first_by_id = is_quick ? ordered_items : std::numeric_limits<std::size_t>::max(),
                                 .is_descending = is_descending};
  auto looked = look_in_columns(view, search, asked, poll);
  if (!looked) return looked.error();
  auto first = std::move(looked->first);
  if (!first) {
    auto nodes = decide(view, search, std::move(*looked), poll);
    if (nodes) sort_first_by_id(view.snapshot, *nodes, ordered_items, is_descending);
    return nodes;
  }
  if (auto const kept = keep_by_record(view, search, looked->unknown, poll); !kept) return kept.error();
  first->insert(first->end(), looked->unknown.begin(), looked->unknown.end());
  sort_first_by_id(view.snapshot, *first, ordered_items, is_descending);
  first->resize(std::min(first->size(), ordered_items));
  auto nodes = merged(std::move(looked->found), looked->unknown);
  bring_to_front(nodes, *first);
  return nodes;
}

Result<std::uint64_t> count_matches(View const& view, Search const& search, schema::Poll& poll) {
  if (!is_by_columns(view, search)) {
    auto const nodes = find_matches(view, search, poll);
    if (!nodes) return nodes.error();
    return nodes->size();
  }
  auto looked = look_in_columns(view, search, {.only_count = true}, poll);
  if (!looked) return looked.error();
  if (auto const kept = keep_by_record(view, search, looked->unknown, poll); !kept) return kept.error();
  return looked->count + looked->unknown.size();
}

}  // namespace whence::queries
