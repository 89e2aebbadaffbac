#pragma once
// The tables of a store, and what they hold as bytes.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <lmdb.h>

namespace whence::store {

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

/// A key and its value. Views, valid until the transaction ends.
struct Entry {
  std::span<std::byte const> key;
  std::span<std::byte const> value;

  /// The key of a table with 8-byte keys; nothing where it has another length.
  [[nodiscard]] std::optional<std::uint64_t> number() const noexcept;
};

}  // namespace whence::store
