// Linux: /proc/self/maps names each map's file, madvise takes its pages out of the process.

#include "store/lmdb/mapped_file.hpp"

#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>

#include <sys/mman.h>

namespace whence::store {
namespace {

/// One line: "BEGIN-END PERMISSIONS OFFSET DEVICE INODE   PATH".
void forget_line(std::string const& line, std::string const& path) {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  if (!line.ends_with(path) || line.find(" r--s ") == std::string::npos) return;  // only what is shared and read-only
  if (std::sscanf(line.c_str(), "%lx-%lx", &begin, &end) != 2) return;
  ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

}  // namespace

void forget_touched_pages(std::filesystem::path const& file) noexcept {
  try {
    auto const path = " " + std::filesystem::canonical(file).string();
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) forget_line(line, path);
  } catch (std::exception const&) {
    // Without it the pages stay counted as this process's: nothing else changes.
  }
}

}  // namespace whence::store
