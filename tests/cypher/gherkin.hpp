#pragma once
// Feature files of openCypher's technology compatibility kit (TCK): scenarios with their steps.

#include <string>
#include <string_view>
#include <vector>

namespace whence::tests {

using Table = std::vector<std::vector<std::string>>;

struct Step {
  std::string text;
  std::string document;  ///< what stands between triple quotes
  Table table;
};

/// One run: a scenario, or an outline with the values of one line of its examples.
struct Scenario {
  std::string name;
  std::size_t example = 0;  ///< from 1 in an outline; 0: none
  std::vector<Step> steps;
};

/// The scenarios of one feature file, outlines taken apart.
[[nodiscard]] std::vector<Scenario> parse_feature(std::string_view text);

}  // namespace whence::tests
