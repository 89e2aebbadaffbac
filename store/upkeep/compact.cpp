// Copying a store table by table, in the order of keys, into a file that takes the old one's place.

#include "store/upkeep/compact.hpp"

#include "store/files/files.hpp"
#include "store/lmdb/data_file.hpp"
#include "store/lmdb/directory_lock.hpp"
#include "store/lmdb/journal.hpp"
#include "store/lmdb/mapped_file.hpp"
#include "store/lmdb/tables.hpp"
#include "store/packing/packing.hpp"
#include "store/packing/sampling.hpp"
#include "store/search/text_database.hpp"
#include "store/values/options.hpp"
#include "store/verify/verify.hpp"

#include <cerrno>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace whence::store {
namespace {

constexpr std::size_t slice_bytes = std::size_t{32} << 20;
constexpr std::uint64_t entries_per_check = 1000;
constexpr std::uint64_t entries_per_word = 64;  ///< to who listens

/// The store as it is. It is closed: no program writes to it.
struct Source {
  std::filesystem::path data_file;
  Environment environment;
  Transaction txn;
  Head head;
  Unpacker unpacker;

  static Result<std::unique_ptr<Source>> open(std::filesystem::path const& directory) {
    Result<Environment> environment =
        open_environment(directory, {.map_bytes = StoreOptions{}.map_bytes, .flags = MDB_RDONLY | MDB_NOLOCK});
    if (!environment) return environment.error();
    Transaction txn{*environment, Transaction::Kind::read};
    Result<Head> const head = read_head(*environment, txn);
    if (!head) return head.error();
    return std::unique_ptr<Source>{
        new Source{directory / data_file_name, std::move(*environment), std::move(txn), *head}};
  }

 private:
  Source(std::filesystem::path file, Environment opened, Transaction begun, Head const& found)
      : data_file{std::move(file)},
        environment{std::move(opened)},
        txn{std::move(begun)},
        head{found},
        unpacker{environment} {}
};

/// The file in the making. Everything is appended, in transactions of about `slice_bytes`.
class Copy {
 public:
  explicit Copy(std::filesystem::path const& directory)
      : environment_{
            Environment::open(directory, {.map_bytes = StoreOptions{}.map_bytes, .flags = MDB_NOLOCK | MDB_NOSYNC})
                .value()} {
    environment_.open_tables(tables, Environment::Missing::is_made).value();
  }

  [[nodiscard]] Result<void> append(Table table, std::span<std::byte const> key, std::span<std::byte const> value) {
    if (bytes_ >= slice_bytes) {
      if (Result<void> committed = commit(); !committed) return committed;
    }
    if (!txn_) txn_.emplace(environment_, Transaction::Kind::write);
    bytes_ += key.size() + value.size();
    int const code = table == Table::blobs
                         ? append_blob(environment_, *txn_, Entry{.key = key, .value = value}.number().value(), value)
                         : put(environment_, *txn_, table, key, value, MDB_APPEND);
    return check(code, "mdb_put");
  }

  /// The head comes last: until then the file is no store.
  [[nodiscard]] Result<void> finish(Head const& head) {
    if (!txn_) txn_.emplace(environment_, Transaction::Kind::write);
    if (Result<void> written = check(write_head(environment_, *txn_, head), "mdb_put"); !written) return written;
    return commit();
  }

 private:
  [[nodiscard]] Result<void> commit() {
    int const code = txn_->commit();
    txn_.reset();
    bytes_ = 0;
    return check(code, "mdb_txn_commit");
  }

  [[nodiscard]] Result<void> check(int code, char const* call) const {
    if (is_full(code, environment_))
      return Error{Errc::storage_full, "there is no room for the compacted copy; the store is as it was"};
    require(code, call);
    return {};
  }

  Environment environment_;
  std::optional<Transaction> txn_;
  std::size_t bytes_ = 0;
};

/// Copies what a source has.
class Compaction {
 public:
  Compaction(Source const& source, Copy& copy, schema::Interrupt const& interrupt, Advance const& advance)
      : source_{source}, copy_{copy}, interrupt_{interrupt}, advance_{advance} {}

