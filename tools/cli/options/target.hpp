#pragma once
// The graph that a verb works on: a server's, or a store's. The flags are the same for every verb.

#include "tools/cli/transport/caller.hpp"
#include "tools/cli/transport/dial.hpp"
#include "tools/cli/transport/local_caller.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <CLI/App.hpp>

namespace whence::tools {

/// The values of `--db`, `--url`, `--token-file`, `--client-cert` and `--client-key`.
struct Target {
  std::string db = {};           ///< a store's directory; empty: a server
  std::string url = {};          ///< a server, or several nodes separated by commas; empty: the default one
  std::string token_file = {};   ///< its first line is used
  std::string client_cert = {};  ///< PEM; shown to a server that asks for one
  std::string client_key = {};   ///< PEM
};

/// Adds the flags to a verb. `target` outlives the parsing.
void add_target_flags(CLI::App& verb, Target& target);

/// Those of them that name a server, for verbs that need one. Returns `--url`.
CLI::Option* add_server_flags(CLI::App& verb, Target& target);

/// The chosen servers, at least one; exit code `usage` if a URL, the token file, the certificate or its key is
/// malformed. `timeout` applies to each step; zero: no limit. The token is `WHENCE_TOKEN`, else the token file's.
[[nodiscard]] CallResult<std::vector<DialConfig>> find_servers(Target const& target, std::chrono::milliseconds timeout);

/// The chosen server; of several the first that answers, for work that stays with one.
[[nodiscard]] CallResult<DialConfig> find_server(Target const& target, std::chrono::milliseconds timeout);

/// Opens the store if `--db` was given, else makes a caller of the servers. Fails like `find_servers` and
/// `LocalCaller::open`.
[[nodiscard]] CallResult<std::unique_ptr<Caller>> open_caller(Target const& target, MissingStore missing,
                                                              std::chrono::milliseconds timeout);

/// Long enough for any read with the server's own time budget of 30 s.
inline constexpr std::chrono::milliseconds timeout_default{60'000};

/// For work whose time grows with the store.
inline constexpr std::chrono::milliseconds timeout_none{0};

}  // namespace whence::tools
