#pragma once
// What a power cut may leave of the files and folders that a program was changing.

#include "tests/store/power/tree_changes.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace whence::test {

/// Of the changes before a random moment, those that a flush of their file or folder followed are there. Of the others
/// each may be missing: a write may be torn by sectors (old, new, zero or foreign bytes) and writes may have reached
/// the disk in any order; a name may be the old or the new one, and names that one call changed go together.
class CutTree {
 public:
  CutTree(std::map<NodeNumber, TreeNode> nodes, std::span<TreeChange const> changes, std::mt19937_64& random);

  /// How many changes had surely been made when the power went: what was acknowledged after so many must be there.
  [[nodiscard]] std::size_t returned() const noexcept { return returned_; }

  /// Makes `folder`, which must not be there, as the root is left.
  void write_to(std::filesystem::path const& folder) const;

 private:
  void settle(NodeNumber flushed);
  void apply(TreeChange const& change);
  void apply(TreeChange const& change, std::size_t first, std::size_t end);
  void cut_writes();
  void cut_write(TreeChange const& change, std::uint64_t schedule);
  void cut_names();
  void write_node(NodeNumber number, std::filesystem::path const& path) const;

  std::mt19937_64& random_;
  std::map<NodeNumber, TreeNode> nodes_;
  std::vector<TreeChange const*> loose_ = {};  ///< not flushed yet
  std::size_t returned_ = 0;
};

}  // namespace whence::test
