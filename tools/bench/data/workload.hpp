#pragma once
// The workload of all benchmarks: responses that share context units, with versions and units made by responses, so
// that lineage runs over many hops. Equal seeds give equal workloads on every machine.

#include "schema/records/check.hpp"

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace whence::bench {

struct NewUnit {
  std::uint32_t number;  ///< from 0, in order of appearance
  std::uint32_t version = 1;
  std::optional<std::uint32_t> previous = {};  ///< the unit it is a new version of
  std::optional<std::uint32_t> made_by = {};   ///< the earlier response that caused it
};

struct Use {
  std::uint32_t unit;
  double weight;  ///< four decimals; a response's weights sum to 1
};

/// One response with the units that appear with it.
struct Step {
  std::uint32_t number;  ///< of the response, from 0
  std::vector<NewUnit> units;
  std::vector<Use> uses;
  std::string content = {};  ///< the text of the response; empty: none is recorded
};

/// Random steps: 1 to 50 uses a response, mean 20, reuse by a Zipf-like law (log-uniform rank), one new unit a
/// response, 30 % of them new versions of known units, 20 % made by an earlier response.
class Workload {
 public:
  explicit Workload(std::uint64_t seed = 20251009) : random_(seed) {}

  [[nodiscard]] Step next();
  [[nodiscard]] std::vector<Step> take(std::size_t count);

 private:
  [[nodiscard]] NewUnit new_unit();
  [[nodiscard]] std::vector<Use> draw_uses();
  [[nodiscard]] std::size_t zipf_rank(std::size_t size);

  struct Current {
    std::uint32_t number;
    std::uint32_t version;
  };

  std::mt19937_64 random_;
  std::vector<Current> current_;  ///< the newest version of every unit; early units are the popular ones
  std::uint32_t units_ = 0;
  std::uint32_t responses_ = 0;
};

[[nodiscard]] std::string unit_id(std::uint32_t number);
[[nodiscard]] std::string response_id(std::uint32_t number);

/// The records of a step, units first.
void append_records(Step const& step, std::vector<schema::IncomingRecord>& out);

}  // namespace whence::bench
