// Everything by definition: every path is walked, nothing is shared between answers.

#include "tests/queries/oracle.hpp"

#include "schema/records/links.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <set>

namespace whence::test {

Oracle::Oracle(RecordWorld const& world, std::uint64_t tx) {
  for (std::uint64_t batch = 0; batch < tx; ++batch) {
    for (auto const& record : world.batches()[batch]) {
      auto const owner = schema::format_ref(schema::type_of(record), schema::node_id_of(record));
      nodes_.push_back(owner);
      records_.push_back(&record);
      for (auto const& link : schema::links_of(record)) {
        auto const other = schema::format_ref(link.other_type, link.other_id());
        auto const from_type = link.owner_is_from ? schema::type_of(record) : link.other_type;
        auto const influence = schema::influence_of(link.type, from_type);
        if (influence == schema::Influence::none) continue;
        bool const is_owner_cause = link.owner_is_from == (influence == schema::Influence::along);
        bool const is_weighted = link.type == schema::EdgeType::used_in;
        edges_.push_back({is_owner_cause ? owner : other, is_owner_cause ? other : owner, link.type,
                          is_weighted ? std::optional{link.value.value()} : std::nullopt,
                          is_weighted ? link.value.value() : 1});
      }
    }
  }
}

std::vector<Oracle::Edge const*> Oracle::next(std::string const& node, bool is_upward) const {
  std::vector<Edge const*> found;
  for (auto const& edge : edges_) {
    if ((is_upward ? edge.effect : edge.cause) == node) found.push_back(&edge);
  }
  return found;
}

std::map<std::string, Oracle::Reached> Oracle::walk(std::string const& start, bool is_upward,
                                                    std::uint32_t depth) const {
  std::map<std::string, Reached> reached;
  std::map<std::string, double> at{{start, 1}};  // strongest products over paths of exactly so many edges
  for (std::uint32_t edges = 1; edges <= depth && !at.empty(); ++edges) {
    std::map<std::string, double> further;
    for (auto const& [node, weight] : at) {
      for (auto const* edge : next(node, is_upward)) {
        auto const& other = is_upward ? edge->cause : edge->effect;
        auto const product = weight * edge->weight;
        auto const [place, is_new] = further.emplace(other, product);
        if (!is_new) place->second = std::max(place->second, product);
      }
    }
    for (auto const& [node, weight] : further) {
      auto const [place, is_new] = reached.emplace(node, Reached{edges, weight});
      if (!is_new) place->second.weight = std::max(place->second.weight, weight);
    }
    at = std::move(further);
  }
  return reached;
}

std::size_t Oracle::edges_walked(std::string const& start, bool is_upward, std::uint32_t depth) const {
  if (depth == 0) return 0;
  std::size_t count = next(start, is_upward).size();
  for (auto const& [node, reached] : walk(start, is_upward, depth - 1)) count += next(node, is_upward).size();
  return count;
}

std::vector<std::pair<std::string, double>> Oracle::causes(std::string const& effect) const {
  std::vector<std::pair<std::string, double>> found;
  for (auto const* edge : next(effect, true)) found.emplace_back(edge->cause, share_of(*edge));
  return found;
}

std::vector<double> Oracle::paths(std::string const& cause, std::string const& effect) const {
  std::vector<double> weights;
  for (auto const* edge : next(cause, false)) {
    if (edge->effect == effect) weights.push_back(edge->weight);
    for (double const rest : paths(edge->effect, effect)) weights.push_back(edge->weight * rest);
  }
  return weights;
}

double Oracle::share_of(Edge const& edge) const {
  std::set<schema::EdgeType> types;
  std::size_t of_type = 0;
  std::size_t weighted = 0;
  double weights = 0;
  for (auto const* other : next(edge.effect, true)) {
    types.insert(other->type);
    if (other->type != edge.type) continue;
    ++of_type;
    weighted += other->carried ? 1U : 0U;
    weights += other->carried.value_or(0);
  }
  auto const of_types = 1.0 / static_cast<double>(types.size());
  auto const equal = of_types / static_cast<double>(of_type);
  if (!edge.carried || weights == 0) return equal;
  return equal * static_cast<double>(weighted) * *edge.carried / weights;
}

double Oracle::share(std::string const& cause, std::string const& effect) const {
  double sum = 0;
  for (auto const* edge : next(cause, false)) {
    sum += share_of(*edge) * (edge->effect == effect ? 1 + share(edge->effect, effect) : share(edge->effect, effect));
  }
  return sum;
}

}  // namespace whence::test
