#pragma once
// When a store was last backed up, as its own directory says: for whoever watches it.

#include "schema/base/ids.hpp"
#include "schema/base/time.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace whence::store {

struct LastBackup {
  schema::Time at;                    ///< when it was made
  schema::TxId tx = schema::TxId{0};  ///< the last transaction that it has
  std::string path = {};              ///< where it is, on the machine that made it
};

/// What the file `last-backup` in the store's directory says; nothing where there is none, or where it does not read.
[[nodiscard]] std::optional<LastBackup> find_last_backup(std::filesystem::path const& store);

/// Writes it, whole or not at all. Throws std::system_error.
void keep_last_backup(std::filesystem::path const& store, LastBackup const& last);

}  // namespace whence::store
