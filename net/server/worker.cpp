// Runs the connections of one I/O thread.

#include "net/server/worker.hpp"

#include "engine/values/priority.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>

namespace whence::net {

namespace {

constexpr std::chrono::milliseconds tick_interval{250};  ///< the precision of every time limit of a connection
constexpr std::chrono::milliseconds drain_interval{10};
constexpr std::uint64_t metrics_connections_max = 64;  ///< of `--metrics-listen`, beside the others

void report_failure(ServerConfig const& config, std::exception_ptr const& failure) {
  if (!failure || (!config.on_failure && !config.log)) return;
  auto const tell = [&config](std::string_view what) {
    if (config.on_failure) config.on_failure(what);
    if (auto const report = trouble_report(config.log))
      report("I/O: " + std::string{what} + "; the connection that met it ends, the others go on");
  };
  try {
    std::rethrow_exception(failure);
  } catch (std::exception const& broken) {
    tell(broken.what());
  } catch (...) {
    tell("an unknown exception");
  }
}

/// As above, where not even that may throw.
void report_present(ServerConfig const& config) noexcept try {
  report_failure(config, std::current_exception());
} catch (...) {  // no memory for the words
}

}  // namespace

Worker::Worker(ServerShared& shared) : shared_{shared}, context_{1} {}

Worker::~Worker() {
  for (auto const& connection : connections_) connection->end();
}

void Worker::run() {
  engine::answer_soon();
  auto const work = asio::make_work_guard(context_);
  asio::co_spawn(context_, tick(), asio::detached);
  for (;;) {
    try {
      return static_cast<void>(context_.run());
    } catch (...) {  // of a handler that belongs to no connection: the others go on
      report_present(shared_.config);
    }
  }
}

void Worker::adopt(Socket socket, Arriving arriving) {
  asio::post(context_, [this, arriving, moved = std::move(socket)]() mutable { start(std::move(moved), arriving); });
}

void Worker::check_tokens() {
  asio::post(context_, [this] {
    for (auto const& connection : connections_) connection->check_token();
  });
}

void Worker::ask(std::function<void()> done) {
  asio::post(context_, std::move(done));
}

void Worker::start(Socket socket, Arriving arriving) {
  bool const is_watching = arriving == Arriving::metrics;
  bool const is_full = is_watching ? shared_.counts.metrics_connections >= metrics_connections_max
                                   : shared_.connections >= shared_.config.connections_max;
  if (is_full) {
    ++shared_.counts.busy_connections;
    return;  // dropping the socket refuses the connection
  }
  auto const connection = std::make_shared<HttpConnection>(std::move(socket), shared_, arriving);
  connections_.insert(connection);
  auto on_end = [this, connection](std::exception_ptr const& failure) {
    if (failure) report_failure(shared_.config, failure);
    connection->end();
    connection->cut();
    connections_.erase(connection);
  };
  asio::co_spawn(context_, connection->run(), std::move(on_end));
}

Awaitable<void> Worker::tick() {
  Timer timer{context_.get_executor()};
  while (true) {
    timer.expires_after(tick_interval);
    co_await timer.async_wait(awaited);
    auto const now = std::chrono::steady_clock::now();
    try {
      end_lost();
      for (auto const& connection : connections_) connection->on_tick(now);
      for (auto* const each : shared_.namespaces.stores()) {
        each->service->trim_memory();
        each->service->look_at_clock();
        each->service->look_at_log();
      }
    } catch (std::bad_alloc const&) {  // the next tick comes
    } catch (...) {
      report_present(shared_.config);
    }
  }
}

void Worker::end_lost() {
  std::erase_if(connections_, [](std::shared_ptr<HttpConnection> const& connection) {
    if (connection.use_count() > 1) return false;
    connection->end();
    connection->cut();
    return true;
  });
}

void Worker::drain(std::function<void()> done) {
  auto on_end = [done = std::move(done)](std::exception_ptr const&) { done(); };
  asio::co_spawn(context_, drain_connections(), std::move(on_end));
}

void Worker::finish(std::function<void()> done) {
  auto on_end = [done = std::move(done)](std::exception_ptr const&) { done(); };
  asio::co_spawn(context_, finish_connections(), std::move(on_end));
}

Awaitable<void> Worker::drain_connections() {
  for (auto const& connection : connections_) connection->drain();
  auto const all_idle = [this] {
    return std::ranges::all_of(connections_, [](auto const& connection) { return connection->is_idle(); });
  };
  co_await wait_until(all_idle, shared_.config.drain_timeout);
}

Awaitable<void> Worker::finish_connections() {
  for (auto const& connection : connections_) connection->finish();
  auto const all_gone = [this] { return connections_.empty(); };
  co_await wait_until(all_gone, BufferedStream::shut_down_max);
  for (auto const& connection : connections_) connection->cut();
}

template <class Condition>
Awaitable<void> Worker::wait_until(Condition condition, std::chrono::seconds time_max) {
  auto const deadline = std::chrono::steady_clock::now() + time_max;
  Timer timer{context_.get_executor()};
  while (!condition() && std::chrono::steady_clock::now() < deadline) {
    timer.expires_after(drain_interval);
    co_await timer.async_wait(awaited);
  }
}

}  // namespace whence::net
