#pragma once
// Measuring and printing: medians of repeated runs, each with its peers and its limit from the same run.

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace whence::bench {

/// Options of a run.
struct Options {
  std::uint32_t responses = 100'000;
  std::uint32_t events = 200'000;      ///< of the replayed history
  std::uint32_t slow_events = 20'000;  ///< written with slow readers
  unsigned repeats = 5;                ///< number of runs of a median
  std::string directory;               ///< directory for the stores, on the disk to measure
  std::string only;                    ///< name of one part; empty: all
};

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

[[nodiscard]] double median(std::vector<double> values);

/// Median seconds of one call of `work`, over `repeats` calls after one warm-up call.
[[nodiscard]] double median_seconds(unsigned repeats, std::function<void()> const& work);

/// Whether larger or smaller figures are better; the ratio is taken accordingly.
enum class Better : std::uint8_t { higher, lower };

/// One printed row: a figure, its peers and limits, and the expectation.
struct Row {
  std::string figure;
  std::string unit;
  Better better;
  double whence;
  std::vector<std::pair<std::string, double>> others;  ///< peers and limits with their figures
  std::string note = {};
};

void print_title(std::string const& title);
/// Prints the row with the ratio whence/other (or other/whence if lower is better) after each other figure: above 1
/// Whence is better.
void print(Row const& row);

/// "1,234" or "0.0123": three significant digits, thousands separated.
[[nodiscard]] std::string shown(double value);

/// CPU, cores and memory of this machine in one line.
[[nodiscard]] std::string machine();

}  // namespace whence::bench
