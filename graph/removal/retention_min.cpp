#include "graph/removal/retention_min.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace whence::graph {

bool RetentionRules::is_empty() const {
  return std::ranges::none_of(kept_for, [](auto const& rule) { return rule.has_value(); });
}

std::string format_rule(schema::RecordType type, std::chrono::seconds kept_for) {
  constexpr std::array<std::pair<char, std::int64_t>, 4> units = {{{'d', 86'400}, {'h', 3'600}, {'m', 60}, {'s', 1}}};
  auto const* const unit =
      std::ranges::find_if(units, [&](auto const& each) { return kept_for.count() % each.second == 0; });
  return std::string(schema::name_of(type)) + "=" + std::to_string(kept_for.count() / unit->second) + unit->first;
}

schema::Time content_since(Snapshot const& known, schema::VertexId vertex) {
  auto const own = known.time(vertex).value_or(known.committed_at(known.created(vertex)));
  auto const revisions = known.revisions(vertex);
  return revisions.empty() ? own : std::max(own, known.committed_at(revisions.back().tx));
}

std::optional<schema::Time> RetentionMin::stays_until(Snapshot const& known, schema::VertexId vertex) const {
  auto const kept_for = rules.of(known.type(vertex));
  if (!kept_for || known.gone(vertex)) return std::nullopt;
  auto const until = schema::plus_seconds(content_since(known, vertex), static_cast<double>(kept_for->count()));
  return until > now ? std::optional{until} : std::nullopt;
}

}  // namespace whence::graph
