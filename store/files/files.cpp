// Descriptors, flushing and directories that appear whole or not at all.

#include "store/files/files.hpp"

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace whence::store {
namespace {

/// `path` without a trailing slash, absolute, so that it has a parent and a name.
std::filesystem::path plain(std::filesystem::path const& path) {
  std::filesystem::path normal = std::filesystem::absolute(path).lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

constexpr mode_t any_directory_mode = 0777;  ///< the umask decides

[[noreturn]] void throw_as(int code, char const* call, std::filesystem::path const& path) {
  throw std::system_error(code, std::generic_category(), std::string{call} + " " + path.string());
}

}  // namespace

void throw_errno(char const* call, std::filesystem::path const& path) {
  throw_as(errno, call, path);
}

bool is_out_of_room(int code) noexcept {
  return code == ENOSPC || code == EDQUOT || code == EFBIG;
}

bool may_grow(std::filesystem::path const& file, std::uint64_t bytes) noexcept {
  std::error_code unknown;
  auto const directory = file.parent_path();
  auto const space = std::filesystem::space(directory, unknown);
  if (!unknown && space.available < bytes) return false;
  auto const size = std::filesystem::file_size(file, unknown);
  if (unknown) return true;
  Descriptor const probe{::open(directory.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, private_file_mode)};
  if (probe.get() < 0) return !is_out_of_room(errno);
  bool const is_allocated = ::fallocate(probe.get(), 0, static_cast<off_t>(size), static_cast<off_t>(bytes)) == 0;
  return is_allocated || !is_out_of_room(errno);
}

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

std::optional<std::int64_t> find_written_at_s(std::filesystem::path const& file) noexcept {
  struct stat found = {};
  if (::stat(file.c_str(), &found) != 0) return std::nullopt;
  return found.st_mtim.tv_sec;
}

void sync_to_disk(std::filesystem::path const& path) {
  Descriptor const file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.get() < 0) throw_errno("open", path);
  if (::fsync(file.get()) != 0) throw_errno("fsync", path);
}

void make_directory(std::filesystem::path const& path) {
  std::filesystem::path const directory = plain(path);
  std::filesystem::path step = directory.root_path();
  for (auto const& name : directory.relative_path()) {
    auto const above = step;
    step /= name;
    if (::mkdir(step.c_str(), step == directory ? private_directory_mode : any_directory_mode) == 0) {
      sync_to_disk(above);
    } else if (errno == EEXIST) {
      Descriptor const made_before{::open(above.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
      if (made_before.get() >= 0) ::fsync(made_before.get());  // a directory that may not be opened is no news of ours
    } else {
      throw_errno("mkdir", step);
    }
  }
  if (!std::filesystem::is_directory(directory)) throw_as(ENOTDIR, "mkdir", directory);
}

void rename_durably(std::filesystem::path const& from, std::filesystem::path const& to) {
  auto const source = plain(from);
  auto const target = plain(to);
  if (std::rename(source.c_str(), target.c_str()) != 0) throw_errno("rename", target);
  sync_to_disk(target.parent_path());
  if (source.parent_path() != target.parent_path()) sync_to_disk(source.parent_path());
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
