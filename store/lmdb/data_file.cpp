// Making data files, and the checks before LMDB maps one.

#include "store/lmdb/data_file.hpp"

#include "store/files/files.hpp"
#include "store/lmdb/journal.hpp"
#include "store/lmdb/meta_pages.hpp"
#include "store/lmdb/tables.hpp"
#include "store/values/options.hpp"

#include <span>
#include <string_view>

namespace whence::store {
namespace {

/// For a file that no other process knows yet.
Environment::Options private_access() {
  return {.map_bytes = StoreOptions{}.map_bytes, .flags = MDB_NOLOCK};
}

void put_head_or_throw(Environment const& environment, Head const& head) {
  Transaction txn{environment, Transaction::Kind::write};
  require_written(write_head(environment, txn, head), "mdb_put", environment);
  require_written(txn.commit(), "mdb_txn_commit", environment);
}

}  // namespace

bool has_data_file(std::filesystem::path const& directory) {
  return std::filesystem::exists(directory / data_file_name);
}

void create_data_file(std::filesystem::path const& directory) {
  StagingDirectory const making{directory / data_file_name};
  auto const& staging = making.path();
  {
    Environment environment = Environment::open(staging, private_access()).value();
    environment.open_tables(tables, Environment::Missing::is_made).value();
    put_head_or_throw(environment, Head{.epoch = make_epoch(), .leaf = {schema::make_secret_key().bytes}});
  }
  sync_to_disk(staging / data_file_name);
  rename_durably(staging / data_file_name, directory / data_file_name);
}

void remove_unfinished_copy(std::filesystem::path const& directory) {
  remove_abandoned(directory, [](std::string_view target) { return target == data_file_name || target == "compact"; });
}

Result<Environment> open_environment(std::filesystem::path const& directory, Environment::Options const& options) {
  Result<MetaPages> const pages = read_meta_pages(directory / data_file_name);
  if (!pages) return pages.error();
  Result<Environment> environment = Environment::open(directory, options);
  if (!environment) return environment;
  std::span<TableInfo const> const all{tables};
  if (Result<void> const meta = environment->open_tables(all.first(1)); !meta) return meta.error();
  Result<void> const format = check_format(*environment, Transaction{*environment, Transaction::Kind::read});
  if (!format) return format.error();
  if (Result<void> const rest = environment->open_tables(all.subspan(1)); !rest) return rest.error();
  if (Result<void> const followed = environment->follow_journal(); !followed) return followed.error();
  return environment;
}

Result<Head> settle_copy(std::filesystem::path const& directory, Pending const* pending) {
  Result<Environment> const environment = open_environment(directory, private_access());
  if (!environment) return environment.error();
  Result<Head> head = read_copied_head(*environment, Transaction{*environment, Transaction::Kind::read});
  if (!head) return head;
  Transaction txn{*environment, Transaction::Kind::write};
  for (auto const& group : pending == nullptr ? std::span<std::shared_ptr<PutList const> const>{} : pending->groups()) {
    auto const made = head_of(*group);
    if (!made || (made->tx <= head->tx && made->kept_answers <= head->kept_answers)) continue;
    require_written(put_all(*environment, txn, *group), "mdb_put", *environment);
    head = *made;
  }
  require_written(write_head(*environment, txn, *head), "mdb_put", *environment);
  require_written(txn.commit(), "mdb_txn_commit", *environment);
  return head;
}

Result<void> renew_epoch(std::filesystem::path const& directory) {
  return set_epoch(directory, make_epoch());
}

Result<void> set_epoch(std::filesystem::path const& directory, Epoch const& epoch) {
  Result<Environment> const environment = open_environment(directory, private_access());
  if (!environment) return environment.error();
  Result<Head> head = read_head(*environment, Transaction{*environment, Transaction::Kind::read});
  if (!head) return head.error();
  head->epoch = epoch;
  put_head_or_throw(*environment, *head);
  return {};
}

}  // namespace whence::store