  [[nodiscard]] Result<Head> run() {
    if (advance_) total_ = entries_to_read();
    if (Result<void> const copied = copy_table(Table::log); !copied) return copied.error();
    for (Table const table : packed_tables) {
      if (Result<void> const copied = pack_table(table); !copied) return copied.error();
    }
    if (Result<void> const copied = copy_blob_numbers(); !copied) return copied.error();
    for (StoredDictionary const& dictionary : dictionaries_) {
      std::uint64_t const key = dictionary.number;
      Result<void> const put = copy_.append(Table::meta, std::as_bytes(std::span{&key, 1}), encode(dictionary));
      if (!put) return put.error();
    }
    Head head = source_.head;
    head.format = format_version;
    head.purged_in = schema::TxId{0};
    head.blobs = blobs_;
    if (Result<void> const finished = copy_.finish(head); !finished) return finished.error();
    return head;
  }

 private:
  using Visit = std::function<Result<void>(Entry const&)>;

  [[nodiscard]] Result<void> for_each(Table table, Visit const& visit) {
    if (table == Table::blobs) return for_each_blob(visit);
    Cursor cursor{source_.environment, source_.txn, table};
    for (;;) {
      Result<std::optional<Entry>> const entry = cursor.next();
      if (!entry) return entry.error();
      if (!*entry) return {};
      if (Result<void> visited = show(**entry, visit); !visited) return visited;
    }
  }

  /// Each by its number and its whole value.
  [[nodiscard]] Result<void> for_each_blob(Visit const& visit) {
    Bytes pieces;
    for (std::uint64_t number = 0;; ++number) {
      auto const value = find_blob_at(source_.environment, source_.txn, number, pieces);
      if (!value) return value.error();
      if (!*value) return {};
      Result<void> visited = show({.key = std::as_bytes(std::span{&number, 1}), .value = **value}, visit);
      if (!visited) return visited;
    }
  }

  /// How many entries are read: those of packed tables twice, to train a dictionary and to pack them.
  [[nodiscard]] std::uint64_t entries_to_read() const {
    std::uint64_t total = entries_of(Table::log) + entries_of(Table::blob_numbers);
    for (Table const table : packed_tables) total += 2 * entries_of(table);
    return total;
  }

  /// Blobs are counted whole, whatever their pieces.
  [[nodiscard]] std::uint64_t entries_of(Table table) const {
    MDB_stat stat = {};
    if (table == Table::blobs) return source_.head.blobs;
    require(mdb_stat(source_.txn.get(), source_.environment.dbi(table), &stat), "mdb_stat");
    return stat.ms_entries;
  }

  [[nodiscard]] Result<void> show(Entry const& entry, Visit const& visit) {
    if (Result<void> visited = visit(entry); !visited) return visited;
    ++entries_;
    bool const is_due = advance_ && entries_ <= total_ && (entries_ % entries_per_word == 0 || entries_ == total_);
    if (is_due) advance_(entries_, total_, "entries read");
    if (entries_ % entries_per_check != 0) return {};
    if (interrupt_.check(entries_per_check) != schema::Stop::none)
      return Error{Errc::cancelled, "the compaction was interrupted; the store is as it was"};
    forget_touched_pages(source_.data_file);
    return {};
  }

  [[nodiscard]] Result<void> copy_table(Table table) {
    return for_each(table, [&](Entry const& entry) { return copy_.append(table, entry.key, entry.value); });
  }

  /// The digests of blobs that are there, by their new numbers. A digest of one that is gone would tell a guess of its
  /// text.
  [[nodiscard]] Result<void> copy_blob_numbers() {
    return for_each(Table::blob_numbers, [&](Entry const& entry) -> Result<void> {
      std::uint64_t number = 0;
      ByteReader in{entry.value};
      if (!in.fixed(number) || !in.rest().empty() || number >= new_numbers_.size())
        return Error{Errc::corrupt, "the number of a blob does not read; the store is as it was"};
      auto const& renumbered = new_numbers_[number];
      if (!renumbered) return {};
      return copy_.append(Table::blob_numbers, entry.key, std::as_bytes(std::span{&*renumbered, 1}));
    });
  }

  /// What is in place of a content that is gone; a blob that is gone has no place any more.
  [[nodiscard]] Result<void> copy_gone(Table table, Entry const& entry) {
    if (table != Table::blobs) return copy_.append(table, entry.key, entry.value);
    new_numbers_.emplace_back();
    return {};
  }

