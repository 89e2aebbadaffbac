#pragma once
// Where imported telemetry goes: a server, a store, or nowhere.

#include "net/capture/otlp.hpp"
#include "tools/cli/imports/import_command.hpp"
#include "tools/cli/transport/caller.hpp"

#include <functional>
#include <string>

namespace whence::tools {

/// Takes one document of OTLP's JSON form; answers what was rejected of it.
using TakeTelemetry =
    std::function<CallResult<net::capture::PartialSuccess>(net::capture::Signal signal, std::string const& text)>;

/// The way into the target of `command`, which a dry run only pretends. What it keeps open lives as long as the
/// function.
[[nodiscard]] CallResult<TakeTelemetry> open_telemetry_target(ImportCommand const& command);

}  // namespace whence::tools
