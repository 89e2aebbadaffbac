// Open-file-description locks rather than flock or process locks: they can be asked about without being taken, and a
// second opener in the same process is refused too.

#include "store/lmdb/directory_lock.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <optional>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace whence::store {
namespace {

struct flock whole_file() noexcept {
  struct flock range = {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  return range;
}

/// The number in the file; 0 where it holds none (its holder has not written it yet).
int read_pid(int fd) {
  std::array<char, 16> text = {};
  ssize_t const size = ::pread(fd, text.data(), text.size(), 0);
  int pid = 0;
  if (size > 0) std::from_chars(text.data(), text.data() + size, pid);
  return pid;
}

/// Whether `path` still leads to the open file: a lock on one that is not found keeps no process out.
bool is_named(int fd, std::filesystem::path const& path) noexcept {
  struct stat opened = {};
  struct stat named = {};
  return ::fstat(fd, &opened) == 0 && ::stat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

}  // namespace

Result<DirectoryLock> DirectoryLock::acquire(std::filesystem::path const& directory) {
  std::filesystem::path const path = directory / lock_file_name;
  Descriptor file;
  do {
    file = Descriptor{::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, private_file_mode)};
    if (file.get() < 0) throw_errno("open", path);
    struct flock range = whole_file();
    if (::fcntl(file.get(), F_OFD_SETLK, &range) != 0) {
      if (errno != EAGAIN && errno != EACCES) throw_errno("fcntl", path);
      auto const pid = read_pid(file.get());
      auto const holder = pid == 0 ? std::string{"a process that is starting"} : "process " + std::to_string(pid);
      return Error{Errc::busy, "the store in " + directory.string() + " is in use by " + holder};
    }
  } while (!is_named(file.get(), path));  // its last holder removed it, or the directory has another one in its place
  std::string const pid = std::to_string(::getpid()) + "\n";
  if (::ftruncate(file.get(), 0) != 0) throw_errno("ftruncate", path);
  if (::pwrite(file.get(), pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size())) throw_errno("pwrite", path);
  return DirectoryLock{std::move(file)};
}

std::optional<StoreHolder> find_holder(std::filesystem::path const& directory) {
  Descriptor const file{::open((directory / lock_file_name).c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.get() < 0) return std::nullopt;
  struct flock range = whole_file();
  if (::fcntl(file.get(), F_OFD_GETLK, &range) != 0 || range.l_type == F_UNLCK) return std::nullopt;
  return StoreHolder{.pid = read_pid(file.get())};
}

}  // namespace whence::store
