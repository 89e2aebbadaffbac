#include "tools/bench/cypher/dataset.hpp"

#include "tools/bench/peers/sqlite.hpp"

#include <variant>

namespace whence::bench {
namespace {

constexpr std::int64_t first_second = 1'700'000'000;
constexpr std::int64_t seconds_of_all = std::int64_t{730} * 86'400;
constexpr std::uint32_t agents = 16;

}  // namespace

std::string agent_of(std::uint32_t response) {
  return "bench:agent" + std::to_string(response * 2'654'435'761U % agents);
}

schema::Time time_of(std::uint32_t response, std::size_t count) {
  return {.seconds = first_second + seconds_of_all * response / static_cast<std::int64_t>(count), .nanos = 0};
}

Dataset dataset_of(std::vector<Step> const& steps) {
  Dataset data;
  for (Step const& step : steps) {
    auto const at = time_of(step.number, steps.size());
    for (NewUnit const& unit : step.units) {
      data.rows.push_back({unit_key(unit.number), unit_id(unit.number), {}, at});
      if (unit.previous) data.edges.push_back({unit_key(*unit.previous), unit_key(unit.number), false});
      if (unit.made_by) data.edges.push_back({response_key(*unit.made_by), unit_key(unit.number), false});
    }
    data.rows.push_back({response_key(step.number), response_id(step.number), agent_of(step.number), at});
    for (Use const& use : step.uses) data.edges.push_back({unit_key(use.unit), response_key(step.number), true});
  }
  return data;
}

void append_dated(Step const& step, std::size_t count, std::vector<schema::IncomingRecord>& out) {
  auto const begin = out.size();
  append_records(step, out);
  for (auto i = begin; i < out.size(); ++i) {
    if (auto* unit = std::get_if<schema::ContextUnit>(&out[i].record)) unit->timestamp = time_of(step.number, count);
    if (auto* response = std::get_if<schema::Response>(&out[i].record)) {
      response->timestamp = time_of(step.number, count);
      response->agent = agent_of(step.number);
    }
  }
}

}  // namespace whence::bench
