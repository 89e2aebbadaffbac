// The recorder, and those of the library's functions that only it replaces.

#include "tests/store/power/tree_changes.hpp"

#include <cstdarg>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <utility>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

namespace whence::test {
namespace {

namespace fs = std::filesystem;

struct Recorder {
  std::map<std::pair<dev_t, ino_t>, NodeNumber> numbers = {};
  std::map<NodeNumber, TreeNode> nodes = {};
  std::vector<TreeChange> noted = {};

  NodeNumber add(struct stat const& status) {
    NodeNumber const number = nodes.size() + root_node;
    nodes[number].is_folder = S_ISDIR(status.st_mode);
    numbers[{status.st_dev, status.st_ino}] = number;
    return number;
  }

  [[nodiscard]] NodeNumber find(struct stat const& status) const {
    auto const found = numbers.find({status.st_dev, status.st_ino});
    return found == numbers.end() ? 0 : found->second;
  }

  [[nodiscard]] NodeNumber find(fs::path const& path) const {
    struct stat status = {};
    return ::stat(path.c_str(), &status) == 0 ? find(status) : 0;
  }

  [[nodiscard]] NodeNumber find(int fd) const {
    struct stat status = {};
    return ::fstat(fd, &status) == 0 ? find(status) : 0;
  }

