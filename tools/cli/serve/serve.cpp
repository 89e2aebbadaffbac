// The server, part by part. Each part is made here, once, and handed to those that need it.

#include "tools/cli/serve/serve.hpp"

#include "engine/engine.hpp"
#include "net/cypher/runner.hpp"
#include "net/params/held_query.hpp"
#include "net/server/server.hpp"
#include "net/service/service.hpp"
#include "schema/base/time.hpp"
#include "schema/types/edge_type.hpp"
#include "schema/types/record_type.hpp"
#include "store/replicated/membership.hpp"
#include "store/replicated/nats_address.hpp"
#include "store/upkeep/mend.hpp"
#include "tools/cli/options/settings.hpp"
#include "tools/cli/program/program.hpp"
#include "tools/cli/serve/check_config.hpp"
#include "tools/cli/serve/read_log.hpp"
#include "tools/cli/serve/reload.hpp"
#include "tools/cli/serve/service_manager.hpp"
#include "tools/cli/serve/watchdog.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <iomanip>
#include <memory>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/host_name.hpp>
#include <boost/asio/signal_set.hpp>
#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>

namespace whence::tools {
namespace {

constexpr std::size_t limited_stack_bytes = std::size_t{1} << 20;

/// Where a server's lines go.
struct Logs {
  ServeLog& events;
  ReadLog* reads;  ///< null: who reads is not logged
};

/// Turns a hangup into a reload, other signals into a drain, then into an end. Owns one thread, so that a reload ends
/// before the next begins.
class SignalWatch {
 public:
  SignalWatch(ServeConfig const& config, net::Server& server, Logs const& logs, ServiceManager const& manager)
      : config_(config), server_(server), log_(logs.events), reads_(logs.reads), manager_(manager) {
    wait();
    thread_ = std::jthread{[this] { guard_.run([this] { io_.run(); }); }};
  }
  ~SignalWatch() { io_.stop(); }
  SignalWatch(SignalWatch const&) = delete;
  SignalWatch& operator=(SignalWatch const&) = delete;

 private:
  void wait() {
    signals_.async_wait([this](boost::system::error_code failed, int signal) {
      if (failed) return;
      guard_.run([&] { signal == SIGHUP ? read_again() : end(signal); });
      wait();
    });
  }

  void read_again() {
    manager_.tell(reloading_state());
    reload(config_, server_, log_, reads_);
    manager_.tell("READY=1");
  }

  void end(int signal) {
    bool const is_first = count_++ == 0;
    manager_.tell("STOPPING=1\nSTATUS=Finishing what runs");
    log_.write(is_first ? "draining" : "quitting", {{"signal", std::to_string(signal), true}});
    is_first ? server_.drain() : server_.quit();
  }

