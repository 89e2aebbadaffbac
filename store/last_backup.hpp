#pragma once
// When a store was last backed up: a small file in its directory, which every complete backup writes.

#include "schema/base/time.hpp"
#include "store/figures.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>

namespace whence::store {

/// `{"at":"2026-01-01T00:00:00Z","tx":12,"bytes":4096}` and a newline. The time of the last backup is that of the file.
inline constexpr char const* backup_stamp_name = "last-backup";

/// Writes the file of `directory` as a whole. Where that fails the old one stays: the backup is there all the same, and
/// whoever watches the time is warned too early rather than too late.
void note_backup(std::filesystem::path const& directory, schema::Time at, BackupResult const& backup) noexcept;

/// When a file was written, in whole seconds since 1970; nothing where there is none.
[[nodiscard]] std::optional<std::int64_t> find_written_at_s(std::filesystem::path const& file) noexcept;

}  // namespace whence::store
