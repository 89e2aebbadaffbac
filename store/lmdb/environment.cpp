// The one file that calls LMDB for reading and writing, and that knows what its codes mean.

#include "store/lmdb/environment.hpp"

#include "store/files/files.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace whence::store {
namespace {

constexpr std::uint64_t map_bytes_least = std::uint64_t{1} << 20;
constexpr unsigned readers_max = 1024;

class LmdbCategory final : public std::error_category {
 public:
  char const* name() const noexcept override { return "lmdb"; }
  std::string message(int code) const override { return mdb_strerror(code); }
};

MDB_val val_of(std::span<std::byte const> bytes) noexcept {
  return {bytes.size(), const_cast<std::byte*>(bytes.data())};  // LMDB does not write through the values it is given
}

std::span<std::byte const> bytes_of(MDB_val const& value) noexcept {
  return {static_cast<std::byte const*>(value.mv_data), value.mv_size};
}

Error damage_in(char const* where, int code) {
  return Error{Errc::corrupt, std::string{where} + ": " + mdb_strerror(code)};
}

}  // namespace

char const* name_of(Table table) noexcept {
  return tables[static_cast<std::size_t>(table)].name;
}

std::error_category const& lmdb_category() noexcept {
  static LmdbCategory const category;
  return category;
}

void throw_lmdb(int code, char const* call) {
  throw std::system_error(code, code > 0 ? std::generic_category() : lmdb_category(), call);
}

bool is_damage(int code) noexcept {
  switch (code) {
    case MDB_CORRUPTED:
    case MDB_PAGE_NOTFOUND:
    case MDB_BAD_VALSIZE:
    case MDB_CURSOR_FULL:
    case MDB_INCOMPATIBLE:
    case MDB_INVALID:
    case MDB_VERSION_MISMATCH:
    case MDB_BAD_TXN:  // it has met a page that is damaged
      return true;
    default:
      return false;
  }
}

bool is_full(int code, Environment const& environment) noexcept {
  if (code == MDB_MAP_FULL || is_out_of_room(code)) return true;
  char const* directory = nullptr;
  if (code != EIO || mdb_env_get_path(environment.get(), &directory) != MDB_SUCCESS) return false;
  return !may_grow(std::filesystem::path{directory} / data_file_name, growth_bytes);
}

NoRoom find_no_room(int code, Environment const& environment) noexcept {
  char const* directory = nullptr;
  if (code == MDB_MAP_FULL || code == EFBIG) return NoRoom::file_size;
  if (code == ENOSPC || code == EDQUOT || mdb_env_get_path(environment.get(), &directory) != MDB_SUCCESS)
    return NoRoom::disk;
  return why_no_room(std::filesystem::path{directory} / data_file_name, growth_bytes);
}

void require_written(int code, char const* call, Environment const& environment) {
  require(code == EIO && is_full(code, environment) ? ENOSPC : code, call);
}

char const* full_message(int code) noexcept {
  return code == EIO ? "a write was cut short" : mdb_strerror(code);
}

namespace {

/// LMDB's assertions hold unless its pages are damaged; it would abort after this.
void end_for_damage(MDB_env* env, char const* what) {
  constexpr int verification_failed = 8;
  char const* directory = "";
  mdb_env_get_path(env, &directory);
  std::fprintf(stderr, "whence: %s/%s is damaged: %s. `whence verify --db DIR` names what else is.\n", directory,
               data_file_name, what);
  std::_Exit(verification_failed);
}

}  // namespace

Result<Environment> Environment::open(std::filesystem::path const& directory, Options const& options) {
  for (std::uint64_t map_bytes = options.map_bytes;; map_bytes /= 2) {
    MDB_env* raw = nullptr;
    require(mdb_env_create(&raw), "mdb_env_create");
    Environment environment{Handle{raw}};
    require(mdb_env_set_assert(raw, end_for_damage), "mdb_env_set_assert");
    require(mdb_env_set_mapsize(raw, map_bytes), "mdb_env_set_mapsize");
    require(mdb_env_set_maxdbs(raw, static_cast<MDB_dbi>(tables.size())), "mdb_env_set_maxdbs");
    require(mdb_env_set_maxreaders(raw, readers_max), "mdb_env_set_maxreaders");
    int const code = mdb_env_open(raw, directory.c_str(), options.flags | MDB_NOTLS, private_file_mode);
    if (code == ENOMEM && map_bytes / 2 >= map_bytes_least) continue;
    if (is_damage(code)) return damage_in("mdb_env_open", code);
    require(code, "mdb_env_open");
    return environment;
  }
}

