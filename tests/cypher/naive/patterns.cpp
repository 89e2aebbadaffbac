// Patterns of the naive evaluator: every node and every relation is tried at every place.
#include "queries/cypher/values/compare.hpp"
#include "tests/cypher/naive/evaluator.hpp"

#include <algorithm>
#include <utility>

namespace whence::tests {

/// One match that is being tried.
struct NaiveEvaluator::Match {
  Pattern const& pattern;
  Expression const* where;
  Map row;
  std::vector<std::uint64_t> used = {};            ///< relations of this match
  std::vector<std::vector<Value>> nodes = {};      ///< per path, the nodes that its pattern names
  std::vector<std::vector<Value>> walked = {};     ///< per path, all its relations
  std::vector<std::vector<Value>> relations = {};  ///< per path, what each relation's pattern stands for
  std::vector<Map> found = {};
};

NaiveEvaluator::Table NaiveEvaluator::matches(Pattern const& pattern, Expression const* where, Map const& row) {
  Match match{.pattern = pattern, .where = where, .row = row};
  match.nodes.resize(pattern.paths.size());
  match.walked.resize(pattern.paths.size());
  match.relations.resize(pattern.paths.size());
  path(match, 0);
  return std::move(match.found);
}

/// The next path whose relations are walked; searches come when all others are done.
void NaiveEvaluator::path(Match& match, std::size_t number) {
  if (number == match.pattern.paths.size()) return search(match, 0);
  if (match.pattern.paths[number].search != PathSearch::all) return path(match, number + 1);
  for (auto const& node : graph_->all_nodes) {
    if (!spend()) return;
    from_node(match, number, 0, node);
  }
}

/// Puts a node to a place of a path, and goes on from there.
void NaiveEvaluator::from_node(Match& match, std::size_t number, std::size_t place, NaiveNode const& node) {
  auto const& pattern = match.pattern.paths[number].nodes[place];
  for (auto const& label : pattern.labels) {
    if (std::ranges::find(node.labels, label) == node.labels.end()) return;
  }
  auto const known = match.row.find(pattern.name);
  bool const is_bound = !pattern.name.empty() && known != match.row.end();
  if (is_bound && (known->second.find_node() == nullptr || known->second.find_node()->id != node.id)) return;
  Value const value{Node{graph_, node.id}};
  if (!is_bound && !pattern.name.empty()) match.row[pattern.name] = value;
  match.nodes[number].push_back(value);
  if (place == match.pattern.paths[number].relations.size()) {
    path(match, number + 1);
  } else {
    step(match, number, place, node);
  }
  match.nodes[number].pop_back();
  if (!is_bound && !pattern.name.empty()) match.row.erase(pattern.name);
}

std::optional<std::uint64_t> NaiveEvaluator::other_end(RelationPattern const& pattern, NaiveRelation const& relation,
                                                       std::uint64_t at, bool is_bound) {
  // Without a type only stored relations are found, but one that is bound is what it is.
  bool const has_type = pattern.types.empty() ? is_bound || !relation.is_virtual
                                              : std::ranges::find(pattern.types, relation.type) != pattern.types.end();
  if (!has_type) return std::nullopt;
  if (relation.from == at && pattern.direction != Direction::in) return relation.to;
  if (relation.to == at && pattern.direction != Direction::out) return relation.from;
  return std::nullopt;
}

void NaiveEvaluator::step(Match& match, std::size_t number, std::size_t place, NaiveNode const& node) {
  auto const& pattern = match.pattern.paths[number].relations[place];
  if (pattern.is_variable) {
    std::vector<Value> taken;
    return walk(match, number, place, node.id, taken);
  }
  for (auto const& relation : graph_->all_relations) {
    if (!spend()) return;
    auto const known = match.row.find(pattern.name);
    bool const is_bound = !pattern.name.empty() && known != match.row.end();
    auto const target = other_end(pattern, relation, node.id, is_bound);
    if (!target || std::ranges::find(match.used, relation.id) != match.used.end()) continue;
    if (is_bound && (known->second.find_relation() == nullptr || known->second.find_relation()->id != relation.id))
      continue;
    Value const value{Relation{.graph = graph_,
                               .id = relation.id,
                               .from = static_cast<std::uint32_t>(relation.from),
                               .to = static_cast<std::uint32_t>(relation.to)}};
    if (!is_bound && !pattern.name.empty()) match.row[pattern.name] = value;
    match.used.push_back(relation.id);
    match.walked[number].push_back(value);
    match.relations[number].push_back(value);
    if (auto const* next = graph_->find_node(*target)) from_node(match, number, place + 1, *next);
    match.relations[number].pop_back();
    match.walked[number].pop_back();
    match.used.pop_back();
    if (!is_bound && !pattern.name.empty()) match.row.erase(pattern.name);
  }
}

void NaiveEvaluator::walk(Match& match, std::size_t number, std::size_t place, std::uint64_t at,
                          std::vector<Value>& taken) {
  auto const& pattern = match.pattern.paths[number].relations[place];
  auto const length = static_cast<std::int64_t>(taken.size());
  if (!spend()) return;
  if (length >= pattern.least.value_or(1)) {
    if (!pattern.name.empty() && match.row.contains(pattern.name)) {
      fail("a list of relations that is bound");
      return;
    }
    if (!pattern.name.empty()) match.row[pattern.name] = List(taken.begin(), taken.end());
    match.relations[number].emplace_back(List(taken.begin(), taken.end()));
    for (auto const& each : taken) match.walked[number].push_back(each);
    if (auto const* next = graph_->find_node(at)) from_node(match, number, place + 1, *next);
    match.walked[number].resize(match.walked[number].size() - taken.size());
    match.relations[number].pop_back();
    if (!pattern.name.empty()) match.row.erase(pattern.name);
  }
  if (pattern.most && length >= *pattern.most) return;
  for (auto const& relation : graph_->all_relations) {
    auto const target = other_end(pattern, relation, at);
    if (!target || std::ranges::find(match.used, relation.id) != match.used.end()) continue;
    match.used.push_back(relation.id);
    taken.emplace_back(Relation{.graph = graph_,
                                .id = relation.id,
                                .from = static_cast<std::uint32_t>(relation.from),
                                .to = static_cast<std::uint32_t>(relation.to)});
    walk(match, number, place, *target, taken);
    taken.pop_back();
    match.used.pop_back();
  }
}

/// Searches for best paths: between all pairs of nodes that their ends may be. They share no relations with the rest of
/// the match by rule: a search looks at the graph, not at the match.
void NaiveEvaluator::search(Match& match, std::size_t number) {
  if (number == match.pattern.paths.size()) return finish(match);
  if (match.pattern.paths[number].search == PathSearch::all) return search(match, number + 1);
  for (auto const& from : graph_->all_nodes) {
    for (auto const& to : graph_->all_nodes) {
      if (!spend()) return;
      search_between(match, number, from, to);
    }
  }
}

void NaiveEvaluator::search_between(Match& match, std::size_t number, NaiveNode const& from, NaiveNode const& to) {
  auto const& path = match.pattern.paths[number];
  std::vector<std::string> bound_here;
  bool fits = true;
  for (std::size_t i = 0; i < 2; ++i) {
    auto const& node = i == 0 ? from : to;
    auto const& pattern = path.nodes[i];
    for (auto const& label : pattern.labels) fits = fits && std::ranges::find(node.labels, label) != node.labels.end();
    if (pattern.name.empty()) continue;
    auto const known = match.row.find(pattern.name);
    if (known == match.row.end()) {
      match.row[pattern.name] = Node{graph_, node.id};
      bound_here.push_back(pattern.name);
    } else {
      fits = fits && known->second.find_node() != nullptr && known->second.find_node()->id == node.id;
    }
  }
  if (fits) {
    auto const& relation = path.relations[0];
    auto const wanted = relation.properties != nullptr ? evaluate(*relation.properties, match.row) : Value{Map{}};
    auto found = trails(path, *wanted.find_map(), from.id, to.id);
    for (auto const& each : found) {
      match.nodes[number] = {Node{graph_, from.id}, Node{graph_, to.id}};
      if (!path.name.empty()) match.row[path.name] = each;
      search(match, number + 1);
      if (!path.name.empty()) match.row.erase(path.name);
      match.nodes[number].clear();
    }
  }
  for (auto const& name : bound_here) match.row.erase(name);
}

/// The best of all paths that take no relation twice.
std::vector<Path> NaiveEvaluator::trails(PathPattern const& path, Map const& expected, std::uint64_t from,
                                         std::uint64_t to) {
  auto const& pattern = path.relations[0];
  auto const least = pattern.is_variable ? pattern.least.value_or(1) : 1;
  auto const most = pattern.is_variable ? pattern.most : std::optional<std::int64_t>{1};
  std::vector<Path> found;
  auto const weight_of = [&](Path const& one) {
    double weight = 1;
    for (auto const& each : one.relations) {
      auto const value = graph_->relation_property(each, "weight");
      weight *= value.is_number() ? std::clamp(value.number(), 0.0, 1.0) : 1.0;
    }
    return weight;
  };
  auto const is_better = [&](Path const& a, Path const& b) {
    if (path.search == PathSearch::strongest && weight_of(a) != weight_of(b)) return weight_of(a) > weight_of(b);
    return a.relations.size() < b.relations.size();
  };
  Path now{.nodes = {Node{graph_, from}}, .relations = {}};
  auto const go = [&](auto const& self) -> void {
    if (!spend()) return;
    auto const at = now.nodes.back().id;
    auto const length = static_cast<std::int64_t>(now.relations.size());
    if (at == to && length >= least) {
      if (found.empty() || is_better(now, found[0])) {
        found = {now};
      } else if (!is_better(found[0], now)) {
        found.push_back(now);
      }
    }
    if (most && length >= *most) return;
    for (auto const& relation : graph_->all_relations) {
      auto const target = other_end(pattern, relation, at);
      if (!target || std::ranges::find(now.relations, relation.id, &Relation::id) != now.relations.end()) continue;
      if (graph_->find_node(*target) == nullptr) continue;
      Relation const value{.graph = graph_,
                           .id = relation.id,
                           .from = static_cast<std::uint32_t>(relation.from),
                           .to = static_cast<std::uint32_t>(relation.to)};
      bool const has_all = std::ranges::all_of(expected, [&](Map::value_type const& entry) {
        return equals(graph_->relation_property(value, entry.first), entry.second).value_or(false);
      });
      if (!has_all) continue;
      now.relations.push_back(value);
      now.nodes.push_back(Node{graph_, *target});
      self(self);
      now.nodes.pop_back();
      now.relations.pop_back();
    }
  };
  go(go);
  if (path.search != PathSearch::all_shortest && found.size() > 1) found.resize(1);
  return found;
}

bool NaiveEvaluator::has_properties(Value const& entity, Expression const* properties, Map const& row) {
  if (properties == nullptr) return true;
  auto const expected = evaluate(*properties, row);
  if (expected.find_map() == nullptr) return false;
  return std::ranges::all_of(*expected.find_map(), [&](Map::value_type const& entry) {
    return equals(property(entity, entry.first), entry.second).value_or(false);
  });
}

/// All is bound: the paths, then what is asked of nodes, relations and the whole.
void NaiveEvaluator::finish(Match& match) {
  if (!spend()) return;
  auto row = match.row;
  for (std::size_t i = 0; i < match.pattern.paths.size(); ++i) {
    auto const& path = match.pattern.paths[i];
    if (path.name.empty() || path.search != PathSearch::all) continue;
    Path made{.nodes = {*match.nodes[i][0].find_node()}, .relations = {}};
    for (auto const& each : match.walked[i]) {
      auto const& relation = *each.find_relation();
      made.relations.push_back(relation);
      made.nodes.push_back(Node{graph_, relation.other_end(made.nodes.back().id)});
    }
    row[path.name] = std::move(made);
  }
  for (std::size_t i = 0; i < match.pattern.paths.size(); ++i) {
    auto const& path = match.pattern.paths[i];
    for (std::size_t j = 0; j < path.nodes.size(); ++j) {
      if (!has_properties(match.nodes[i][j], path.nodes[j].properties.get(), row)) return;
    }
    for (std::size_t j = 0; j < path.relations.size() && path.search == PathSearch::all; ++j) {
      auto const& value = match.relations[i][j];
      auto const list = value.find_list() != nullptr ? *value.find_list() : List{value};
      for (auto const& each : list) {
        if (!has_properties(each, path.relations[j].properties.get(), row)) return;
      }
    }
  }
  if (match.where != nullptr && !is_true(*match.where, row)) return;
  match.found.push_back(std::move(row));
}

}  // namespace whence::tests
