// System calls relative to a directory, their errno as `Error`.

#include "store/files/folder.hpp"

#include "store/files/files.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <system_error>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace whence::store {
namespace {

constexpr int directory_flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

Errc code_of(int failure) noexcept {
  if (is_out_of_room(failure)) return Errc::storage_full;
  switch (failure) {
    case ELOOP:
    case ENOTDIR:
    case EISDIR:
    case EEXIST:
    case ENOTEMPTY:
      return Errc::conflict;
    case ENAMETOOLONG:
      return Errc::limit_exceeded;
    default:
      return Errc::internal_error;
  }
}

Error error_for(int failure, char const* call, std::filesystem::path const& path) {
  std::string message = std::string{call} + " " + path.string() + ": " + std::generic_category().message(failure);
  if (failure != ENAMETOOLONG) return Error{code_of(failure), std::move(message)};
  return error_from(Violation{.code = Errc::limit_exceeded, .rule = "file_name", .message = std::move(message)});
}

Error limit_error(std::filesystem::path const& path, std::size_t bytes_max) {
  return error_from(Violation{.code = Errc::limit_exceeded,
                              .rule = "file_size",
                              .message = path.string() + " has more than " + std::to_string(bytes_max) + " bytes"});
}

FileKind kind_of(mode_t mode) noexcept {
  if (S_ISREG(mode)) return FileKind::file;
  return S_ISDIR(mode) ? FileKind::directory : FileKind::other;
}

/// `make_directory`, with its failure as an error.
Result<void> make_directories_durably(std::filesystem::path const& path) {
  try {
    make_directory(path);
    return {};
  } catch (std::system_error const& failed) {
    return error_for(failed.code().value(), "mkdir", path);
  }
}

/// Writes all of it; 0 or errno.
int write_all(int fd, std::string_view text) noexcept {
  while (!text.empty()) {
    ssize_t const written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

/// Appends up to `bytes_max` + 1 bytes; 0 or errno.
int read_all(int fd, std::size_t bytes_max, std::string& into) {
  auto const buffer = std::make_unique<std::array<char, 65536>>();
  while (into.size() <= bytes_max) {
    ssize_t const size = ::read(fd, buffer->data(), std::min(buffer->size(), bytes_max + 1 - into.size()));
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return errno;
    if (size == 0) return 0;
    into.append(buffer->data(), static_cast<std::size_t>(size));
  }
  return 0;
}

struct CloseDirectory {
  void operator()(DIR* directory) const noexcept { ::closedir(directory); }
};

}  // namespace

Error Folder::failure(char const* call, std::string const& name) const {
  return error_for(errno, call, path_ / name);
}

Result<Folder> Folder::open(std::filesystem::path const& path) {
  Descriptor fd{::open(path.c_str(), directory_flags)};
  if (fd.get() < 0 && errno == ENOENT) {
    if (Result<void> const made = make_directories_durably(path.lexically_normal()); !made) return made.error();
    fd = Descriptor{::open(path.c_str(), directory_flags)};
  }
  if (fd.get() < 0) return error_for(errno, "open", path);
  return Folder{std::move(fd), path};
}

Result<void> Folder::lock() const {
  if (::flock(fd_.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return {};
  return Error{Errc::conflict, path_.string() + " is in use by another process"};
}

bool Folder::is_in_place() const noexcept {
  struct stat held = {};
  struct stat there = {};
  return fd_.get() >= 0 && ::fstat(fd_.get(), &held) == 0 && ::stat(path_.c_str(), &there) == 0 &&
         held.st_dev == there.st_dev && held.st_ino == there.st_ino;
}

Result<std::optional<Folder>> Folder::find_child(std::string const& name) const {
  Descriptor fd{::openat(fd_.get(), name.c_str(), directory_flags | O_NOFOLLOW)};
  if (fd.get() >= 0) return std::optional{Folder{std::move(fd), path_ / name}};
  if (errno == ENOENT) return std::optional<Folder>{};
  if (errno != ENOTDIR && errno != ELOOP) return failure("openat", name);
  return Error{Errc::conflict, (path_ / name).string() + " is no folder: links are not followed"};
}

Result<Folder> Folder::make_child(std::string const& name) const {
  if (::mkdirat(fd_.get(), name.c_str(), private_directory_mode) != 0 && errno != EEXIST)
    return failure("mkdirat", name);
  // Also where it was there: its maker may have died before this.
  if (Result<void> const flushed = flush(); !flushed) return flushed.error();
  Result<std::optional<Folder>> child = find_child(name);
  if (!child) return child.error();
  if (!*child) return Error{Errc::conflict, (path_ / name).string() + " was removed while it was written to"};
  return std::move(**child);
}

Result<std::vector<std::string>> Folder::names(std::function<bool(std::string_view)> const& is_wanted) const {
  int const fd = ::openat(fd_.get(), ".", directory_flags);  // its own place in the listing
  if (fd < 0) return failure("openat", ".");
  std::unique_ptr<DIR, CloseDirectory> const directory{::fdopendir(fd)};
  if (directory == nullptr) {
    Error error = failure("fdopendir", ".");
    ::close(fd);
    return error;
  }
  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    dirent const* const entry = ::readdir(directory.get());  // NOLINT(concurrency-mt-unsafe): the stream is ours alone
    if (entry == nullptr && errno != 0) return failure("readdir", ".");
    if (entry == nullptr) break;
    if (is_wanted(entry->d_name)) names.emplace_back(entry->d_name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<FileStatus> Folder::status(std::string const& name) const {
  struct stat found = {};
  if (::fstatat(fd_.get(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0)
    return FileStatus{
        .kind = kind_of(found.st_mode),
        .bytes = static_cast<std::uint64_t>(found.st_size),
        .modified = {.seconds = found.st_mtim.tv_sec, .nanos = static_cast<std::uint32_t>(found.st_mtim.tv_nsec)}};
  if (errno == ENOENT) return FileStatus{};
  return failure("fstatat", name);
}

Result<std::optional<std::string>> Folder::read(std::string const& name, std::size_t bytes_max) const {
  Result<FileStatus> const found = status(name);  // asked before opening, which a FIFO or a device would notice
  if (!found) return found.error();
  if (found->kind == FileKind::nothing) return std::optional<std::string>{};
  if (found->kind != FileKind::file)
    return Error{Errc::conflict, (path_ / name).string() + " is no regular file and is not read"};
  if (found->bytes > bytes_max) return limit_error(path_ / name, bytes_max);
  // O_NONBLOCK: should it have become a FIFO since, its other end is not waited for.
  Descriptor const file{::openat(fd_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)};
  if (file.get() < 0) return failure("openat", name);
  std::string text;
  errno = read_all(file.get(), bytes_max, text);
  if (errno != 0) return failure("read", name);
  if (text.size() > bytes_max) return limit_error(path_ / name, bytes_max);
  return std::optional{std::move(text)};
}

Result<void> Folder::create(std::string const& name, std::string_view text) const {
  Descriptor const file{
      ::openat(fd_.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, private_file_mode)};
  if (file.get() < 0) return failure("openat", name);
  errno = write_all(file.get(), text);
  if (errno != 0) return failure("write", name);
  if (::fsync(file.get()) != 0) return failure("fsync", name);
  return {};
}

Result<void> Folder::flush_file(std::string const& name) const {
  Descriptor const file{::openat(fd_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
  if (file.get() < 0) return failure("openat", name);
  if (::fsync(file.get()) != 0) return failure("fsync", name);
  return {};
}

Result<void> Folder::duplicate(std::string const& from, std::string const& to, std::size_t bytes_max) const {
  if (::linkat(fd_.get(), from.c_str(), fd_.get(), to.c_str(), 0) == 0) return {};
  if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS && errno != EMLINK) return failure("linkat", from);
  Result<std::optional<std::string>> const text = read(from, bytes_max);
  if (!text) return text.error();
  if (!*text) return Error{Errc::conflict, (path_ / from).string() + " was removed while it was written to"};
  return create(to, **text);
}

Result<void> Folder::rename(std::string const& from, std::string const& to) const {
  if (::renameat(fd_.get(), from.c_str(), fd_.get(), to.c_str()) != 0) return failure("renameat", to);
  return {};
}

Result<void> Folder::remove(std::string const& name) const {
  if (::unlinkat(fd_.get(), name.c_str(), 0) != 0 && errno != ENOENT) return failure("unlinkat", name);
  return {};
}

Result<void> Folder::flush() const {
  if (::fsync(fd_.get()) != 0) return failure("fsync", ".");
  return {};
}

}  // namespace whence::store
