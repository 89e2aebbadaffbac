#pragma once
// What LMDB does to its data file, call by call: the tests' own pwrite, writev, ftruncate and fdatasync replace the
// library's and pass on to it.

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

}  // namespace whence::test