  ServeConfig const& config_;
  net::Server& server_;
  ServeLog& log_;
  ReadLog* const reads_;
  ServiceManager const& manager_;
  int count_ = 0;
  schema::ThreadGuard guard_{log_.trouble_report(), "signals", "the signal was not heeded, send it again"};
  boost::asio::io_context io_{1};
  boost::asio::signal_set signals_{io_, SIGTERM, SIGINT, SIGHUP};
  std::jthread thread_;  // last: it ends before what it uses
};

ExitCode refuse(Io& io, Error const& error) {
  bool const is_named = error.code == Errc::corrupt || error.code == Errc::busy;  // others may be of any part of it
  auto const exit = is_named ? exit_code_of(error.code) : ExitCode::failure;
  return report(io, {.exit = exit, .message = error.message});
}

/// What a power cut did to the store, and its mending, are reported before the store is opened.
Result<void> mend(StoreConfig const& config, ServeLog& log) {
  auto const told = store::mend_meta_page(config.engine.directory);
  if (!told) return told.error();
  if (*told) {
    log.write({.level = net::LogLevel::warning, .component = "server", .event = "meta_page_mended", .error = **told},
              config.name);
  }
  return {};
}

/// A node that is served without its log would fork the history.
Result<void> check_membership(StoreConfig const& config) {
  auto const known = config.shared_log ? std::nullopt : store::find_membership(config.engine.directory);
  if (!known) return {};
  return Error{.code = Errc::precondition,
               .message = "this store belongs to the replicated log " + *known +
                          ": serve it with --log nats://HOST:PORT/" + *known +
                          ", or let it leave the log for good: whence log leave --db DIR"};
}

/// One store that is served, with the parts that are its own.
struct OpenStore {
  std::string name;
  engine::RandomIds ids = {};
  std::unique_ptr<engine::Engine> engine = {};
  std::unique_ptr<net::Service> service = {};
};

/// The error names the namespace.
Result<std::unique_ptr<OpenStore>> open_store(StoreConfig const& config, net::ServiceConfig settings,
                                              net::SharedWork const& work, Logs const& logs,
                                              schema::Clock const& clock) {
  auto& log = logs.events;
  auto const failed = [&](Error error) {
    if (error.code == Errc::corrupt) error.message = config.engine.directory.string() + ": " + error.message;
    if (!config.name.empty()) error.message = "namespace " + config.name + ": " + error.message;
    return error;
  };
  if (auto const mended = mend(config, log); !mended) return failed(mended.error());
  if (auto const checked = check_membership(config); !checked) return failed(checked.error());
  auto opened = std::make_unique<OpenStore>(OpenStore{.name = config.name});
  auto shared_log = config.shared_log ? store::make_nats_log(*config.shared_log) : nullptr;
  auto engine_config = config.engine;
  engine_config.read_held_query = net::read_held_query;
  engine_config.on_trouble = log.trouble_report(config.name);
  auto engine = engine::Engine::open(engine_config, clock, opened->ids, std::move(shared_log));
  if (!engine) return failed(engine.error());
  opened->engine = std::move(*engine);
  if (auto const refused = opened->engine->checkpoints().refused) {
    log.write({.level = net::LogLevel::warning,
               .component = "server",
               .event = "checkpoint_refused",
               .error = *refused + "; the whole log was replayed instead"},
              config.name);
  }
  settings.namespace_name = config.name;
  settings.log = [&log, name = config.name](net::LogEvent const& event) { log.write(event, name); };
  if (auto* const reads = logs.reads) {
    settings.reads = [reads, name = config.name](net::LogEvent const& event) { reads->add(event, name); };
  }
  opened->service = std::make_unique<net::Service>(*opened->engine, settings, clock, work);
  return opened;
}

/// The stores share what they keep for cursors, too.
net::ServiceConfig settings_of_each(ServeConfig const& config) {
  constexpr std::size_t cache_bytes_min = std::size_t{4} << 20;
  auto settings = config.service;
  settings.cursor_cache_bytes = std::max(cache_bytes_min, settings.cursor_cache_bytes / config.stores.size());
  return settings;
}

/// One after the other, as they are in the configuration.
Result<std::vector<std::unique_ptr<OpenStore>>> open_stores(ServeConfig const& config,
                                                            std::shared_ptr<net::Tracer> const& tracer,
                                                            Logs const& logs, schema::Clock const& clock) {
  auto settings = settings_of_each(config);
  settings.tracer = tracer;
  settings.log = [&log = logs.events](net::LogEvent const& event) { log.write(event); };
  auto const work = net::SharedWork::make(settings);
  std::vector<std::unique_ptr<OpenStore>> stores;
  for (auto const& each : config.stores) {
    auto opened = open_store(each, settings, work, logs, clock);
    if (!opened) return opened.error();
    stores.push_back(std::move(*opened));
  }
  return stores;
}

Result<std::unique_ptr<net::Server>> listen(ServeConfig const& config,
                                            std::vector<std::unique_ptr<OpenStore>> const& stores, ServeLog& log) {
  std::vector<net::ServedStore> served;
  for (std::size_t i = 0; i < stores.size(); ++i) {
    served.push_back({.name = stores[i]->name,
                      .service = *stores[i]->service,
                      .engine = *stores[i]->engine,
                      .tokens = config.stores[i].tokens});
  }
  auto settings = config.server;
  settings.make_runner = net::make_cypher_runner;
  settings.log = [&log](net::LogEvent const& event) { log.write(event); };
  return net::Server::listen(served, settings);
}

/// Where clients of other nodes find Bolt here; nothing where it is every address of the machine.
std::string advertised_bolt(ServeConfig const& config, net::Server const& server) {
  auto const& bolt = config.server.bolt;
  if (!bolt || !config.bolt_advertise.empty()) return config.bolt_advertise;
  if (bolt->host == "0.0.0.0" || bolt->host == "::") return {};
  auto const address = server.bolt_address();
  return address.substr(address.find("://") + 3);
}

/// What other nodes show of this one: its address, with the machine's name where it listens at every address of it.
std::string name_among_nodes(std::string address) {
  for (std::string_view const every : {"//0.0.0.0:", "//[::]:"}) {
    auto const at = address.find(every);
    boost::system::error_code failed;
    auto const name = at == std::string::npos ? std::string{} : boost::asio::ip::host_name(failed);
    if (!failed && !name.empty()) return address.replace(at + 2, every.size() - 3, name);
  }
  return address;
}

/// Nodes and edges of a store, without what was deleted.
struct Counts {
  std::uint64_t nodes = 0;
  std::uint64_t edges = 0;
};
Counts counts_of(OpenStore const& store) {
  Counts counts;
  auto const snapshot = store.engine->snapshot();
  for (auto const& type : schema::record_types()) {
    if (type.is_node) counts.nodes += snapshot.vertex_count(type.type);
  }
  schema::EdgeTypeSet seen;
  for (auto const& rule : schema::edge_rules()) {
    if (seen.contains(rule.type)) continue;
    seen.insert(rule.type);
    counts.edges += snapshot.edge_count(rule.type);
  }
  return counts;
}

/// What is there, and how it came: for people, behind the line that names the address.
std::string describe_start(std::vector<std::unique_ptr<OpenStore>> const& stores, std::string const& address) {
  std::uint64_t nodes = 0;
  std::uint64_t edges = 0;
  std::uint64_t replayed = 0;
  double seconds = 0;
  for (auto const& store : stores) {
    auto const counts = counts_of(*store);
    auto const start = store->engine->checkpoints();
    nodes += counts.nodes;
    edges += counts.edges;
    replayed += start.replayed;
    seconds += start.start_seconds;
  }
  std::ostringstream text;
  text << "serving " << nodes << " nodes and " << edges << " edges";
  if (stores.size() > 1) text << " of " << stores.size() << " stores";
  text << ", recovered in " << std::fixed << std::setprecision(3) << seconds << " s (" << replayed
       << " transactions replayed); page " << address << '/';
  return text.str();
}

/// `listening` is of the root, or of the process where no store is there; each namespace says `serving` before.
void log_start(std::vector<std::unique_ptr<OpenStore>> const& stores, std::string const& address, ServeLog& log) {
  auto const of_store = [](OpenStore const& store) {
    auto const start = store.engine->checkpoints();
    auto const counts = counts_of(store);
    return std::array<std::string, 6>{
        store.engine->directory().string(), std::to_string(schema::number(start.started_from)),
        std::to_string(start.replayed),     std::to_string(start.start_seconds),
        std::to_string(counts.nodes),       std::to_string(counts.edges)};
  };
  auto const named = [](std::array<std::string, 6> const& said) {
    return std::array<LogValue, 6>{{{"db", said[0]},
                                    {"checkpoint_tx", said[1], true},
                                    {"replayed", said[2], true},
                                    {"recovery_s", said[3], true},
                                    {"nodes", said[4], true},
                                    {"edges", said[5], true}}};
  };
  std::vector<LogValue> values{{"address", address}};
  std::array<std::string, 6> root;
  for (auto const& store : stores) {
    auto const said = of_store(*store);
    if (store->name.empty()) {
      root = said;
      auto const own = named(root);
      values.insert(values.end(), own.begin(), own.end());
    } else {
      log.write("serving", named(said), store->name);
    }
  }
  log.write("listening", values);
}

void finish(std::vector<std::unique_ptr<OpenStore>> const& stores, ServeLog& log) {
  for (auto const& store : stores) store->service->finish_checkpoints();
  for (auto const& store : stores) {
    auto const tx = std::to_string(schema::number(store->engine->snapshot().tx()));
    std::array<LogValue, 1> const values{{{"tx", tx, true}}};
    log.write("stopped", values, store->name);
  }
}

std::vector<engine::Engine*> engines_of(std::vector<std::unique_ptr<OpenStore>> const& stores) {
  std::vector<engine::Engine*> engines;
  engines.reserve(stores.size());
  for (auto const& store : stores) engines.push_back(store->engine.get());
  return engines;
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

/// A large block goes back to the system when it is freed. By default the allocator keeps blocks of up to 32 MiB once
/// one of that size was freed, for each of its arenas.
void give_back_large_blocks() {
  constexpr int block_bytes = 1 << 20;
  ::mallopt(M_MMAP_THRESHOLD, block_bytes);  // NOLINT(concurrency-mt-unsafe): no other thread runs yet
}

/// Where who reads is to be logged. The error names the file.
Result<void> open_read_log(ServeConfig const& config, Io& io, ServeLog& log, schema::Clock const& clock,
                           std::optional<ReadLog>& reads) {
  if (config.audit_reads.empty()) return {};
  reads.emplace(log, io.talk, clock);
  if (config.audit_reads == reads_in_log) return {};
  auto opened = reads->open(config.audit_reads);
  if (!opened) return Error{opened.error().code, "--audit-reads: " + opened.error().message};
  return {};
}

}  // namespace

ExitCode serve(ServeConfig const& config, Io& io) {
  // A client that goes away, or a reader of stdout that does, must not end the server.
  std::signal(SIGPIPE, SIG_IGN);
  give_back_large_blocks();
  fit_into_address_space();
  std::signal(SIGHUP, SIG_IGN);  // until there is something to reload: all files are read below

  schema::SystemClock clock;
  ServeLog log{io.talk, config.log, clock};
  if (!config.log_file.empty()) {
    if (auto const opened = log.open(config.log_file); !opened) return refuse(io, opened.error());
  }
  std::optional<ReadLog> reads;
  if (auto const opened = open_read_log(config, io, log, clock, reads); !opened) return refuse(io, opened.error());
  ServiceManager const manager{log};
  manager.tell("STATUS=Reading the store");
  std::shared_ptr<net::Tracer> tracer;
  if (config.traces) {
    tracer = std::make_shared<net::Tracer>(*config.traces, [&log](net::LogEvent const& event) { log.write(event); });
  }
  auto stores = open_stores(config, tracer, Logs{log, reads ? &*reads : nullptr}, clock);
  if (!stores) return refuse(io, stores.error());
  auto server = listen(config, *stores, log);
  if (!server) return refuse(io, server.error());

  for (auto const& store : *stores) {
    store->engine->introduce(
        {.name = name_among_nodes((*server)->address()) + (store->name.empty() ? "" : "/ns/" + store->name),
         .bolt = advertised_bolt(config, **server)});
    store->service->keep_checkpoints();
    store->service->watch_files();
  }
  int ended = 0;
  {
    SignalWatch const signals{config, **server, Logs{log, reads ? &*reads : nullptr}, manager};
    // Logged before it is printed: a reader of that line may stop the server at once, and the log keeps the order of
    // events.
    log_start(*stores, (*server)->address(), log);
    warn_of_groups(config, log);
    if (auto const metrics = (*server)->metrics_address(); !metrics.empty()) {
      io.data << "metrics on " << metrics << "/metrics" << std::endl;
    }
    if (auto const bolt = (*server)->bolt_address(); !bolt.empty()) io.data << "speaking Bolt on " << bolt << std::endl;
    io.data << "listening on " << (*server)->address() << std::endl;
    io.data << describe_start(*stores, (*server)->address()) << std::endl;
    manager.tell("READY=1\nSTATUS=Serving " + (*server)->address());
    Watchdog const watchdog{manager, **server, engines_of(*stores), (*server)->address(), log};
    ended = (*server)->run();
  }
  std::signal(SIGHUP, SIG_IGN);
  finish(*stores, log);
  return ended == 0 ? ExitCode::ok : ExitCode::failure;
}

namespace {

/// Where sockets were handed over, these are where it listens.
void use(GivenSockets const& sockets, ServeOptions& options) {
  if (sockets.http) {
    options.listen = sockets.http->address;
    options.server.socket = sockets.http->descriptor;
  }
  if (sockets.bolt) {
    options.bolt = sockets.bolt->address;
    options.bolt_socket = sockets.bolt->descriptor;
  }
}

}  // namespace

void add_serve_verb(Program& program) {
  CLI::App& app = program.add_verb("serve", "Serves a store to clients until SIGTERM", Purpose::serve);
  auto options = std::make_shared<ServeOptions>();
  add_serve_flags(app, *options);
  auto const prints_config = std::make_shared<bool>(false);
  app.add_flag("--print-config", *prints_config,
               "Prints all settings, with what they are here, as a file for --config, and serves nothing");
  app.add_flag("--check-config", options->only_checks,
               "Looks at settings, files, addresses and stores, says each fault and ends: 0, or 2 where there is one");
  program.set_work(app, [options, prints_config, &app](Io& io) {
    if (*prints_config) {
      // What was printed may be kept, or be shown to others.
      io.data << settings_file(app, [](std::string_view name, std::string const& value) {
        return name == "log" ? store::shown_address(value) : value;
      });
      return ExitCode::ok;
    }
    if (options->only_checks) return check_config(*options, io);
    auto const sockets = take_sockets();
    if (!sockets) return report(io, {.exit = ExitCode::usage, .message = sockets.error().message});
    use(*sockets, *options);
    Result<ServeConfig> const config = check(*options);
    if (!config) return report(io, {.exit = ExitCode::usage, .message = config.error().message});
    return serve(*config, io);
  });
}

}  // namespace whence::tools
