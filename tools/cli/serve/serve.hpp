#pragma once
// Running a server until a signal stops it.

#include "tools/cli/process/exit_code.hpp"
#include "tools/cli/process/io.hpp"
#include "tools/cli/serve/options.hpp"

namespace whence::tools {

/// Opens the store, listens, prints `listening on http://HOST:PORT` on `io.data` and serves until SIGTERM or SIGINT:
/// the first signal drains (exit `ok`), the second quits at once (`failure`); SIGHUP reads tokens and TLS files again
/// and opens the log file anew. Also `failure` if the store is held by another process (the message names the pid) or
/// damaged, or the port is in use.
ExitCode serve(ServeConfig const& config, Io& io);

}  // namespace whence::tools
