// The head and the end of the log are read without LMDB, which does not open such a file.

#include "store/upkeep/mend.hpp"

#include "schema/stored/codec.hpp"
#include "store/lmdb/data_file.hpp"
#include "store/lmdb/directory_lock.hpp"
#include "store/lmdb/head.hpp"
#include "store/lmdb/meta_pages.hpp"
#include "store/lmdb/raw_tree.hpp"
#include "store/lmdb/tables.hpp"

namespace whence::store {
namespace {

constexpr std::uint64_t entries_checked_most = 1000;

/// Whether the log ends with the entry that the head names, and each of the last entries names the one before.
bool is_log_whole(RawTree const& tree, Head const& head) {
  std::uint64_t const last = schema::number(head.tx);
  schema::Digest expected = head.leaf;
  for (std::uint64_t tx = last; tx > 0 && last - tx < entries_checked_most; --tx) {
    std::optional<Bytes> const found = tree.find(Table::log, tx);
    if (!found || schema::stored::leaf_hash(*found) != expected) return false;
    Result<schema::stored::LogEntry> const entry = schema::stored::decode_log_entry(*found);
    if (!entry || entry->tx != schema::TxId{tx}) return false;
    expected = entry->previous;
  }
  return true;
}

/// The head that the whole page leads to, if all holds.
std::optional<Head> find_whole_head(std::filesystem::path const& data_file, TornMetaPage const& torn) {
  RawTree const tree{data_file, torn};
  std::optional<Bytes> const bytes = tree.find(Table::meta, head_key);
  std::optional<Head> const head = bytes ? decode_head(*bytes) : std::nullopt;
  if (!head || head->written_in != torn.txn || !is_log_whole(tree, *head)) return std::nullopt;
  return head;
}

}  // namespace

Result<std::optional<std::string>> mend_meta_page(std::filesystem::path const& directory) {
  std::optional<std::string> mended;
  if (!has_data_file(directory)) return mended;
  Result<DirectoryLock> const lock = DirectoryLock::acquire(directory);
  if (!lock) return lock.error();
  auto const data_file = directory / data_file_name;
  std::optional<TornMetaPage> const torn = find_torn_meta_page(data_file);
  std::optional<Head> const head = torn ? find_whole_head(data_file, *torn) : std::nullopt;
  if (!head) return mended;
  replace_torn_meta_page(data_file, *torn);
  std::string const slot = std::to_string(torn->slot);
  mended = "meta page " + slot + " of the store was torn; went back to the whole one, which ends with transaction " +
           std::to_string(schema::number(head->tx)) + ". The torn page is kept as meta-page-" + slot +
           ".torn. If it was damaged later than in a power cut, groups that were acknowledged may be missing: compare "
           "with the last transaction that clients know";
  return mended;
}

}  // namespace whence::store
