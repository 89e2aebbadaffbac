#pragma once
// `serve --check-config`: everything that a start would meet, looked at without starting.

#include "tools/cli/process/exit_code.hpp"
#include "tools/cli/process/io.hpp"
#include "tools/cli/serve/options.hpp"

namespace whence::tools {

/// Looks at flags, token files, certificate and key, addresses, stores, folders and the log's file, and prints a line
/// for each, with every fault. Changes nothing: a store that is missing is not made, a port is given back at once.
/// `usage` where there is a fault, else `ok`.
ExitCode check_config(ServeOptions const& options, Io& io);

}  // namespace whence::tools
