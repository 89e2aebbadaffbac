#pragma once
// The flags that say who asks the servers of a replicated log.

#include "store/replicated/nats_address.hpp"

#include <optional>

#include <CLI/CLI.hpp>

namespace whence::tools {

/// Adds `--log-credentials`, `--log-nkey`, `--log-nkey-seed`, `--log-ca`, `--log-cert` and `--log-key`, which go into
/// `options`.
void add_nats_flags(CLI::App& verb, store::NatsOptions& options);

/// What is wrong with them together, if anything is.
[[nodiscard]] std::optional<std::string> find_wrong_nats_flags(store::NatsOptions const& options);

}  // namespace whence::tools
