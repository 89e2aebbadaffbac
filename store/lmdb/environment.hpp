#pragma once
// LMDB behind values with owners: environment, transactions, tables, cursors. Only this header and its source call
// LMDB's functions for reading and writing; their errors are classified here as damage, lack of room or a broken
// environment. What groups of the journal put is read over LMDB's tables, so that readers see one state.

#include "schema/base/error.hpp"
#include "store/files/files.hpp"
#include "store/lmdb/pending.hpp"
#include "store/lmdb/table.hpp"

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

struct Head;
class JournaledEnvironment;

inline constexpr char const* data_file_name = "data.mdb";
inline constexpr char const* readers_file_name = "lock.mdb";

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

  /// Reads what the journal has after LMDB's head, and from now on whatever it has. After `open_tables`. Fails with
  /// `corrupt`.
  [[nodiscard]] Result<void> follow_journal();

  /// Lets `append` write the journal. Of the store's one writer, after `follow_journal`.
  void keep_journal();

  /// Whether the journal is kept and has room for a group of so many bytes.
  [[nodiscard]] bool has_journal_room(std::size_t bytes) const;

  /// Writes a group, sorted, that follows `before` to the journal: on disk and seen by readers when this returns. False
  /// where there is no room. Throws std::system_error.
  [[nodiscard]] bool append(Head const& before, PutList group) const;

  /// Removes the journal, none of whose groups waits for LMDB. Throws std::system_error.
  void remove_journal() const;

  /// The groups that wait for LMDB now; null without a journal. From any thread.
  [[nodiscard]] std::shared_ptr<Pending const> pending() const;

  /// Where it is. Throws std::system_error.
  [[nodiscard]] std::filesystem::path directory() const;

  [[nodiscard]] MDB_env* get() const noexcept { return env_.get(); }
  [[nodiscard]] MDB_dbi dbi(Table table) const noexcept { return dbis_[static_cast<std::size_t>(table)]; }

 private:
  struct Close {
    void operator()(MDB_env* env) const noexcept { mdb_env_close(env); }
  };
  using Handle = std::unique_ptr<MDB_env, Close>;

  struct Forget {
    void operator()(JournaledEnvironment* journaled) const noexcept;
  };
  friend class Transaction;

  explicit Environment(Handle env) noexcept : env_{std::move(env)} {}

  Handle env_;
  std::unique_ptr<JournaledEnvironment, Forget> journaled_;  ///< null: what LMDB has is all
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

/// A transaction. Ends without effect unless committed. Stays on the thread that began it. One that writes begins with
/// the groups of the journal, and must write the head.
class Transaction {
 public:
  enum class Kind : std::uint8_t { read, write };
  Transaction(Environment const& environment, Kind kind);

  [[nodiscard]] MDB_txn* get() const noexcept { return txn_.get(); }

  /// What is read over LMDB's tables; null: nothing.
  [[nodiscard]] Pending const* pending() const noexcept { return pending_.get(); }

  /// LMDB's code of putting the groups of the journal. Where it is not success, `commit` returns it.
  [[nodiscard]] int begin_code() const noexcept { return begin_code_; }

  /// LMDB's code; the caller checks whether there was room. The transaction is over either way. Where it succeeds, no
  /// group of the journal waits any more.
  [[nodiscard]] int commit();

 private:
  void begin(Environment const& environment, unsigned flags);

  struct Abort {
    void operator()(MDB_txn* txn) const noexcept { mdb_txn_abort(txn); }
  };
  std::unique_ptr<MDB_txn, Abort> txn_;
  std::shared_ptr<Pending const> pending_;
  JournaledEnvironment* taken_over_ = nullptr;  ///< of one that writes: whose groups it has
  int begin_code_ = MDB_SUCCESS;
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
  /// The lesser of LMDB's entry `held_` and the pending one at hand.
  [[nodiscard]] std::optional<Entry> take();

  struct Close {
    void operator()(MDB_cursor* cursor) const noexcept { mdb_cursor_close(cursor); }
  };
  std::unique_ptr<MDB_cursor, Close> cursor_;  // null: LMDB gave none
  int damage_ = 0;                             // its code then
  Table table_;
  Pending const* pending_;        ///< null: none has keys of the table
  std::optional<Entry> held_;     ///< LMDB's, not returned yet
  std::optional<Entry> waiting_;  ///< the next of `pending_`; looked for where `is_sought_` is not
  bool is_sought_ = false;
  bool is_at_end_ = false;           ///< of LMDB's entries
  std::span<std::byte const> last_;  ///< the key returned last, of `pending_` or held; empty: none
};

/// How many entries the table has. `corrupt`.
[[nodiscard]] Result<std::uint64_t> count_entries(Environment const& environment, Transaction const& txn, Table table);

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
/// `flags` for a kind.
[[nodiscard]] unsigned flags_of(PutKind kind) noexcept;

/// Puts what a group does, until one fails; returns LMDB's code.
[[nodiscard]] int put_all(Environment const& environment, Transaction const& txn, PutList const& group);

}  // namespace whence::store
