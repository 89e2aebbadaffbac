#pragma once
// Where the transactions of a backup come from: a store in this process, or whatever else has a log.

#include "schema/base/digest.hpp"
#include "schema/base/error.hpp"
#include "schema/base/ids.hpp"
#include "schema/base/time.hpp"
#include "store/values/advance.hpp"
#include "store/values/commit.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace whence::store {

class Store;

/// One log, which may get longer meanwhile. Belongs to one thread.
class BackupSource {
 public:
  virtual ~BackupSource() = default;

  /// Of the store, as text.
  [[nodiscard]] virtual Result<std::string> epoch() = 0;
  [[nodiscard]] virtual Result<schema::TxId> head() = 0;
  /// The leaf hash of the entry `tx`, which is not after the head; zero for 0.
  [[nodiscard]] virtual Result<schema::Digest> leaf_hash(schema::TxId tx) = 0;
  /// As `Store::read_groups`.
  [[nodiscard]] virtual Result<void> read_groups(schema::TxId after, schema::TxId last,
                                                 std::function<Result<bool>(SentGroup const&)> const& visit) = 0;

  /// A store with which a set begins.
  struct Base {
    schema::TxId tx = schema::TxId{0};
    schema::Time at = {};  ///< when that was committed; the epoch of time where there is none
  };
  /// Makes it in `directory`, which does not exist, and says how far it is. Fails with `storage_full`; throws
  /// std::system_error.
  [[nodiscard]] virtual Result<Base> make_base(std::filesystem::path const& directory, Advance const& advance) = 0;
};

/// A store that is open here: a base is a copy of it.
class StoreSource final : public BackupSource {
 public:
  /// `store` outlives this.
  explicit StoreSource(Store const& store) noexcept : store_{store} {}

  [[nodiscard]] Result<std::string> epoch() override;
  [[nodiscard]] Result<schema::TxId> head() override;
  [[nodiscard]] Result<schema::Digest> leaf_hash(schema::TxId tx) override;
  [[nodiscard]] Result<void> read_groups(schema::TxId after, schema::TxId last,
                                         std::function<Result<bool>(SentGroup const&)> const& visit) override;
  [[nodiscard]] Result<Base> make_base(std::filesystem::path const& directory, Advance const& advance) override;

 private:
  Store const& store_;
};

/// Opens a store to be read while another process may write it. Fails as `Store::open`.
[[nodiscard]] Result<std::unique_ptr<Store>> open_to_read(std::filesystem::path const& directory);

/// The base of a log that comes from its first transaction on: an empty store of `epoch` in `directory`, which does not
/// exist. Fails with `corrupt` where `epoch` is none. Throws std::system_error.
[[nodiscard]] Result<void> make_empty_base(std::filesystem::path const& directory, std::string const& epoch);

/// Reads what `read_groups` returned as a message: what it is of, without its contents being checked. A view of
/// `message`. Fails with `corrupt`.
[[nodiscard]] Result<SentGroup> look_at_group(std::span<std::byte const> message);

}  // namespace whence::store
