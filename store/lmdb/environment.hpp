#pragma once
// LMDB behind values with owners: environment, transactions, tables, cursors. Only this header and its source call
// LMDB's functions for reading and writing; their errors are classified here as damage, lack of room or a broken
// environment.

#include "schema/base/error.hpp"
#include "store/files/files.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>

#include <lmdb.h>

namespace whence::store {

inline constexpr char const* data_file_name = "data.mdb";
inline constexpr char const* readers_file_name = "lock.mdb";

/// The named databases of a store. README.md has what each holds.
enum class Table : std::uint8_t { meta, log, graph, records, keys, blobs, blob_numbers };

struct TableInfo {
  Table table;
  char const* name;
  unsigned flags;  ///< LMDB's, persistent
};

inline constexpr std::array<TableInfo, 7> tables = {{{Table::meta, "meta", MDB_INTEGERKEY},
                                                     {Table::log, "log", MDB_INTEGERKEY},
                                                     {Table::graph, "graph", MDB_INTEGERKEY},
                                                     {Table::records, "records", MDB_INTEGERKEY},
                                                     {Table::keys, "keys", 0},
                                                     {Table::blobs, "blobs", MDB_INTEGERKEY},
                                                     {Table::blob_numbers, "blob_numbers", 0}}};

/// The name of a table for messages.
[[nodiscard]] char const* name_of(Table table) noexcept;

/// LMDB's own error codes; the system's are passed on in the system category.
std::error_category const& lmdb_category() noexcept;

/// A failed LMDB call as an exception that keeps the call's name.
[[noreturn]] void throw_lmdb(int code, char const* call);
inline void require(int code, char const* call) {
  if (code != MDB_SUCCESS) throw_lmdb(code, call);
}

/// Whether `code` means that the content of the file is wrong, rather than the machine.
[[nodiscard]] bool is_damage(int code) noexcept;

/// An open environment. Owns LMDB's handle; transactions and cursors must end before it.
class Environment {
 public:
  struct Options {
    std::uint64_t map_bytes;
    unsigned flags = 0;  ///< added to MDB_NOTLS
  };

  /// Opens the environment in `directory`, and none of its tables yet. Where the address space is too small for the
  /// map, tries half of it again and again. `corrupt` where LMDB reports it; throws std::system_error otherwise.
  [[nodiscard]] static Result<Environment> open(std::filesystem::path const& directory, Options const& options);

  enum class Missing : std::uint8_t { is_damage, is_made };

  /// Opens some tables, before any other use of them. `corrupt` where one is missing or is of another kind.
  [[nodiscard]] Result<void> open_tables(std::span<TableInfo const> wanted, Missing missing = Missing::is_damage);

  [[nodiscard]] MDB_env* get() const noexcept { return env_.get(); }
  [[nodiscard]] MDB_dbi dbi(Table table) const noexcept { return dbis_[static_cast<std::size_t>(table)]; }

 private:
  struct Close {
    void operator()(MDB_env* env) const noexcept { mdb_env_close(env); }
  };
  using Handle = std::unique_ptr<MDB_env, Close>;

  explicit Environment(Handle env) noexcept : env_{std::move(env)} {}

  Handle env_;
  std::array<MDB_dbi, tables.size()> dbis_ = {};
};

/// Whether `code`, of a call that writes, means that there is no room in the map or on the disk. LMDB calls a write
/// that was cut short, as the first on a disk that becomes full is, an I/O error (EIO): then it counts whether 1 MiB
/// can be allocated in a nameless file beside it; free space, quotas and the size limit of a file answer alike. A disk
/// that is broken and full is taken for full; it breaks at the next write.
[[nodiscard]] bool is_full(int code, Environment const& environment) noexcept;

/// What lacks room where `is_full` holds for `code`. The map is a limit on the size of the file.
[[nodiscard]] NoRoom find_no_room(int code, Environment const& environment) noexcept;

/// As `require`, of a call that writes. A write that was cut short is thrown as ENOSPC.
void require_written(int code, char const* call, Environment const& environment);

/// What to say of a code for which `is_full` holds.
[[nodiscard]] char const* full_message(int code) noexcept;

/// A transaction. Ends without effect unless committed. Stays on the thread that began it.
class Transaction {
 public:
  enum class Kind : std::uint8_t { read, write };
  Transaction(Environment const& environment, Kind kind);

  [[nodiscard]] MDB_txn* get() const noexcept { return txn_.get(); }

  /// LMDB's code; the caller checks whether there was room. The transaction is over either way.
  [[nodiscard]] int commit() noexcept { return mdb_txn_commit(txn_.release()); }

 private:
  struct Abort {
    void operator()(MDB_txn* txn) const noexcept { mdb_txn_abort(txn); }
  };
  std::unique_ptr<MDB_txn, Abort> txn_;
};

/// A key and its value. Views of the map, valid until the transaction ends.
struct Entry {
  std::span<std::byte const> key;
  std::span<std::byte const> value;

  /// The key of a table with 8-byte keys; nothing where it has another length.
  [[nodiscard]] std::optional<std::uint64_t> number() const noexcept;
};

/// Walks one table in key order. Ends before its transaction.
class Cursor {
 public:
  Cursor(Environment const& environment, Transaction const& txn, Table table);

  /// The next entry (the first at first), or nothing at the end. `corrupt` where LMDB cannot go on.
  [[nodiscard]] Result<std::optional<Entry>> next();

  /// The entry of the least key not below `key`.
  [[nodiscard]] Result<std::optional<Entry>> seek(std::uint64_t key);

 private:
  [[nodiscard]] Result<std::optional<Entry>> move(MDB_val key, MDB_cursor_op op);

  struct Close {
    void operator()(MDB_cursor* cursor) const noexcept { mdb_cursor_close(cursor); }
  };
  std::unique_ptr<MDB_cursor, Close> cursor_;  // null: LMDB gave none
  int damage_ = 0;                             // its code then
  Table table_;
};

/// The value under `key`, or nothing. A view of the map, valid until `txn` ends.
[[nodiscard]] Result<std::optional<std::span<std::byte const>>> find(Environment const& environment,
                                                                     Transaction const& txn, Table table,
                                                                     std::span<std::byte const> key);
[[nodiscard]] Result<std::optional<std::span<std::byte const>>> find(Environment const& environment,
                                                                     Transaction const& txn, Table table,
                                                                     std::uint64_t key);

/// Puts a pair; returns LMDB's code. `flags` as of mdb_put.
[[nodiscard]] int put(Environment const& environment, Transaction const& txn, Table table,
                      std::span<std::byte const> key, std::span<std::byte const> value, unsigned flags);
[[nodiscard]] int put(Environment const& environment, Transaction const& txn, Table table, std::uint64_t key,
                      std::span<std::byte const> value, unsigned flags);

}  // namespace whence::store
