// Choosing and opening the caller.

#include "tools/cli/options/target.hpp"

#include "net/access/secret_file.hpp"
#include "tools/cli/options/settings.hpp"
#include "tools/cli/process/io.hpp"
#include "tools/cli/transport/dial_stream.hpp"
#include "tools/cli/transport/http_caller.hpp"
#include "tools/cli/transport/nodes_caller.hpp"

#include <utility>

namespace whence::tools {
namespace {

constexpr std::string_view url_default = "http://127.0.0.1:7411";

CallError target_usage(std::string message) {
  return {.exit = ExitCode::usage, .message = std::move(message)};
}

/// Secrets come from the environment or a file, because every user of the machine can read arguments.
CallResult<std::string> find_token(Target const& target) {
  if (auto token = environment_variable("WHENCE_TOKEN")) return *std::move(token);
  if (target.token_file.empty()) return std::string{};
  auto token = net::read_secret(target.token_file);
  if (!token) return target_usage("--token-file: " + token.error().message);
  return std::move(*token);
}

}  // namespace

void add_target_flags(CLI::App& verb, Target& target) {
  CLI::Option* const db =
      verb.add_option("--db", target.db, "Works on the store in this directory; no server may hold it");
  make_setting(db)->type_name("DIR")->excludes(add_server_flags(verb, target));
}

CLI::Option* add_server_flags(CLI::App& verb, Target& target) {
  CLI::Option* const url = verb.add_option(
      "--url", target.url,
      "Asks this server (http, https, ws or wss), or one of several nodes A,B,C; default " + std::string{url_default});
  url->join(',');  // given again, it adds a node
  CLI::Option* const token_file =
      verb.add_option("--token-file", target.token_file,
                      "File whose first line is the token for the server, unless WHENCE_TOKEN is set");
  make_setting(token_file)->type_name("FILE");
  CLI::Option* const cert = verb.add_option("--client-cert", target.client_cert,
                                            "Certificate chain (PEM) that is shown to a server that asks for one");
  CLI::Option* const key = verb.add_option("--client-key", target.client_key, "Private key (PEM) of --client-cert");
  make_setting(cert)->type_name("FILE");
  make_setting(key)->type_name("FILE");
  return make_setting(url)->type_name("URL[,URL...]");
}

CallResult<std::vector<DialConfig>> find_servers(Target const& target, std::chrono::milliseconds timeout) {
  Result<std::vector<Url>> urls = parse_urls(target.url.empty() ? url_default : target.url);
  if (!urls) return target_usage("--url: " + urls.error().message);
  CallResult<std::string> token = find_token(target);
  if (!token) return token.error();
  if (target.client_cert.empty() != target.client_key.empty())
    return target_usage("--client-cert and --client-key are given together");
  std::vector<DialConfig> servers;
  for (Url& url : *urls) {
    servers.push_back({.url = std::move(url),
                       .token = *token,
                       .client_cert = target.client_cert,
                       .client_key = target.client_key,
                       .timeout = timeout});
  }
  boost::asio::ssl::context tried{boost::asio::ssl::context::tls_client};
  if (auto const used = use_client_certificate(tried, servers.front()); !used) return used.error();
  return servers;
}

CallResult<DialConfig> find_server(Target const& target, std::chrono::milliseconds timeout) {
  CallResult<std::vector<DialConfig>> servers = find_servers(target, timeout);
  if (!servers) return servers.error();
  if (servers->size() == 1) return std::move(servers->front());
  return first_that_answers(*servers);
}

CallResult<std::unique_ptr<Caller>> open_caller(Target const& target, MissingStore missing,
                                                std::chrono::milliseconds timeout) {
  if (!target.db.empty()) return LocalCaller::open(target.db, missing);
  CallResult<std::vector<DialConfig>> servers = find_servers(target, timeout);
  if (!servers) return servers.error();
  if (servers->size() > 1) return std::unique_ptr<Caller>{std::make_unique<NodesCaller>(std::move(*servers))};
  return std::unique_ptr<Caller>{std::make_unique<HttpCaller>(std::move(servers->front()))};
}

}  // namespace whence::tools
