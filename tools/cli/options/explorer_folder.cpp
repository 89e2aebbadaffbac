// Places beside the program and above it.

#include "tools/cli/options/explorer_folder.hpp"

#include <filesystem>
#include <system_error>

namespace whence::tools {

std::string find_explorer() {
  std::error_code unknown;
  auto const here = std::filesystem::read_symlink("/proc/self/exe", unknown).parent_path();
  if (unknown) return {};
  for (auto const* const place : {"explorer", "../explorer", "../share/whence/explorer"}) {
    auto folder = (here / place).lexically_normal();
    if (std::filesystem::exists(folder / "index.html", unknown)) return folder.string();
  }
  return {};
}

}  // namespace whence::tools
