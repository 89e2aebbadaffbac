// A store is read while its writer may commit, so opening it is tried again for a while. A source that cannot copy a
// store begins with an empty base, and all of its log follows in segments.

#include "store/backups/backup_source.hpp"

#include "schema/stored/shared_group.hpp"
#include "store/files/files.hpp"
#include "store/lmdb/data_file.hpp"
#include "store/lmdb/directory_lock.hpp"
#include "store/log/store.hpp"

#include <charconv>
#include <chrono>
#include <optional>
#include <thread>

namespace whence::store {
namespace {

/// Reads what `to_text` makes of an epoch.
std::optional<Epoch> parse_epoch(std::string const& text) {
  Epoch epoch = {};
  std::size_t at = 0;
  for (auto& byte : epoch) {
    if (at < text.size() && text[at] == '-') ++at;
    if (at + 2 > text.size()) return std::nullopt;
    auto const [end, failed] = std::from_chars(text.data() + at, text.data() + at + 2, byte, 16);
    if (failed != std::errc{} || end != text.data() + at + 2) return std::nullopt;
    at += 2;
  }
  return to_text(epoch) == text ? std::optional{epoch} : std::nullopt;
}

}  // namespace

Result<std::string> StoreSource::epoch() {
  return store_.epoch();
}

Result<schema::TxId> StoreSource::head() {
  auto const end = store_.log_end();
  if (!end) return end.error();
  return end->tx;
}

Result<schema::Digest> StoreSource::leaf_hash(schema::TxId tx) {
  return store_.leaf_hash(tx);
}

Result<void> StoreSource::read_groups(schema::TxId after, schema::TxId last,
                                      std::function<Result<bool>(SentGroup const&)> const& visit) {
  return store_.read_groups(after, last, visit);
}

Result<BackupSource::Base> StoreSource::make_base(std::filesystem::path const& directory, Advance const& advance) {
  auto const copied = store_.backup(directory, schema::NoInterrupt{}, advance);
  if (!copied) return copied.error();
  if (copied->tx == schema::TxId{0}) return Base{};
  auto const entry = store_.log_entry(copied->tx);
  if (!entry) return entry.error();
  return Base{.tx = copied->tx, .at = entry->at};
}

Result<std::unique_ptr<Store>> open_to_read(std::filesystem::path const& directory) {
  constexpr int attempts_max = 20;
  constexpr std::chrono::milliseconds pause{50};
  for (int attempt = 1;; ++attempt) {
    auto opened = Store::open(directory, {.is_read_only = true});
    // The writer may commit between two looks at the meta pages.
    bool const may_be_a_commit = !opened && opened.error().code == Errc::corrupt && find_holder(directory);
    if (!may_be_a_commit || attempt == attempts_max) return opened;
    std::this_thread::sleep_for(pause);
  }
}

Result<void> make_empty_base(std::filesystem::path const& directory, std::string const& epoch) {
  auto const parsed = parse_epoch(epoch);
  if (!parsed) return Error{Errc::corrupt, "\"" + epoch + "\" is no epoch"};
  StagingDirectory staging{directory};
  create_data_file(staging.path());
  if (auto const set = set_epoch(staging.path(), *parsed); !set) return set;
  return staging.become_target();
}

Result<SentGroup> look_at_group(std::span<std::byte const> message) {
  SentGroup seen{.tx = schema::TxId{0}, .at = {}, .leaf = {}, .message = message};
  auto const read =
      schema::stored::decode_shared_group(message, [&](schema::stored::SharedGroup const& group) -> Result<void> {
        if (group.transactions.size() != 1) return Error{Errc::corrupt, "a group has not one transaction"};
        auto const bytes = group.transactions.front().entry;
        auto const entry = schema::stored::decode_log_entry(bytes);
        if (!entry) return entry.error();
        seen.tx = entry->tx;
        seen.at = entry->at;
        seen.leaf = schema::stored::leaf_hash(bytes);
        seen.purged = schema::stored::changes_of(*entry, schema::stored::ChangeKind::purge).size();
        return {};
      });
  if (!read) return read.error();
  return seen;
}

}  // namespace whence::store
