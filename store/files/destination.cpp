// Staging under a temporary name, then one rename that also takes what was there away.

#include "store/files/destination.hpp"

#include "store/files/files.hpp"
#include "store/files/output_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace whence::store {
namespace {

namespace fs = std::filesystem;

/// Best effort for the flush itself: some file systems refuse to flush a folder.
void sync_folder(fs::path const& folder) {
  Descriptor const fd{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (fd.get() < 0) throw_errno("open", folder);
  ::fsync(fd.get());
}

/// Gives each of two names in one folder what the other leads to, in one step. False where the file system cannot.
bool exchange(fs::path const& one, fs::path const& other) {
  if (::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP) throw_errno("renameat2", other);
  return false;
}

fs::path parent_of(fs::path const& path) {
  auto const parent = path.parent_path();
  return parent.empty() ? fs::path(".") : parent;
}

bool is_component(std::string_view name) {
  constexpr std::string_view separators{"/\0", 2};
  return !name.empty() && name != "." && name != ".." && name.find_first_of(separators) == std::string_view::npos;
}

/// A file in `folder` that is not among `own`; empty where there is none.
std::string find_other_file(fs::path const& folder, std::vector<std::string> const& own) {
  for (auto const& entry : fs::directory_iterator{folder}) {
    auto const name = entry.path().filename().string();
    if (!entry.is_regular_file() || std::ranges::find(own, name) == own.end()) return name;
  }
  return {};
}

/// Whether `path`, which exists with this status, may be replaced by an output of this shape.
Result<void> check_replaceable(fs::path const& path, fs::file_status const& status, Destination::Shape shape,
                               Destination::Replacing const& replacing) {
  bool const wants_folder = shape == Destination::Shape::folder;
  if (!replacing.is_allowed) return Error{.code = Errc::conflict, .message = path.string() + " exists already"};
  if (fs::is_directory(status) != wants_folder) {
    return Error{.code = Errc::conflict, .message = path.string() + " is of another kind and is not replaced"};
  }
  if (!wants_folder || replacing.own_names.empty()) return {};
  auto const other = find_other_file(path, replacing.own_names);
  if (other.empty()) return {};
  return Error{.code = Errc::conflict,
               .message = path.string() + " holds " + other + ", which is no part of an export"};
}

void take_free_name(fs::path const& from, fs::path const& to) {
  if (rename_to_free(from, to)) return;
  throw std::system_error(std::make_error_code(std::errc::file_exists), to.string() + " was made by another meanwhile");
}

}  // namespace

Destination::Destination(fs::path path, Shape shape, Replacing replacing)
    : path_(std::move(path)),
      staging_(path_, shape == Shape::file ? Staging::Kind::file : Staging::Kind::directory),
      shape_(shape),
      replacing_(std::move(replacing)) {}

Destination::Destination(Destination&& other) noexcept
    : path_(std::move(other.path_)),
      staging_(std::move(other.staging_)),
      shape_(other.shape_),
      replacing_(std::move(other.replacing_)),
      is_pending_(std::exchange(other.is_pending_, false)) {}

Destination::~Destination() {
  if (is_pending_) remove_tree(staging_.path());
}

Result<Destination> Destination::create(fs::path path, Shape shape, Replacing const& replacing) {
  auto plain = path.lexically_normal();
  if (!plain.has_filename()) plain = plain.parent_path();
  std::error_code failed;
  auto const status = fs::symlink_status(plain, failed);
  if (fs::exists(status)) {
    if (auto const replaceable = check_replaceable(plain, status, shape, replacing); !replaceable) {
      return replaceable.error();
    }
  }
  if (!fs::is_directory(parent_of(plain), failed)) {
    return Error{.code = Errc::not_found, .message = parent_of(plain).string() + " is no folder"};
  }
  try {
    return Destination(std::move(plain), shape, replacing);
  } catch (std::system_error const& failure) {
    if (is_out_of_room(failure.code().value())) throw;
    return Error{.code = Errc::not_found, .message = failure.what()};
  }
}

std::unique_ptr<schema::Sink> Destination::open(std::string_view name) {
  if (shape_ == Shape::folder && !is_component(name)) {
    throw std::system_error(std::make_error_code(std::errc::invalid_argument),
                            "\"" + std::string(name) + "\" is no name of a file");
  }
  auto const path = shape_ == Shape::file ? staging_.path() : staging_.path() / name;
  Descriptor file{::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, private_file_mode)};
  if (file.get() < 0) throw_errno("open", path);
  auto shown = shape_ == Shape::file ? path_.filename().string() : std::string(name);
  return std::make_unique<OutputFile>(std::move(file), std::move(shown));
}

void Destination::commit() {
  if (shape_ == Shape::folder) sync_folder(staging_.path());
  // A rename cannot replace a folder that holds files, so the two exchange their names. Where the file system has no
  // such call the old one is moved aside first, and a power cut between the two renames leaves it there.
  auto const status = fs::symlink_status(path_);
  bool const has_old = fs::exists(status);
  if (has_old) {
    auto const replaceable = check_replaceable(path_, status, shape_, replacing_);
    if (!replaceable)
      throw std::system_error(std::make_error_code(std::errc::file_exists), replaceable.error().message);
  }
  fs::path old = staging_.path();
  if (!has_old) {
    take_free_name(staging_.path(), path_);
  } else if (shape_ == Shape::file) {
    fs::rename(staging_.path(), path_);
  } else if (!exchange(staging_.path(), path_)) {
    old = path_.string() + ".replaced-" + std::to_string(::getpid());
    take_free_name(path_, old);
    take_free_name(staging_.path(), path_);
  }
  is_pending_ = false;
  sync_folder(parent_of(path_));
  if (has_old && shape_ == Shape::folder) remove_tree(old);
}

void remove_tree(fs::path const& path) noexcept {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

}  // namespace whence::store
