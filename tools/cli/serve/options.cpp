// Flags of `serve` and their checks.

#include "tools/cli/serve/options.hpp"

#include "schema/base/limits.hpp"
#include "tools/cli/options/explorer_folder.hpp"
#include "tools/cli/options/nats_flags.hpp"
#include "tools/cli/options/settings.hpp"
#include "tools/cli/transport/url.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <CLI/Validators.hpp>
#include <boost/asio/ip/address.hpp>

namespace whence::tools {
namespace {

constexpr int threads_max = 1'024;

Error wrong(std::string message) {
  return {.code = Errc::invalid_params, .message = std::move(message)};
}

/// Names other than localhost are not looked up: their address may change after the check.
bool is_loopback(std::string const& host) {
  if (host == "localhost") return true;
  boost::system::error_code failed;
  auto const address = boost::asio::ip::make_address(host, failed);
  return !failed && address.is_loopback();
}

/// A setting whose default is the present value of `value`.
template <class T>
CLI::Option* add(CLI::App& verb, std::string const& flag, T& value, std::string const& doc, std::string const& type) {
  return make_setting(verb.add_option(flag, value, doc)->capture_default_str()->type_name(type));
}

/// A setting without a value of its own: what stands in its place, its text says.
template <class T>
CLI::Option* add_unset(CLI::App& verb, std::string const& flag, T& value, std::string const& doc,
                       std::string const& type) {
  return make_setting(verb.add_option(flag, value, doc))->type_name(type);
}

/// A setting that may be repeated.
void add_all(CLI::App& verb, std::string const& flag, std::vector<std::string>& values, std::string const& doc,
             std::string const& type) {
  make_setting(verb.add_option(flag, values, doc))
      ->type_name(type)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

/// What is served.
void add_store_flags(CLI::App& verb, ServeOptions& options) {
  options.db_flag = add(verb, "--db", options.db, "The store's directory, created if it does not exist", "DIR");
  add_all(verb, "--namespace", options.namespaces,
          "A store that is served below /ns/NAME/; may be repeated. Without --db there is none at the root",
          "NAME=DIR");
}

/// Where it listens, and where spans of requests go.
void add_door_flags(CLI::App& verb, ServeOptions& options) {
  add(verb, "--listen", options.listen, "Address and port; port 0 is any", "HOST:PORT");
  add_unset(verb, "--bolt", options.bolt,
            "Address and port of Bolt, for the drivers of Neo4j; port 0 is any. Without it Bolt is "
            "spoken over WebSocket alone, at /bolt",
            "HOST:PORT");
  add_unset(verb, "--bolt-advertise", options.bolt_advertise,
            "Address of --bolt as clients of the other nodes of a log see it", "HOST:PORT");
  add_unset(verb, "--metrics-listen", options.metrics_listen,
            "Address and port for /metrics, /healthz and /readyz alone, which stay on --listen too; "
            "port 0 is any",
            "HOST:PORT");
  add_unset(verb, "--trace-to", options.trace_to,
            "Where spans of requests are sent: a collector of OpenTelemetry (OTLP/HTTP, JSON)",
            "http://HOST:PORT/v1/traces");
  add(verb, "--trace-sample", options.trace_sample,
      "Share of the requests that are traced, of those whose client does not say it by `traceparent`", "SHARE")
      ->check(CLI::Range(0.0, 1.0));
}

/// Who may use it.
void add_access_flags(CLI::App& verb, ServeOptions& options) {
  add_all(verb, "--tokens", options.token_files,
          "Who may use it, as `whence token` writes it; without it everybody is admin; may be repeated, once for each "
          "namespace",
          "FILE|NAME=FILE");
  add(verb, "--tls-cert", options.tls_cert, "Certificate chain (PEM); serves https and wss", "FILE");
  add(verb, "--tls-key", options.tls_key, "Private key (PEM) of --tls-cert", "FILE");
  add(verb, "--tls-client-ca", options.tls_client_ca,
      "Authorities (PEM) whose client certificates are taken in the place of a token", "FILE");
  add(verb, "--tls-client-crl", options.tls_client_crl,
      "Lists (PEM) of the client certificates that these authorities have revoked", "FILE");
  add_unset(verb, "--tls-client-role", options.tls_client_role,
            "Role of such a certificate that no line of a token file names (default: none)", "ROLE")
      ->check(CLI::IsMember({"metrics", "read", "write", "admin"}).description(""));
  add_all(verb, "--trust-proxy", options.proxies.addresses,
          "Address of a proxy whose headers say who a request is from; may be repeated", "ADDRESS[/BITS]");
  add(verb, "--proxy-user-header", options.proxies.user_header, "The header in which it names the person", "NAME");
  add(verb, "--proxy-role-header", options.proxies.role_header, "The header in which it names their role", "NAME");
  add_unset(verb, "--allow-origin", options.allow_origin,
            "A web origin, like https://example.org, that may connect in addition to the server's own; "
            "may be repeated",
            "ORIGIN")
      ->delimiter(',')
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

/// How much a request, a connection and all of them may have, and for how long.
void add_size_flags(CLI::App& verb, ServeOptions& options) {
  add(verb, "--max-message", options.server.message_bytes_max, "Largest request", "BYTES")->check(at_least(1));
  add(verb, "--inflight", options.server.inflight_max, "Requests that may run at once on a connection", "N")
      ->check(at_least(1));
  add(verb, "--page", options.service.page_max, "Largest page of an answer", "N")->check(at_least(1));
  add(verb, "--io-threads", options.server.io_threads, "Threads for connections", "N")
      ->check(CLI::Range(1, threads_max));
  add(verb, "--memory-for-requests", options.service.request_memory_bytes,
      "Memory that requests and answers may hold (default: a quarter of the machine's, less where all together would "
      "pass 60 %)",
      "BYTES")
      ->check(at_least(1))
      ->default_str("");
  add(verb, "--workers", options.service.workers, "Threads for long evaluations", "N")
      ->check(CLI::Range(1, threads_max));
  add(verb, "--ping", options.ping_s, "Idle time before a connection is pinged", "SECONDS")->check(at_least(1));
  add(verb, "--heartbeat", options.heartbeat_s, "Time between two heartbeats to a connection with subscriptions",
      "SECONDS")
      ->check(CLI::Range(1, 86'400));
  add(verb, "--drain", options.drain_s, "How long running requests may take to finish after SIGTERM", "SECONDS")
      ->check(at_least(0));
}

/// How records are taken.
void add_record_flags(CLI::App& verb, ServeOptions& options) {
  add(verb, "--future-tolerance", options.engine.future_tolerance_s, "How far in the future a record's time may lie",
      "SECONDS")
      ->check(at_least(0));
  add(verb, "--deprecate-below", options.engine.deprecate_below,
      "A context unit whose score falls below this is deprecated", "SCORE")
      ->check(CLI::Range(-1.0, 1.0));
  add(verb, "--checkpoint-edges", options.engine.checkpoint_edges,
      "A checkpoint, from which the next start goes on, is made after so many new edges if they are an eighth of all; "
      "0: never",
      "N")
      ->check(at_least(0));
}

/// Files of discussions, the index of texts, the page.
void add_file_flags(CLI::App& verb, ServeOptions& options) {
  add_all(verb, "--files", options.files,
          "Folder for the files of discussions; without it none are written; may be repeated, once for each namespace",
          "DIR|NAME=DIR");
  make_setting(verb.add_flag("--token-sync-validation", options.service.validates_token_sync,
                             "When the context of a discussion is loaded, compare its token count with the one in its "
                             "file and warn; off by default"));
  add(verb, "--files-repair", options.files_repair,
      "What becomes of an edit in the file of a discussion: it is kept until it is reconciled, or the store follows it",
      "none|from-file")
      ->check(CLI::IsMember({"none", "from-file"}).description(""));
  make_setting(verb.add_flag("--token-sync-repair", options.service.repairs_token_sync,
                             "When the context of a discussion is loaded, write a token count in its file anew that is "
                             "less than 5 % off; off by default"));
  make_setting(verb.add_flag("--no-search", options.has_no_search,
                             "Keep no index of texts beside the store: `search` is refused; off by default"));
  add_unset(verb, "--explorer", options.explorer,
            "Folder of the page served at / (default: `explorer` beside the program or above)", "DIR");
}

/// Which answers and contents are kept and for how long, and whose word that needs.
void add_content_flags(CLI::App& verb, ServeOptions& options) {
  add(verb, "--confidence-min", options.engine.confidence_min,
      "An answer whose confidence is below this is stored as not found", "SCORE")
      ->check(CLI::Range(0.0, 1.0));
  add_all(verb, "--retention", options.retention,
          "How long the contents of records are kept, of all types or of one; may be repeated; without it for ever. "
          "What is older expires at start and then hourly; its nodes and edges stay",
          "90d|TYPE=30d");
  add_all(verb, "--retention-min", options.retention_min,
          "How old the contents of records must be to be removed, of all types or of one; may be repeated. Nothing "
          "younger expires, is deleted, purged or erased",
          "90d|TYPE=30d");
  add(verb, "--four-eyes", options.four_eyes,
      "A purge or an erasure is only proposed, and another user has to confirm it within this time (default: whoever "
      "may purge does it alone); needs --tokens",
      "24h")
      ->default_str("");
  add_all(verb, "--witness", options.witnesses,
          "The key of a witness, of whom the newest signature of the log's checkpoints is kept (log.cosign); may be "
          "repeated, up to 64 times",
          "NAME+ID+KEY");
}

/// Models, and how writes are taken.
void add_model_flags(CLI::App& verb, ServeOptions& options) {
  add_unset(verb, "--embedding", options.embedding,
            "A model whose embeddings are accepted, and how many numbers they have; may be "
            "repeated; the first is that of vectors that name none (default: every model, up to "
            "8192 numbers)",
            "MODEL=DIMENSION")
      ->delimiter(',')
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_unset(verb, "--system-prompt-tokens", options.system_prompt_tokens,
            "Token counts of the system prompts of Analyzer, Solver and Moderator; the largest "
            "is used (default 250 each)",
            "A,S,M")
      ->delimiter(',')
      ->expected(3)
      ->check(at_least(0));
  add(verb, "--mode", options.mode,
      "How writes are taken that do not say it: strict refuses what breaks a rule, capture records and flags it",
      "strict|capture")
      ->check(CLI::IsMember({"strict", "capture"}).description(""));
}

/// Where transactions, events and reads are logged.
void add_log_flags(CLI::App& verb, ServeOptions& options) {
  add_all(verb, "--log", options.log,
          "Where transactions are logged: in the store alone (the default), or in a stream of NATS "
          "JetStream that several nodes write; text or json: the form of the log of events. May be "
          "repeated",
          "local|nats://HOST:PORT[,...]/STREAM|text|json");
  add_nats_flags(verb, options.nats);
  add(verb, "--log-replicas", options.log_replicas,
      "Copies of a stream that is made (default: three, one where the NATS server is alone)", "N")
      ->check(CLI::Range(0, 5))
      ->default_str("");
  add_unset(verb, "--log-file", options.log_file,
            "File that the log is appended to instead of stderr; opened anew on SIGHUP", "FILE");
  add_unset(verb, "--audit-reads", options.audit_reads,
            "Logs who read what: file that a line of JSON is appended to for each read, opened anew "
            "on SIGHUP, or log: among the lines of the log (default: reads are not logged)",
            "FILE|log");
}

}  // namespace

void add_serve_flags(CLI::App& verb, ServeOptions& options) {
  add_store_flags(verb, options);
  add_door_flags(verb, options);
  add_access_flags(verb, options);
  add_size_flags(verb, options);
  add_record_flags(verb, options);
  add_file_flags(verb, options);
  add_content_flags(verb, options);
  add_model_flags(verb, options);
  add_log_flags(verb, options);
}

namespace {

std::optional<schema::EmbeddingModel> parse_embedding(std::string const& text) {
  auto const equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) return std::nullopt;
  schema::EmbeddingModel model{.name = text.substr(0, equals)};
  auto const* const end = text.data() + text.size();
  auto const parsed = std::from_chars(text.data() + equals + 1, end, model.dimension);
  bool const is_number = parsed.ec == std::errc{} && parsed.ptr == end;
  bool const is_in_range = model.dimension >= 1 && model.dimension <= schema::limits::embedding_dimension_max;
  return is_number && is_in_range ? std::optional{std::move(model)} : std::nullopt;
}

Result<schema::EmbeddingModels> check_embeddings(ServeOptions const& options) {
  schema::EmbeddingModels models;
  for (auto const& text : options.embedding) {
    auto model = parse_embedding(text);
    if (!model) return wrong("--embedding: \"" + text + "\" is not MODEL=DIMENSION, with a dimension from 1 to 8192");
    if (!models.accepted.empty() && models.accepts(model->name)) {
      return wrong("--embedding: " + model->name + " is named twice");
    }
    models.accepted.push_back(*std::move(model));
  }
  return models;
}

/// `--log` names two things: the form of the log of events, and where transactions are logged.
Result<void> check_log(ServeOptions const& options, LogForm& form, std::optional<store::NatsOptions>& shared_log) {
  if (auto const flags = find_wrong_nats_flags(options.nats)) return wrong(*flags);
  bool is_local = false;
  for (auto const& value : options.log) {
    if (value == "text" || value == "json") {
      form = value == "json" ? LogForm::json : LogForm::text;
      continue;
    }
    if (shared_log || is_local) return wrong("--log: transactions are logged in one place");
    if (is_local = value == "local"; is_local) continue;
    auto address = store::parse_nats_address(value);
    if (!address) return wrong("--log: " + address.error().message + ", local, text or json");
    shared_log = options.nats;
    shared_log->address = std::move(*address);
    shared_log->replicas = options.log_replicas;
  }
  return {};
}

/// The addresses of Bolt.
Result<void> check_bolt(ServeOptions const& options, std::optional<net::BoltAddress>& bolt) {
  if (!options.bolt_advertise.empty()) {
    if (options.bolt.empty()) return wrong("--bolt-advertise needs --bolt");
    auto const advertised = parse_host_port(options.bolt_advertise);
    if (!advertised) return wrong("--bolt-advertise: " + advertised.error().message);
  }
  if (options.bolt.empty()) return {};
  auto address = parse_host_port(options.bolt);
  if (!address) return wrong("--bolt: " + address.error().message);
  if (options.token_files.empty() && !is_loopback(address->host)) {
    return wrong("--bolt " + options.bolt +
                 " is not a loopback address: anybody could read; --tokens FILE is required");
  }
  bolt = net::BoltAddress{.host = std::move(address->host), .port = address->port, .socket = options.bolt_socket};
  return {};
}

/// What says who a client is beside a token. Without a token file every client is admin.
Result<void> check_claims(ServeOptions const& options) {
  if (auto const proxies = net::TrustedProxies::make(options.proxies); !proxies)
    return wrong("--trust-proxy, --proxy-user-header, --proxy-role-header: " + proxies.error().message);
  if (!options.tls_client_role.empty() && options.tls_client_ca.empty())
    return wrong("--tls-client-role needs --tls-client-ca");
  if (!options.tls_client_crl.empty() && options.tls_client_ca.empty())
    return wrong("--tls-client-crl needs --tls-client-ca");
  if (!options.tls_client_ca.empty() && options.tls_cert.empty()) return wrong("--tls-client-ca needs --tls-cert");
  for (auto const& [flag, is_given] : {std::pair{"--trust-proxy", !options.proxies.addresses.empty()},
                                       std::pair{"--tls-client-ca", !options.tls_client_ca.empty()}}) {
    if (is_given && options.token_files.empty())
      return wrong(std::string{flag} + " needs --tokens: without it everybody is admin");
  }
  return {};
}

/// The address for watching.
Result<void> check_metrics(ServeOptions const& options, std::optional<net::MetricsAddress>& metrics) {
  if (options.metrics_listen.empty()) return {};
  auto address = parse_host_port(options.metrics_listen);
  if (!address) return wrong("--metrics-listen: " + address.error().message);
  if (options.token_files.empty() && !is_loopback(address->host)) {
    return wrong("--metrics-listen " + options.metrics_listen +
                 " is not a loopback address: anybody could read; --tokens FILE is required");
  }
  metrics = net::MetricsAddress{.host = std::move(address->host), .port = address->port};
  return {};
}

Result<std::optional<net::TraceTarget>> check_traces(ServeOptions const& options) {
  if (options.trace_to.empty()) return std::optional<net::TraceTarget>{};
  auto target = net::parse_trace_target(options.trace_to);
  if (!target) return wrong("--trace-to: " + target.error().message);
  target->sample = options.trace_sample;
  return std::optional{std::move(*target)};
}

Result<queries::RetentionRules> parse_rules(std::vector<std::string> const& texts, std::string const& flag) {
  queries::RetentionParser parser;
  for (auto const& text : texts) {
    if (auto const taken = parser.take(text); !taken) return wrong(flag + " " + taken.error().message);
  }
  return parser.finish();
}

/// How long contents are kept at most and at least.
Result<queries::RetentionRules> check_retention(ServeOptions const& options, queries::RetentionRules const& minimum) {
  auto const rules = parse_rules(options.retention, "--retention");
  if (!rules) return rules.error();
  if (auto const fits = queries::check_not_shorter(*rules, minimum); !fits) return wrong(fits.error().message);
  return *rules;
}

/// How long a proposed purge may be confirmed.
Result<void> check_four_eyes(ServeOptions const& options, std::optional<std::chrono::seconds>& open_for) {
  if (options.four_eyes.empty()) return {};
  open_for = queries::parse_age(options.four_eyes);
  if (!open_for)
    return wrong("--four-eyes: \"" + options.four_eyes + "\" is not a duration such as 90d, 12h, 30m or 60s");
  if (options.token_files.empty())
    return wrong("--four-eyes needs --tokens: without names of users nobody can tell who confirms from who proposed");
  return {};
}

/// Whose cosignatures are kept.
Result<std::vector<schema::proof::VerifierKey>> check_witnesses(std::vector<std::string> const& texts) {
  std::vector<schema::proof::VerifierKey> keys;
  for (auto const& text : texts) {
    auto key = schema::proof::VerifierKey::parse(text);
    if (!key) return wrong("--witness \"" + text + "\": " + key.error().message);
    if (key->type != schema::proof::SignatureType::cosignature)
      return wrong("--witness \"" + text + "\" is no key of cosignatures (type 4 of C2SP signed-note)");
    if (std::ranges::find(keys, *key) == keys.end()) keys.push_back(std::move(*key));
  }
  if (keys.size() > net::witnesses_max)
    return wrong("--witness is given for " + std::to_string(keys.size()) + " keys; " +
                 std::to_string(net::witnesses_max) + " are possible");
  return keys;
}

/// What is the same of every store.
Result<engine::EngineConfig> engine_config(ServeOptions const& options) {
  auto config = options.engine;
  Result<schema::EmbeddingModels> embeddings = check_embeddings(options);
  if (!embeddings) return embeddings.error();
  config.embeddings = std::move(*embeddings);
  config.search = options.has_no_search ? engine::SearchBy::nothing : engine::SearchBy::index;
  config.mode = options.mode == "capture" ? schema::Mode::capture : schema::Mode::strict;
  auto const minimum = parse_rules(options.retention_min, "--retention-min");
  if (!minimum) return minimum.error();
  config.retention_min = *minimum;
  if (auto const checked = check_four_eyes(options, config.four_eyes); !checked) return checked.error();
  std::ranges::copy(options.system_prompt_tokens, config.token_rules.system_prompts.begin());
  return config;
}

/// What needs no check.
void take_server_options(ServeOptions const& options, net::ServerConfig& server) {
  server.allowed_origins = options.allow_origin;
  server.explorer = options.explorer.empty() ? find_explorer() : options.explorer;
  server.tls_cert_file = options.tls_cert;
  server.tls_key_file = options.tls_key;
  server.tls_client_ca_file = options.tls_client_ca;
  server.tls_client_crl_file = options.tls_client_crl;
  server.tls_client_role = net::find_role(options.tls_client_role);
  server.proxies = options.proxies;
  server.ping_idle = std::chrono::seconds{options.ping_s};
  server.heartbeat = std::chrono::seconds{options.heartbeat_s};
  server.drain_timeout = std::chrono::seconds{options.drain_s};
}

Result<void> check_access(ServeOptions const& options, HostPort const& address) {
  if (options.tls_cert.empty() != options.tls_key.empty())
    return wrong("--tls-cert and --tls-key must be given together");
  if (options.token_files.empty() && !is_loopback(address.host)) {
    return wrong("--listen " + options.listen +
                 " is not a loopback address: anybody could write; --tokens FILE is required");
  }
  if (auto const checked = check_claims(options); !checked) return checked.error();
  for (std::string const& origin : options.allow_origin) {
    if (!is_origin(origin)) return wrong("--allow-origin: \"" + origin + "\" is not http(s)://HOST[:PORT]");
  }
  return {};
}

}  // namespace

Result<ServeConfig> check(ServeOptions const& options) {
  Result<HostPort> address = parse_host_port(options.listen);
  if (!address) return wrong("--listen: " + address.error().message);
  std::optional<net::BoltAddress> bolt;
  if (auto const checked = check_bolt(options, bolt); !checked) return checked.error();
  std::optional<net::MetricsAddress> metrics;
  if (auto const checked = check_metrics(options, metrics); !checked) return checked.error();
  Result<std::optional<net::TraceTarget>> traces = check_traces(options);
  if (!traces) return traces.error();
  if (auto const checked = check_access(options, *address); !checked) return checked.error();
  ServeConfig config{.stores = {},
                     .service = options.service,
                     .server = options.server,
                     .log_file = options.log_file,
                     .audit_reads = options.audit_reads};
  config.service.takes_file_edits = options.files_repair == "from-file";
  std::optional<store::NatsOptions> shared_log;
  if (auto const checked = check_log(options, config.log, shared_log); !checked) return checked.error();
  Result<engine::EngineConfig> const common = engine_config(options);
  if (!common) return common.error();
  bool const has_root = options.namespaces.empty() || options.db_flag == nullptr || options.db_flag->count() > 0;
  Result<std::vector<StoreConfig>> stores =
      list_stores(has_root ? std::optional{options.db} : std::nullopt, options.namespaces, *common, shared_log);
  if (!stores) return stores.error();
  config.stores = std::move(*stores);
  if (auto const set = set_files(options.files, config.stores); !set) return set.error();
  Result<std::vector<Named>> token_files = split_by_namespace("--tokens", options.token_files, config.stores);
  if (!token_files) return token_files.error();
  config.token_files = std::move(*token_files);
  if (auto const read = read_tokens(config.token_files, config.stores, config.server.tokens); !read)
    return read.error();
  auto const retention = check_retention(options, common->retention_min);
  if (!retention) return retention.error();
  config.service.retention = *retention;
  auto witnesses = check_witnesses(options.witnesses);
  if (!witnesses) return witnesses.error();
  config.service.witnesses = std::move(*witnesses);
  config.server.host = std::move(address->host);
  config.server.port = address->port;
  config.server.bolt = std::move(bolt);
  config.server.metrics = std::move(metrics);
  config.traces = std::move(*traces);
  config.bolt_advertise = options.bolt_advertise;
  take_server_options(options, config.server);
  return config;
}

}  // namespace whence::tools
