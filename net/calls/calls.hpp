#pragma once
// The methods that are neither reads of a snapshot nor writes: about the service and the store as a whole.

#include "net/rpc/method.hpp"
#include "schema/base/error.hpp"

#include <string>

#include <boost/json/object.hpp>

namespace whence::net {

// Each answers its result object as JSON text. Common failure: `invalid_params`. `progress` is called where the params
// ask for it and there is something to report.

[[nodiscard]] Result<std::string> discover(ServiceState& service, boost::json::object const& params,
                                           Progress const& progress);
[[nodiscard]] Result<std::string> server_info(ServiceState& service, boost::json::object const& params,
                                              Progress const& progress);
/// Copies the store into a new directory; `conflict` where it exists. Slow: for a worker.
[[nodiscard]] Result<std::string> backup(ServiceState& service, boost::json::object const& params,
                                         Progress const& progress);
/// Transactions for a backup that is kept elsewhere; `conflict` where the log ends before. Slow: for a worker.
[[nodiscard]] Result<std::string> read_log(ServiceState& service, boost::json::object const& params,
                                           Progress const& progress);
/// Lets contents expire that are older than the rules keep them, or only says which. Slow: for a worker.
[[nodiscard]] Result<std::string> retention(ServiceState& service, boost::json::object const& params,
                                            Progress const& progress);
/// Checks the store while it is in use. Damage is a result. Slow: for a worker.
[[nodiscard]] Result<std::string> verify(ServiceState& service, boost::json::object const& params,
                                         Progress const& progress);

}  // namespace whence::net
