#pragma once
// What the program does to the files and folders below a root, call by call: the tests' own open, write, rename, fsync
// and so on replace the library's and pass on to it.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <sys/types.h>

namespace whence::test {

/// A file or folder, whatever names lead to it; 0 is none. A number is never given twice.
using NodeNumber = std::uint64_t;
inline constexpr NodeNumber root_node = 1;

/// What a disk writes whole or not at all.
inline constexpr std::size_t sector_bytes = 512;

struct TreeNode {
  bool is_folder = false;
  std::string bytes = {};                        ///< of a file
  std::map<std::string, NodeNumber> names = {};  ///< in a folder
};

/// One change of a file or of names, or a flush.
struct TreeChange {
  enum class Kind : std::uint8_t { write, resize, names, flush };
  /// What a name leads to from now on.
  struct Name {
    NodeNumber folder;
    std::string name;
    NodeNumber node;  ///< 0 where the name is gone
  };

  Kind kind = Kind::write;
  NodeNumber node = 0;           ///< what was written, resized or flushed
  std::uint64_t offset = 0;      ///< of a write; the new size of a resize
  std::string bytes = {};        ///< of a write
  bool is_flushed = false;       ///< a write through a descriptor that flushes each (O_DSYNC)
  std::vector<Name> names = {};  ///< changed as one, as a rename changes two
};

/// While it lives, the changes that the process makes below `root` are noted. One at a time.
class TreeChanges {
 public:
  explicit TreeChanges(std::filesystem::path const& root);
  TreeChanges(TreeChanges const&) = delete;
  TreeChanges& operator=(TreeChanges const&) = delete;
  ~TreeChanges();

  /// All nodes as they were at the start; those made later are empty and have no name.
  [[nodiscard]] std::map<NodeNumber, TreeNode> nodes() const;
  [[nodiscard]] std::vector<TreeChange> noted() const;
};

/// For the functions that replace the library's: called after a call that succeeded, with its arguments.
namespace noting {
[[nodiscard]] bool is_on() noexcept;
[[nodiscard]] bool is_there(int at, char const* path) noexcept;
/// `was_there`: the file was not made by the call.
void opened(int at, char const* path, int flags, bool was_there);
void made_folder(int at, char const* path);
void linked(int at, char const* path);
void renamed(int from_at, char const* from, int to_at, char const* to);
void exchanged(char const* one, char const* other);
void removed(int at, char const* path);
/// Before a write: where it will begin.
[[nodiscard]] off_t position(int fd) noexcept;
void written(int fd, off_t offset, void const* from, ssize_t bytes);
/// After a copy from another file.
void copied(int fd, off_t offset, ssize_t bytes);
void resized(int fd, off_t size);
void flushed(int fd);
}  // namespace noting

}  // namespace whence::test
