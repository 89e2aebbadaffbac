#pragma once
// The flags of `serve`, and the configuration of the server's parts made from them.

#include "net/base/service_config.hpp"
#include "net/serving/server_config.hpp"
#include "net/tracing/tracer.hpp"
#include "schema/base/error.hpp"
#include "tools/cli/serve/log.hpp"
#include "tools/cli/serve/stores.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/App.hpp>

namespace whence::tools {

/// The flags as typed. Nested configurations start with the defaults of their parts.
struct ServeOptions {
  std::string db = "whence-data";
  CLI::Option const* db_flag = nullptr;      ///< whether `db` was given; null: it was
  std::vector<std::string> namespaces = {};  ///< `NAME=DIR` each
  std::string listen = "127.0.0.1:7411";
  std::string bolt = {};            ///< address of Bolt's own port; empty: none
  int bolt_socket = -1;             ///< as `net::BoltAddress::socket`
  std::string bolt_advertise = {};  ///< that the other nodes of a log get; empty: that of `bolt`
  std::string metrics_listen = {};  ///< address that is for watching alone; empty: none
  std::string trace_to = {};        ///< where spans of requests go; empty: nowhere
  double trace_sample = 0.01;
  std::vector<std::string> token_files = {};  ///< `FILE` or `NAME=FILE` each, as are the folders of `files`
  std::string tls_cert = {};
  std::string tls_key = {};
  std::string tls_client_ca = {};
  std::string tls_client_crl = {};
  std::string tls_client_role = {};  ///< empty: only certificates with a line in a token file have one
  net::ProxySettings proxies = {};
  std::vector<std::string> allow_origin = {};
  std::vector<std::string> log = {};  ///< form of the log of events, and where the log of transactions is
  store::NatsOptions nats = {};       ///< who asks the servers of the log of transactions
  unsigned log_replicas = 0;
  std::string log_file = {};     ///< empty: stderr
  std::string audit_reads = {};  ///< a file, or `log`; empty: who reads is not logged
  std::string files_repair = "none";
  std::string mode = "strict";
  std::vector<std::string> files = {};
  std::string explorer = {};                    ///< empty: the folder found relative to the program
  std::vector<std::string> retention = {};      ///< `90d` or `TYPE=30d` each
  std::vector<std::string> retention_min = {};  ///< likewise
  std::string four_eyes = {};                   ///< `24h`; empty: a purge needs no second user
  std::vector<std::string> witnesses = {};      ///< keys of cosignatures
  std::vector<std::string> embedding = {};      ///< `MODEL=DIMENSION` each
  std::vector<std::int64_t> system_prompt_tokens = {};
  bool has_no_search = false;
  bool only_checks = false;          ///< looks at all of this and serves nothing
  engine::EngineConfig engine = {};  ///< of each store
  net::ServiceConfig service = {};
  net::ServerConfig server = {};
  std::int64_t heartbeat_s = 15;
  std::int64_t drain_s = 10;
  std::int64_t ping_s = 20;
};

/// Adds serve's flags to a verb. `options` outlives the parsing.
void add_serve_flags(CLI::App& verb, ServeOptions& options);

/// Settings that passed every check that needs neither a socket nor a store.
struct ServeConfig {
  std::vector<StoreConfig> stores;  ///< at least one
  net::ServiceConfig service;
  net::ServerConfig server;
  LogForm log = LogForm::text;
  std::string log_file = {};     ///< empty: stderr
  std::string audit_reads = {};  ///< a file, or `log`; empty: nowhere
  std::vector<Named> token_files = {};
  std::optional<net::TraceTarget> traces = {};
  std::string bolt_advertise = {};  ///< `HOST:PORT`; empty: the address at which Bolt listens
};

/// Checks the flags. Fails with `invalid_params`, the message naming the flag, on a malformed address or origin, an
/// address beyond loopback without tokens, an unreadable token file, or half of a TLS pair; and as `list_stores`. Opens
/// nothing but token files.
[[nodiscard]] Result<ServeConfig> check(ServeOptions const& options);

}  // namespace whence::tools
