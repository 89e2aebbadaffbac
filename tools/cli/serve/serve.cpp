// The server, part by part. Each part is made here, once, and handed to those that need it.

#include "tools/cli/serve/serve.hpp"

#include "engine/engine.hpp"
#include "net/server.hpp"
#include "net/service.hpp"
#include "schema/base/time.hpp"
#include "store/mend.hpp"
#include "store/replicated/membership.hpp"
#include "tools/cli/program.hpp"
#include "tools/cli/serve/reload.hpp"

#include <csignal>
#include <memory>
#include <ostream>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>

namespace whence::tools {
namespace {

constexpr std::size_t limited_stack_bytes = std::size_t{1} << 20;

/// Turns a hangup into a reload, other signals into a drain, then into an end. Owns one thread, so that a reload ends
/// before the next begins.
class SignalWatch {
 public:
  SignalWatch(ServeConfig const& config, net::Server& server, ServeLog& log)
      : config_(config), server_(server), log_(log) {
    wait();
    thread_ = std::jthread{[this] { io_.run(); }};
  }
  ~SignalWatch() { io_.stop(); }
  SignalWatch(SignalWatch const&) = delete;
  SignalWatch& operator=(SignalWatch const&) = delete;

 private:
  void wait() {
    signals_.async_wait([this](boost::system::error_code failed, int signal) {
      if (failed) return;
      signal == SIGHUP ? reload(config_, server_, log_) : end(signal);
      wait();
    });
  }

  void end(int signal) {
    bool const is_first = count_++ == 0;
    log_.write(is_first ? "draining" : "quitting", {{"signal", std::to_string(signal)}});
    is_first ? server_.drain() : server_.quit();
  }

  ServeConfig const& config_;
  net::Server& server_;
  ServeLog& log_;
  int count_ = 0;
  boost::asio::io_context io_{1};
  boost::asio::signal_set signals_{io_, SIGTERM, SIGINT, SIGHUP};
  std::jthread thread_;  // last: it ends before what it uses
};

ExitCode refuse(Io& io, Error const& error) {
  return report(io, {.exit = ExitCode::failure, .message = error.message});
}

/// What a power cut did to the store, and its mending, are told before the store is opened.
Result<void> mend(ServeConfig const& config, ServeLog& log) {
  auto const told = store::mend_meta_page(config.engine.directory);
  if (!told) return told.error();
  if (*told)
    log.write({.level = net::LogLevel::warning, .component = "server", .event = "meta_page_mended", .error = **told});
  return {};
}

/// Where the address space is limited (`ulimit -v`), what each thread reserves of it and does not use is most of it: 64
/// MiB for an arena of the allocator, 8 MiB for the stack.
void fit_into_address_space() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  ::mallopt(M_ARENA_MAX, 1);  // NOLINT(concurrency-mt-unsafe): no other thread runs yet
  pthread_attr_t attributes{};
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setstacksize(&attributes, limited_stack_bytes);
  ::pthread_setattr_default_np(&attributes);
  ::pthread_attr_destroy(&attributes);
}

}  // namespace

ExitCode serve(ServeConfig const& config, Io& io) {
  // A client that goes away, or a reader of stdout that does, must not end the server.
  std::signal(SIGPIPE, SIG_IGN);
  fit_into_address_space();
  std::signal(SIGHUP, SIG_IGN);  // until there is something to reload: all files are read below

  schema::SystemClock clock;
  engine::RandomIds ids;
  ServeLog log{io.talk, config.log, clock};
  if (!config.log_file.empty()) {
    if (auto const opened = log.open(config.log_file); !opened) return refuse(io, opened.error());
  }

  if (auto const mended = mend(config, log); !mended) return refuse(io, mended.error());
  if (auto const known = config.shared_log ? std::nullopt : store::find_membership(config.engine.directory)) {
    return refuse(io, {.code = Errc::conflict,
                       .message = "this store belongs to the replicated log " + *known +
                                  ": serve it with --log nats://HOST:PORT/" + *known +
                                  ", or let it leave the log for good: whence log leave --db DIR"});
  }
  auto shared_log = config.shared_log ? store::make_nats_log(*config.shared_log) : nullptr;
  Result<std::unique_ptr<engine::Engine>> engine =
      engine::Engine::open(config.engine, clock, ids, std::move(shared_log));
  if (!engine) return refuse(io, engine.error());
  if (auto const refused = (*engine)->checkpoints().refused) {
    log.write({.level = net::LogLevel::warning,
               .component = "server",
               .event = "checkpoint_refused",
               .error = *refused + "; the whole log was replayed instead"});
  }
  net::ServiceConfig logging = config.service;
  logging.log = [&log](net::LogEvent const& event) { log.write(event); };
  net::Service service{**engine, logging, clock};
  Result<std::unique_ptr<net::Server>> server = net::Server::listen(service, **engine, config.server);
  if (!server) return refuse(io, server.error());

  (*engine)->introduce((*server)->address());
  service.keep_checkpoints();
  int ended = 0;
  {
    SignalWatch const signals{config, **server, log};
    // Logged before it is printed: a reader of that line may stop the server at once, and the log keeps the order of
    // events.
    auto const start = (*engine)->checkpoints();
    log.write("listening", {{"address", (*server)->address()},
                            {"db", config.engine.directory.string()},
                            {"checkpoint_tx", std::to_string(schema::number(start.started_from))},
                            {"replayed", std::to_string(start.replayed)}});
    warn_of_groups(config, log);
    io.data << "listening on " << (*server)->address() << std::endl;
    ended = (*server)->run();
  }
  std::signal(SIGHUP, SIG_IGN);
  service.finish_checkpoints();
  log.write("stopped", {{"tx", std::to_string(schema::number((*engine)->snapshot().tx()))}});
  return ended == 0 ? ExitCode::ok : ExitCode::failure;
}

void add_serve_verb(Program& program) {
  CLI::App& app = program.add_verb("serve", "Serves a store to clients until SIGTERM");
  auto options = std::make_shared<ServeOptions>();
  add_serve_flags(app, *options);
  program.set_work(app, [options](Io& io) {
    Result<ServeConfig> const config = check(*options);
    if (!config) return report(io, {.exit = ExitCode::usage, .message = config.error().message});
    return serve(*config, io);
  });
}

}  // namespace whence::tools
