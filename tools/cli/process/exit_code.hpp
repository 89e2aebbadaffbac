#pragma once
// The program's exit codes, and the exit code of each protocol error.

#include "schema/base/error.hpp"

#include <cstdint>

namespace whence::tools {

/// Fixed numbers: scripts rely on them.
enum class ExitCode : std::uint8_t {
  ok = 0,
  failure = 1,
  usage = 2,  ///< the command line itself is wrong
  not_found = 3,
  invalid_input = 4,
  conflict = 5,
  unreachable = 6,  ///< no connection, a store held by a server, too slow, too busy
  incomplete = 7,   ///< cut by time or by the node budget
  verification_failed = 8,
};

/// The exit code for a JSON-RPC error code; `failure` for those without a row of their own.
[[nodiscard]] ExitCode exit_code_of(std::int64_t rpc_code) noexcept;
[[nodiscard]] ExitCode exit_code_of(Errc code) noexcept;

}  // namespace whence::tools