Result<void> Environment::open_tables(std::span<TableInfo const> wanted, Missing missing) {
  bool const makes = missing == Missing::is_made;
  Transaction txn{*this, makes ? Transaction::Kind::write : Transaction::Kind::read};
  for (TableInfo const& info : wanted) {
    unsigned flags = 0;
    MDB_dbi& dbi = dbis_[static_cast<std::size_t>(info.table)];
    int code = mdb_dbi_open(txn.get(), info.name, makes ? info.flags | MDB_CREATE : 0U, &dbi);
    if (code == MDB_SUCCESS) code = mdb_dbi_flags(txn.get(), dbi, &flags);
    if (code == MDB_SUCCESS && flags != info.flags) code = MDB_INCOMPATIBLE;
    if (code == MDB_NOTFOUND || is_damage(code)) return damage_in("mdb_dbi_open", code);
    require(code, "mdb_dbi_open");
  }
  require_written(txn.commit(), "mdb_txn_commit", *this);  // also keeps the handles of a reading transaction
  return {};
}

Transaction::Transaction(Environment const& environment, Kind kind) {
  MDB_txn* txn = nullptr;
  require(mdb_txn_begin(environment.get(), nullptr, kind == Kind::read ? MDB_RDONLY : 0U, &txn), "mdb_txn_begin");
  txn_.reset(txn);
}

std::optional<std::uint64_t> Entry::number() const noexcept {
  std::uint64_t number = 0;
  if (key.size() != sizeof number) return std::nullopt;
  std::memcpy(&number, key.data(), sizeof number);
  return number;
}

Cursor::Cursor(Environment const& environment, Transaction const& txn, Table table) : table_{table} {
  MDB_cursor* cursor = nullptr;
  int const code = mdb_cursor_open(txn.get(), environment.dbi(table), &cursor);
  if (is_damage(code)) {
    damage_ = code;
    return;
  }
  require(code, "mdb_cursor_open");
  cursor_.reset(cursor);
}

Result<std::optional<Entry>> Cursor::next() {
  return move({}, MDB_NEXT);
}

Result<std::optional<Entry>> Cursor::seek(std::uint64_t key) {
  return move({sizeof key, &key}, MDB_SET_RANGE);
}

Result<std::optional<Entry>> Cursor::move(MDB_val key, MDB_cursor_op op) {
  MDB_val value = {};
  int const code = cursor_ ? mdb_cursor_get(cursor_.get(), &key, &value, op) : damage_;
  if (code == MDB_NOTFOUND) return std::optional<Entry>{};
  if (is_damage(code)) return damage_in(name_of(table_), code);
  require(code, "mdb_cursor_get");
  return std::optional{Entry{.key = bytes_of(key), .value = bytes_of(value)}};
}

Result<std::optional<std::span<std::byte const>>> find(Environment const& environment, Transaction const& txn,
                                                       Table table, std::span<std::byte const> key) {
  using Found = std::optional<std::span<std::byte const>>;
  MDB_val wanted = val_of(key);
  MDB_val value = {};
  int const code = mdb_get(txn.get(), environment.dbi(table), &wanted, &value);
  if (code == MDB_NOTFOUND) return Found{};
  if (is_damage(code)) return damage_in(name_of(table), code);
  require(code, "mdb_get");
  return Found{bytes_of(value)};
}

Result<std::optional<std::span<std::byte const>>> find(Environment const& environment, Transaction const& txn,
                                                       Table table, std::uint64_t key) {
  return find(environment, txn, table, std::as_bytes(std::span{&key, 1}));
}

int put(Environment const& environment, Transaction const& txn, Table table, std::span<std::byte const> key,
        std::span<std::byte const> value, unsigned flags) {
  MDB_val under = val_of(key);
  MDB_val what = val_of(value);
  return mdb_put(txn.get(), environment.dbi(table), &under, &what, flags);
}

int put(Environment const& environment, Transaction const& txn, Table table, std::uint64_t key,
        std::span<std::byte const> value, unsigned flags) {
  return put(environment, txn, table, std::as_bytes(std::span{&key, 1}), value, flags);
}

}  // namespace whence::store
