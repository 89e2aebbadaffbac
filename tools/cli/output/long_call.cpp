#include "tools/cli/output/long_call.hpp"

#include "net/plain_text/shown.hpp"
#include "schema/json/json.hpp"
#include "tools/cli/transport/ws_client.hpp"

#include <string>
#include <utility>

namespace whence::tools {
namespace {

namespace json = boost::json;

/// What a `$/progress` says; nothing is shown where it is not as the protocol says.
void show_told(json::object const& message, Progress& progress) {
  auto const* const params = message.if_contains("params");
  auto const* const object = params != nullptr ? params->if_object() : nullptr;
  if (object == nullptr) return;
  auto const* const done = object->if_contains("done");
  auto const* const total = object->if_contains("total");
  auto const* const what = object->if_contains("message");
  bool const is_it = done != nullptr && done->is_number() && total != nullptr && total->is_number();
  if (!is_it) return;
  boost::system::error_code wrong;
  auto const part = done->to_number<std::uint64_t>(wrong);
  auto const whole = wrong ? 0 : total->to_number<std::uint64_t>(wrong);
  if (wrong) return;
  std::string const words = what != nullptr && what->is_string() ? std::string(what->get_string()) : std::string{};
  progress.show_part(part, whole, net::plain_text::shown(words));
}

CallResult<json::value> call_told(WsClient& client, std::string_view method, json::object params, Progress& progress) {
  params["progress"] = true;
  auto const sent = client.send(request_text(1, method, schema::json::to_text(params)));
  if (!sent) return sent.error();
  for (;;) {
    auto const text = client.receive_patiently();
    if (!text) return text.error();
    auto parsed = schema::json::parse(*text, answer_depth_max);
    auto* const message = parsed ? parsed->value.if_object() : nullptr;
    if (message == nullptr) return CallError{.message = "the answer is not JSON-RPC: " + text->substr(0, 200)};
    if (!message->contains("method")) return result_of(std::move(*message));
    show_told(*message, progress);
  }
}

}  // namespace

CallResult<json::value> call_long(Target const& target, std::string_view method, json::object params,
                                  Progress& progress) {
  if (progress.is_shown()) {
    auto const server = find_server(target, timeout_default);
    if (!server) return server.error();
    WsClient client;
    if (client.connect(*server)) return call_told(client, method, std::move(params), progress);
  }
  auto const caller = open_caller(target, MissingStore::is_error, timeout_none);
  if (!caller) return caller.error();
  return (*caller)->call(method, params);
}

}  // namespace whence::tools
