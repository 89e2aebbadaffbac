#pragma once
// The log of a server as the source of a backup that is kept on this machine.

#include "store/backups/backup_source.hpp"
#include "tools/cli/transport/caller.hpp"

#include <string>

namespace whence::tools {

/// Asks by `admin.log`. A base is an empty store: everything comes from the log. A call that fails is an error of the
/// code of its exit code; the failure itself is in `failure`.
class WireSource final : public store::BackupSource {
 public:
  /// `caller` outlives this.
  explicit WireSource(Caller& caller) noexcept : caller_{caller} {}

  [[nodiscard]] Result<std::string> epoch() override;
  [[nodiscard]] Result<schema::TxId> head() override;
  [[nodiscard]] Result<schema::Digest> leaf_hash(schema::TxId tx) override;
  [[nodiscard]] Result<void> read_groups(schema::TxId after, schema::TxId last,
                                         std::function<Result<bool>(store::SentGroup const&)> const& visit) override;
  [[nodiscard]] Result<Base> make_base(std::filesystem::path const& directory, store::Advance const& advance) override;

  /// Says to the server that everything up to `tx` is kept at `place`.
  [[nodiscard]] Result<void> note(schema::TxId tx, std::string const& place);

  /// The call that failed last; nothing where none did.
  [[nodiscard]] std::optional<CallError> const& failure() const noexcept { return failure_; }

 private:
  struct Piece {
    std::string epoch = {};
    schema::TxId head = schema::TxId{0};
    schema::Digest leaf = {};
    std::string groups = {};
  };
  enum class Groups : std::uint8_t { none, some };
  [[nodiscard]] Result<Piece> ask(schema::TxId after, Groups groups, std::string const& kept = {});

  Caller& caller_;
  std::string epoch_ = {};  ///< of the first answer; all others are of the same
  std::optional<CallError> failure_ = {};
};

}  // namespace whence::tools
