#pragma once
// One Bolt connection, over a socket or a WebSocket: bytes to requests, statements to workers, rows to the peer.

#include "net/bolt/carrier.hpp"
#include "net/bolt/chunking.hpp"
#include "net/bolt/login.hpp"
#include "net/bolt/machine.hpp"
#include "net/bolt/machine_host.hpp"
#include "net/bolt/runner.hpp"
#include "net/metrics/bolt_figures.hpp"
#include "net/serving/shared.hpp"
#include "net/serving/upgraded.hpp"
#include "net/stream/asio.hpp"
#include "net/stream/buffered_stream.hpp"
#include "net/work/alarms.hpp"
#include "net/work/memory_budget.hpp"
#include "net/work/worker_pool.hpp"

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace whence::net::bolt {

/// Runs on the connection's context. Statements and rows are evaluated on a worker, one step at a time; the next step
/// begins when there is room for its rows in the send queue, so a result never waits in memory for a slow reader.
class Connection final : public Upgraded, public MachineHost, public std::enable_shared_from_this<Connection> {
 public:
  /// With `only`, that namespace's path was asked for.
  Connection(std::shared_ptr<BufferedStream> stream, ServerShared const& shared, Namespace const* only, Claims claims,
             std::string peer, std::shared_ptr<PeerMemory> memory);
  ~Connection() override;

  /// Serves the bytes of a socket. False, with nothing taken, where they are HTTP. Throws what a posted task threw.
  [[nodiscard]] Awaitable<bool> run_plain();
  /// Accepts the upgrade and serves the bytes of its frames. `request` has been checked and outlives the call.
  [[nodiscard]] Awaitable<void> run_websocket(HttpRequest const& request);

  // Upgraded
  void on_tick(Moment now) override;
  void check_token() override;  ///< or the connection's have ended
  void drain() override;
  [[nodiscard]] bool is_idle() const override;
  void finish() override;
  void end() noexcept override;

  // MachineHost
  void send(std::string chunks) override;
  [[nodiscard]] Map greet(Map const& extra) override;
  [[nodiscard]] Outcome<void> log_on(Map const& token) override;
  void log_off() override;
  [[nodiscard]] Outcome<Map> route(Request const& request) override;
  void begin(TxSettings settings) override;
  void run(std::int64_t qid, std::string statement, Map parameters) override;
  void pull(Pull pull) override;
  void end_transaction() override;
  void interrupt() override;
  [[nodiscard]] std::string bookmark() const override;
  [[nodiscard]] std::string database() const override;
  void on_answered(Answered const& answered) override;
  void close() override;

 private:
  /// One step on a worker, or the wait before a transaction.
  struct Step {
    std::atomic<bool> is_cancelled = false;
    Moment began = std::chrono::steady_clock::now();
  };
  /// The way back from workers; cut when the connection ends.
  struct Link {
    std::mutex mutex;
    std::optional<Executor> executor;
  };
  /// What `begin` fixed.
  struct Transaction {
    Namespace const* where = nullptr;
    std::uint64_t tx = 0;  ///< of the bookmark
    bool is_reading = true;
    bool wants_notices = true;
    std::optional<queries::AsOf> as_of = {};
    std::optional<Moment> deadline = {};  ///< where the client gave one
    std::unique_ptr<Counted> counted = {};
  };
  struct Batch;

  [[nodiscard]] Awaitable<bool> shake_hands();
  [[nodiscard]] Awaitable<void> serve();
  [[nodiscard]] Awaitable<void> take_messages();
  [[nodiscard]] Awaitable<void> take_message(std::string_view message);
  [[nodiscard]] Awaitable<void> decode_on_worker(std::string_view message);
  [[nodiscard]] std::size_t message_bytes_max() const;
  /// Counts a refusal where it is one for want of room, which another attempt may find.
  void count_refusal(FailureKind failure) const;
  /// Runs `task` on the connection's context unless the connection has ended. From any thread.
  static void post_back(std::shared_ptr<Link> const& link, std::weak_ptr<Connection> const& self,
                        std::function<void(Connection&)> task);
  [[nodiscard]] Moment deadline_of_step() const;
  /// Where this server is, as its client sees it.
  [[nodiscard]] std::string own_address() const;
  void fix_transaction();
  void pump();
  void on_batch(Outcome<Batch> batch);
  void on_room();

  std::shared_ptr<BufferedStream> stream_;
  ServerShared const& shared_;
  std::shared_ptr<PeerMemory> memory_;
  MemoryClaim incoming_;  ///< of a large message, until the next one
  std::shared_ptr<Link> link_;
  std::unique_ptr<Carrier> carrier_;
  std::optional<Machine> machine_;  ///< from the handshake on
  std::string const peer_;          ///< address of the client
  Login login_;
  WorkQueue queue_;     ///< of statements and rows
  WorkQueue decoding_;  ///< a RESET behind a large message does not wait for a statement that runs
  std::string input_;
  Dechunker dechunker_;
  bool wants_notices_ = true;
  std::string address_;  ///< by which the client came here, as it says

  std::optional<Transaction> transaction_;
  std::shared_ptr<Step> step_;      ///< the last one, of which an answer is taken
  std::shared_ptr<Alarms> alarms_;  ///< that `alarm_` is of
  Alarms::Id alarm_ = 0;
  std::map<std::int64_t, std::shared_ptr<Cursor>> cursors_;
  std::optional<Pull> pull_;  ///< under way
  bool is_waiting_for_room_ = false;

  std::exception_ptr failure_;
  Moment opened_at_;
  Moment heard_at_;
  Moment asked_at_ = std::chrono::steady_clock::now();  ///< when the last message came
  Moment said_at_;
  std::optional<Moment> incomplete_since_;
  int pings_ = 0;
  bool is_websocket_ = false;
  bool is_closing_ = false;
  bool is_ended_ = false;
};

}  // namespace whence::net::bolt
