// What is said where a server cannot be reached, or does not let one in.

#include "tools/cli/transport/dial.hpp"

#include "net/rpc/errors.hpp"

#include <optional>

#include <boost/beast/http/status.hpp>
#include <boost/json/object.hpp>

namespace whence::tools {
namespace {

using boost::beast::http::status;

/// Refusals of HTTP that JSON-RPC has a code for or that speak of the server's absence, and how each ends.
struct Refusal {
  status http_status;
  ExitCode exit;
  std::optional<Errc> code = {};
};
constexpr Refusal refusals[] = {
    {status::unauthorized, ExitCode::failure, Errc::unauthenticated},
    {status::forbidden, ExitCode::failure, Errc::forbidden},
    {status::payload_too_large, ExitCode::invalid_input},
    {status::bad_gateway, ExitCode::unreachable},  // a proxy's word for a server that is away
    {status::service_unavailable, ExitCode::unreachable},
    {status::gateway_timeout, ExitCode::unreachable},
};

}  // namespace

CallError unreachable(Url const& url, std::string_view why, std::string_view hint) {
  std::string message = "no answer from " + authority_of(url) + ": ";
  message.append(why).append(" (is a server running there? `whence serve` starts one").append(hint).append(")");
  return {.exit = ExitCode::unreachable, .message = std::move(message)};
}

CallError refused(unsigned http_status, std::string_view body) {
  CallError error{.message = "the server answered HTTP " + std::to_string(http_status) + " " + std::string{body}};
  for (Refusal const& refusal : refusals) {
    if (static_cast<unsigned>(refusal.http_status) != http_status) continue;
    error.exit = refusal.exit;
    if (!refusal.code) continue;
    error.rpc_error = boost::json::object{{"code", net::wire_code(*refusal.code)}, {"message", error.message}};
  }
  return error;
}

}  // namespace whence::tools
