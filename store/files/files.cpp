// Descriptors, flushing and directories that appear whole or not at all.

#include "store/files/files.hpp"

#include "schema/encoding/hex.hpp"
#include "store/files/replace_file.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace whence::store {
namespace {

/// `path` without a trailing slash, absolute, so that it has a parent and a name.
std::filesystem::path plain(std::filesystem::path const& path) {
  std::filesystem::path normal = std::filesystem::absolute(path).lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

[[noreturn]] void throw_as(int code, char const* call, std::filesystem::path const& path) {
  throw std::system_error(code, std::generic_category(), std::string{call} + " " + path.string());
}

constexpr std::string_view staging_suffix = ".partial-";
constexpr std::size_t random_bytes = 16;

std::string random_digits() {
  std::array<std::uint8_t, random_bytes> bytes;
  if (::getentropy(bytes.data(), bytes.size()) != 0) throw_as(errno, "getentropy", {});
  return schema::to_hex(bytes);
}

/// Locks what `path` names; none where another holds it, or has removed it meanwhile, or it is not this user's. The
/// kernel lets go when the process dies.
Descriptor hold(std::filesystem::path const& path) {
  Descriptor file{::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
  struct stat opened = {};
  struct stat named = {};
  bool const is_held = file.get() >= 0 && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0 &&
                       ::fstat(file.get(), &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
                       opened.st_ino == named.st_ino && opened.st_dev == named.st_dev && opened.st_uid == ::geteuid();
  return is_held ? std::move(file) : Descriptor{};
}

/// What killed processes have left for the target goes; then a fresh file or directory beside it, held.
std::pair<std::filesystem::path, Descriptor> make_staged(std::filesystem::path const& whole, Staging::Kind kind) {
  auto const name = whole.filename().string();
  remove_abandoned(whole.parent_path(), [&name](std::string_view other) { return other == name; });
  constexpr int attempts_max = 8;
  for (int attempt = 1;; ++attempt) {
    std::filesystem::path path = whole.string() + std::string{staging_suffix} + random_digits();
    if (kind == Staging::Kind::directory) {
      if (::mkdir(path.c_str(), private_directory_mode) != 0) throw_errno("mkdir", path);
    } else {
      Descriptor const made{::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, private_file_mode)};
      if (made.get() < 0) throw_errno("open", path);
    }
    Descriptor held = hold(path);
    // Another's sweep may have come between. A file system without such locks is used without, and nothing is swept.
    if (held.get() >= 0 || attempt == attempts_max) return {std::move(path), std::move(held)};
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
}

void write_new(std::filesystem::path const& path, std::string_view bytes) {
  Descriptor const file{::open(path.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC)};
  if (file.get() < 0) throw_errno("open", path);
  while (!bytes.empty()) {
    auto const written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_errno("write", path);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fsync(file.get()) != 0) throw_errno("fsync", path);
}

}  // namespace

std::string_view target_of_staging(std::string_view name) noexcept {
  constexpr auto end_chars = staging_suffix.size() + 2 * random_bytes;
  if (name.size() <= end_chars) return {};
  auto const end = name.substr(name.size() - end_chars);
  bool const is_it = end.starts_with(staging_suffix) && schema::is_lower_hex(end.substr(staging_suffix.size()));
  return is_it ? name.substr(0, name.size() - end_chars) : std::string_view{};
}

void remove_abandoned(std::filesystem::path const& folder, std::function<bool(std::string_view)> const& is_ours) {
  std::vector<std::filesystem::path> left;
  std::error_code unreadable;  // a directory that may be written and not listed is no failure of this work
  for (auto const& entry : std::filesystem::directory_iterator{folder, unreadable}) {
    auto const name = entry.path().filename().string();
    auto const target = target_of_staging(name);
    if (!target.empty() && is_ours(target)) left.push_back(entry.path());
  }
  for (auto const& path : left) {
    auto const held = hold(path);
    std::error_code ignored;
    if (held.get() >= 0) std::filesystem::remove_all(path, ignored);
  }
}

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

NoRoom why_no_room(std::filesystem::path const& file, std::uint64_t bytes) noexcept {
  rlimit limit = {};
  std::error_code unknown;
  auto const size = std::filesystem::file_size(file, unknown);
  bool const is_limited = ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && !unknown;
  return is_limited && size + bytes > limit.rlim_cur ? NoRoom::file_size : NoRoom::disk;
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
    if (::mkdir(step.c_str(), private_directory_mode) == 0) {
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

bool rename_to_free(std::filesystem::path const& from, std::filesystem::path const& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno == EEXIST) return false;
  if (errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP) throw_errno("renameat2", to);
  if (std::filesystem::exists(std::filesystem::symlink_status(to))) return false;
  std::filesystem::rename(from, to);
  return true;
}

Staging::Staging(std::filesystem::path const& target, Kind kind) {
  auto const whole = plain(target);
  make_directory(whole.parent_path());
  std::tie(path_, held_) = make_staged(whole, kind);
}

void replace_file(std::filesystem::path const& target, std::string_view bytes) {
  auto const whole = plain(target);
  auto const [path, held] = make_staged(whole, Staging::Kind::file);
  try {
    write_new(path, bytes);
    rename_durably(path, whole);
  } catch (...) {
    std::error_code ignored;  // else the next write of the file removes it
    std::filesystem::remove(path, ignored);
    throw;
  }
}

StagingDirectory::StagingDirectory(std::filesystem::path const& target)
    : target_{plain(target)}, staging_{target_, Staging::Kind::directory} {}

StagingDirectory::~StagingDirectory() {
  std::error_code ignored;  // after `become_target` there is nothing to remove; otherwise the next attempt removes it
  std::filesystem::remove_all(path(), ignored);
}

Result<void> StagingDirectory::become_target() {
  for (auto const& entry : std::filesystem::directory_iterator{path()}) sync_to_disk(entry.path());
  sync_to_disk(path());
  if (std::rename(path().c_str(), target_.c_str()) != 0) {  // replaces an empty directory, and only an empty one
    if (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR)
      return Error{Errc::conflict, target_.string() + " is not empty"};
    throw_errno("rename", target_);
  }
  sync_to_disk(target_.parent_path());
  return {};
}

}  // namespace whence::store
