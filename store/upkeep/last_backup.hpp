#pragma once
// When and where a store was backed up, as its own directory says: for who watches it or erases something.

#include "schema/base/ids.hpp"
#include "schema/base/time.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace whence::store {

struct LastBackup {
  schema::Time at;                         ///< when it was made
  schema::TxId tx = schema::TxId{0};       ///< the last transaction that it has
  std::string path = {};                   ///< where it is, on the machine that made it
  std::vector<schema::TxId> earlier = {};  ///< of places: `tx` of those noted there before, which may be parts of a set
};

/// What the file `last-backup` in the store's directory says; nothing where there is none, or where it does not read.
[[nodiscard]] std::optional<LastBackup> find_last_backup(std::filesystem::path const& store);

/// The places that the store was backed up to, each with the last backup that was made there, in the order of these: at
/// most `places_max`, the newest. They may be gone by now. What an older program noted is the last one alone. Throws
/// std::system_error.
[[nodiscard]] std::vector<LastBackup> find_backups(std::filesystem::path const& store);
inline constexpr std::size_t places_max = 1'000;

/// Whether the list of places ends within a line, as after a power cut: the place of that line is not known. The next
/// backup that is noted cuts it off. Throws std::system_error.
[[nodiscard]] bool is_list_torn(std::filesystem::path const& store);

/// Writes it, whole or not at all, and adds it to the places; where there is no room, these are as before. Throws
/// std::system_error.
void keep_last_backup(std::filesystem::path const& store, LastBackup const& last);

}  // namespace whence::store
