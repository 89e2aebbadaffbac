#pragma once
// What a store does to its data file and to the names in its folders, call by call: the tests' own pwrite, writev,
// ftruncate, fdatasync, open, mkdir and rename replace the library's and pass on to it.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace whence::test {

/// One change of the data file, or a flush of it.
struct FileChange {
  enum class Kind { write, resize, flush };
  Kind kind = Kind::write;
  std::uint64_t offset = 0;  ///< of a write; the new size of a resize
  std::string bytes = {};    ///< of a write
  bool is_flushed = false;   ///< a write through a descriptor that flushes each (O_DSYNC)
};

/// While it lives, the changes that this thread makes to `file` are noted. One at a time.
class FileChanges {
 public:
  explicit FileChanges(std::filesystem::path const& file);
  FileChanges(FileChanges const&) = delete;
  FileChanges& operator=(FileChanges const&) = delete;
  ~FileChanges();

  [[nodiscard]] std::vector<FileChange> const& noted() const noexcept;
};

/// One change of the names in a folder, or a flush of a folder (or file).
struct NameChange {
  enum class Kind { make, rename, flush };
  Kind kind = Kind::make;
  std::string path = {};  ///< absolute
  std::string to = {};    ///< of a rename
};

/// While it lives, the changes that this thread makes to names, given as absolute paths, are noted. One at a time.
class NameChanges {
 public:
  NameChanges();
  NameChanges(NameChanges const&) = delete;
  NameChanges& operator=(NameChanges const&) = delete;
  ~NameChanges();

  [[nodiscard]] std::vector<NameChange> const& noted() const noexcept;
};

/// Called by the tests' fsync.
void note_flush_of_names(int fd);

}  // namespace whence::test
