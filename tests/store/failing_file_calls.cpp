// The functions that replace the C library's.

#include "tests/store/failing_file_calls.hpp"

#include "tests/store/power/tree_changes.hpp"

#include <cerrno>
#include <cstdarg>
#include <filesystem>
#include <system_error>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace whence::test {
namespace {

struct Plan {
  bool is_armed = false;
  FileFault fault = FileFault::none;
  std::size_t number = 0;
  int code = 0;
  std::size_t also = 0;  ///< none where not after `number`
  std::vector<std::string> noted;
};

thread_local Plan plan;

bool is_struck() noexcept {
  return plan.fault != FileFault::none && plan.noted.size() > plan.number;
}

/// Whether the call at hand, which is noted last, is to fail.
bool fails_now() noexcept {
  if (!is_struck()) return false;
  std::size_t const number = plan.noted.size() - 1;
  return plan.fault == FileFault::fails_from_then_on || number == plan.number || number == plan.also;
}

std::string name_of(int fd) {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), ignored).filename().string();
}

/// Notes the call. False where it is to fail, with errno set; does not return where it is to end the process.
bool passes(char const* call, std::string const& name) {
  if (!plan.is_armed) return true;
  plan.noted.push_back(std::string{call} + " " + name);
  if (!fails_now()) return true;
  if (plan.fault == FileFault::ends_the_process) ::_exit(exit_by_fault);
  errno = plan.code;
  return false;
}

template <class Function>
Function* library_function(char const* name) noexcept {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

FileCalls::FileCalls(FileFault fault, std::size_t number, int code, std::size_t also) {
  plan = {.is_armed = true, .fault = fault, .number = number, .code = code, .also = also, .noted = {}};
}

FileCalls::~FileCalls() {
  plan = {};
}

bool FileCalls::has_struck() const noexcept {
  return is_struck();
}

std::vector<std::string> const& FileCalls::noted() const noexcept {
  return plan.noted;
}

}  // namespace whence::test

namespace noting = whence::test::noting;
using whence::test::library_function;
using whence::test::name_of;
using whence::test::passes;
using whence::test::plan;

extern "C" int openat(int at, char const* path, int flags, ...) {
  static auto* const real = library_function<int(int, char const*, int, ...)>("openat");
  mode_t mode = 0;
  if ((flags & O_CREAT) != 0) {
    va_list rest;
    va_start(rest, flags);
    mode = va_arg(rest, mode_t);
    va_end(rest);
  }
  if (!passes("openat", path)) return -1;
  bool const was_there = noting::is_there(at, path);
  int const fd = real(at, path, flags, mode);
  bool const may_change = (flags & (O_CREAT | O_TRUNC)) != 0;
  if (fd >= 0 && may_change) noting::opened(at, path, flags, was_there);
  return fd;
}

extern "C" int mkdirat(int at, char const* path, mode_t mode) noexcept {
  static auto* const real = library_function<int(int, char const*, mode_t)>("mkdirat");
  int const done = passes("mkdirat", path) ? real(at, path, mode) : -1;
  if (done == 0) noting::made_folder(at, path);
  return done;
}

extern "C" int fstatat(int at, char const* path, struct stat* into, int flags) noexcept {
  static auto* const real = library_function<int(int, char const*, struct stat*, int)>("fstatat");
  return passes("fstatat", path) ? real(at, path, into, flags) : -1;
}

extern "C" ssize_t read(int fd, void* into, std::size_t size) {
  static auto* const real = library_function<ssize_t(int, void*, std::size_t)>("read");
  if (!plan.is_armed) return real(fd, into, size);
  return passes("read", name_of(fd)) ? real(fd, into, size) : -1;
}

extern "C" ssize_t write(int fd, void const* from, std::size_t size) {
  static auto* const real = library_function<ssize_t(int, void const*, std::size_t)>("write");
  if (!plan.is_armed) {
    off_t const offset = noting::position(fd);
    ssize_t const done = real(fd, from, size);
    noting::written(fd, offset, from, done);
    return done;
  }
  if (plan.fault != whence::test::FileFault::none && plan.noted.size() == plan.number) (void)!real(fd, from, size / 2);
  return passes("write", name_of(fd)) ? real(fd, from, size) : -1;
}

extern "C" int fsync(int fd) {
  static auto* const real = library_function<int(int)>("fsync");
  if (plan.is_armed && !passes("fsync", name_of(fd))) return -1;
  int const done = real(fd);
  if (done == 0) noting::flushed(fd);
  return done;
}

extern "C" ssize_t pwrite(int fd, void const* from, std::size_t size, off_t offset) {
  static auto* const real = library_function<ssize_t(int, void const*, std::size_t, off_t)>("pwrite");
  bool const is_half = plan.is_armed && plan.fault != whence::test::FileFault::none && plan.noted.size() == plan.number;
  if (is_half) (void)!real(fd, from, size / 2, offset);
  if (plan.is_armed && !passes("pwrite", name_of(fd))) return -1;
  ssize_t const done = real(fd, from, size, offset);
  noting::written(fd, offset, from, done);
  return done;
}

extern "C" int fdatasync(int fd) {
  static auto* const real = library_function<int(int)>("fdatasync");
  if (plan.is_armed && !passes("fdatasync", name_of(fd))) return -1;
  int const done = real(fd);
  if (done == 0) noting::flushed(fd);
  return done;
}

extern "C" int linkat(int from_at, char const* from, int to_at, char const* to, int flags) noexcept {
  static auto* const real = library_function<int(int, char const*, int, char const*, int)>("linkat");
  int const done = passes("linkat", to) ? real(from_at, from, to_at, to, flags) : -1;
  if (done == 0) noting::linked(to_at, to);
  return done;
}

extern "C" int renameat(int from_at, char const* from, int to_at, char const* to) noexcept {
  static auto* const real = library_function<int(int, char const*, int, char const*)>("renameat");
  int const done = passes("renameat", to) ? real(from_at, from, to_at, to) : -1;
  if (done == 0) noting::renamed(from_at, from, to_at, to);
  return done;
}

extern "C" int unlinkat(int at, char const* path, int flags) noexcept {
  static auto* const real = library_function<int(int, char const*, int)>("unlinkat");
  int const done = passes("unlinkat", path) ? real(at, path, flags) : -1;
  if (done == 0) noting::removed(at, path);
  return done;
}
