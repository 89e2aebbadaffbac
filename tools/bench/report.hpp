#pragma once
// How figures are taken and printed: medians of repeated runs, each beside its peers and its limit from the same run.

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
  std::uint32_t events = 200'000;      ///< of the history that is replayed
  std::uint32_t slow_events = 20'000;  ///< written beside slow readers
  unsigned repeats = 5;                ///< medians are over this many
  std::string directory;               ///< where stores are made; on the disk whose durability counts
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

/// Median seconds of one call of `work`, over `repeats` calls after one that is not counted.
[[nodiscard]] double median_seconds(unsigned repeats, std::function<void()> const& work);

/// Which way is better, and so which way a ratio is taken.
enum class Better : std::uint8_t { higher, lower };

/// One printed row: a figure, its peers and limits, and what it is expected to reach against one of them.
struct Row {
  std::string figure;
  std::string unit;
  Better better;
  double whence;
  std::vector<std::pair<std::string, double>> others;  ///< peers and limits with their figures
  std::string note = {};
};

void print_title(std::string const& title);
/// Prints the row with the ratio whence/other (or other/whence where lower is better) beside each other figure: above 1
/// Whence is ahead.
void print(Row const& row);

/// "1,234" or "0.0123": three significant digits, thousands separated.
[[nodiscard]] std::string shown(double value);

/// CPU, cores and memory of this machine in one line.
[[nodiscard]] std::string machine();

}  // namespace whence::bench
