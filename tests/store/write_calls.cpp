// The functions that replace the C library's.

#include "tests/store/write_calls.hpp"

#include <cstdarg>
#include <cstdio>
#include <system_error>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

namespace whence::test {
namespace {

struct Noting {
  bool is_on = false;
  dev_t device = 0;
  ino_t inode = 0;
  std::vector<FileChange> noted;
};

thread_local Noting noting;

bool is_noted(int fd) {
  struct stat status = {};
  return noting.is_on && ::fstat(fd, &status) == 0 && status.st_dev == noting.device && status.st_ino == noting.inode;
}

void note_write(int fd, off_t offset, std::string bytes) {
  noting.noted.push_back({.kind = FileChange::Kind::write,
                          .offset = static_cast<std::uint64_t>(offset),
                          .bytes = std::move(bytes),
                          .is_flushed = (::fcntl(fd, F_GETFL) & O_DSYNC) != 0});
}

struct NotingNames {
  bool is_on = false;
  std::vector<NameChange> noted;
};

thread_local NotingNames names;

template <class Function>
Function* real_function(char const* name) noexcept {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

FileChanges::FileChanges(std::filesystem::path const& file) {
  struct stat status = {};
  noting = {};
  noting.is_on = ::stat(file.c_str(), &status) == 0;
  noting.device = status.st_dev;
  noting.inode = status.st_ino;
}

FileChanges::~FileChanges() {
  noting = {};
}

std::vector<FileChange> const& FileChanges::noted() const noexcept {
  return noting.noted;
}

NameChanges::NameChanges() {
  names = {.is_on = true, .noted = {}};
}

NameChanges::~NameChanges() {
  names = {};
}

std::vector<NameChange> const& NameChanges::noted() const noexcept {
  return names.noted;
}

void note_flush_of_names(int fd) {
  if (!names.is_on) return;
  std::error_code ignored;
  auto const path = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), ignored);
  names.noted.push_back({.kind = NameChange::Kind::flush, .path = path.string()});
}

}  // namespace whence::test

using whence::test::NameChange;
using whence::test::names;

extern "C" int open(char const* path, int flags, ...) {
  static auto* const real = whence::test::real_function<int(char const*, int, ...)>("open");
  mode_t mode = 0;
  if ((flags & O_CREAT) != 0) {
    va_list rest;
    va_start(rest, flags);
    mode = va_arg(rest, mode_t);
    va_end(rest);
  }
  int const fd = real(path, flags, mode);
  if (names.is_on && fd >= 0 && (flags & O_CREAT) != 0)
    names.noted.push_back({.kind = NameChange::Kind::make, .path = path});
  return fd;
}

extern "C" int mkdir(char const* path, mode_t mode) noexcept {
  static auto* const real = whence::test::real_function<int(char const*, mode_t)>("mkdir");
  int const done = real(path, mode);
  if (names.is_on && done == 0) names.noted.push_back({.kind = NameChange::Kind::make, .path = path});
  return done;
}

extern "C" int rename(char const* from, char const* to) noexcept {
  static auto* const real = whence::test::real_function<int(char const*, char const*)>("rename");
  int const done = real(from, to);
  if (names.is_on && done == 0) names.noted.push_back({.kind = NameChange::Kind::rename, .path = from, .to = to});
  return done;
}

extern "C" ssize_t pwrite(int fd, void const* from, std::size_t size, off_t offset) {
  static auto* const real = whence::test::real_function<ssize_t(int, void const*, std::size_t, off_t)>("pwrite");
  if (whence::test::is_noted(fd))
    whence::test::note_write(fd, offset, std::string{static_cast<char const*>(from), size});
  return real(fd, from, size, offset);
}

extern "C" ssize_t writev(int fd, iovec const* parts, int count) {
  static auto* const real = whence::test::real_function<ssize_t(int, iovec const*, int)>("writev");
  if (whence::test::is_noted(fd)) {
    off_t offset = ::lseek(fd, 0, SEEK_CUR);
    for (int i = 0; i < count; ++i) {  // each page may reach the disk by itself
      whence::test::note_write(fd, offset, std::string{static_cast<char const*>(parts[i].iov_base), parts[i].iov_len});
      offset += static_cast<off_t>(parts[i].iov_len);
    }
  }
  return real(fd, parts, count);
}

extern "C" int ftruncate(int fd, off_t size) noexcept {
  static auto* const real = whence::test::real_function<int(int, off_t)>("ftruncate");
  if (whence::test::is_noted(fd)) {
    whence::test::noting.noted.push_back(
        {.kind = whence::test::FileChange::Kind::resize, .offset = static_cast<std::uint64_t>(size)});
  }
  return real(fd, size);
}

extern "C" int fdatasync(int fd) {
  static auto* const real = whence::test::real_function<int(int)>("fdatasync");
  if (whence::test::is_noted(fd)) whence::test::noting.noted.push_back({.kind = whence::test::FileChange::Kind::flush});
  return real(fd);
}
