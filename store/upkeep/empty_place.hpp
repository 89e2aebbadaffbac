#pragma once
// Where a finished store is put: a folder that is missing, empty, or holds an empty store.

#include "schema/base/error.hpp"
#include "store/lmdb/directory_lock.hpp"

#include <filesystem>
#include <optional>
#include <utility>

namespace whence::store {

/// The secret by which a server signs checkpoints of the log: of the place, not of what is stored there.
inline constexpr char const* log_key_file_name = "log.key";

/// A folder that is there is held from the first look to the last rename, so that no program writes to what is
/// replaced. One that is missing is not made: one that another program makes meanwhile stays.
class EmptyPlace {
 public:
  /// Nothing where the store has transactions. Fails with `conflict` where a process holds it, and `not_found` where
  /// the folder holds something else. Throws std::system_error.
  [[nodiscard]] static Result<std::optional<EmptyPlace>> find(std::filesystem::path const& folder);
  EmptyPlace(EmptyPlace&& other) noexcept;
  EmptyPlace& operator=(EmptyPlace&&) = delete;
  ~EmptyPlace();

  /// Gives the files of the closed store in `made`, on the same file system, their names, durably. `conflict` where a
  /// folder that was missing is there. A key of the place stays. Throws std::system_error.
  [[nodiscard]] Result<void> take(std::filesystem::path const& made);

 private:
  explicit EmptyPlace(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::filesystem::path folder_;
  std::optional<DirectoryLock> lock_ = {};
  bool was_bare_ = false;
  bool is_done_ = false;  ///< nothing is to be undone
};

}  // namespace whence::store
