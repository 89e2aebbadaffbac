#pragma once
// The log lines of requests: those of methods whose row has a `log` (retrieval and generation), and of any request that
// failed through the server's fault.

#include "net/log.hpp"
#include "net/rpc/method.hpp"
#include "schema/base/error.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

namespace whence::net {

/// A request was accepted. Returns the id of the retrieval request that it is about; empty where it names none.
std::string log_received(LogSink const& sink, Method const& method, boost::json::object const& params);

/// How a request ended.
struct Answered {
  std::string_view response;  ///< whole, as it is sent
  std::optional<Errc> error;
  std::chrono::steady_clock::duration elapsed;
  std::string const& request_id;  ///< as `log_received` returned it
};

void log_answered(LogSink const& sink, Method const& method, Answered const& answered);

}  // namespace whence::net
