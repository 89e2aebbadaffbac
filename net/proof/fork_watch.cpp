// Comparing by the roots of the own tree.

#include "net/proof/fork_watch.hpp"

#include "engine/engine.hpp"

#include <string>
#include <system_error>
#include <utility>

namespace whence::net {

void ForkWatch::look() {
  auto const own = log_.signed_tree();
  if (!own) return;
  engine_.announce_tree(*own);
  auto found = find_fork();
  if (found) tell(*found);
  std::scoped_lock const lock(mutex_);
  fork_ = std::move(found);
}

/// Throws std::system_error where the tree's files do not read.
std::optional<std::string> ForkWatch::compare() const {
  if (auto own = log_.own_fork()) return own;
  auto const& tree = log_.tree();
  for (auto const& node : engine_.shared_log_picture().nodes) {
    if (node.is_self || !node.tree || node.tree->size > tree.size()) continue;
    if (tree.root(node.tree->size) == node.tree->root) continue;
    return "the node " + node.name +
           " has another tree: its root is not the one that this node has for a size up to "
           "which both have the log";
  }
  return std::nullopt;
}

std::optional<std::string> ForkWatch::find_fork() const {
  try {
    return compare();
  } catch (std::system_error const& failed) {  // the tree cannot be what it was
    return failed.what();
  }
}

void ForkWatch::tell(std::string const& what) {
  {
    std::scoped_lock const lock(mutex_);
    if (told_.size() == told_max || !told_.insert(what).second) return;
  }
  if (sink_) sink_({.level = LogLevel::error, .component = "server", .event = "log_forked", .error = what});
}

void ForkWatch::show(std::string what) {
  tell(what);
  std::scoped_lock const lock(mutex_);
  if (!shown_) shown_ = std::move(what);
}

std::optional<std::string> ForkWatch::fork() const {
  std::scoped_lock const lock(mutex_);
  return shown_ ? shown_ : fork_;
}

}  // namespace whence::net
