// Values and their dictionaries. A dictionary is trained when there are samples enough for the next size; a table that
// is still small is packed again with it. `accept` keeps what a commit brought, `drop` takes it back.

#include "store/packing/packing.hpp"

#include "schema/base/digest.hpp"
#include "store/lmdb/head.hpp"
#include "store/lmdb/tables.hpp"

#include <algorithm>
#include <cassert>
#include <string>
#include <utility>

namespace whence::store {
namespace {

/// Shorter contents stay as they are: packing these costs more time than it saves room.
constexpr std::size_t packed_content_bytes_min = 64;

constexpr std::size_t packed_again_bytes_max = std::size_t{4} << 20;

/// A key of a table and what it has, not packed; gone where `content` is nothing.
struct Kept {
  Bytes key;
  std::optional<Bytes> content;
};

Bytes copy_of(std::span<std::byte const> bytes) {
  return {bytes.begin(), bytes.end()};
}

/// The next value of a table, in the order of keys; a blob's key is its number.
class Values {
 public:
  Values(Environment const& environment, Transaction const& txn, Table table)
      : environment_{environment}, txn_{txn}, table_{table}, cursor_{environment, txn, table} {}

  /// A view until the next call, or nothing at the end.
  [[nodiscard]] Result<std::optional<Entry>> next() {
    if (table_ != Table::blobs) return cursor_.next();
    number_ = next_number_++;
    auto const value = find_blob_at(environment_, txn_, number_, pieces_);
    if (!value) return value.error();
    if (!*value) return std::optional<Entry>{};
    return std::optional{Entry{.key = std::as_bytes(std::span{&number_, 1}), .value = **value}};
  }

