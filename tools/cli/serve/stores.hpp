#pragma once
// Which stores a server serves: that of `--db` at its root, those of `--namespace` below `/ns/`.

#include "engine/values/config.hpp"
#include "net/access/token_file.hpp"
#include "schema/base/error.hpp"
#include "store/replicated/nats_log.hpp"

#include <optional>
#include <string>
#include <vector>

namespace whence::tools {

/// What a flag says of one namespace; the name is empty where it is of the root.
struct Named {
  std::string name;
  std::string value;
};

/// One store, as it is opened.
struct StoreConfig {
  std::string name = {};  ///< of its namespace; empty: at the root
  engine::EngineConfig engine = {};
  std::optional<store::NatsOptions> shared_log = {};  ///< of several nodes; nothing: the store alone
  std::vector<net::Token> tokens = {};
};

/// The stores of `--db` (nothing: there is none at the root) and of `--namespace NAME=DIR`, in this order, with what
/// `common` and `shared_log` say of all: the stream of namespace `a` is that of the root with `_a` at its end. Fails
/// with `invalid_params`, the message naming the flag, on a malformed or repeated name, more than 64, and where a
/// directory is that of another store or lies in it.
[[nodiscard]] Result<std::vector<StoreConfig>> list_stores(std::optional<std::string> const& db,
                                                           std::vector<std::string> const& namespaces,
                                                           engine::EngineConfig const& common,
                                                           std::optional<store::NatsOptions> const& shared_log);

/// The values of `flag`, of which each is `VALUE` for the root or `NAME=VALUE` for a namespace; the latter only where
/// there is one in `stores`. Fails with `invalid_params` on an unknown namespace, or where one has two values.
[[nodiscard]] Result<std::vector<Named>> split_by_namespace(std::string const& flag,
                                                            std::vector<std::string> const& values,
                                                            std::vector<StoreConfig> const& stores);

/// Sets the folders for the files of discussions. Fails with `invalid_params` where two stores would have one.
[[nodiscard]] Result<void> set_files(std::vector<std::string> const& values, std::vector<StoreConfig>& stores);

/// Reads the tokens of the stores, and of the root where no store is there (`root_tokens`). Fails with `invalid_params`
/// where a file is unreadable, or some have tokens and a store has none.
[[nodiscard]] Result<void> read_tokens(std::vector<Named> const& token_files, std::vector<StoreConfig>& stores,
                                       std::vector<net::Token>& root_tokens);

}  // namespace whence::tools
