#pragma once
// An event as one line for people.

#include "tools/cli/io.hpp"

#include <string>

#include <boost/json/object.hpp>

namespace whence::tools {

/// Time, transaction, what happened to which node, and what the event tells of it in a few words: telling members of
/// its record, status, score, number of edges. Cut to the terminal's width, with colours where `io` has them, and safe
/// for a terminal whatever the data holds. Without a line break.
[[nodiscard]] std::string watch_line(boost::json::object const& event, Io const& io);

}  // namespace whence::tools