 private:
  Environment const& environment_;
  Transaction const& txn_;
  Table table_;
  Cursor cursor_;
  Bytes pieces_;
  std::uint64_t number_ = 0;
  std::uint64_t next_number_ = 0;
};

Result<std::vector<Kept>> read_table(Environment const& environment, Transaction const& txn, Unpacker const& unpacker,
                                     Table table) {
  std::vector<Kept> all;
  Values values{environment, txn, table};
  Bytes room;
  for (;;) {
    auto const entry = values.next();
    if (!entry) return entry.error();
    if (!*entry) return all;
    Kept kept{.key = copy_of((*entry)->key), .content = {}};
    if (!is_gone((*entry)->value)) {
      auto const content = unpacker.unpack(txn, (*entry)->value, room);
      if (!content) return content.error();
      kept.content = copy_of(*content);
    }
    all.push_back(std::move(kept));
  }
}

/// Packs all that a table has with its new dictionary; LMDB's code.
int pack_table_again(Environment const& environment, Transaction const& txn, Unpacker const& unpacker,
                     StoredDictionary const& dictionary) {
  Table const table = dictionary.table;
  MDB_stat stat = {};
  if (int const code = mdb_stat(txn.get(), environment.dbi(table), &stat); code != MDB_SUCCESS) return code;
  std::size_t const bytes = (stat.ms_leaf_pages + stat.ms_overflow_pages) * stat.ms_psize;
  if (stat.ms_entries == 0 || bytes > packed_again_bytes_max) return MDB_SUCCESS;
  auto const kept = read_table(environment, txn, unpacker, table);
  if (!kept) return MDB_SUCCESS;  // damaged: its reader finds that
  if (int const code = mdb_drop(txn.get(), environment.dbi(table), 0); code != MDB_SUCCESS) return code;
  Compressor compressor{pack_level_thorough};
  PackDictionary const prepared{dictionary.bytes, pack_level_thorough};
  Bytes value;
  for (Kept const& each : *kept) {
    value.assign(gone_value.begin(), gone_value.end());
    if (each.content) pack_value(compressor, table, *each.content, dictionary.number, &prepared, value);
    Entry const entry{.key = each.key, .value = value};
    int const code = table == Table::blobs ? append_blob(environment, txn, entry.number().value_or(0), value)
                                           : put(environment, txn, table, each.key, value, MDB_APPEND);
    if (code != MDB_SUCCESS) return code;
  }
  return MDB_SUCCESS;
}

schema::Digest sum_of(std::uint8_t number, std::span<std::byte const> rest) {
  auto const byte = static_cast<std::byte>(number);
  return schema::sha256({std::span{&byte, 1}, rest});
}

Error bad_dictionary(std::uint64_t number) {
  return Error{Errc::corrupt, "the dictionary " + std::to_string(number) + " of the store is missing or damaged"};
}

}  // namespace

Bytes encode(StoredDictionary const& dictionary) {
  Bytes rest{static_cast<std::byte>(dictionary.table)};
  put_bytes(rest, dictionary.bytes);
  schema::Digest const sum = sum_of(dictionary.number, rest);
  Bytes value;
  put_bytes(value, std::as_bytes(std::span{sum.bytes}));
  put_bytes(value, rest);
  return value;
}

std::optional<StoredDictionary> decode_dictionary(std::uint64_t number, std::span<std::byte const> value) {
  ByteReader in{value};
  std::span<std::byte const> sum;
  if (number == 0 || number > dictionaries_max || !in.bytes(schema::Digest{}.bytes.size(), sum)) return std::nullopt;
  StoredDictionary found{.number = static_cast<std::uint8_t>(number)};
  schema::Digest const expected = sum_of(found.number, in.rest());
  std::uint8_t table = 0;
  if (!std::ranges::equal(sum, std::as_bytes(std::span{expected.bytes})) || !in.fixed(table)) return std::nullopt;
  found.table = static_cast<Table>(table);
  if (std::ranges::find(packed_tables, found.table) == packed_tables.end()) return std::nullopt;
  found.bytes.assign(in.rest().begin(), in.rest().end());
  return found;
}

void pack_value(Compressor& compressor, Table table, std::span<std::byte const> content, std::uint8_t number,
                PackDictionary const* dictionary, Bytes& value) {
  std::uint8_t const alone = salt_bytes(table) > 0 ? packed_behind_salt : packed_alone;
  value.assign(1, static_cast<std::byte>(number > 0 ? number : alone));
  auto const rest = after_salt(table, content);
  if (content.size() >= packed_content_bytes_min && content.size() <= packed_bytes_max(table)) {
    put_bytes(value, content.first(content.size() - rest.size()));
    if (compressor.append(rest, dictionary, value)) return;
  }
  value.assign(1, std::byte{packed_not});
  put_bytes(value, content);
}

Result<std::span<std::byte const>> Unpacker::unpack(Transaction const& txn, std::span<std::byte const> value,
                                                    Bytes& room) const {
  if (is_gone(value)) return Error{Errc::corrupt, "a content that is gone was asked for"};
  if (value.empty()) return Error{Errc::corrupt, "a value does not say how it is packed"};
  auto const how = static_cast<std::uint8_t>(value[0]);
  std::span<std::byte const> const rest = value.subspan(1);
  if (how == packed_not) return rest;
  Table table = how == packed_behind_salt ? Table::records : Table::graph;
  UnpackDictionary const* dictionary = nullptr;
  if (how != packed_alone && how != packed_behind_salt) {
    Result<Known const*> const found = find_dictionary(txn, how);
    if (!found) return found.error();
    table = (*found)->table;
    dictionary = &(*found)->dictionary;
  }
  auto const frame = after_salt(table, rest);
  auto const salt = rest.first(rest.size() - frame.size());
  room.assign(salt.begin(), salt.end());
  if (Result<void> const unpacked = decompress(frame, dictionary, room); !unpacked) return unpacked.error();
  return std::span<std::byte const>{room};
}

Result<Unpacker::Known const*> Unpacker::find_dictionary(Transaction const& txn, std::uint8_t number) const {
  if (number > dictionaries_max) return bad_dictionary(number);  // damage: the mark of what is gone, and more bytes
  if (Known const* const known = found_[number].load(std::memory_order_acquire)) return known;
  auto const value = find(environment_, txn, Table::meta, number);
  if (!value) return value.error();
  auto const stored = *value ? decode_dictionary(number, **value) : std::nullopt;
  if (!stored) return bad_dictionary(number);
  std::lock_guard const lock{loading_};
  if (!owned_[number]) owned_[number].reset(new Known{stored->table, UnpackDictionary{stored->bytes}});
  found_[number].store(owned_[number].get(), std::memory_order_release);
  return owned_[number].get();
}

Packer::Packer(Environment const& environment, Unpacker const& unpacker) : environment_{environment} {
  for (std::size_t i = 0; i < tables_.size(); ++i) tables_[i].table = packed_tables[i];
  Transaction const txn{environment, Transaction::Kind::read};
  load_dictionaries(txn);
  for (Packed& packed : tables_) {
    if (!packed.is_last()) load_samples(txn, unpacker, packed);
  }
}

void Packer::load_dictionaries(Transaction const& txn) {
  for (unsigned number = 1; number <= dictionaries_max; ++number) {
    auto const value = find(environment_, txn, Table::meta, number);
    if (!value || !*value) return;
    count_ = number;
    std::optional<StoredDictionary> found = decode_dictionary(number, **value);
    if (!found) continue;  // damaged: its readers find that
    Packed& of = packed(found->table);
    // One of a size that only the last training makes is that, however many there were.
    bool const is_last = found->bytes.size() > trainings[trainings.size() - 2].dictionary_bytes_max;
    of.trained = is_last ? trainings.size() : std::min(of.trained + 1, trainings.size());
    of.prepared = std::make_unique<PackDictionary>(found->bytes);
    of.dictionary = std::move(found);
  }
}

void Packer::load_samples(Transaction const& txn, Unpacker const& unpacker, Packed& packed) {
  Values values{environment_, txn, packed.table};
  Bytes room;
  while (!packed.samples.is_enough()) {
    auto const entry = values.next();
    if (!entry || !*entry) break;
    if (is_gone((*entry)->value)) continue;
    auto const content = unpacker.unpack(txn, (*entry)->value, room);
    if (!content) break;
    packed.samples.add(after_salt(packed.table, *content));
  }
  packed.mark = packed.samples.mark();
}

std::size_t Packer::place_of(Table table) {
  auto const found = std::ranges::find(packed_tables, table);
  assert(found != packed_tables.end());
  return static_cast<std::size_t>(found - packed_tables.begin());
}

void Packer::show(Table table, std::span<std::byte const> content) {
  Packed& of = packed(table);
  if (!of.is_last()) of.samples.add(after_salt(table, content));
}

void Packer::train() {
  for (Packed& of : tables_) {
    auto const& samples = of.samples.bytes;
    std::size_t due = of.trained;
    while (due < trainings.size() && samples.size() >= trainings[due].sample_bytes) ++due;
    if (due == of.trained || count_ == dictionaries_max) continue;
    std::optional<Bytes> trained = train_dictionary(of.samples, trainings[due - 1].dictionary_bytes_max);
    if (!trained) {  // try again with what comes
      if (of.samples.is_enough()) {
        of.samples = {};
        of.mark = {};
      }
      continue;
    }
    of.before = std::exchange(of.dictionary, StoredDictionary{.number = static_cast<std::uint8_t>(++count_),
                                                              .table = of.table,
                                                              .bytes = std::move(*trained)});
    of.prepared_before = std::exchange(of.prepared, std::make_unique<PackDictionary>(of.dictionary->bytes));
    of.trained_before = std::exchange(of.trained, due);
    of.is_new = true;
  }
}

int Packer::pack_again(Environment const& environment, Transaction const& txn, Unpacker const& unpacker) const {
  for (Packed const& of : tables_) {
    if (!of.is_new) continue;
    if (int const code = pack_table_again(environment, txn, unpacker, *of.dictionary); code != MDB_SUCCESS) return code;
  }
  return MDB_SUCCESS;
}

bool Packer::has_new_dictionaries() const {
  return std::ranges::any_of(tables_, &Packed::is_new);
}

int Packer::put_dictionaries(Environment const& environment, Transaction const& txn) const {
  for (Packed const& of : tables_) {
    if (!of.is_new) continue;
    int const code = put(environment, txn, Table::meta, of.dictionary->number, encode(*of.dictionary), MDB_NOOVERWRITE);
    if (code != MDB_SUCCESS) return code;
  }
  return MDB_SUCCESS;
}

std::span<std::byte const> Packer::pack(Table table, std::span<std::byte const> content) {
  Packed const& of = packed(table);
  pack_value(compressor_, table, content, of.dictionary ? of.dictionary->number : 0, of.prepared.get(), value_);
  return value_;
}

bool Packer::packs_ahead(Table table) const {
  return packed(table).dictionary && !packed(table).is_new && packed(table).is_last();
}

void Packer::pack_ahead(Table table, std::span<std::byte const> content, Bytes& value) const {
  thread_local Compressor compressor;  // the writer's thread and its helper's have one each
  Packed const& of = packed(table);
  pack_value(compressor, table, content, of.dictionary->number, of.prepared.get(), value);
}

void Packer::accept() {
  for (Packed& of : tables_) {
    of.before.reset();
    of.prepared_before.reset();
    of.is_new = false;
    if (of.is_last()) of.samples = {};
    of.mark = of.samples.mark();
  }
}

void Packer::drop() {
  for (Packed& of : tables_) {
    of.samples.go_back_to(of.mark);
    if (!of.is_new) continue;
    of.dictionary = std::exchange(of.before, std::nullopt);
    of.prepared = std::move(of.prepared_before);
    of.trained = of.trained_before;
    of.is_new = false;
    --count_;
  }
}

}  // namespace whence::store
