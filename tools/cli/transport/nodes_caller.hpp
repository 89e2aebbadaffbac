#pragma once
// Calls nodes that share one log (store/replicated): what one of them cannot answer, another can.

#include "tools/cli/transport/caller.hpp"
#include "tools/cli/transport/dial.hpp"
#include "tools/cli/transport/http_caller.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace whence::tools {

/// How long a node may take to have a transaction that another node has shown.
inline constexpr std::chrono::milliseconds catch_up_timeout{3'000};

/// The params of the cheapest read that waits for `tx`: `node.count` in the empty graph.
[[nodiscard]] boost::json::object catch_up_params(std::uint64_t tx);

/// What each node of a list said when it was tried, for the error after all of them have failed.
class NodeFailures {
 public:
  explicit NodeFailures(std::vector<DialConfig> const& nodes) : nodes_(nodes), said_(nodes.size()) {}

  /// Takes note of a failure. Whether each node has failed since the last time this was true.
  [[nodiscard]] bool add(std::size_t node, CallError const& error);

  /// Begins anew after a success.
  void reset();

  /// `last` with what every node said; as it is where there is one node.
  [[nodiscard]] CallError summary(CallError last) const;

 private:
  std::vector<DialConfig> const& nodes_;
  std::vector<std::string> said_;
  std::size_t failed_ = 0;
};

/// Whether another node may answer what `error` is the failure of: no connection, or `busy`.
[[nodiscard]] bool is_passing(CallError const& error);

/// A caller of several nodes. Invariants:
///
/// 1. The node that was good last is asked first, then the others in order. After a round in which all failed there is
///    a growing pause; after `patience` the call fails.
/// 2. A call that may have been carried out is repeated only where that has no other effect: a read, or a write with an
///    idempotency key. `records.write` without one gets a random one.
/// 3. A read waits until its node has what was seen, and says `min_tx` where it can: no node answers with an older
///    state than an earlier answer of this caller.
/// 4. A node of another graph than the first is never asked.
class NodesCaller final : public Caller {
 public:
  static constexpr std::chrono::seconds patience{10};

  /// `nodes` has at least one element.
  explicit NodesCaller(std::vector<DialConfig> nodes);

 private:
  /// A call as it is sent, and what is known of it.
  struct Call {
    std::string_view method;
    std::string params;
    bool may_repeat = false;
    bool waits = false;  ///< is to be answered by a node that has what was seen
  };

  [[nodiscard]] CallResult<boost::json::value> perform(std::string_view method, std::string_view params) override;
  [[nodiscard]] Call prepare(std::string_view method, std::string_view params) const;
  [[nodiscard]] CallResult<boost::json::value> ask(Call const& call);
  [[nodiscard]] CallResult<void> enter();
  [[nodiscard]] CallResult<void> catch_up();
  void leave();

  std::vector<DialConfig> nodes_;
  std::size_t at_ = 0;
  std::unique_ptr<HttpCaller> caller_;  ///< of the node `at_`, once it was entered
  std::uint64_t reached_ = 0;           ///< what that node is known to have
  std::uint64_t seen_ = 0;              ///< the newest transaction in an answer
  std::string epoch_;                   ///< of the graph; empty: not known
};

/// The first node that answers, for work that stays with one. Fails with what each said.
[[nodiscard]] CallResult<DialConfig> first_that_answers(std::vector<DialConfig> const& nodes);

}  // namespace whence::tools
