#pragma once
// Kùzu, a graph database in a library, as npm has it: asked through node.

#include "tools/bench/cypher/dataset.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace whence::bench {

struct KuzuQuestion {
  std::string name;
  std::string text;
  std::map<std::string, std::int64_t> params = {};
};

struct KuzuAnswer {
  std::optional<double> seconds;  ///< none: it failed
  double processor_seconds = 0;   ///< of all its threads
  std::string answer;             ///< rows joined by ';', cells by ','; or the message
};

/// Loads the data into a new database in `directory` and asks each question `repeats` times after once to warm up.
/// Nothing where WHENCE_KUZU does not name a folder in which `npm install kuzu` was run, or node is missing.
[[nodiscard]] std::optional<std::map<std::string, KuzuAnswer>> ask_kuzu(Dataset const& data,
                                                                        std::vector<KuzuQuestion> const& questions,
                                                                        std::string const& directory, unsigned repeats);

}  // namespace whence::bench
