// Reads what is at hand in a store.

#include "store/upkeep/look.hpp"

#include "schema/stored/codec.hpp"
#include "store/checkpoint/checkpoint.hpp"
#include "store/lmdb/data_file.hpp"
#include "store/lmdb/directory_lock.hpp"
#include "store/lmdb/environment.hpp"
#include "store/lmdb/head.hpp"
#include "store/lmdb/tables.hpp"
#include "store/replicated/membership.hpp"
#include "store/upkeep/last_backup.hpp"
#include "store/values/options.hpp"

#include <fstream>

namespace whence::store {
namespace {

Result<StoreLook> look_inside(std::filesystem::path const& directory) {
  auto const environment =
      open_environment(directory, {.map_bytes = StoreOptions{}.map_bytes, .flags = static_cast<unsigned>(MDB_RDONLY)});
  if (!environment) return environment.error();
  Transaction const txn{*environment, Transaction::Kind::read};
  auto const head = read_head(*environment, txn);
  if (!head) return head.error();
  StoreLook look{.format = head->format,
                 .format_newest = format_version,
                 .tx = head->tx,
                 .vertices = head->vertices,
                 .edges = head->edges};
  if (head->tx != schema::TxId{0}) {
    auto const found = find(*environment, txn, Table::log, schema::number(head->tx));
    if (!found) return found.error();
    if (!*found) return Error{.code = Errc::corrupt, .message = "the log lacks the transaction that the head names"};
    auto const entry = schema::stored::decode_log_entry(**found);
    if (!entry) return entry.error();
    look.at = entry->at;
  }
  MDB_envinfo info = {};
  MDB_stat stat = {};
  require(mdb_env_info(environment->get(), &info), "mdb_env_info");
  require(mdb_env_stat(environment->get(), &stat), "mdb_env_stat");
  look.file_bytes = (std::uint64_t{info.me_last_pgno} + 1) * stat.ms_psize;
  look.map_bytes = info.me_mapsize;
  return look;
}

void look_at_checkpoint(std::filesystem::path const& directory, StoreLook& look) {
  auto const mapped = MappedCheckpoint::open(directory, CheckpointOf::graph);
  if (mapped) {
    look.checkpoint = mapped->head().tx;
  } else if (mapped.error().code != Errc::not_found) {
    look.checkpoint_fault = mapped.error().message;
  }
}

}  // namespace

Result<StoreLook> look_at(std::filesystem::path const& directory) {
  if (!has_data_file(directory)) {
    return Error{.code = Errc::not_found, .message = "there is no store in " + directory.string()};
  }
  auto const holder = find_holder(directory);
  auto look = look_inside(directory);
  if (!look) return look;
  if (holder) look->holder = holder->pid;
  look->log = find_membership(directory);
  look_at_checkpoint(directory, *look);
  if (auto const last = find_last_backup(directory)) look->backup_s = last->at.seconds;
  return look;
}

std::optional<int> find_stale_lock(std::filesystem::path const& directory) {
  if (find_holder(directory)) return std::nullopt;
  std::ifstream file{directory / "whence.lock"};
  int pid = 0;
  return file >> pid && pid > 0 ? std::optional{pid} : std::nullopt;
}

}  // namespace whence::store
