#pragma once
// The interface through which the machine acts on the connection that carries it.

#include "net/bolt/messages.hpp"
#include "net/bolt/packstream/failure.hpp"
#include "net/bolt/packstream/value.hpp"
#include "net/bolt/tx_settings.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace whence::net::bolt {

/// A statement that has begun.
struct Started {
  std::vector<std::string> fields = {};
  std::int64_t millis = 0;
};

/// What became of a PULL or DISCARD whose rows were sent.
struct Pulled {
  bool has_more = false;
  Map summary = {};  ///< after the last row
  std::int64_t millis = 0;
};

/// Rows asked for of one result.
struct Pull {
  std::int64_t qid = 0;
  std::optional<std::uint64_t> rows = {};  ///< none: all
  bool is_discard = false;
};

/// A request that took time, answered: BEGIN, RUN, PULL or DISCARD.
struct Answered {
  RequestKind kind = RequestKind::run;
  std::chrono::steady_clock::time_point received = {};
  std::optional<TraceContext> trace = {};  ///< of its transaction
  std::optional<FailureKind> failure = {};
};

/// Implemented by the connection and by tests. Every member is called on the connection's context.
class MachineHost {
 public:
  virtual ~MachineHost() = default;

  /// Queues messages in chunks.
  virtual void send(std::string chunks) = 0;
  /// What HELLO is answered beside the versions' own members: `server`, `connection_id`, `hints`.
  [[nodiscard]] virtual Map greet(Map const& extra) = 0;
  /// Checks the token in `token`, and remembers whose the connection is.
  [[nodiscard]] virtual Outcome<void> log_on(Map const& token) = 0;
  virtual void log_off() = 0;
  /// The routing table, as ROUTE is answered.
  [[nodiscard]] virtual Outcome<Map> route(Request const& request) = 0;

  // What takes time; each is answered by one call of the machine's member, later or within the call.

  /// Fixes the transaction that everything until `end_transaction` reads: `on_begun`.
  virtual void begin(TxSettings settings) = 0;
  /// Begins a statement in what `begin` fixed; its result has the number `qid`: `on_started`.
  virtual void run(std::int64_t qid, std::string statement, Map parameters) = 0;
  /// Sends rows: `on_pulled`.
  virtual void pull(Pull pull) = 0;

  /// Lets go of what `begin` fixed and of every result. Nothing runs.
  virtual void end_transaction() = 0;
  /// What runs shall stop soon; it is answered as ever.
  virtual void interrupt() = 0;
  /// The bookmark and the database of what `begin` fixed.
  [[nodiscard]] virtual std::string bookmark() const = 0;
  [[nodiscard]] virtual std::string database() const = 0;
  /// Called for each such request, before `end_transaction` where the answer ends the transaction.
  virtual void on_answered(Answered const& answered) = 0;
  /// Closes after what is queued has been sent.
  virtual void close() = 0;
};

}  // namespace whence::net::bolt
