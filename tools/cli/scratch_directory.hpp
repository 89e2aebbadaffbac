#pragma once
// A temporary directory that is removed with its owner.

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include <unistd.h>

namespace whence::tools {

/// Removed with all its contents. The user of the path creates it.
class ScratchDirectory {
 public:
  /// `PATH.partial-PID`: on the same file system as PATH, so that what is built can be renamed to it.
  [[nodiscard]] static ScratchDirectory beside(std::filesystem::path const& path) {
    auto plain = std::filesystem::absolute(path).lexically_normal();
    if (!plain.has_filename()) plain = plain.parent_path();
    return ScratchDirectory{plain.string() + ".partial-" + std::to_string(::getpid())};
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchDirectory(ScratchDirectory const&) = delete;
  ScratchDirectory& operator=(ScratchDirectory const&) = delete;

  [[nodiscard]] std::filesystem::path const& path() const noexcept { return path_; }

 private:
  explicit ScratchDirectory(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
};

}  // namespace whence::tools
