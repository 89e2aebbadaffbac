#pragma once
// The workload with agents and with times over two years, as records and as plain rows for the peers.

#include "tools/bench/data/workload.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace whence::bench {

struct Dataset {
  struct Row {
    std::int64_t key;  ///< as `unit_key` and `response_key`
    std::string id;
    std::string agent;  ///< empty: a unit
    schema::Time at;
  };
  struct Edge {
    std::int64_t cause;
    std::int64_t effect;
    bool is_use;  ///< a unit used in a response
  };
  std::vector<Row> rows;
  std::vector<Edge> edges;
};

[[nodiscard]] std::string agent_of(std::uint32_t response);
/// Of a response among `count`, and of the units that come with it.
[[nodiscard]] schema::Time time_of(std::uint32_t response, std::size_t count);

[[nodiscard]] Dataset dataset_of(std::vector<Step> const& steps);

/// The records of a step, with its agent and time.
void append_dated(Step const& step, std::size_t count, std::vector<schema::IncomingRecord>& out);

}  // namespace whence::bench
