#pragma once
// The journal: a file of groups beside the data file, each on disk after one flush. A group is acknowledged then; LMDB,
// which needs two flushes for a transaction, takes many groups in one.

#include "schema/base/error.hpp"
#include "store/files/files.hpp"
#include "store/lmdb/head.hpp"
#include "store/lmdb/pending.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

namespace whence::store {

inline constexpr char const* journal_file_name = "journal";

/// Its size. Groups begin again at its start once LMDB has those before.
inline constexpr std::size_t journal_bytes = std::size_t{1} << 20;  // a multiple of a page
/// A larger group goes to LMDB at once: what it puts is more work than a flush.
inline constexpr std::size_t journal_group_bytes_max = std::size_t{128} << 10;
/// How many groups wait for LMDB at most: readers look through all of them.
inline constexpr std::size_t journal_groups_max = 64;

/// The writer's side. The file is made by the first group: its blocks are written, so that a flush of a group has
/// nothing of the file system to write.
class Journal {
 public:
  /// Of the store in `directory`, of whose groups `waiting` are in the file: until LMDB has them there is no room.
  Journal(std::filesystem::path const& directory, std::size_t waiting);

  /// Whether a group of so many bytes can be added.
  [[nodiscard]] bool has_room(std::size_t bytes) const noexcept;

  /// Writes a group that follows `before`; it is on disk when this returns. False where the disk has no room for the
  /// file: then nothing is written. Throws std::system_error; whether the group is there is not known then.
  [[nodiscard]] bool append(Head const& before, PutList const& group);

  /// LMDB has all groups, on disk.
  void restart() noexcept;

  /// The same, and no byte of them is to stay. Throws std::system_error.
  void remove();

 private:
  [[nodiscard]] bool make_file();

  std::filesystem::path directory_;
  Descriptor file_;
  std::size_t end_ = 0;
  std::size_t count_ = 0;
};

/// The groups in the journal of `directory` that follow `head`, of a store of its epoch, up to the first whose hash
/// does not hold: it was being written when the power went. None where there is no journal. `corrupt` where groups come
/// after what is found, which were acknowledged: the store or the journal lacks what was before them. Throws
/// std::system_error.
[[nodiscard]] Result<std::vector<std::shared_ptr<PutList const>>> read_journal(std::filesystem::path const& directory,
                                                                               Head const& head);

/// The head that a group puts; nothing where it puts none.
[[nodiscard]] std::optional<Head> head_of(PutList const& group);

}  // namespace whence::store
