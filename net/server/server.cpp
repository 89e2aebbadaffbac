// Listens, spreads connections over the I/O threads, and stops in order.

#include "net/server/server.hpp"

#include "net/access/namespace_name.hpp"
#include "net/server/worker.hpp"
#include "net/serving/shared.hpp"
#include "net/stream/tls_context.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>

namespace whence::net {

namespace {

using asio::ip::tcp;
using Acceptor = asio::basic_socket_acceptor<tcp, Executor>;

/// Everybody would be admin of a store without tokens.
Result<void> check_stores(std::span<ServedStore const> stores, bool is_loopback) {
  auto const wrong = [](std::string message) {
    return Error{.code = Errc::invalid_params, .message = std::move(message)};
  };
  std::set<std::string_view> names;
  bool const is_open = stores.front().tokens.empty();
  for (auto const& store : stores) {
    if (!store.name.empty() && !is_namespace_name(store.name)) return wrong("no name of a namespace: " + store.name);
    if (!names.insert(store.name).second) return wrong("two namespaces of one name: " + store.name);
    if (store.tokens.empty() != is_open) return wrong("tokens are needed of all namespaces or of none");
  }
  if (!is_loopback && is_open) return wrong("listening beyond loopback needs tokens");
  return {};
}

Result<tcp::endpoint> find_endpoint(std::string const& host, std::uint16_t port) {
  error_code ec;
  auto const address = asio::ip::make_address(host == "localhost" ? "127.0.0.1" : host, ec);
  if (ec) return Error{.code = Errc::invalid_params, .message = "listen address " + host + ": not an IP address"};
  return tcp::endpoint{address, port};
}

TlsFiles tls_files(ServerConfig const& config) {
  return {.cert = config.tls_cert_file,
          .key = config.tls_key_file,
          .client_ca = config.tls_client_ca_file,
          .client_crl = config.tls_client_crl_file};
}

std::string in_url(std::string const& host, std::uint16_t port) {
  return (host.find(':') == std::string::npos ? host : "[" + host + "]") + ":" + std::to_string(port);
}

constexpr int no_socket = -1;

/// An address that is to be listened at.
struct Wanted {
  Arriving arriving;
  std::string host;
  std::uint16_t port;
  int socket = no_socket;  ///< one that listens already
};

/// The main one first. An address more is a line here, and what it is for in `routes.cpp`.
std::vector<Wanted> addresses_of(ServerConfig const& config) {
  std::vector<Wanted> all = {{Arriving::main, config.host, config.port, config.socket}};
  if (config.bolt && config.make_runner)
    all.push_back({Arriving::bolt, config.bolt->host, config.bolt->port, config.bolt->socket});
  if (config.metrics) all.push_back({Arriving::metrics, config.metrics->host, config.metrics->port});
  return all;
}

/// Where connections come from.
struct Listener {
  Arriving arriving;
  std::string host;  ///< as it was asked for
  tcp::endpoint endpoint;
  Acceptor acceptor;
  [[nodiscard]] std::uint16_t port() const { return acceptor.local_endpoint().port(); }
};

/// `socket` listens already, or is `no_socket`.
Result<void> open(Acceptor& acceptor, tcp::endpoint const& endpoint, int socket) {
  error_code ec;
  if (socket != no_socket) {
    acceptor.assign(endpoint.protocol(), socket, ec);
  } else {
    acceptor.open(endpoint.protocol(), ec);
    if (!ec) acceptor.set_option(asio::socket_base::reuse_address{true}, ec);
    if (!ec) acceptor.bind(endpoint, ec);
    if (!ec) acceptor.listen(asio::socket_base::max_listen_connections, ec);
  }
  if (!ec) return {};
  auto const code = ec == asio::error::address_in_use ? Errc::conflict : Errc::invalid_params;
  auto const where = endpoint.address().to_string() + " port " + std::to_string(endpoint.port());
  return Error{.code = code, .message = "cannot listen on " + where + ": " + ec.message()};
}

}  // namespace

struct Server::Impl {
  Impl(std::unique_ptr<ServerShared> shared_state, std::vector<std::unique_ptr<Worker>> io_workers,
       std::vector<Listener> open_listeners)
      : shared{std::move(shared_state)}, workers{std::move(io_workers)}, listeners{std::move(open_listeners)} {}

