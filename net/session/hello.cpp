// The requests that change the connection itself: `session.hello` (protocol, client, role and limits), `subscribe` and
// `unsubscribe`.

#include "net/base/version.hpp"
#include "net/params/params.hpp"
#include "net/session/session_state.hpp"
#include "schema/base/limits.hpp"
#include "schema/base/text.hpp"
#include "schema/json/json.hpp"

#include <algorithm>
#include <utility>

namespace whence::net {

void SessionState::start_hello(RunningPtr const& running, Request const& request) {
  // A duplicate may have meant another token.
  if (!request.duplicates.empty()) return fail(running, error_from(duplicate_violations(request.duplicates)));
  finish_call(running, hello(request.params));
}

void SessionState::start_unsubscribe(RunningPtr const& running, Request const& request) {
  // A duplicate may have meant another subscription.
  if (!request.duplicates.empty()) return fail(running, error_from(duplicate_violations(request.duplicates)));
  finish_call(running, subscriptions().unsubscribe(request.params));
}

/// Nothing is sent for a subscription before its own answer.
void SessionState::start_subscribe(RunningPtr const& running, Request const& request) {
  if (!request.duplicates.empty()) return fail(running, error_from(duplicate_violations(request.duplicates)));
  if (running->id.empty()) return finish(running, {});  // its name would not be known
  auto made = subscriptions().subscribe(request.params, grant_.role >= Role::admin);
  if (!made) return fail(running, made.error());
  if (running->slot.batch) running->slot.batch->subscriptions.push_back(made->id);
  bool const is_alone = !running->slot.batch;
  finish_call(running, std::move(made->result));
  if (is_alone && host_ != nullptr) subscriptions().begin(made->id);
}

Subscriptions& SessionState::subscriptions() {
  if (!subscriptions_) {
    SubscriptionLimits const limits{.count_max = config_.subscriptions_max, .heartbeat = config_.heartbeat};
    subscriptions_ = std::make_shared<Subscriptions>(service_, *host_, link_, limits, memory_);
  }
  return *subscriptions_;
}

Result<std::string> SessionState::hello(boost::json::object const& params) {
  HelloParams asked;
  std::vector<Violation> violations;
  decode_params(params, asked, violations);
  if (asked.versions &&
      std::find(asked.versions->begin(), asked.versions->end(), protocol_version) == asked.versions->end()) {
    violations.push_back(param_violation("version", "/versions", schema::json::to_text(params.at("versions")),
                                         "the supported protocol versions are [1]"));
  }
  if (!violations.empty()) return error_from(std::move(violations));
  if (is_greeted_) return Error{.code = Errc::invalid_request, .message = "this connection said hello before"};
  if (config_.find_grant && asked.token) {
    auto grant = config_.find_grant(*asked.token);
    if (grant.role < Role::read) {
      refused_ = std::move(grant);
      if (refused_.role == Role::none) return Error{.code = Errc::unauthenticated, .message = "the token is not known"};
      return Error{.code = Errc::forbidden, .message = "a token of the role metrics reads /metrics and nothing else"};
    }
    grant_ = std::move(grant);
  }
  if (awaits_hello()) return Error{.code = Errc::unauthenticated, .message = "a token is needed"};
  is_greeted_ = true;
  actor_ = name_of(grant_.role);
  if (asked.client && asked.client->value.is_string()) {
    auto const& client = asked.client->value.get_string();
    actor_.append(" ").append(schema::cut({client.data(), client.size()}, schema::limits::seen_bytes_max));
  }
  return hello_result();
}

std::string SessionState::hello_result() const {
  std::string text;
  schema::json::Writer out(text);
  out.begin_object().member("server", "whence").member("version", version()).member("protocol", protocol_version);
  out.member("tx", number(service_.engine.snapshot().tx())).member("epoch", service_.epoch);
  out.key("limits").begin_object();
  out.member("message_bytes", std::uint64_t{config_.message_bytes_max}).member("inflight", config_.inflight_max);
  out.member("subscriptions", config_.subscriptions_max).member("page", service_.config.page_max).end_object();
  out.key("capabilities").begin_array();
  for (char const* const what : {"batch", "stream", "cancel", "progress", "as_of", "cursor", "subscribe"})
    out.value(what);
  out.end_array().end_object();
  return text;
}

}  // namespace whence::net
