#pragma once
// One process per store: the file `whence.lock`, held by an open-file-description lock while the store is open.

#include "schema/base/error.hpp"
#include "store/files/files.hpp"

#include <filesystem>
#include <optional>

namespace whence::store {

/// The name of the file in the directory.
inline constexpr char const* lock_file_name = "whence.lock";

/// Holds a store's directory while it lives. The kernel lets go when the process dies, however it dies.
class DirectoryLock {
 public:
  /// Takes the lock and writes this process's id into the file. `conflict`, naming the holder, where it is taken, also
  /// within this process. Throws std::system_error where the file cannot be made.
  [[nodiscard]] static Result<DirectoryLock> acquire(std::filesystem::path const& directory);

 private:
  explicit DirectoryLock(Descriptor file) noexcept : file_{std::move(file)} {}
  Descriptor file_;
};

/// Who holds a store (for the message of a second opener).
struct StoreHolder {
  int pid = 0;
};

/// The process that holds the store in `directory`, if any.
[[nodiscard]] std::optional<StoreHolder> find_holder(std::filesystem::path const& directory);

}  // namespace whence::store
