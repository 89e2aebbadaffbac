#pragma once
// The state of a session: the requests in flight, and the steps of each kind of request. Split over session_state.cpp
// (messages, cancelling, answers), hello.cpp, reads.cpp (reads and streams) and calls.cpp (writes and the service's own
// functions).

#include "net/base/errors.hpp"
#include "net/rpc/envelope.hpp"
#include "net/rpc/method.hpp"
#include "net/rpc/request_log.hpp"
#include "net/session/read.hpp"
#include "net/session/subscriptions.hpp"
#include "net/state/service_state.hpp"
#include "net/work/alarms.hpp"
#include "net/work/host_link.hpp"
#include "net/work/session_config.hpp"
#include "net/work/session_host.hpp"

#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <unordered_map>
#include <vector>

namespace whence::net {

/// The answers of a batch, given together when the last is there.
struct BatchAnswers {
  std::vector<std::string> answers;  ///< by place; empty where nothing is to be answered
  std::size_t missing = 0;
  bool is_refused = false;                      ///< too much is in flight already
  std::unique_ptr<MemoryClaim> held = {};       ///< the answers that wait for the others
  std::vector<std::string> subscriptions = {};  ///< that begin when the answers have been given
};

/// Where a request's answer goes.
struct Slot {
  std::shared_ptr<BatchAnswers> batch = {};  ///< null: a message of its own
  std::size_t place = 0;
};

/// One request from its receipt to its answer. Belongs to the strand, but for `is_cancelled`, and for `read` while a
/// worker has it.
struct Running {
  std::uint64_t key = 0;  ///< in `SessionState::running_`; 0: not in it
  std::string id = {};    ///< JSON text; empty: a notification
  Method const* method = nullptr;
  RequestInterrupt::Moment received = {};
  Slot slot = {};
  std::atomic<bool> is_cancelled = false;
  bool is_done = false;
  LoggedRequest logged = {};  ///< for the log
  bool is_writing = false;    ///< a read or a call whose params ask for a write

  std::shared_ptr<MemoryClaim> memory = {};  ///< of the message it came in, where that is large
  std::shared_ptr<Read> read = {};
  std::size_t counted_bytes = 0;  ///< of its answer, by `read`
  Alarms::Id alarm = 0;
  std::uint64_t stream_credit = 0;
  std::uint64_t stream_seq = 0;
  bool is_streaming = false;
  bool is_rendering = false;                   ///< a worker makes the stream's next piece
  bool is_out_of_time = false;                 ///< the stream is to end at its present position
  bool was_idle = false;                       ///< the stream could not go on at the last tick
  std::vector<std::string> after_answer = {};  ///< notifications that must not come before it
};

using RunningPtr = std::shared_ptr<Running>;

/// A message and how many of its requests have been started.
struct Waiting {
  Message message;
  std::shared_ptr<MemoryClaim> memory = {};  ///< where it is large
  std::size_t started = 0;
  std::shared_ptr<BatchAnswers> batch = {};  ///< from the first request of a batch on
};

/// Invariants: 1. every member runs on the strand; tasks for other threads hold the link, a weak pointer to the session
/// and what they need, never `host_`. 2. a request is in `running_` from its first wait until it is done. 3.
/// `inflight_` is the requests in `running_` outside batches plus the unfinished batches.
class SessionState : public std::enable_shared_from_this<SessionState> {
 public:
  /// `may_block`: everything is evaluated where it arrives, for callers that wait anyway.
  SessionState(ServiceState& owner, SessionConfig settings, SessionHost& carrier, bool may_block);

  // session_state.cpp: messages.
  void on_text(std::string_view text);
  void on_drained();
  void on_closed();
  void abort_running();
  [[nodiscard]] bool is_idle() const { return inflight_ == 0 && unparsed_ == 0 && waiting_.empty(); }
  [[nodiscard]] bool is_behind() const { return unparsed_ + waiting_.size() >= unparsed_max; }
  [[nodiscard]] bool awaits_hello() const { return grant_.role == Role::none; }
  void drain() { is_draining_ = true; }
  void on_tick();
  void finish(std::uint16_t code, std::string_view reason);

  // hello.cpp: the functions of session methods, called through their rows.
  void start_hello(RunningPtr const& running, Request const& request);
  void start_subscribe(RunningPtr const& running, Request const& request);
  void start_unsubscribe(RunningPtr const& running, Request const& request);

 private:
  static constexpr std::size_t unparsed_max = 4;

  void parse_on_worker(std::string_view text);
  void accept(Message message, std::shared_ptr<MemoryClaim> memory = {});
  void advance();
  void start_next();
  void report_caught_up(bool was_behind);
  void start(Request& request, Slot slot, std::shared_ptr<MemoryClaim> memory);
  [[nodiscard]] std::optional<Error> refuse(Running const& running, std::string_view name) const;
  void dispatch(RunningPtr const& running, Request& request);
  void notify(Request const& request);
  /// Runs `task` on the strand unless the session is gone. From any thread, given copies of `link_` and a weak pointer.
  static void post_back(std::shared_ptr<HostLink> const& link, std::weak_ptr<SessionState> const& self,
                        std::function<void(SessionState&)> task);

