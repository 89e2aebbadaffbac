// Errors of connecting: unreachable servers, and refusals by HTTP.

#include "tools/cli/transport/dial.hpp"

#include "net/base/errors.hpp"

#include <optional>

#include <boost/beast/http/status.hpp>
#include <boost/json/object.hpp>

namespace whence::tools {
namespace {

using boost::beast::http::status;

/// HTTP refusals that have a code in JSON-RPC or mean that the server is absent, and their exit codes.
struct Refusal {
  status http_status;
  ExitCode exit;
  std::optional<Errc> code = {};
};
constexpr Refusal refusals[] = {
    {status::bad_request, ExitCode::invalid_input},
    {status::unauthorized, ExitCode::failure, Errc::unauthenticated},
    {status::forbidden, ExitCode::failure, Errc::forbidden},
    {status::payload_too_large, ExitCode::invalid_input},
    {status::bad_gateway, ExitCode::unreachable},  // sent by a proxy whose server is absent
    {status::service_unavailable, ExitCode::unreachable},
    {status::gateway_timeout, ExitCode::unreachable},
};

/// No token and a wrong one have different remedies.
std::string token_refused(DialConfig const& server) {
  std::string const name = authority_of(server.url) + server.url.path;
  if (server.token.empty()) {
    return name +
           " asks for a token, and none was given: set WHENCE_TOKEN, or name a file that has it with --token-file";
  }
  return name +
         " does not know the token that was given (WHENCE_TOKEN, else the first of --token-file): it is wrong, no "
         "longer valid, or of another "
         "namespace";
}

}  // namespace

CallError unreachable(Url const& url, std::string_view why, std::string_view hint) {
  std::string message = "no answer from " + authority_of(url) + ": ";
  // What a server with TLS does to a client without.
  if (!url.is_tls && why == "end of stream") hint = "; if it speaks TLS, its address begins https://";
  message.append(why).append(" (is a server running there? `whence serve` starts one").append(hint).append(")");
  return {.exit = ExitCode::unreachable, .message = std::move(message)};
}

CallError refused(DialConfig const& server, unsigned http_status, std::string_view body) {
  CallError error{.message = "the server answered HTTP " + std::to_string(http_status) + " " + std::string{body}};
  if (http_status == static_cast<unsigned>(status::unauthorized)) error.message = token_refused(server);
  for (Refusal const& refusal : refusals) {
    if (static_cast<unsigned>(refusal.http_status) != http_status) continue;
    error.exit = refusal.exit;
    error.has_begun = refusal.http_status != status::service_unavailable;  // a proxy's server may be at it
    if (!refusal.code) continue;
    error.rpc_error = boost::json::object{{"code", net::wire_code(*refusal.code)}, {"message", error.message}};
  }
  return error;
}

CallError with_way_out(DialConfig const& server, CallError error) {
  boost::json::object* const object = error.rpc_error.if_object();
  boost::json::value const* const code = object == nullptr ? nullptr : object->if_contains("code");
  if (code == nullptr || *code != net::wire_code(Errc::unauthenticated)) return error;
  error.message = token_refused(server);
  (*object)["message"] = error.message;
  object->erase("data");  // says the same in fewer words
  return error;
}

}  // namespace whence::tools
