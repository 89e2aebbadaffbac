// Descriptors, flushing and directories that appear whole or not at all.

#include "store/files/files.hpp"

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace whence::store {
namespace {

/// `path` without a trailing slash, absolute, so that it has a parent and a name.
std::filesystem::path plain(std::filesystem::path const& path) {
  std::filesystem::path normal = std::filesystem::absolute(path).lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

}  // namespace

void throw_errno(char const* call, std::filesystem::path const& path) {
  throw std::system_error(errno, std::generic_category(), std::string{call} + " " + path.string());
}

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

void sync_to_disk(std::filesystem::path const& path) {
  Descriptor const file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.get() < 0) throw_errno("open", path);
  if (::fsync(file.get()) != 0) throw_errno("fsync", path);
}

void make_directory(std::filesystem::path const& path) {
  std::filesystem::path const directory = plain(path);
  if (!std::filesystem::create_directories(directory)) return;
  using std::filesystem::perms;
  std::filesystem::permissions(directory, perms::owner_all | perms::group_read | perms::group_exec);
  sync_to_disk(directory.parent_path());
}

StagingDirectory::StagingDirectory(std::filesystem::path target)
    : target_{plain(target)}, path_{target_.string() + ".partial"} {
  std::filesystem::remove_all(path_);
  make_directory(path_);
}

StagingDirectory::~StagingDirectory() {
  std::error_code ignored;  // after `become_target` there is nothing to remove; otherwise the next attempt removes it
  std::filesystem::remove_all(path_, ignored);
}

Result<void> StagingDirectory::become_target() {
  for (auto const& entry : std::filesystem::directory_iterator{path_}) sync_to_disk(entry.path());
  sync_to_disk(path_);
  if (std::rename(path_.c_str(), target_.c_str()) != 0) {  // replaces an empty directory, and only an empty one
    if (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR)
      return Error{Errc::conflict, target_.string() + " is not empty"};
    throw_errno("rename", target_);
  }
  sync_to_disk(target_.parent_path());
  return {};
}

}  // namespace whence::store
