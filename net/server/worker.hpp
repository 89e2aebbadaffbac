#pragma once
// One I/O thread's share of the server: its context and the connections that live on it.

#include "net/server/connection.hpp"
#include "net/serving/shared.hpp"
#include "net/stream/asio.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <unordered_set>

namespace whence::net {

/// A context run by one thread. A connection stays on the worker it was given to, so a worker shares nothing mutable
/// with the others but the atomics of `ServerShared`.
class Worker {
 public:
  explicit Worker(ServerShared& shared);
  /// `run` has returned. Ends every session before their connections go.
  ~Worker();
  Worker(Worker const&) = delete;
  Worker& operator=(Worker const&) = delete;

  [[nodiscard]] asio::io_context& context() noexcept { return context_; }

  /// Serves until `stop`.
  void run();

  // From any thread.
  void adopt(Socket socket, Arriving arriving);  ///< made on `context()`
  void check_tokens();                           ///< the server's tokens have changed
  void ask(std::function<void()> done);          ///< calls `done` on the worker's thread
  void drain(
      std::function<void()> done);  ///< refuses new requests and lets running ones finish, as long as that may take
  void finish(std::function<void()> done);  ///< closes every connection, at last by force
  void stop() { context_.stop(); }

 private:
  [[nodiscard]] Awaitable<void> tick();
  [[nodiscard]] Awaitable<void> drain_connections();
  [[nodiscard]] Awaitable<void> finish_connections();
  template <class Condition>
  [[nodiscard]] Awaitable<void> wait_until(Condition condition, std::chrono::seconds time_max);
  void start(Socket socket, Arriving arriving);
  /// Ends connections whose coroutine ended without saying so: an operation that found no memory takes what awaited it
  /// with it. `connections_` alone holds such a connection.
  void end_lost();

  ServerShared& shared_;
  asio::io_context context_;
  std::unordered_set<std::shared_ptr<HttpConnection>> connections_;
};

}  // namespace whence::net
