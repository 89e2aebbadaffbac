// Reads /proc/self (proc(5)).

#include "net/metrics/process_figures.hpp"

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

namespace whence::net {

namespace {

// Fields of /proc/self/stat after the name of the program, which ends with the last `)`: the third field is the first.
constexpr std::size_t utime_field = 11;
constexpr std::size_t stime_field = 12;
constexpr std::size_t start_field = 19;
constexpr std::size_t resident_field = 21;

std::vector<std::string> stat_fields() {
  std::ifstream file{"/proc/self/stat"};
  std::string text{std::istreambuf_iterator<char>{file}, {}};
  auto const name_end = text.rfind(')');
  if (name_end == std::string::npos) return {};
  std::istringstream rest{text.substr(name_end + 1)};
  return {std::istream_iterator<std::string>{rest}, {}};
}

/// `btime` of /proc/stat: when the machine was started, in seconds since 1970.
double machine_start() {
  std::ifstream file{"/proc/stat"};
  std::string word;
  double value = 0;
  while (file >> word) {
    if (word == "btime" && file >> value) return value;
  }
  return 0;
}

std::uint64_t count_fds() {
  std::error_code failed;
  std::filesystem::directory_iterator entries{"/proc/self/fd", failed};
  std::uint64_t count = 0;
  for (; !failed && entries != std::filesystem::directory_iterator{}; entries.increment(failed)) ++count;
  return count > 0 ? count - 1 : 0;  // one is that of this reading
}

}  // namespace

std::optional<ProcessFigures> process_figures() {
  auto const fields = stat_fields();
  if (fields.size() <= resident_field) return std::nullopt;
  static double const started_machine = machine_start();
  auto const ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  auto const field = [&](std::size_t at) { return std::strtod(fields[at].c_str(), nullptr); };
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  return ProcessFigures{
      .start_s = started_machine + field(start_field) / ticks,
      .cpu_s = (field(utime_field) + field(stime_field)) / ticks,
      .resident_bytes = static_cast<std::uint64_t>(field(resident_field)) * static_cast<std::uint64_t>(::getpagesize()),
      .open_fds = count_fds(),
      .max_fds = limit.rlim_cur};
}

}  // namespace whence::net
