// Choosing and opening the caller.

#include "tools/cli/options/target.hpp"

#include "net/token_file.hpp"
#include "tools/cli/io.hpp"
#include "tools/cli/options/settings.hpp"
#include "tools/cli/transport/http_caller.hpp"

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
  auto tokens = net::read_token_file(target.token_file);
  if (!tokens) return target_usage("--token-file: " + tokens.error().message);
  return std::move(tokens->front().secret);
}

}  // namespace

void add_target_flags(CLI::App& verb, Target& target) {
  CLI::Option* const db =
      verb.add_option("--db", target.db, "Works on the store in this directory; no server may hold it");
  make_setting(db)->type_name("DIR")->excludes(add_server_flags(verb, target));
}

CLI::Option* add_server_flags(CLI::App& verb, Target& target) {
  CLI::Option* const url = verb.add_option(
      "--url", target.url, "Asks this server (http, https, ws or wss); default " + std::string{url_default});
  CLI::Option* const token_file =
      verb.add_option("--token-file", target.token_file,
                      "Lines `ROLE TOKEN`: the first token is sent to the server, unless WHENCE_TOKEN is set");
  make_setting(token_file)->type_name("FILE");
  return make_setting(url)->type_name("URL");
}

CallResult<DialConfig> find_server(Target const& target, std::chrono::milliseconds timeout) {
  Result<Url> url = parse_url(target.url.empty() ? url_default : target.url);
  if (!url) return target_usage("--url: " + url.error().message);
  CallResult<std::string> token = find_token(target);
  if (!token) return token.error();
  return DialConfig{.url = std::move(*url), .token = std::move(*token), .timeout = timeout};
}

CallResult<std::unique_ptr<Caller>> open_caller(Target const& target, MissingStore missing,
                                                std::chrono::milliseconds timeout) {
  if (!target.db.empty()) return LocalCaller::open(target.db, missing);
  CallResult<DialConfig> server = find_server(target, timeout);
  if (!server) return server.error();
  return std::unique_ptr<Caller>{std::make_unique<HttpCaller>(std::move(*server))};
}

}  // namespace whence::tools
