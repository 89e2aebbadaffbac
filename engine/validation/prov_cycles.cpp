#include "engine/validation/prov_cycles.hpp"

#include "schema/edges/edge_type.hpp"
#include "schema/records/prov/relations.hpp"

#include <algorithm>

namespace whence::engine {

std::vector<std::size_t> find_back_relations(std::size_t count, std::span<LocalRelation const> relations) {
  enum class Mark : std::uint8_t { unseen, on_path, done };
  std::vector<Mark> marks(count, Mark::unseen);
  std::vector<std::size_t> next(count + 1, 0);  // the relation of each record to follow next
  for (auto const& each : relations) ++next[each.effect + 1];
  for (std::size_t i = 1; i <= count; ++i) next[i] += next[i - 1];
  std::vector<std::size_t> back_relations;
  std::vector<std::uint32_t> path;
  auto const enter = [&](std::uint32_t record) {
    marks[record] = Mark::on_path;
    path.push_back(record);
  };
  for (std::uint32_t start = 0; start < count; ++start) {
    if (marks[start] == Mark::unseen) enter(start);
    while (!path.empty()) {
      auto const record = path.back();
      auto const at = next[record];
      if (at == relations.size() || relations[at].effect != record) {
        marks[record] = Mark::done;
        path.pop_back();
        continue;
      }
      ++next[record];
      auto const cause = relations[at].cause;
      if (marks[cause] == Mark::on_path) back_relations.push_back(at);
      if (marks[cause] == Mark::unseen) enter(cause);
    }
  }
  std::ranges::sort(back_relations);
  return back_relations;
}

void cut_prov_cycles(std::span<store::VertexRow> rows, std::uint32_t first) {
  std::vector<LocalRelation> relations;
  for (std::uint32_t effect = 0; effect < rows.size(); ++effect) {
    if (!schema::is_prov(rows[effect].type)) continue;
    auto const& edges = rows[effect].edges;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      bool const is_new = schema::number(edges[i].other) >= first;
      if (is_new && schema::relation_variant_of(edges[i].type))
        relations.push_back({effect, schema::number(edges[i].other) - first, i});
    }
  }
  for (auto const at : find_back_relations(rows.size(), relations)) {
    auto& type = rows[relations[at].effect].edges[relations[at].edge].type;
    type = schema::relation_variant_of(type).value();
  }
}

}  // namespace whence::engine
