#pragma once
// The limit of a replay: a server that has its messages ready and only sends them.

#include "tools/bench/wire/servers.hpp"

#include <string>
#include <vector>

namespace whence::bench {

/// Bare Beast: after the first message of a connection it sends `messages`, each with one `async_write` in one frame.
void serve_beast_messages(std::vector<std::string> const& messages, Listening const& listening);

}  // namespace whence::bench
