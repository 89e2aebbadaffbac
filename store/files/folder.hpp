#pragma once
// A directory held open, and the few things done to files in it. Every call is relative to the descriptor and follows
// no symbolic link, so that nothing outside can be reached by a name without `/`.

#include "schema/base/error.hpp"
#include "schema/base/time.hpp"
#include "store/files/files.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::store {

enum class FileKind : std::uint8_t { nothing, file, directory, other };

struct FileStatus {
  FileKind kind = FileKind::nothing;
  std::uint64_t bytes = 0;
  schema::Time modified = {};
};

/// Names given to the members hold no `/` and are neither "." nor "..". What the system refuses comes back as an error
/// that names the call and the path: `storage_full`, `conflict` where something of another kind is in the way,
/// `limit_exceeded` for a name that is too long, else `internal_error`.
class Folder {
 public:
  Folder() = default;  ///< none; only to be assigned to

  /// Opens `path` as the operator gave it, through links; makes what is missing of it, durably.
  [[nodiscard]] static Result<Folder> open(std::filesystem::path const& path);

  /// Keeps every other holder of this lock out until the last copy of the descriptor closes. `conflict` where one has
  /// it. A file system without such locks gives none, silently.
  [[nodiscard]] Result<void> lock() const;

  /// Whether this is still what its path leads to.
  [[nodiscard]] bool is_in_place() const noexcept;

  /// A folder in this one; nothing where it is missing, `conflict` where anything else has that name.
  [[nodiscard]] Result<std::optional<Folder>> find_child(std::string const& name) const;

  /// Makes it where it is missing, durably, and opens it.
  [[nodiscard]] Result<Folder> make_child(std::string const& name) const;

  /// The names in it that are wanted, in order.
  [[nodiscard]] Result<std::vector<std::string>> names(std::function<bool(std::string_view)> const& is_wanted) const;

  [[nodiscard]] Result<FileStatus> status(std::string const& name) const;

  /// The whole of a regular file; nothing where none is there. `conflict` for anything but a regular file, which is not
  /// opened; `limit_exceeded` beyond `bytes_max`.
  [[nodiscard]] Result<std::optional<std::string>> read(std::string const& name, std::size_t bytes_max) const;

  /// Makes a file, which must not be there, with this content, and flushes it.
  [[nodiscard]] Result<void> create(std::string const& name, std::string_view text) const;

  [[nodiscard]] Result<void> flush_file(std::string const& name) const;

  /// A second name for a file; a copy where the file system has no such thing.
  [[nodiscard]] Result<void> duplicate(std::string const& from, std::string const& to, std::size_t bytes_max) const;

  [[nodiscard]] Result<void> rename(std::string const& from, std::string const& to) const;

  /// Not an error where it is missing.
  [[nodiscard]] Result<void> remove(std::string const& name) const;

  /// Waits until the names in it are on disk.
  [[nodiscard]] Result<void> flush() const;

 private:
  Folder(Descriptor fd, std::filesystem::path path) : fd_{std::move(fd)}, path_{std::move(path)} {}

  [[nodiscard]] Error failure(char const* call, std::string const& name) const;  ///< for errno

  Descriptor fd_;
  std::filesystem::path path_;  ///< for messages, and for `is_in_place`
};

}  // namespace whence::store
