#pragma once
// Which requests leave a line in the log, and what it says: those of retrieval and generation (S4), and any that failed
// for no fault of the client's.

#include "net/impl/method.hpp"
#include "net/log.hpp"
#include "schema/error.hpp"

#include <chrono>
#include <optional>
#include <string_view>

#include <boost/json/object.hpp>

namespace whence::net {

/// A request was accepted.
void log_received(LogSink const& sink, Method const& method, boost::json::object const& params);

/// It was answered with `response`, a whole JSON-RPC response, after `elapsed`.
void log_answered(LogSink const& sink, Method const& method, std::string_view response, std::optional<Errc> error,
                  std::chrono::steady_clock::duration elapsed);

}  // namespace whence::net
