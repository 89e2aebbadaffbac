#pragma once
// Bringing a store of an older format to the last one.

#include "schema/base/error.hpp"
#include "schema/base/interrupt.hpp"
#include "store/values/figures.hpp"

#include <filesystem>
#include <optional>

namespace whence::store {

/// The format of the closed or open store in `directory`, also one that this program cannot read. Fails with
/// `not_found` where there is no store, `corrupt` where it has no head. Throws std::system_error.
[[nodiscard]] Result<unsigned> find_format(std::filesystem::path const& directory);

/// The format that new stores have, and that `upgrade` brings others to.
[[nodiscard]] unsigned last_format() noexcept;

/// What an upgrade did.
struct UpgradeResult {
  unsigned from = 0;
  unsigned to = 0;
  std::optional<CompactResult> written = {};  ///< nothing where the store was of the last format already
};

/// Brings the closed store in `directory` to the last format: writes it anew beside itself, verifies that and gives it
/// the old file's name, as `compact` does. Before, it is copied to `backup`, where that is not empty. Epoch and
/// transactions stay. Fails as `compact`, with `corrupt` where the store is of a newer format, and with `conflict`
/// where `backup` exists.
[[nodiscard]] Result<UpgradeResult> upgrade(std::filesystem::path const& directory, std::filesystem::path const& backup,
                                            schema::Interrupt const& interrupt = schema::NoInterrupt{});

}  // namespace whence::store
