#pragma once
// Kùzu, a graph database in a library, as npm has it: asked through node.

#include "tools/bench/cypher/dataset.hpp"

#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
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

/// A database with the data, in a process of its own that waits between questions: so each is asked beside ours, on the
/// same machine in the same minute.
class Kuzu {
 public:
  /// Loads the data into a new database in `directory`. Nothing where WHENCE_KUZU does not name a folder in which `npm
  /// install kuzu` was run, or node is missing.
  [[nodiscard]] static std::unique_ptr<Kuzu> start(Dataset const& data, std::vector<KuzuQuestion> const& questions,
                                                   std::string const& directory, unsigned repeats);
  ~Kuzu();
  Kuzu(Kuzu const&) = delete;
  Kuzu& operator=(Kuzu const&) = delete;

  /// Asks it `repeats` times after once to warm up.
  [[nodiscard]] KuzuAnswer ask(std::string const& name);

 private:
  Kuzu() = default;
  [[nodiscard]] std::string line();

  std::FILE* answers_ = nullptr;
  std::ofstream questions_;
};

}  // namespace whence::bench
