#pragma once
// Fetches a file from a server, piece by piece.

#include "tools/cli/transport/dial.hpp"

#include <atomic>
#include <functional>
#include <string>
#include <string_view>

namespace whence::tools {

/// `GET target`, calling `take` with the body as it comes. Stops, as unreachable, soon after `is_stopped` is set. Fails
/// with the server's own message if it answers anything but 200.
[[nodiscard]] CallResult<void> download(DialConfig const& server, std::string const& target,
                                        std::atomic<bool> const& is_stopped,
                                        std::function<void(std::string_view)> const& take);

}  // namespace whence::tools
