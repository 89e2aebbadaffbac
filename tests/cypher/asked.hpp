#pragma once
// Asking a query of a graph in one call, for tests.

#include "queries/cypher/query.hpp"
#include "tests/cypher/canonical.hpp"
#include "tests/cypher/graph_maker.hpp"

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace whence::tests {

struct Asked {
  std::vector<std::string> rows = {};  ///< one text per row, its values joined by " | "
  std::vector<PlanLine> plan = {};
  std::optional<QueryError> error = {};

  /// The rows in order, joined by "; "; the error's text where there is one.
  [[nodiscard]] std::string text() const {
    std::ostringstream out;
    if (error) out << name_of(error->kind) << ' ' << error->detail;
    for (std::size_t i = 0; i < rows.size(); ++i) out << (i == 0 ? "" : "; ") << rows[i];
    return out.str();
  }
  [[nodiscard]] std::string sorted_text() const {
    auto sorted = *this;
    std::ranges::sort(sorted.rows);
    return sorted.text();
  }
};

struct AskLimits {
  std::uint64_t rows_max = 1'000'000;
  std::uint64_t bytes_max = 64u << 20;
  std::uint64_t steps_max = 10'000'000;
};

[[nodiscard]] inline Asked ask_graph(PropertyGraph const& graph, std::string_view text, Map params = {},
                                     AskLimits limits = {}, Procedures const* procedures = nullptr) {
  static schema::NoInterrupt const interrupt;
  static SystemZones const zones;
  Asked asked;
  auto const prepared = prepare(text, procedures);
  if (!prepared) {
    asked.error = prepared.error();
    return asked;
  }
  auto rows = queries::cypher::run(*prepared, graph, std::move(params),
                                   {.interrupt = interrupt,
                                    .rows_max = limits.rows_max,
                                    .bytes_max = limits.bytes_max,
                                    .steps_max = limits.steps_max},
                                   {.now_seconds = 1'700'000'000, .zones = &zones});
  if (!rows) {
    asked.error = rows.error();
    return asked;
  }
  for (;;) {
    auto row = rows->next();
    if (!row) asked.error = row.error();
    if (!row || !*row) break;
    std::string line;
    for (auto const& value : **row) line += (line.empty() ? "" : " | ") + canonical(value, false);
    asked.rows.push_back(std::move(line));
  }
  asked.plan = rows->plan();
  return asked;
}

/// A graph made by CREATE statements. Throws on a failure.
[[nodiscard]] inline MemoryGraph graph_of(std::string_view text) {
  MemoryGraph graph;
  if (auto const error = make_graph(graph, text)) throw std::runtime_error{error->message};
  return graph;
}

}  // namespace whence::tests
