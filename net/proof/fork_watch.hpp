#pragma once
// Two roots for one size of the tree: found by comparing what the nodes of a log say that they have signed.

#include "net/base/log.hpp"
#include "net/proof/transparency_log.hpp"

#include <cstddef>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace whence::engine {
class Engine;
}

namespace whence::net {

/// All nodes of a log have one tree. Each tells the others the newest checkpoint that it has signed, and compares
/// theirs with its own tree of that size; a larger one is compared when this node has got so far. Any thread may call
/// it.
class ForkWatch {
 public:
  static constexpr std::size_t told_max = 64;  ///< forks that the log names; later ones show in the metric alone

  /// All outlive it. `sink` may be empty.
  ForkWatch(engine::Engine& engine, TransparencyLog const& log, LogSink sink)
      : engine_(engine), log_(log), sink_(std::move(sink)) {}

  /// Tells the others, and compares; every second or so. O(nodes · log² size).
  void look();

  /// Logs what contradicts the tree, each once.
  void tell(std::string const& what);

  /// Takes another root under a key of this log that somebody has shown. Such a fork does not end.
  void show(std::string what);

  /// What contradicts this node's tree: what was shown, what it signed itself before, or what a node says that was
  /// heard of lately. The last ends when that node agrees again or is not heard of any more.
  [[nodiscard]] std::optional<std::string> fork() const;

 private:
  [[nodiscard]] std::optional<std::string> compare() const;
  [[nodiscard]] std::optional<std::string> find_fork() const;

  engine::Engine& engine_;
  TransparencyLog const& log_;
  LogSink const sink_;
  mutable std::mutex mutex_;  ///< guards what follows
  std::optional<std::string> fork_ = {};
  std::optional<std::string> shown_ = {};  ///< the first
  std::set<std::string> told_ = {};
};

}  // namespace whence::net
