// Reads limits (getrlimit), /proc and /sys.

#include "tools/cli/doctor/machine.hpp"

#include <algorithm>
#include <fstream>

#include <sys/resource.h>
#include <sys/timex.h>

namespace whence::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t connections_default = 10'000;  // ServerConfig::connections_max
constexpr std::uint64_t descriptors_few = 1'024;       // too few for a server with files of exports and discussions
constexpr int overcommit_never = 2;

std::uint64_t limit_of(int resource) {
  rlimit limit{};
  if (::getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return unlimited;
  return limit.rlim_cur;
}

/// The number that a file of the kernel holds; `max` is unlimited.
std::uint64_t number_in(fs::path const& file) {
  std::ifstream in{file};
  std::uint64_t value = 0;
  return in >> value ? value : unlimited;
}

std::uint64_t machine_memory(fs::path const& root) {
  std::ifstream in{root / "proc/meminfo"};
  std::string word;
  std::uint64_t kib = 0;
  while (in >> word) {
    if (word == "MemTotal:" && in >> kib) return kib * 1024;
  }
  return unlimited;
}

/// Of the control group of this process (cgroup v2 or v1), as a container sees it at the root.
std::uint64_t group_memory(fs::path const& root) {
  std::ifstream in{root / "proc/self/cgroup"};
  std::string line;
  std::uint64_t least = std::min(number_in(root / "sys/fs/cgroup/memory.max"),
                                 number_in(root / "sys/fs/cgroup/memory/memory.limit_in_bytes"));
  while (std::getline(in, line)) {
    if (!line.starts_with("0::/")) continue;
    least = std::min(least, number_in(root / "sys/fs/cgroup" / line.substr(4) / "memory.max"));
  }
  return least;
}

/// The word in brackets of `always [madvise] never`.
std::string chosen_in(fs::path const& file) {
  std::ifstream in{file};
  std::string word;
  while (in >> word) {
    if (word.starts_with('[') && word.ends_with(']')) return word.substr(1, word.size() - 2);
  }
  return {};
}

std::optional<bool> is_clock_synchronised() {
  timex state{};  // modes 0: reads
  int const answer = ::adjtimex(&state);
  if (answer == -1) return std::nullopt;
  return answer != TIME_ERROR && (state.status & STA_UNSYNC) == 0;
}

}  // namespace

Machine read_machine(fs::path const& root) {
  Machine machine{.descriptors = limit_of(RLIMIT_NOFILE),
                  .file_bytes = limit_of(RLIMIT_FSIZE),
                  .address_space_bytes = limit_of(RLIMIT_AS),
                  .huge_pages = chosen_in(root / "sys/kernel/mm/transparent_hugepage/enabled"),
                  .is_clock_synchronised = is_clock_synchronised()};
  machine.memory_bytes = std::min({machine_memory(root), group_memory(root), machine.address_space_bytes});
  auto const overcommit = number_in(root / "proc/sys/vm/overcommit_memory");
  machine.overcommit = overcommit == unlimited ? 0 : static_cast<int>(overcommit);
  return machine;
}

void look_at_machine(Machine const& machine, Findings& out) {
  if (machine.descriptors < descriptors_few) {
    out.fail("descriptors", "ulimit -n is " + std::to_string(machine.descriptors) + ": connections will be refused",
             "LimitNOFILE=16384 in the unit, or ulimit -n 16384 before the start");
  } else if (machine.descriptors < connections_default + descriptors_few) {
    out.warn("descriptors",
             "ulimit -n is " + std::to_string(machine.descriptors) + ", and the server takes 10000 connections",
             "LimitNOFILE=16384 in the unit, or ulimit -n 16384 before the start");
  } else {
    out.ok("descriptors", "ulimit -n is " + std::to_string(machine.descriptors));
  }
  if (machine.file_bytes != unlimited) {
    out.warn("file-size",
             "ulimit -f lets a file have " + bytes_text(machine.file_bytes) + ": beyond it writes are refused",
             "LimitFSIZE=infinity in the unit, or ulimit -f unlimited before the start");
  }
  if (machine.address_space_bytes != unlimited) {
    out.warn("address-space",
             "ulimit -v is " + bytes_text(machine.address_space_bytes) + ": the store may grow to a part of it only",
             "LimitAS=infinity in the unit; bound memory by MemoryMax= instead");
  }
  if (machine.memory_bytes == unlimited) {
    out.warn("memory", "how much memory there is could not be read", "look at /proc/meminfo");
  } else {
    out.ok("memory", bytes_text(machine.memory_bytes) + " for this process");
  }
  if (machine.overcommit == overcommit_never) {
    out.warn("overcommit",
             "vm.overcommit_memory is 2: address space that is reserved counts, and the store reserves 1 TiB",
             "sysctl vm.overcommit_memory=0, or expect the map to be halved until the kernel agrees");
  }
  if (machine.huge_pages == "always") {
    out.warn("huge-pages", "transparent huge pages are always made: the process may hold more memory than it uses",
             "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled");
  }
  if (machine.is_clock_synchronised && !*machine.is_clock_synchronised) {
    out.warn(
        "clock",
        "the kernel says that its clock is not synchronised: a jump keeps records from expiring, or expires them early",
        "run a time service (systemd-timesyncd, chrony) and look at it with timedatectl");
  } else if (machine.is_clock_synchronised) {
    out.ok("clock", "the clock is synchronised");
  }
}

}  // namespace whence::tools
