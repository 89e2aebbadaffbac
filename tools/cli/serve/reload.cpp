// Reading the files of a running server again.

#include "tools/cli/serve/reload.hpp"

#include "net/access/secret_file.hpp"

#include <exception>
#include <string>
#include <vector>

namespace whence::tools {
namespace {

void fail(ServeLog& log, std::string const& what) {
  log.write({.level = net::LogLevel::error, .component = "server", .event = "reload_failed", .error = what});
}

Result<net::Reloaded> read_again(ServeConfig const& config, net::Server& server) {
  net::ReadTokens tokens;
  for (auto const& file : config.token_files) {
    if (!net::is_rereadable(file.value)) continue;
    auto read = net::read_token_file(file.value);
    if (!read) return read.error();
    tokens.emplace(file.name, std::move(*read));
  }
  return server.reload(tokens);
}

void report(net::Reloaded const& done, bool has_tokens, ServeLog& log) {
  auto const tokens = done.tokens.value_or(net::TokenChange{});
  auto const added = std::to_string(tokens.added);
  auto const removed = std::to_string(tokens.removed);
  auto const total = std::to_string(tokens.total);
  std::vector<LogValue> values;
  if (done.tokens) {
    values.insert(values.end(),
                  {{"tokens_added", added, true}, {"tokens_removed", removed, true}, {"tokens", total, true}});
  } else if (has_tokens) {
    values.push_back({"tokens", "kept: their file is a pipe"});
  }
  if (done.tls) {
    values.push_back({"tls", done.tls->is_changed ? "changed" : "unchanged"});
    values.push_back({"tls_sha256", done.tls->fingerprint});
    values.push_back({"tls_expires", done.tls->expires});
  }
  log.write("reloaded", values);
}

}  // namespace

void reload(ServeConfig const& config, net::Server& server, ServeLog& log, ReadLog* reads) try {
  if (!config.log_file.empty()) {
    auto const opened = log.open(config.log_file);
    opened ? log.write("log_reopened", {{"file", config.log_file}}) : fail(log, opened.error().message);
  }
  if (reads != nullptr && config.audit_reads != reads_in_log) {
    auto const opened = reads->open(config.audit_reads);
    opened ? log.write("reads_reopened", {{"file", config.audit_reads}}) : fail(log, opened.error().message);
  }
  auto const done = read_again(config, server);
  if (!done) return fail(log, done.error().message + "; tokens and TLS stay as they were");
  report(*done, !config.token_files.empty(), log);
  warn_of_groups(config, log);
} catch (std::exception const& broken) {  // no memory, say: the server goes on as it was
  fail(log, broken.what());
}

void warn_of_groups(ServeConfig const& config, ServeLog& log) {
  std::vector<std::string> files;
  for (auto const& file : config.token_files) files.push_back(file.value);
  files.push_back(config.server.tls_key_file);
  for (auto const& file : files) {
    auto const access = net::find_group_access(file);
    if (!access) continue;
    log.write({.level = net::LogLevel::warning, .component = "server", .event = "secret_file_open", .error = *access});
  }
}

}  // namespace whence::tools
