#pragma once
// The states of a connection and what each request does in each, without sockets: requests in, responses out.

#include "net/bolt/machine_host.hpp"
#include "net/bolt/messages.hpp"
#include "net/bolt/packstream/dialect.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <iosfwd>
#include <optional>
#include <set>
#include <string>
#include <variant>

namespace whence::net::bolt {

/// The protocol's server states.
enum class State : std::uint8_t {
  negotiation,     ///< HELLO is expected
  authentication,  ///< LOGON is expected
  ready,
  streaming,     ///< a statement without a transaction has rows
  tx_ready,      ///< a transaction is open
  tx_streaming,  ///< and has results with rows
  failed,        ///< everything is ignored until RESET
  defunct,       ///< closed
};

std::ostream& operator<<(std::ostream& out, State state);

/// Requests are answered in the order in which they came. RESET is seen as soon as it comes: what runs is interrupted,
/// and all requests before it are ignored.
///
/// Every member runs on the connection's context. Invariants: 1. at most one of the host's `begin`, `run` and `pull` is
/// under way (`is_busy_`); requests wait behind it. 2. Each request but GOODBYE is answered once: by SUCCESS, FAILURE
/// or IGNORED. 3. A request that the state does not allow is answered with FAILURE, and the connection ends.
class Machine {
 public:
  /// `host` outlives it.
  Machine(Version version, MachineHost& host);

  void on_request(Request request);
  /// A message that is no request: answered at its turn. The connection ends where it is not one of the protocol.
  void on_undecodable(Failure failure);

  // Answers of the host.
  void on_begun(Outcome<void> const& begun);
  void on_started(Outcome<Started> started);
  void on_pulled(Outcome<Pulled> pulled);

  /// From now on nothing begins: statements and transactions are answered with a failure that is worth another attempt.
  void drain() { is_draining_ = true; }
  /// Answers what runs with a failure and closes.
  void finish();
  /// The connection is gone: the host is called no more.
  void on_closed();

  [[nodiscard]] Version version() const noexcept { return version_; }
  [[nodiscard]] State state() const noexcept { return state_; }
  [[nodiscard]] Dialect dialect() const noexcept { return dialect_; }
  /// Whether no token has been seen.
  [[nodiscard]] bool awaits_logon() const noexcept { return state_ <= State::authentication; }
  /// Whether nothing is being answered and nothing waits.
  [[nodiscard]] bool is_idle() const noexcept { return !is_busy_ && pending_.empty(); }
  /// Whether so much waits that the connection should read no more.
  [[nodiscard]] bool is_behind() const noexcept;

 private:
  using Waiting = std::variant<Request, Failure>;

  void advance();
  void handle(Request& request);
  void handle_reset();
  void handle_hello(Request const& request);
  void handle_logon(Request const& request);
  void handle_run(Request& request);
  void handle_begin(Request const& request);
  void handle_pull(Request const& request);
  void handle_end(bool is_commit);
  void handle_route(Request const& request);
  /// What RUN or BEGIN says of a new transaction; nothing where that has failed.
  [[nodiscard]] std::optional<TxSettings> take_settings(Request const& request);
  [[nodiscard]] bool allows(RequestKind kind) const noexcept;
  [[nodiscard]] bool is_in_transaction() const noexcept;
  /// Whether a request of that kind means that the rows left of a single statement are not wanted: a driver whose
  /// session was closed before its rows were read uses the connection for the next session without another word.
  [[nodiscard]] bool leaves_result(RequestKind kind) const noexcept;
  void leave_result();
  /// Whether what ran was interrupted, and says so.
  [[nodiscard]] bool is_ignored();

  /// The request that is being answered has its answer; again, or of one that takes no time: no effect.
  void note_answer(std::optional<FailureKind> failure);
  void succeed(Map const& metadata = {});
  void fail(Failure const& failure);
  void break_off(Failure const& failure);
  void close();

  MachineHost* host_;
  Version version_;
  Dialect dialect_;
  State state_ = State::negotiation;
  std::deque<Waiting> pending_;
  std::size_t pending_bytes_ = 0;
  std::size_t resets_ = 0;          ///< among `pending_`
  std::set<std::int64_t> results_;  ///< with rows left, by their numbers
  std::int64_t last_qid_ = -1;
  Pull pull_;                          ///< under way
  std::optional<Answered> answering_;  ///< what takes time, until it is answered
  std::optional<TraceContext> trace_;  ///< of the transaction
  // A statement without a transaction waits here until `begin` has fixed one for it.
  std::string statement_;
  Map parameters_;
  bool is_single_ = false;  ///< it is one
  bool is_busy_ = false;
  bool is_draining_ = false;
  bool is_advancing_ = false;
};

}  // namespace whence::net::bolt