  // session_state.cpp: answers.
  void keep(RunningPtr const& running);
  void finish(RunningPtr const& running, std::string answer, std::optional<Errc> error = std::nullopt);
  void audit(Running const& running, std::optional<Errc> error) const;
  void audit_read(Running const& running, Request const& request) const;
  [[nodiscard]] bool is_told_already(Running const& running, std::optional<Errc> error) const;
  void fail(RunningPtr const& running, Error const& error);
  [[nodiscard]] bool has_room_for(Slot const& slot, std::size_t bytes) const;
  void give(Slot const& slot, std::string answer);
  void join_on_worker(std::shared_ptr<BatchAnswers> const& batch);
  void send_batch(BatchAnswers& batch, std::string text);
  void settle();

  // hello.cpp
  [[nodiscard]] Subscriptions& subscriptions();
  [[nodiscard]] Result<std::string> hello(boost::json::object const& params);
  [[nodiscard]] std::string hello_result() const;

  // reads.cpp
  void start_read(RunningPtr const& running, Request& request);
  void run_read(RunningPtr const& running);
  void run_read_on_worker(RunningPtr const& running);
  [[nodiscard]] RequestInterrupt::Progress progress_of(RunningPtr const& running);
  /// Reports the progress of the request to the peer, on the strand, unless it is done by then. From any thread.
  [[nodiscard]] Notify reporter_of(RunningPtr const& running);
  /// The same under another id, from the answer on.
  [[nodiscard]] Notify late_reporter_of(RunningPtr const& running, std::string id);
  void finish_read(RunningPtr const& running, Result<Read::Step> const& step, std::string text);
  void start_stream(RunningPtr const& running);
  void pump(RunningPtr const& running);
  [[nodiscard]] RequestInterrupt interrupt_of_piece(Running const& running) const;
  void make_piece_on_worker(RunningPtr const& running);
  void give_piece(RunningPtr const& running, Result<void> const& made, std::string const& items);
  void end_stream(RunningPtr const& running);

  // calls.cpp
  void start_write(RunningPtr const& running, Request& request);
  /// What the answer of a purge names besides what went.
  struct NamedBeside {
    bool backups;
    bool lost;
  };
  static void name_beside(engine::Engine const& engine, NamedBeside asked, engine::Removal& removal);
  void foresee(RunningPtr const& running, engine::PreparedBatch const& prepared, NamedBeside asked);
  void add_beside(RunningPtr const& running, NamedBeside asked,
                  std::shared_ptr<Result<engine::WriteAnswer>> const& answer);
  void finish_write(RunningPtr const& running, Result<engine::WriteAnswer> const& answer);
  void start_call(RunningPtr const& running, Request& request);
  void finish_call(RunningPtr const& running, Result<std::string> const& result);

  ServiceState& service_;
  SessionConfig const config_;
  std::shared_ptr<PeerMemory> const memory_;
  SessionHost* host_;  ///< null after `on_closed`
  std::shared_ptr<HostLink> link_;
  WorkQueue work_;     ///< evaluates; leaves a thread of the pool to other connections
  WorkQueue parsing_;  ///< of large messages, one after the other
  bool const may_block_;
  std::uint64_t const peer_;  ///< this session's number, for the engine
  Grant grant_;               ///< of the handshake, then of the hello
  Grant refused_;             ///< what the token of the last hello gave, where that was not enough
  std::string actor_;         ///< its role, then what the client calls itself
  bool is_greeted_ = false;
  bool is_draining_ = false;
  std::size_t unparsed_ = 0;     ///< messages that wait for a worker or for one before them
  std::deque<Waiting> waiting_;  ///< messages whose requests have not all been started, in order
  bool is_advancing_ = false;    ///< a later turn starts more of them
  std::uint32_t inflight_ = 0;
  std::uint64_t last_key_ = 0;
  std::unordered_map<std::uint64_t, RunningPtr> running_;
  std::shared_ptr<Subscriptions> subscriptions_;  ///< from the first on
};

/// `work()`, with an exception of the environment (no memory, I/O) as the error of this one request.
template <class Work>
auto guarded(Work const& work) -> decltype(work()) {
  try {
    return work();
  } catch (std::bad_alloc const&) {
    return busy_error(no_memory_for_request);
  } catch (std::system_error const& failure) {
    return error_of(failure);
  } catch (std::exception const& failure) {
    return Error{.code = Errc::internal_error, .message = failure.what()};
  }
}

}  // namespace whence::net
