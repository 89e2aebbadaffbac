#include "queries/find/search.hpp"

#include "queries/resolve.hpp"
#include "schema/base/report.hpp"

#include <string>
#include <utility>

namespace whence::queries {

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
  if (auto kept = keep_on_graph(view.snapshot, search, nodes, poll); !kept) return kept;
  if (search.on_record.empty()) return {};
  std::vector<VertexId> found;
  auto read = read_and_filter(view, search, nodes, poll,
                              [&](VertexId vertex, schema::Record const&) { found.push_back(vertex); });
  if (!read) return read;
  nodes = std::move(found);
  return {};
}

Result<std::vector<VertexId>> find_matches(View const& view, Search const& search, schema::Poll& poll) {
  std::vector<VertexId> nodes = candidates(view.snapshot, search);
  if (auto const kept = keep_matches(view, search, nodes, poll); !kept) return kept.error();
  if (search.on_record.empty() && poll.must_stop(nodes.size())) return poll.error();  // sorting that many is work, too
  return nodes;
}

}  // namespace whence::queries
