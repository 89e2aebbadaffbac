#pragma once
// A call of a server that takes long and says how far it is.

#include "tools/cli/options/target.hpp"
#include "tools/cli/output/progress.hpp"
#include "tools/cli/transport/caller.hpp"

#include <string_view>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace whence::tools {

/// Calls a method with the parameter `progress` and waits without a limit. Where `progress` is shown, the call is made
/// over a WebSocket, of several servers to the first that answers, and what that one tells is shown; else, and where a
/// WebSocket cannot be had, it is the call of `open_caller`. Fails as that.
[[nodiscard]] CallResult<boost::json::value> call_long(Target const& target, std::string_view method,
                                                       boost::json::object params, Progress& progress);

}  // namespace whence::tools
