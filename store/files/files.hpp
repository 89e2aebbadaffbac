#pragma once
// Files and directories as the store needs them: descriptors with an owner, and names that survive power loss.

#include "schema/base/error.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include <sys/types.h>

namespace whence::store {

/// Throws std::system_error for errno, naming the call and the file.
[[noreturn]] void throw_errno(char const* call, std::filesystem::path const& path);

/// Whether `code` of errno means that there is no room: on the disk, in a quota, or below the limit of a file's size
/// (RLIMIT_FSIZE; the process ignores SIGXFSZ).
[[nodiscard]] bool is_out_of_room(int code) noexcept;

/// A file that may not become longer by these has no room.
inline constexpr std::uint64_t growth_bytes = std::uint64_t{1} << 20;

/// Whether `file` may become `bytes` longer, as far as free space, quotas and the limit of a file's size allow. Asks by
/// allocating in a nameless file beside it. True where that is not known.
[[nodiscard]] bool may_grow(std::filesystem::path const& file, std::uint64_t bytes) noexcept;

/// Owns a file descriptor; -1 is none.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) noexcept : fd_{fd} {}
  Descriptor(Descriptor&& other) noexcept : fd_{std::exchange(other.fd_, -1)} {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor();

  [[nodiscard]] int get() const noexcept { return fd_; }

 private:
  int fd_;
};

/// Waits until a file's content, or a directory's names, are on disk.
void sync_to_disk(std::filesystem::path const& path);

/// When a file was written, in whole seconds since 1970; nothing where there is none.
[[nodiscard]] std::optional<std::int64_t> find_written_at_s(std::filesystem::path const& file) noexcept;

/// The modes of what is made here: its owner's alone, whatever the umask.
inline constexpr mode_t private_directory_mode = 0700;
inline constexpr mode_t private_file_mode = 0600;

/// Makes the directory `path` and those above it that are missing, all private. Their names are on disk afterwards,
/// also those that another process made and did not flush. Throws std::system_error.
void make_directory(std::filesystem::path const& path);

/// Gives a file or directory another name, on disk when this returns. `to` is replaced where it is a file, or an empty
/// directory. Throws std::system_error.
void rename_durably(std::filesystem::path const& from, std::filesystem::path const& to);

/// Gives it a name that nothing has, in one step where the file system has such a call; not durably. False where
/// something has it. Throws std::system_error.
[[nodiscard]] bool rename_to_free(std::filesystem::path const& from, std::filesystem::path const& to);

/// What keeps a file from growing: the disk (a quota too), or a limit on the size of files.
enum class NoRoom : std::uint8_t { disk, file_size };

/// Why `file` did not grow by `bytes`.
[[nodiscard]] NoRoom why_no_room(std::filesystem::path const& file, std::uint64_t bytes) noexcept;

/// Whose staging name (below) `name` is: "copy" of "copy.partial-" and 32 digits; empty where it is none.
[[nodiscard]] std::string_view target_of_staging(std::string_view name) noexcept;

/// Removes from `folder` what killed processes of this user have left there under staging names of targets that
/// `is_ours` knows.
void remove_abandoned(std::filesystem::path const& folder, std::function<bool(std::string_view)> const& is_ours);

/// A name beside `target` for what is in the making: `TARGET.partial-` and 32 random digits, which no other run has.
/// Its maker holds a lock on it, so that the next run of the same work knows what a killed one has left.
class Staging {
 public:
  enum class Kind : std::uint8_t { file, directory };

  /// Removes what killed processes of this user have left for `target`, and makes a fresh file or directory (private).
  /// Throws std::system_error.
  Staging(std::filesystem::path const& target, Kind kind);

  [[nodiscard]] std::filesystem::path const& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
  Descriptor held_;
};

/// A fresh directory beside `target` to build it in. Removed with everything in it unless `become_target` was called.
class StagingDirectory {
 public:
  /// Leftovers of killed attempts at the same target are removed. Throws std::system_error.
  explicit StagingDirectory(std::filesystem::path const& target);
  StagingDirectory(StagingDirectory const&) = delete;
  StagingDirectory& operator=(StagingDirectory const&) = delete;
  ~StagingDirectory();

  [[nodiscard]] std::filesystem::path const& path() const noexcept { return staging_.path(); }

  /// Flushes the files inside and renames the directory to the target, durably. `conflict` where the target is
  /// there and not empty.
  [[nodiscard]] Result<void> become_target();

 private:
  std::filesystem::path target_;
  Staging staging_;
};

}  // namespace whence::store
