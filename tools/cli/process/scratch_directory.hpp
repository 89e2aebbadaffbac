#pragma once
// A temporary directory that is removed with its owner.

#include "store/files/files.hpp"

#include <filesystem>
#include <system_error>

namespace whence::tools {

/// Removed with all its contents.
class ScratchDirectory {
 public:
  /// On the same file system as `path`, so that what is built can be renamed to it. Throws std::system_error.
  [[nodiscard]] static ScratchDirectory beside(std::filesystem::path const& path) { return ScratchDirectory{path}; }
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path(), ignored);
  }
  ScratchDirectory(ScratchDirectory const&) = delete;
  ScratchDirectory& operator=(ScratchDirectory const&) = delete;

  [[nodiscard]] std::filesystem::path const& path() const noexcept { return staging_.path(); }

 private:
  explicit ScratchDirectory(std::filesystem::path const& path) : staging_(path, store::Staging::Kind::directory) {}

  store::Staging staging_;
};

}  // namespace whence::tools
