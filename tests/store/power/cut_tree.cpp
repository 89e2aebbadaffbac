// Settled changes are applied as they were made, loose ones by chance.

#include "tests/store/power/cut_tree.hpp"

#include <algorithm>
#include <fstream>
#include <utility>

namespace whence::test {
namespace {

using Kind = TreeChange::Kind;

bool concerns(TreeChange const& change, NodeNumber node) {
  if (change.kind != Kind::names) return change.node == node;
  return std::ranges::any_of(change.names, [&](TreeChange::Name const& name) { return name.folder == node; });
}

void reach(std::string& bytes, std::size_t size) {
  if (bytes.size() < size) bytes.resize(size);
}

}  // namespace

CutTree::CutTree(std::map<NodeNumber, TreeNode> nodes, std::span<TreeChange const> changes, std::mt19937_64& random)
    : random_{random}, nodes_{std::move(nodes)} {
  std::size_t const cut = random_() % (changes.size() + 1);
  // The last call may not have returned: what it was to flush is still loose.
  returned_ = cut - std::min<std::size_t>(cut, random_() % 2);
  for (std::size_t i = 0; i < cut; ++i) {
    TreeChange const& change = changes[i];
    bool const is_over = i < returned_;
    if (change.kind == Kind::flush) {
      if (is_over) settle(change.node);
    } else if (change.is_flushed && is_over) {
      apply(change);
    } else {
      loose_.push_back(&change);
    }
  }
  cut_names();
  cut_writes();
}

void CutTree::settle(NodeNumber flushed) {
  for (TreeChange const* const change : loose_) {
    if (concerns(*change, flushed)) apply(*change);
  }
  std::erase_if(loose_, [flushed](TreeChange const* change) { return concerns(*change, flushed); });
}

void CutTree::apply(TreeChange const& change) {
  if (change.kind == Kind::resize) {
    nodes_[change.node].bytes.resize(change.offset);
  } else if (change.kind == Kind::names) {
    for (TreeChange::Name const& name : change.names) {
      auto& names = nodes_[name.folder].names;
      if (name.node == 0)
        names.erase(name.name);
      else
        names[name.name] = name.node;
    }
  } else {
    apply(change, 0, change.bytes.size());
  }
}

void CutTree::apply(TreeChange const& change, std::size_t first, std::size_t end) {
  std::string& bytes = nodes_[change.node].bytes;
  reach(bytes, change.offset + end);
  bytes.replace(change.offset + first, end - first, change.bytes, first, end - first);
}

void CutTree::cut_writes() {
  std::erase_if(loose_, [](TreeChange const* change) { return change->kind == Kind::names; });
  if (random_() % 4 > 0) std::ranges::shuffle(loose_, random_);
  auto const schedule = random_() % 4;
  for (TreeChange const* const change : loose_) cut_write(*change, schedule);
}

/// Schedules: 0 each write is there or not; 1 and 2 each sector is old or new; 3 or zero or foreign as well.
void CutTree::cut_write(TreeChange const& change, std::uint64_t schedule) {
  if (schedule == 0 || change.kind == Kind::resize) {
    if (random_() % 2 == 0) apply(change);
    return;
  }
  std::string& bytes = nodes_[change.node].bytes;
  reach(bytes, change.offset + change.bytes.size());
  for (std::size_t first = 0; first < change.bytes.size();) {
    std::size_t const sector = (change.offset + first) / sector_bytes;
    std::size_t const end = std::min(change.bytes.size(), (sector + 1) * sector_bytes - change.offset);
    auto const fate = random_() % (schedule == 3 ? 4 : 2);
    if (fate == 1) apply(change, first, end);
    if (fate >= 2) {
      reach(bytes, (sector + 1) * sector_bytes);
      for (std::size_t i = sector * sector_bytes; i < (sector + 1) * sector_bytes; ++i)
        bytes[i] = fate == 3 ? static_cast<char>(random_()) : '\0';
    }
    first = end;
  }
}

/// A journal may keep the names of all calls, of none since a flush, or, where folders are written by themselves, any.
void CutTree::cut_names() {
  auto const schedule = random_() % 4;
  for (TreeChange const* const change : loose_) {
    bool const is_kept = schedule == 0 || (schedule > 1 && random_() % 2 == 0);
    if (change->kind == Kind::names && is_kept) apply(*change);
  }
}

void CutTree::write_to(std::filesystem::path const& folder) const {
  write_node(root_node, folder);
}

void CutTree::write_node(NodeNumber number, std::filesystem::path const& path) const {
  TreeNode const& node = nodes_.at(number);
  if (!node.is_folder) {
    std::ofstream{path, std::ios::binary | std::ios::trunc} << node.bytes;
    return;
  }
  std::filesystem::create_directory(path);
  for (auto const& [name, member] : node.names) write_node(member, path / name);
}

}  // namespace whence::test
