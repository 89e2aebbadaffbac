// The one file that calls LMDB for reading and writing, and that knows what its codes mean.

#include "store/lmdb/environment.hpp"

#include "store/files/files.hpp"
#include "store/lmdb/journal.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>

namespace whence::store {
namespace {

constexpr std::uint64_t map_bytes_least = std::uint64_t{1} << 20;
constexpr unsigned readers_max = 1024;
constexpr int journal_attempts = 100;

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

/// LMDB opens its files to write, and makes its lock file anew: it follows a link to somebody else's.
Result<void> check_own_files(std::filesystem::path const& directory) {
  for (auto const* const name : {data_file_name, "lock.mdb"}) {
    auto const path = directory / name;
    auto const status = std::filesystem::symlink_status(path);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
      return Error{Errc::corrupt,
                   path.string() + (std::filesystem::is_symlink(status) ? " is a symbolic link" : " is no file")};
    }
  }
  return {};
}

}  // namespace

Result<Environment> Environment::open(std::filesystem::path const& directory, Options const& options) {
  if (auto const checked = check_own_files(directory); !checked) return checked.error();
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

/// What an environment knows of its journal. The writer changes it; readers of any thread ask for what is pending over
/// the state that they have of LMDB's tables.
class JournaledEnvironment {
 public:
  JournaledEnvironment(Environment const& environment, std::filesystem::path directory, bool is_writer)
      : env_{environment.get()},
        meta_{environment.dbi(Table::meta)},
        directory_{std::move(directory)},
        is_writer_{is_writer},
        pending_{std::make_shared<Pending const>(last_transaction())} {}

  /// What follows the state of `txn`; null where the transaction must begin again, as LMDB has taken groups meanwhile.
  [[nodiscard]] std::shared_ptr<Pending const> find(MDB_txn* txn) {
    std::lock_guard const lock{mutex_};
    auto const state = mdb_txn_id(txn);
    if (pending_->base() == state && is_read_) return pending_;
    if (is_writer_) return nullptr;
    auto const loaded = load(txn);
    if (last_transaction() != state) return nullptr;  // the journal may have begun again since
    if (!loaded) throw_lmdb(MDB_CORRUPTED, "read the journal");
    return pending_;
  }

  /// Reads the journal after the head that `txn` has.
  [[nodiscard]] Result<void> load_first(MDB_txn* txn) {
    std::lock_guard const lock{mutex_};
    return load(txn);
  }

  [[nodiscard]] std::shared_ptr<Pending const> pending() const {
    std::lock_guard const lock{mutex_};
    return pending_;
  }

  void keep() {
    bool const has_groups = !pending()->is_empty();
    journal_.emplace(directory_, pending()->groups().size());
    if (!has_groups) journal_->remove();  // of a store that a kill closed once LMDB had all
  }

  [[nodiscard]] bool has_room(std::size_t bytes) const noexcept { return journal_ && journal_->has_room(bytes); }

  [[nodiscard]] bool append(Head const& before, PutList group) {
    if (!journal_->append(before, group)) return false;
    auto next = std::make_shared<Pending const>(*pending(), std::make_shared<PutList const>(std::move(group)));
    std::lock_guard const lock{mutex_};
    pending_ = std::move(next);
    return true;
  }

  /// LMDB has what was pending.
  void settle() {
    bool const had_groups = !pending()->is_empty();
    {
      std::lock_guard const lock{mutex_};
      pending_ = std::make_shared<Pending const>(last_transaction());
    }
    if (journal_) journal_->restart();
    if (!journal_ && had_groups) std::filesystem::remove(directory_ / journal_file_name);
  }

  void remove() {
    if (journal_) return journal_->remove();
    std::filesystem::remove(directory_ / journal_file_name);
  }

 private:
  [[nodiscard]] std::uint64_t last_transaction() const {
    MDB_envinfo info = {};
    require(mdb_env_info(env_, &info), "mdb_env_info");
    return info.me_last_txnid;
  }

  /// Under the lock. A head that does not read is found by whoever needs it.
  [[nodiscard]] Result<void> load(MDB_txn* txn) {
    auto loaded = std::make_shared<Pending const>(mdb_txn_id(txn));
    std::uint64_t number = head_key;
    MDB_val key{sizeof number, &number};
    MDB_val value = {};
    auto const head = mdb_get(txn, meta_, &key, &value) == MDB_SUCCESS ? decode_head(bytes_of(value)) : std::nullopt;
    if (head) {
      auto groups = read_journal(directory_, *head);
      if (!groups) return groups.error();
      for (auto& group : *groups) loaded = std::make_shared<Pending const>(*loaded, std::move(group));
    }
    pending_ = std::move(loaded);
    is_read_ = true;
    return {};
  }

  MDB_env* env_;
  MDB_dbi meta_;
  std::filesystem::path directory_;
  bool is_writer_;
  bool is_read_ = false;
  std::mutex mutable mutex_;
  std::shared_ptr<Pending const> pending_;  ///< under `mutex_`
  std::optional<Journal> journal_;
};

void Environment::Forget::operator()(JournaledEnvironment* journaled) const noexcept {
  delete journaled;
}

std::filesystem::path Environment::directory() const {
  char const* directory = "";
  require(mdb_env_get_path(get(), &directory), "mdb_env_get_path");
  return directory;
}

Result<void> Environment::follow_journal() {
  unsigned flags = 0;
  require(mdb_env_get_flags(get(), &flags), "mdb_env_get_flags");
  bool const is_writer = (flags & MDB_RDONLY) == 0;
  std::unique_ptr<JournaledEnvironment, Forget> journaled{new JournaledEnvironment{*this, directory(), is_writer}};
  Result<void> loaded;
  for (int attempt = 0; attempt < journal_attempts;
       ++attempt) {  // beside a writer the journal may begin again meanwhile
    Transaction const txn{*this, Transaction::Kind::read};
    loaded = journaled->load_first(txn.get());
    if (loaded) break;
  }
  if (!loaded) return loaded;
  journaled_ = std::move(journaled);
  return {};
}

void Environment::keep_journal() {
  journaled_->keep();
}

bool Environment::has_journal_room(std::size_t bytes) const {
  return journaled_ && journaled_->has_room(bytes);
}

bool Environment::append(Head const& before, PutList group) const {
  return journaled_->append(before, std::move(group));
}

void Environment::remove_journal() const {
  if (journaled_) journaled_->remove();
}

std::shared_ptr<Pending const> Environment::pending() const {
  return journaled_ ? journaled_->pending() : nullptr;
}

Transaction::Transaction(Environment const& environment, Kind kind) {
  auto* const journaled = environment.journaled_.get();
  if (kind == Kind::write) {
    begin(environment, 0);
    if (journaled == nullptr) return;
    taken_over_ = journaled;
    auto const pending = journaled->pending();
    for (auto const& group : pending->groups()) {
      if (begin_code_ == MDB_SUCCESS) begin_code_ = put_all(environment, *this, *group);
    }
    return;
  }
  begin(environment, MDB_RDONLY);
  if (journaled == nullptr) return;
  for (;;) {
    pending_ = journaled->find(txn_.get());
    if (pending_) break;
    txn_.reset();
    std::this_thread::yield();
    begin(environment, MDB_RDONLY);
  }
  if (pending_->is_empty()) pending_.reset();
}

void Transaction::begin(Environment const& environment, unsigned flags) {
  MDB_txn* txn = nullptr;
  require(mdb_txn_begin(environment.get(), nullptr, flags, &txn), "mdb_txn_begin");
  txn_.reset(txn);
}

int Transaction::commit() {
  if (begin_code_ != MDB_SUCCESS) {
    txn_.reset();
    return begin_code_;
  }
  int const code = mdb_txn_commit(txn_.release());
  if (code == MDB_SUCCESS && taken_over_ != nullptr) taken_over_->settle();
  return code;
}

std::optional<std::uint64_t> Entry::number() const noexcept {
  std::uint64_t number = 0;
  if (key.size() != sizeof number) return std::nullopt;
  std::memcpy(&number, key.data(), sizeof number);
  return number;
}

Cursor::Cursor(Environment const& environment, Transaction const& txn, Table table)
    : table_{table}, pending_{txn.pending() != nullptr && txn.pending()->has(table) ? txn.pending() : nullptr} {
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
  if (pending_ == nullptr) return move({}, MDB_NEXT);
  if (!held_ && !is_at_end_) {
    auto found = move({}, MDB_NEXT);
    if (!found) return found;
    held_ = *found;
    is_at_end_ = !held_;
  }
  return take();
}

Result<std::optional<Entry>> Cursor::seek(std::uint64_t key) {
  auto found = move({sizeof key, &key}, MDB_SET_RANGE);
  if (!found || pending_ == nullptr) return found;
  held_ = *found;
  is_at_end_ = !held_;
  waiting_ = pending_->seek(table_, std::as_bytes(std::span{&key, 1}));
  is_sought_ = true;
  return take();
}

std::optional<Entry> Cursor::take() {
  if (held_ && !pending_->reaches(table_, held_->key)) {  // all that is pending comes later
    last_ = held_->key;
    return std::exchange(held_, std::nullopt);
  }
  if (!is_sought_) {
    waiting_ = pending_->after(table_, last_);
    is_sought_ = true;
  }
  bool const is_pending = waiting_ && (!held_ || !is_before(table_, held_->key, waiting_->key));
  if (!is_pending) {
    if (held_) last_ = held_->key;
    return std::exchange(held_, std::nullopt);
  }
  if (held_ && !is_before(table_, waiting_->key, held_->key)) held_.reset();  // the same key, put anew
  last_ = waiting_->key;
  is_sought_ = false;
  return std::exchange(waiting_, std::nullopt);
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
  if (txn.pending() != nullptr) {
    if (auto const put = txn.pending()->find(table, key)) return Found{put};
  }
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

Result<std::uint64_t> count_entries(Environment const& environment, Transaction const& txn, Table table) {
  MDB_stat stat = {};
  int const code = mdb_stat(txn.get(), environment.dbi(table), &stat);
  if (is_damage(code)) return damage_in(name_of(table), code);
  require(code, "mdb_stat");
  std::uint64_t count = stat.ms_entries;
  if (txn.pending() == nullptr) return count;
  for (auto put = txn.pending()->after(table, {}); put; put = txn.pending()->after(table, put->key)) {
    MDB_val key = val_of(put->key);
    MDB_val value = {};
    if (mdb_get(txn.get(), environment.dbi(table), &key, &value) == MDB_NOTFOUND) ++count;
  }
  return count;
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

unsigned flags_of(PutKind kind) noexcept {
  switch (kind) {
    case PutKind::append:
      return MDB_APPEND;
    case PutKind::add:
      return MDB_NOOVERWRITE;
    case PutKind::replace:
      break;
  }
  return 0;
}

int put_all(Environment const& environment, Transaction const& txn, PutList const& group) {
  for (std::size_t at = 0; at < group.size(); ++at) {
    auto const each = group[at];
    int const code = put(environment, txn, each.table, each.key, each.value, flags_of(each.kind));
    if (code != MDB_SUCCESS) return code;
  }
  return MDB_SUCCESS;
}

}  // namespace whence::store
