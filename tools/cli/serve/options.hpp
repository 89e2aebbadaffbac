#pragma once
// The flags of `serve`, and the configuration of the server's parts made from them.

#include "engine/config.hpp"
#include "net/server_config.hpp"
#include "net/service_config.hpp"
#include "schema/base/error.hpp"
#include "store/replicated/nats_log.hpp"
#include "tools/cli/serve/log.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/App.hpp>

namespace whence::tools {

/// The flags as typed. Nested configurations start with the defaults of their parts.
struct ServeOptions {
  std::string db = "whence-data";
  std::string listen = "127.0.0.1:7411";
  std::string token_file = {};
  std::string tls_cert = {};
  std::string tls_key = {};
  std::vector<std::string> allow_origin = {};
  std::vector<std::string> log = {};  ///< form of the log of events, and where the log of transactions is
  std::string log_credentials = {};
  std::string log_ca = {};
  std::string log_certificate = {};
  std::string log_key = {};
  unsigned log_replicas = 0;
  std::string log_file = {};  ///< empty: stderr
  std::string mode = "strict";
  std::string files = {};
  std::string explorer = {};                       ///< empty: the folder found relative to the program
  std::vector<std::string> retention = {};         ///< `90d` or `TYPE=30d` each
  std::vector<std::string> embedding = {};         ///< `MODEL=DIMENSION` each
  std::vector<std::string> embedding_models = {};  ///< of 384 numbers each
  std::vector<std::int64_t> system_prompt_tokens = {};
  engine::EngineConfig engine = {};
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
  engine::EngineConfig engine;
  net::ServiceConfig service;
  net::ServerConfig server;
  LogForm log = LogForm::text;
  std::optional<store::NatsOptions> shared_log = {};  ///< of several nodes; nothing: the store alone
  std::string log_file = {};                          ///< empty: stderr
  std::string token_file = {};                        ///< that `server.tokens` came from; empty: none
};

/// Checks the flags. Fails with `invalid_params`, the message naming the flag, on a malformed address or origin, an
/// address beyond loopback without tokens, an unreadable token file, or half of a TLS pair. Opens nothing but the token
/// file.
[[nodiscard]] Result<ServeConfig> check(ServeOptions const& options);

}  // namespace whence::tools