  /// Numbers everything that is in the folder `path` already.
  NodeNumber scan(fs::path const& path) {
    struct stat status = {};
    if (::lstat(path.c_str(), &status) != 0) return 0;
    NodeNumber const number = add(status);
    if (S_ISREG(status.st_mode)) {
      std::ifstream in{path, std::ios::binary};
      nodes[number].bytes.assign(std::istreambuf_iterator<char>{in}, {});
    }
    if (S_ISDIR(status.st_mode)) {
      for (auto const& entry : fs::directory_iterator{path}) {
        NodeNumber const member = scan(entry.path());
        nodes[number].names[entry.path().filename().string()] = member;
      }
    }
    return number;
  }
};

std::mutex mutex;
std::unique_ptr<Recorder> recorder;  ///< guarded by `mutex`

fs::path whole_path(int at, char const* path) {
  fs::path const given{path};
  if (at == AT_FDCWD || given.is_absolute()) return fs::absolute(given).lexically_normal();
  return fs::path{"/proc/self/fd/" + std::to_string(at)} / given;
}

/// The name that `path` is, leading to `node`; its folder is 0 where that is not below the root.
TreeChange::Name name_of(fs::path const& path, NodeNumber node) {
  return {.folder = recorder->find(path.parent_path()), .name = path.filename().string(), .node = node};
}

void note_names(std::vector<TreeChange::Name> names) {
  std::erase_if(names, [](TreeChange::Name const& name) { return name.folder == 0; });
  if (!names.empty()) recorder->noted.push_back({.kind = TreeChange::Kind::names, .names = std::move(names)});
}

void note_made(fs::path const& path) {
  struct stat status = {};
  if (recorder->find(path.parent_path()) == 0 || ::stat(path.c_str(), &status) != 0) return;
  note_names({name_of(path, recorder->add(status))});
}

/// A file that a child made, as it is now: nothing of it was flushed here.
void note_found(fs::path const& path) {
  note_made(path);
  NodeNumber const number = recorder->find(path);
  if (number == 0) return;
  std::ifstream in{path, std::ios::binary};
  recorder->noted.push_back({.kind = TreeChange::Kind::write,
                             .node = number,
                             .bytes = {std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{}}});
}

template <class Function>
Function* real_call(char const* name) noexcept {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

TreeChanges::TreeChanges(fs::path const& root) {
  auto made = std::make_unique<Recorder>();
  made->scan(root);
  std::scoped_lock const lock{mutex};
  recorder = std::move(made);
}

TreeChanges::~TreeChanges() {
  std::scoped_lock const lock{mutex};
  recorder.reset();
}

std::map<NodeNumber, TreeNode> TreeChanges::nodes() const {
  std::scoped_lock const lock{mutex};
  return recorder->nodes;
}

std::vector<TreeChange> TreeChanges::noted() const {
  std::scoped_lock const lock{mutex};
  return recorder->noted;
}

namespace noting {

bool is_on() noexcept {
  std::scoped_lock const lock{mutex};
  return recorder != nullptr;
}

bool is_there(int at, char const* path) noexcept {
  struct stat status = {};
  return is_on() && ::lstat(whole_path(at, path).c_str(), &status) == 0;
}

void opened(int at, char const* path, int flags, bool was_there) {
  std::scoped_lock const lock{mutex};
  if (!recorder) return;
  fs::path const whole = whole_path(at, path);
  if (!was_there) return note_made(whole);
  if (recorder->find(whole) == 0) return note_found(whole);
  NodeNumber const number = (flags & O_TRUNC) != 0 ? recorder->find(whole) : 0;
  if (number != 0) recorder->noted.push_back({.kind = TreeChange::Kind::resize, .node = number});
}

void made_folder(int at, char const* path) {
  std::scoped_lock const lock{mutex};
  if (recorder) note_made(whole_path(at, path));
}

void linked(int at, char const* path) {
  std::scoped_lock const lock{mutex};
  if (!recorder) return;
  fs::path const whole = whole_path(at, path);
  note_names({name_of(whole, recorder->find(whole))});
}

void renamed(int from_at, char const* from, int to_at, char const* to) {
  std::scoped_lock const lock{mutex};
  if (!recorder) return;
  fs::path const target = whole_path(to_at, to);
  note_names({name_of(whole_path(from_at, from), 0), name_of(target, recorder->find(target))});
}

void exchanged(char const* one, char const* other) {
  std::scoped_lock const lock{mutex};
  if (!recorder) return;
  fs::path const first = whole_path(AT_FDCWD, one);
  fs::path const second = whole_path(AT_FDCWD, other);
  note_names({name_of(first, recorder->find(first)), name_of(second, recorder->find(second))});
}

void removed(int at, char const* path) {
  std::scoped_lock const lock{mutex};
  if (recorder) note_names({name_of(whole_path(at, path), 0)});
}

off_t position(int fd) noexcept {
  if (!is_on()) return 0;
  bool const appends = (::fcntl(fd, F_GETFL) & O_APPEND) != 0;
  struct stat status = {};
  if (appends && ::fstat(fd, &status) == 0) return status.st_size;
  return ::lseek(fd, 0, SEEK_CUR);
}

void written(int fd, off_t offset, void const* from, ssize_t bytes) {
  std::scoped_lock const lock{mutex};
  NodeNumber const number = recorder && bytes > 0 ? recorder->find(fd) : 0;
  if (number == 0) return;
  recorder->noted.push_back({.kind = TreeChange::Kind::write,
                             .node = number,
                             .offset = static_cast<std::uint64_t>(offset),
                             .bytes = {static_cast<char const*>(from), static_cast<std::size_t>(bytes)},
                             .is_flushed = (::fcntl(fd, F_GETFL) & O_DSYNC) != 0});
}

void copied(int fd, off_t offset, ssize_t bytes) {
  if (!is_on() || bytes <= 0) return;
  auto const path = "/proc/self/fd/" + std::to_string(fd);  // it was perhaps opened for writing only
  std::ifstream in{path, std::ios::binary};
  std::string text(static_cast<std::size_t>(bytes), '\0');
  in.seekg(offset);
  in.read(text.data(), bytes);
  written(fd, offset, text.data(), bytes);
}

void resized(int fd, off_t size) {
  std::scoped_lock const lock{mutex};
  NodeNumber const number = recorder ? recorder->find(fd) : 0;
  if (number == 0) return;
  recorder->noted.push_back(
      {.kind = TreeChange::Kind::resize, .node = number, .offset = static_cast<std::uint64_t>(size)});
}

void flushed(int fd) {
  std::scoped_lock const lock{mutex};
  NodeNumber const number = recorder ? recorder->find(fd) : 0;
  if (number != 0) recorder->noted.push_back({.kind = TreeChange::Kind::flush, .node = number});
}

}  // namespace noting
}  // namespace whence::test

namespace noting = whence::test::noting;
using whence::test::real_call;

extern "C" int open(char const* path, int flags, ...) {
  static auto* const real = real_call<int(char const*, int, ...)>("open");
  mode_t mode = 0;
  if ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE) {
    va_list rest;
    va_start(rest, flags);
    mode = va_arg(rest, mode_t);
    va_end(rest);
  }
  bool const was_there = noting::is_there(AT_FDCWD, path);
  int const fd = real(path, flags, mode);
  bool const may_change = (flags & (O_CREAT | O_TRUNC)) != 0;
  if (fd >= 0 && may_change) noting::opened(AT_FDCWD, path, flags, was_there);
  return fd;
}

extern "C" int mkdir(char const* path, mode_t mode) noexcept {
  static auto* const real = real_call<int(char const*, mode_t)>("mkdir");
  int const done = real(path, mode);
  if (done == 0) noting::made_folder(AT_FDCWD, path);
  return done;
}

extern "C" int rename(char const* from, char const* to) noexcept {
  static auto* const real = real_call<int(char const*, char const*)>("rename");
  int const done = real(from, to);
  if (done == 0) noting::renamed(AT_FDCWD, from, AT_FDCWD, to);
  return done;
}

/// Only ever called here to exchange two names that are given whole.
extern "C" int renameat2(int from_at, char const* from, int to_at, char const* to, unsigned flags) noexcept {
  static auto* const real = real_call<int(int, char const*, int, char const*, unsigned)>("renameat2");
  int const done = real(from_at, from, to_at, to, flags);
  if (done == 0) noting::exchanged(from, to);
  return done;
}

extern "C" int unlink(char const* path) noexcept {
  static auto* const real = real_call<int(char const*)>("unlink");
  int const done = real(path);
  if (done == 0) noting::removed(AT_FDCWD, path);
  return done;
}

extern "C" int remove(char const* path) noexcept {
  static auto* const real = real_call<int(char const*)>("remove");
  int const done = real(path);
  if (done == 0) noting::removed(AT_FDCWD, path);
  return done;
}

extern "C" ssize_t writev(int fd, iovec const* parts, int count) {
  static auto* const real = real_call<ssize_t(int, iovec const*, int)>("writev");
  off_t offset = noting::position(fd);
  ssize_t const done = real(fd, parts, count);
  for (int i = 0; i < count && done > 0; ++i) {  // each part may reach the disk by itself
    noting::written(fd, offset, parts[i].iov_base, static_cast<ssize_t>(parts[i].iov_len));
    offset += static_cast<off_t>(parts[i].iov_len);
  }
  return done;
}

/// With which the standard library copies files.
extern "C" ssize_t sendfile(int out, int in, off_t* offset, std::size_t size) noexcept {
  static auto* const real = real_call<ssize_t(int, int, off_t*, std::size_t)>("sendfile");
  off_t const begin = noting::position(out);
  ssize_t const done = real(out, in, offset, size);
  noting::copied(out, begin, done);
  return done;
}

extern "C" int ftruncate(int fd, off_t size) noexcept {
  static auto* const real = real_call<int(int, off_t)>("ftruncate");
  int const done = real(fd, size);
  if (done == 0) noting::resized(fd, size);
  return done;
}
