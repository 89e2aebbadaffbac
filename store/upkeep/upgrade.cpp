#include "store/upkeep/upgrade.hpp"

#include "store/lmdb/data_file.hpp"
#include "store/lmdb/tables.hpp"
#include "store/log/store.hpp"
#include "store/upkeep/compact.hpp"
#include "store/values/options.hpp"

#include <span>
#include <string>

namespace whence::store {
namespace {

Result<void> copy_before_upgrade(std::filesystem::path const& directory, std::filesystem::path const& backup) {
  auto const opened = Store::open(directory);  // holds the lock: no program writes meanwhile
  if (!opened) return opened.error();
  auto const copied = (*opened)->backup(backup);
  if (!copied) return copied.error();
  return {};
}

}  // namespace

unsigned last_format() noexcept {
  return format_version;
}

Result<unsigned> find_format(std::filesystem::path const& directory) {
  if (!has_data_file(directory)) return Error{Errc::not_found, "there is no store in " + directory.string()};
  auto environment =
      Environment::open(directory, {.map_bytes = StoreOptions{}.map_bytes, .flags = MDB_RDONLY | MDB_NOLOCK});
  if (!environment) return environment.error();
  if (auto const meta = environment->open_tables(std::span<TableInfo const>{tables}.first(1)); !meta)
    return meta.error();
  Transaction const txn{*environment, Transaction::Kind::read};
  auto const head = find(*environment, txn, Table::meta, head_key);
  if (!head) return head.error();
  auto const format = *head ? find_format_version(**head) : std::nullopt;
  if (format) return *format;
  return Error{Errc::corrupt, "the head of the store in " + directory.string() + " does not read"};
}

Result<UpgradeResult> upgrade(std::filesystem::path const& directory, std::filesystem::path const& backup,
                              schema::Interrupt const& interrupt) {
  auto const format = find_format(directory);
  if (!format) return format.error();
  UpgradeResult result{.from = *format, .to = format_version};
  if (*format == format_version) return result;
  if (*format > format_version || *format < format_version_oldest) return refused_format(*format);
  if (!backup.empty()) {
    if (auto const copied = copy_before_upgrade(directory, backup); !copied) return copied.error();
  }
  auto const written = compact(directory, interrupt);
  if (!written) return written.error();
  result.written = *written;
  return result;
}

}  // namespace whence::store