  /// `scheme` and where a listener is, with the real port; empty where there is none.
  [[nodiscard]] std::string address(Arriving arriving, std::string_view plain, std::string_view encrypted) const;

  [[nodiscard]] Awaitable<void> accept_connections(Acceptor& from, Arriving arriving);
  void drain();
  void finish();
  void stop(int code);

  std::unique_ptr<ServerShared> shared;
  std::vector<std::unique_ptr<Worker>> workers;
  std::vector<Listener> listeners;  ///< the main one first; all on the first worker's context
  std::atomic<int> exit_code{0};
  std::atomic<std::size_t> busy_workers{0};  ///< of the present step of stopping
};

Awaitable<void> Server::Impl::accept_connections(Acceptor& from, Arriving arriving) {
  constexpr std::chrono::milliseconds pause{50};
  Timer timer{from.get_executor()};
  for (std::size_t turn = 0;; turn = (turn + 1) % workers.size()) {
    auto& worker = *workers[turn];
    auto [ec, socket] = co_await from.async_accept(worker.context(), awaited);
    try {
      if (!ec) worker.adopt(std::move(socket), arriving);
    } catch (std::bad_alloc const&) {  // this peer is refused
      ec = asio::error::no_memory;
    }
    if (!ec) continue;
    // Out of descriptors, or a peer that left already: others may be waiting.
    timer.expires_after(pause);
    co_await timer.async_wait(awaited);
  }
}

/// One worker's connections may be idle while another's are not: all wait, so that no connection is closed before the
/// last running request is answered.
void Server::Impl::drain() {
  busy_workers = workers.size();
  auto const done = [this] {
    if (--busy_workers == 0) finish();
  };
  for (auto const& worker : workers) worker->drain(done);
}

void Server::Impl::finish() {
  busy_workers = workers.size();
  auto const done = [this] {
    if (--busy_workers == 0) stop(0);
  };
  for (auto const& worker : workers) worker->finish(done);
}

void Server::Impl::stop(int code) {
  exit_code = code;
  for (auto const& worker : workers) worker->stop();
}

Result<std::unique_ptr<Server>> Server::listen(Service& service, engine::Engine& engine, ServerConfig const& config) {
  ServedStore const store{.name = "", .service = service, .engine = engine, .tokens = config.tokens};
  return listen({&store, 1}, config);
}

Result<std::unique_ptr<Server>> Server::listen(std::span<ServedStore const> stores, ServerConfig const& config) {
  assert(!stores.empty());
  asio::io_context binding;
  std::vector<Listener> bound;
  bool is_loopback = true;
  auto const wanted = addresses_of(config);
  for (auto const& each : wanted) {
    auto const endpoint = find_endpoint(each.host, each.port);
    if (!endpoint) return endpoint.error();
    is_loopback = is_loopback && endpoint->address().is_loopback();
    bound.push_back({each.arriving, each.host, *endpoint, Acceptor{binding}});
  }
  if (auto const checked = check_stores(stores, is_loopback); !checked) return checked.error();
  std::unique_ptr<asio::ssl::context> tls;
  bool const is_tls = !config.tls_cert_file.empty() || !config.tls_key_file.empty();
  if (is_tls) {
    auto loaded = load_tls(tls_files(config));
    if (!loaded) return loaded.error();
    tls = std::move(*loaded);
  }
  auto proxies = TrustedProxies::make(config.proxies);
  if (!proxies) return proxies.error();
  auto pages = PageFiles::read(config.explorer);
  if (!pages) return pages.error();
  std::map<Arriving, OriginPolicy> origins;
  for (std::size_t i = 0; i < bound.size(); ++i) {
    auto& each = bound[i];
    if (auto opened = open(each.acceptor, each.endpoint, wanted[i].socket); !opened) return opened.error();
    auto policy =
        OriginPolicy::make({.is_tls = is_tls, .host = each.host, .port = each.port()}, config.allowed_origins);
    if (!policy) return policy.error();
    origins.emplace(each.arriving, std::move(*policy));
  }

  std::unique_ptr<ServerShared> shared{new ServerShared{.config = config,
                                                        .namespaces = Namespaces{stores, config},
                                                        .memory = stores.front().service.memory(),
                                                        .origins = std::move(origins),
                                                        .proxies = std::move(*proxies),
                                                        .pages = std::move(*pages),
                                                        .tls = Current{std::shared_ptr{std::move(tls)}},
                                                        .audit = std::make_shared<Audit>(config.log)}};
  std::vector<std::unique_ptr<Worker>> workers;
  for (unsigned i = 0; i < std::max(config.io_threads, 1U); ++i) workers.push_back(std::make_unique<Worker>(*shared));
  std::vector<Listener> listeners;
  auto& first = workers.front()->context();
  for (auto& each : bound) {
    Acceptor acceptor{first, each.endpoint.protocol(), each.acceptor.release()};
    listeners.push_back({each.arriving, std::move(each.host), each.endpoint, std::move(acceptor)});
  }
  return std::unique_ptr<Server>{
      new Server{std::make_unique<Impl>(std::move(shared), std::move(workers), std::move(listeners))}};
}

Server::Server(std::unique_ptr<Impl> impl) : impl_{std::move(impl)} {}
Server::~Server() = default;

std::string Server::Impl::address(Arriving arriving, std::string_view plain, std::string_view encrypted) const {
  auto const found = std::ranges::find(listeners, arriving, &Listener::arriving);
  if (found == listeners.end()) return {};
  return std::string{shared->tls.get() ? encrypted : plain} + in_url(found->host, found->port());
}

std::string Server::address() const {
  return impl_->address(Arriving::main, "http://", "https://");
}

std::string Server::bolt_address() const {
  return impl_->address(Arriving::bolt, "bolt://", "bolt+s://");
}

std::string Server::metrics_address() const {
  return impl_->address(Arriving::metrics, "http://", "https://");
}

std::uint16_t Server::port() const {
  return impl_->listeners.front().port();
}

int Server::run() {
  auto& workers = impl_->workers;
  auto& first = workers.front()->context();
  for (auto& each : impl_->listeners)
    asio::co_spawn(first, impl_->accept_connections(each.acceptor, each.arriving), asio::detached);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < workers.size(); ++i) threads.emplace_back([&worker = *workers[i]] { worker.run(); });
    workers.front()->run();
  }
  return impl_->exit_code;
}

