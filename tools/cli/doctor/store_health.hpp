#pragma once
// What is wrong with a store's directory, or soon will be.

#include "tools/cli/doctor/findings.hpp"
#include "tools/cli/doctor/machine.hpp"

#include <cstdint>
#include <filesystem>

namespace whence::tools {

/// Looks at the store in `directory` without changing it, also while a server holds it: that it opens, its format, who
/// may read it, its file system, room on its disk and in its map, memory for its graph, checkpoint, index of texts,
/// backup, and what an accident left. `now_s` is in seconds since 1970.
void look_at_store(std::filesystem::path const& directory, std::int64_t now_s, Machine const& machine, Findings& out);

/// The name of a file system that LMDB must not or should not be on, by its number (statfs(2)).
struct FileSystem {
  Severity severity = Severity::ok;
  char const* name = "";
  char const* why = "";
};
[[nodiscard]] FileSystem file_system_of(std::uint64_t number) noexcept;

// Bounds that the doctor of a running server uses, too.
inline constexpr std::uint64_t disk_free_fail = std::uint64_t{64} << 20;  ///< `/readyz` says `disk` below it
inline constexpr std::uint64_t disk_free_warn = std::uint64_t{1} << 30;
inline constexpr double map_use_warn = 0.9;
inline constexpr std::int64_t backup_age_warn_s = std::int64_t{26} * 3600;  ///< a daily one, and two hours
inline constexpr std::int64_t expiry_warn_s = std::int64_t{14} * 86'400;

void look_at_disk(std::uint64_t free_bytes, std::uint64_t store_bytes, Findings& out);
void look_at_map(std::uint64_t store_bytes, std::uint64_t map_bytes, Findings& out);
/// `age_s` less than 0: there is none.
void look_at_backup(std::int64_t age_s, Findings& out);
/// Of a certificate; `left_s` may be less than 0.
void look_at_expiry(std::string const& what, std::int64_t left_s, std::string const& remedy, Findings& out);

}  // namespace whence::tools
