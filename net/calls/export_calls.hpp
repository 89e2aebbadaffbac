#pragma once
// The methods of exports, which are background jobs: `export.start`, `export.status`, `export.cancel`.

#include "net/rpc/method.hpp"
#include "schema/base/error.hpp"

#include <string>

#include <boost/json/object.hpp>

namespace whence::net {

// Each answers its result object as JSON text. Common failures: `invalid_params`; `not_found` for an unknown job.

/// Fails as `prepare_export` does too, and with `limit_exceeded` where there are too many jobs. Evaluates what is
/// selected: for a worker.
[[nodiscard]] Result<std::string> start_export(ServiceState& service, boost::json::object const& params,
                                               Progress const& progress);
[[nodiscard]] Result<std::string> export_status(ServiceState& service, boost::json::object const& params,
                                                Progress const& progress);
/// Removes the files of a finished export: for a worker.
[[nodiscard]] Result<std::string> cancel_export(ServiceState& service, boost::json::object const& params,
                                                Progress const& progress);

}  // namespace whence::net
