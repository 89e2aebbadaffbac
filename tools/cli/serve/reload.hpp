#pragma once
// What SIGHUP does: the files of a running server are read again.

#include "net/server/server.hpp"
#include "tools/cli/serve/log.hpp"
#include "tools/cli/serve/options.hpp"
#include "tools/cli/serve/read_log.hpp"

namespace whence::tools {

/// Opens the log file anew, and that of reads where there is one, reads the tokens and the TLS files again, and says in
/// the log what changed; tokens are only counted. Where a file is broken, tokens and TLS stay as they were and the log
/// has an error. From one thread.
void reload(ServeConfig const& config, net::Server& server, ServeLog& log, ReadLog* reads);

/// Warns in the log of secrets that the group of their file may read.
void warn_of_groups(ServeConfig const& config, ServeLog& log);

}  // namespace whence::tools