  [[nodiscard]] Result<void> pack_table(Table table) {
    Result<std::optional<Bytes>> trained = train(table);
    if (!trained) return trained.error();
    std::uint8_t number = 0;
    std::optional<PackDictionary> prepared;
    if (*trained) {
      number = static_cast<std::uint8_t>(dictionaries_.size() + 1);
      prepared.emplace(**trained, pack_level_thorough);
      dictionaries_.push_back({.number = number, .table = table, .bytes = std::move(**trained)});
    }
    Bytes value;
    return for_each(table, [&](Entry const& entry) -> Result<void> {
      if (is_gone(entry.value)) return copy_gone(table, entry);
      Result<std::span<std::byte const>> const content = source_.unpacker.unpack(source_.txn, entry.value, room_);
      if (!content) return content.error();
      pack_value(compressor_, table, *content, number, prepared ? &*prepared : nullptr, value);
      if (table != Table::blobs) return copy_.append(table, entry.key, value);
      std::uint64_t const place = blobs_++;
      new_numbers_.emplace_back(place);
      return copy_.append(table, std::as_bytes(std::span{&place, 1}), value);
    });
  }

  [[nodiscard]] Result<std::optional<Bytes>> train(Table table) {
    EvenSamples samples;
    Result<void> const walked = for_each(table, [&](Entry const& entry) -> Result<void> {
      if (is_gone(entry.value) || !samples.wants_next()) return {};
      Result<std::span<std::byte const>> const content = source_.unpacker.unpack(source_.txn, entry.value, room_);
      if (!content) return content.error();
      samples.add(after_salt(table, *content));
      return {};
    });
    if (!walked) return walked.error();
    return find_best_dictionary(samples);
  }

  Source const& source_;
  Copy& copy_;
  schema::Interrupt const& interrupt_;
  Advance const& advance_;
  std::vector<StoredDictionary> dictionaries_;
  std::vector<std::optional<std::uint64_t>>
      new_numbers_;          ///< of blobs, by the ones before; nothing of one that is gone
  std::uint64_t blobs_ = 0;  ///< that the copy has
  Compressor compressor_{pack_level_thorough};
  Bytes room_;
  std::uint64_t entries_ = 0;
  std::uint64_t total_ = 0;  ///< of `entries_` at the end; 0 where nobody listens
};

Result<Head> write_copy(std::filesystem::path const& from, std::filesystem::path const& to,
                        schema::Interrupt const& interrupt, Advance const& advance) {
  Result<std::unique_ptr<Source>> const source = Source::open(from);
  if (!source) return source.error();
  Copy copy{to};
  return Compaction{**source, copy, interrupt, advance}.run();
}

/// The check of `verify`: of the copy, hence also of what it was made from.
Result<void> check_copy(std::filesystem::path const& directory, Head const& head, Advance const& advance) {
  Result<VerifyReport> const report = verify(directory, false, schema::NoInterrupt{}, advance);
  if (!report) return report.error();
  if (!report->is_ok) {
    std::string const problem =
        report->problems.empty() ? "" : ": " + report->problems[0].where + ": " + report->problems[0].message;
    return Error{Errc::corrupt, "the store is damaged and was left as it was" + problem};
  }
  if (report->tx == head.tx) return {};
  return Error{Errc::corrupt, "the compacted copy ends at another transaction"};
}

}  // namespace

Result<CompactResult> compact(std::filesystem::path const& directory, schema::Interrupt const& interrupt,
                              Advance const& advance) {
  if (!has_data_file(directory)) return Error{Errc::not_found, "there is no store in " + directory.string()};
  Result<DirectoryLock> const lock = DirectoryLock::acquire(directory);
  if (!lock) return lock.error();
  StagingDirectory const staging{directory / "compact"};
  Result<Head> const head = write_copy(directory, staging.path(), interrupt, advance);
  if (!head) return head.error();
  if (Result<void> const checked = check_copy(staging.path(), *head, advance); !checked) return checked.error();
  if (interrupt.check(0) != schema::Stop::none)
    return Error{Errc::cancelled, "the compaction was interrupted; the store is as it was"};
  std::filesystem::path const made = staging.path() / data_file_name;
  std::filesystem::path const replaced = directory / data_file_name;
  CompactResult const result{.tx = head->tx,
                             .bytes_before = std::filesystem::file_size(replaced),
                             .bytes_after = std::filesystem::file_size(made)};
  sync_to_disk(made);
  // It may have words that were removed since a server last kept it; the next server makes it again.
  TextDatabase::remove(directory / text_index_file_name);
  rename_durably(made, replaced);
  std::filesystem::remove(directory / journal_file_name);  // the file has what waited in it
  // It counts LMDB's transactions of the old file. A process that reads that one keeps both. One that opens the store
  // in this instant may find that the head is not that of the last commit, and succeeds when it tries again.
  std::filesystem::remove(directory / readers_file_name);
  return result;
}

}  // namespace whence::store
