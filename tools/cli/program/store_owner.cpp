// Gives files of a store to the owner of its directory.

#include "tools/cli/program/store_owner.hpp"

#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace whence::tools {
namespace {

namespace fs = std::filesystem;

struct stat status_of(int file) {
  struct stat found = {};
  if (::fstat(file, &found) != 0) found.st_uid = 0;
  return found;
}

/// By descriptor, and no links: who owns the directory must not get another file of root's by exchanging names.
void give(int directory, char const* name, struct stat const& owner) {
  int const file = ::openat(directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) return;
  auto const found = status_of(file);
  if (S_ISREG(found.st_mode) && found.st_uid == 0 && found.st_nlink == 1) {
    static_cast<void>(::fchownat(file, "", owner.st_uid, owner.st_gid, AT_EMPTY_PATH) == 0);
  }
  ::close(file);
}

void give_files(int directory, fs::path const& path) {
  auto const owner = status_of(directory);
  if (owner.st_uid == 0) return;
  std::error_code failed;
  for (fs::directory_iterator each{path, failed}, end; !failed && each != end; each.increment(failed)) {
    give(directory, each->path().filename().c_str(), owner);
  }
}

}  // namespace

StoreOwner::StoreOwner(fs::path directory) : directory_{std::move(directory)} {
  std::error_code failed;
  is_new_ = !fs::exists(fs::symlink_status(directory_, failed));
}

StoreOwner::~StoreOwner() {
  if (::geteuid() != 0) return;
  int const directory = ::open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return;
  struct stat around = {};
  if (is_new_ && ::fstatat(directory, "..", &around, 0) == 0 && around.st_uid != 0 &&
      status_of(directory).st_uid == 0) {
    static_cast<void>(::fchown(directory, around.st_uid, around.st_gid) == 0);
  }
  give_files(directory, directory_);
  ::close(directory);
}

}  // namespace whence::tools
