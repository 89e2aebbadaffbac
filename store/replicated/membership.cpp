#include "store/replicated/membership.hpp"

#include "store/files/destination.hpp"
#include "store/files/files.hpp"
#include "store/lmdb/directory_lock.hpp"

#include <fstream>
#include <iterator>

namespace whence::store {
namespace {

constexpr char const* file_name = "replicated-log";

}  // namespace

std::optional<std::string> find_membership(std::filesystem::path const& directory) {
  auto const path = directory / file_name;
  if (!std::filesystem::exists(path)) return std::nullopt;
  std::ifstream file(path);
  std::string name{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw_errno("read", path);
  return name;
}

void keep_membership(std::filesystem::path const& directory, std::string const& log) {
  if (find_membership(directory) == log) return;
  auto made = Destination::create(directory / file_name, Destination::Shape::file, {.is_allowed = true});
  if (!made) throw_errno("open", directory / file_name);
  {
    auto const file = made->open({});
    file->write(log);
    static_cast<void>(file->finish());
  }
  made->commit();
}

Result<bool> end_membership(std::filesystem::path const& directory) {
  if (!std::filesystem::exists(directory / file_name)) return false;
  auto const lock = DirectoryLock::acquire(directory);
  if (!lock) return lock.error();
  if (!std::filesystem::remove(directory / file_name)) return false;
  sync_to_disk(directory);
  return true;
}

}  // namespace whence::store