Result<Reloaded> Server::reload(ReadTokens const& tokens) {
  auto& shared = *impl_->shared;
  Reloaded done;
  if (auto const before = shared.tls.get()) {
    auto tls = load_tls(tls_files(shared.config), KeyPassword::is_refused);
    if (!tls) return tls.error();
    auto const now = certificate_of(**tls);
    auto const old = certificate_of(*before);
    bool const is_changed = now.chain != old.chain;
    if (now.client_authorities != old.client_authorities) ++shared.client_authority;
    done.tls = {.fingerprint = now.fingerprint, .expires = now.expires, .is_changed = is_changed};
    shared.tls.replace(std::move(*tls));
  }
  for (auto const& [name, read] : tokens) {
    auto* const where = name.empty() ? &shared.namespaces.root() : shared.namespaces.find(name);
    assert(where != nullptr && !read.empty());
    auto const before = where->tokens.get();
    if (before->is_open()) continue;
    auto const now = std::make_shared<TokenTable const>(read, TokenTable::Empty::everybody_is_admin, name);
    auto const change = now->changes_since(*before);
    if (!done.tokens) done.tokens.emplace();
    done.tokens->added += change.added;
    done.tokens->removed += change.removed;
    done.tokens->total += change.total;
    where->tokens.replace(now);
  }
  for (auto const& worker : impl_->workers) worker->check_tokens();
  return done;
}

std::size_t Server::ask_io_threads(std::function<void()> const& done) {
  for (auto const& worker : impl_->workers) worker->ask(done);
  return impl_->workers.size();
}

void Server::drain() {
  if (!impl_->shared->is_draining.exchange(true)) impl_->drain();
}

void Server::quit() {
  impl_->stop(1);
}

}  // namespace whence::net
