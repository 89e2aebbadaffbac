#pragma once
// Text that compresses as text of people does.

#include <cstddef>
#include <random>
#include <string>
#include <vector>

namespace whence::bench {

/// Text whose words are as frequent as those of a language (Zipf): some of a large vocabulary make up most of it.
/// Always the same, in the order of the calls.
class Prose {
 public:
  Prose();

  /// At least `bytes`, and at most a word more.
  [[nodiscard]] std::string text(std::size_t bytes);

  /// Two words that are seldom joined.
  [[nodiscard]] std::string term();

 private:
  std::string new_word();

  std::mt19937 random_{1};
  std::vector<std::string> words_;
  std::discrete_distribution<std::size_t> pick_;
};

}  // namespace whence::bench
