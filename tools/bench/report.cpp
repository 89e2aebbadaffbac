// A time is the median of repeated runs after one that is not counted.

#include "tools/bench/report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <thread>

#include <unistd.h>

namespace whence::bench {

double median(std::vector<double> values) {
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double median_seconds(unsigned repeats, std::function<void()> const& work) {
  work();
  std::vector<double> seconds;
  for (unsigned i = 0; i < repeats; ++i) {
    Stopwatch const watch;
    work();
    seconds.push_back(watch.seconds());
  }
  return median(std::move(seconds));
}

std::string shown(double value) {
  char text[64];
  if (std::fabs(value) < 1000) {
    std::snprintf(text, sizeof text, "%.3g", value);
    return text;
  }
  std::snprintf(text, sizeof text, "%.0f", value);
  std::string digits = text;
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

void print_title(std::string const& title) {
  std::cout << "\n" << title << "\n";
}

void print(Row const& row) {
  std::cout << "  " << row.figure << ": " << shown(row.whence) << " " << row.unit;
  for (auto const& [name, value] : row.others) {
    double const ratio = row.better == Better::higher ? row.whence / value : value / row.whence;
    char text[64];
    std::snprintf(text, sizeof text, " (%.2fx)", ratio);
    std::cout << " | " << name << " " << shown(value) << text;
  }
  if (!row.note.empty()) std::cout << " | " << row.note;
  std::cout << std::endl;
}

std::string machine() {
  std::string model = "unknown CPU";
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    if (line.starts_with("model name")) {
      model = line.substr(line.find(':') + 2);
      break;
    }
  }
  auto const bytes = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  std::ostringstream text;
  text << model << ", " << std::thread::hardware_concurrency() << " cores, " << std::lround(bytes / (1 << 30))
       << " GiB";
  return text.str();
}

}  // namespace whence::bench
