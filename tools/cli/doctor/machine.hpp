#pragma once
// What a machine gives a server, and what of it will not do.

#include "tools/cli/doctor/findings.hpp"

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>

namespace whence::tools {

inline constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

/// What this process may have, and how the kernel is set.
struct Machine {
  std::uint64_t memory_bytes = unlimited;         ///< the least of the machine's, the control group's and `ulimit -v`
  std::uint64_t descriptors = unlimited;          ///< `ulimit -n`
  std::uint64_t file_bytes = unlimited;           ///< `ulimit -f`
  std::uint64_t address_space_bytes = unlimited;  ///< `ulimit -v`
  std::string huge_pages = {};                    ///< `always`, `madvise` or `never`; empty: unknown
  int overcommit = 0;                             ///< vm.overcommit_memory
  std::optional<bool> is_clock_synchronised = {};
};

/// Reads the limits of this process and the files of the kernel below `root`, which is `/` but in tests.
[[nodiscard]] Machine read_machine(std::filesystem::path const& root = "/");

void look_at_machine(Machine const& machine, Findings& out);

}  // namespace whence::tools
