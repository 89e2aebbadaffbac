#pragma once
// Files and directories as the store needs them: descriptors with an owner, and names that survive power loss.

#include "schema/base/error.hpp"

#include <filesystem>
#include <utility>

namespace whence::store {

/// Throws std::system_error for errno, naming the call and the file.
[[noreturn]] void throw_errno(char const* call, std::filesystem::path const& path);

/// Owns a file descriptor; -1 is none.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) noexcept : fd_{fd} {}
  Descriptor(Descriptor&& other) noexcept : fd_{std::exchange(other.fd_, -1)} {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor();

  [[nodiscard]] int get() const noexcept { return fd_; }

 private:
  int fd_;
};

/// Waits until a file's content, or a directory's names, are on disk.
void sync_to_disk(std::filesystem::path const& path);

/// Makes the missing directories of `path` (mode 0750 for the last) and their names durable.
void make_directory(std::filesystem::path const& path);

/// A fresh directory beside `target` to build it in. Removed with everything in it unless `become_target` was called.
class StagingDirectory {
 public:
  /// Leftovers of an earlier attempt at the same target are removed. Throws std::system_error.
  explicit StagingDirectory(std::filesystem::path target);
  StagingDirectory(StagingDirectory const&) = delete;
  StagingDirectory& operator=(StagingDirectory const&) = delete;
  ~StagingDirectory();

  [[nodiscard]] std::filesystem::path const& path() const noexcept { return path_; }

  /// Flushes the files inside and renames the directory to the target, durably. `conflict` where the target is
  /// there and not empty.
  [[nodiscard]] Result<void> become_target();

 private:
  std::filesystem::path target_;
  std::filesystem::path path_;
};

}  // namespace whence::store
