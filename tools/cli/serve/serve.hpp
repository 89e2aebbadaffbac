#pragma once
// Running a server until it is told to stop.

#include "tools/cli/exit_code.hpp"
#include "tools/cli/io.hpp"
#include "tools/cli/serve/options.hpp"

namespace whence::tools {

/// Opens the store, listens, prints `listening on http://HOST:PORT` on `io.data` and serves until SIGTERM or SIGINT:
/// the first drains (exit `ok`), the second quits at once (`failure`). `failure` too where the store is held (the
/// message names the pid) or damaged, or the port is taken.
ExitCode serve(ServeConfig const& config, Io& io);

}  // namespace whence::tools
