#pragma once
// The values of `graph`, `records`, `keys` and `blobs`: a byte that says how the rest is packed, and the dictionaries
// for it.

#include "schema/stored/sealed.hpp"
#include "store/lmdb/environment.hpp"
#include "store/lmdb/gone.hpp"
#include "store/packing/codec.hpp"
#include "store/rows/bytes.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace whence::store {

/// The first byte of a value: one of these, the number of a dictionary, or `gone_mark`.
inline constexpr std::uint8_t packed_not = 0;
inline constexpr std::uint8_t packed_alone = 0xff;
inline constexpr std::uint8_t packed_behind_salt = 0xfd;  ///< without a dictionary, behind `salt_bytes`
inline constexpr unsigned dictionaries_max = packed_behind_salt - 1;

/// The tables whose values are packed.
inline constexpr std::array<Table, 4> packed_tables = {Table::graph, Table::records, Table::keys, Table::blobs};

/// A dictionary as `meta` keeps it under its number, which is above `head_key`: SHA-256 over the number's byte and the
/// rest, the table it was trained for, the dictionary.
struct StoredDictionary {
  std::uint8_t number = 0;
  Table table = Table::records;
  Bytes bytes = {};
};
[[nodiscard]] Bytes encode(StoredDictionary const& dictionary);
[[nodiscard]] std::optional<StoredDictionary> decode_dictionary(std::uint64_t number, std::span<std::byte const> value);

/// The longest content of a table that is packed. Blocks of large batches are kept as they are: a start without a
/// checkpoint reads them all.
[[nodiscard]] constexpr std::size_t packed_bytes_max(Table table) noexcept {
  return table == Table::graph ? std::size_t{64} << 10 : packed_content_bytes_max;
}

/// How many bytes of a table's contents stand before the frame: a salt, which nothing makes shorter, and which would
/// make what comes after it longer.
[[nodiscard]] constexpr std::size_t salt_bytes(Table table) noexcept {
  return table == Table::records ? sizeof(schema::stored::Salt) : 0;
}
/// The rest of a content of `table`, which is packed.
[[nodiscard]] constexpr std::span<std::byte const> after_salt(Table table,
                                                              std::span<std::byte const> content) noexcept {
  return content.subspan(std::min(salt_bytes(table), content.size()));
}

/// Replaces `value` with the value for a content of `table`, which is packed where it has up to `packed_bytes_max`.
/// The dictionary and its number may be absent: null and 0.
void pack_value(Compressor& compressor, Table table, std::span<std::byte const> content, std::uint8_t number,
                PackDictionary const* dictionary, Bytes& value);

/// Unpacks values. Callable from any thread. Reads a dictionary from `meta` when a value first names it: the
/// transaction that shows the value shows the dictionary, so none is missed that was added since the store was opened.
class Unpacker {
 public:
  /// `environment` outlives this.
  explicit Unpacker(Environment const& environment) : environment_{environment} {}

  /// The content of a value: a view of `value` or of `room`. `corrupt` where it does not unpack.
  [[nodiscard]] Result<std::span<std::byte const>> unpack(Transaction const& txn, std::span<std::byte const> value,
                                                          Bytes& room) const;

 private:
  struct Known {
    Table table;
    UnpackDictionary dictionary;
  };
  [[nodiscard]] Result<Known const*> find_dictionary(Transaction const& txn, std::uint8_t number) const;

  Environment const& environment_;
  mutable std::mutex loading_;
  mutable std::array<std::unique_ptr<Known const>, dictionaries_max + 1> owned_;  ///< under `loading_`
  mutable std::array<std::atomic<Known const*>, dictionaries_max + 1> found_ = {};
};

/// Packs values; belongs to the writer. A table gets its dictionaries as `trainings` says, once so many bytes of
/// contents were written to it. The group that brings this about carries the dictionary and is packed with it.
class Packer {
 public:
  /// As `Unpacker`. Contents on disk count as written.
  Packer(Environment const& environment, Unpacker const& unpacker);

  /// A content that the next group brings, before any of them is packed.
  void show(Table table, std::span<std::byte const> content);
  /// All were shown: trains what can be trained. Up to 150 ms for the last dictionary of a table, less for those
  /// before.
  void train();
  /// Packs anew what tables have whose dictionary is new, in the group's transaction; LMDB's code. What came before a
  /// dictionary is little, so that this takes no longer than training. A table that grew beyond 4 MiB before anything
  /// could be trained stays as it is.
  [[nodiscard]] int pack_again(Environment const& environment, Transaction const& txn, Unpacker const& unpacker) const;
  /// Whether the group brings dictionaries.
  [[nodiscard]] bool has_new_dictionaries() const;
  /// Puts the dictionaries that are new into the group's transaction; LMDB's code.
  [[nodiscard]] int put_dictionaries(Environment const& environment, Transaction const& txn) const;
  /// The value for a content. A view that holds until the next call.
  [[nodiscard]] std::span<std::byte const> pack(Table table, std::span<std::byte const> content);

  /// Whether contents of `table` can be packed before their group is complete: its last dictionary is on disk. Until
  /// then the group's contents are samples for a better one.
  [[nodiscard]] bool packs_ahead(Table table) const;
  /// The same value as `pack` makes, in place of `value`, where `packs_ahead`. Callable from several threads, while no
  /// other member runs but `packs_ahead`.
  void pack_ahead(Table table, std::span<std::byte const> content, Bytes& value) const;

  /// The group is on disk.
  void accept();
  /// It never was, and nothing of it stays here.
  void drop();

 private:
  struct Packed {
    Table table;
    Samples samples;
    Samples::Mark mark = {};  ///< what `samples` held after the last group on disk
    std::size_t trained = 0;  ///< how many of `trainings` are over
    std::optional<StoredDictionary> dictionary = {};
    std::unique_ptr<PackDictionary> prepared = {};
    bool is_new = false;  ///< not on disk yet
    /// Of a new one: that before it, which it replaces once it is on disk.
    std::optional<StoredDictionary> before = {};
    std::unique_ptr<PackDictionary> prepared_before = {};
    std::size_t trained_before = 0;

    [[nodiscard]] bool is_last() const noexcept { return trained == trainings.size(); }
  };

  [[nodiscard]] static std::size_t place_of(Table table);
  [[nodiscard]] Packed& packed(Table table) { return tables_[place_of(table)]; }
  [[nodiscard]] Packed const& packed(Table table) const { return tables_[place_of(table)]; }
  void load_dictionaries(Transaction const& txn);
  void load_samples(Transaction const& txn, Unpacker const& unpacker, Packed& packed);

  Environment const& environment_;
  std::array<Packed, packed_tables.size()> tables_;
  unsigned count_ = 0;  ///< dictionaries, new ones included
  Compressor compressor_;
  Bytes value_;
};

}  // namespace whence::store
