// Rounds over the nodes.

#include "tools/cli/transport/nodes_caller.hpp"

#include "net/base/errors.hpp"
#include "net/rpc/call_traits.hpp"
#include "schema/json/json.hpp"
#include "tools/cli/transport/pauses.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <thread>
#include <utility>

#include <boost/json/object.hpp>

namespace whence::tools {
namespace {

namespace json = boost::json;

/// For what is asked of a node before it is used: its time to catch up, and a little more.
constexpr std::chrono::milliseconds enter_timeout = catch_up_timeout + std::chrono::seconds{2};

bool has_code(CallError const& error, Errc code) {
  json::object const* const object = error.rpc_error.if_object();
  json::value const* const given = object == nullptr ? nullptr : object->if_contains("code");
  return given != nullptr && *given == net::wire_code(code);
}

std::chrono::milliseconds retry_after(CallError const& error) {
  json::object const* const object = error.rpc_error.if_object();
  json::value const* const data = object == nullptr ? nullptr : object->if_contains("data");
  json::value const* const ms =
      data == nullptr || !data->is_object() ? nullptr : data->get_object().if_contains("retry_after_ms");
  constexpr std::int64_t longest = 5'000;
  return std::chrono::milliseconds{
      ms == nullptr || !ms->is_int64() ? 0 : std::clamp<std::int64_t>(ms->get_int64(), 0, longest)};
}

std::uint64_t tx_of(json::value const& result) {
  json::object const* const object = result.if_object();
  json::value const* const tx = object == nullptr ? nullptr : object->if_contains("tx");
  return tx != nullptr && tx->is_int64() && tx->get_int64() > 0 ? static_cast<std::uint64_t>(tx->get_int64()) : 0;
}

std::string random_key() {
  std::random_device random;
  std::string key = "cli";
  for (int i = 0; i < 4; ++i) key += "-" + std::to_string(random());
  return key;
}

/// `params`, the text of `object`, with one more member. The text is kept, so that the server sees what was given.
std::string with_member(std::string_view params, json::object const& object, std::string_view member) {
  std::size_t const after_brace = params.find('{') + 1;
  std::string text{params.substr(0, after_brace)};
  text.append(member).append(object.empty() ? "" : ",").append(params.substr(after_brace));
  return text;
}

bool has_value(json::object const& params, std::string_view name) {
  json::value const* const value = params.if_contains(name);
  return value != nullptr && !value->is_null() && (!value->is_bool() || value->get_bool());
}

/// The error with another message, in the server's own error too.
CallError reworded(CallError error, std::string message) {
  if (json::object* const object = error.rpc_error.if_object(); object != nullptr) (*object)["message"] = message;
  error.message = std::move(message);
  return error;
}

CallError unknown_outcome(CallError const& error, std::string_view method) {
  return reworded(error, error.message + "; " + std::string{method} +
                             " may have been carried out: it has no idempotency key and is not repeated");
}

DialConfig for_entering(DialConfig node) {
  node.timeout = node.timeout.count() == 0 ? enter_timeout : std::min(node.timeout, enter_timeout);
  return node;
}

}  // namespace

json::object catch_up_params(std::uint64_t tx) {
  return {{"type", "Topic"}, {"as_of", 0}, {"min_tx", tx}, {"timeout_ms", catch_up_timeout.count()}};
}

bool is_passing(CallError const& error) {
  bool const is_lost = error.exit == ExitCode::unreachable && error.rpc_error.is_null();
  return is_lost || has_code(error, Errc::busy);
}

bool NodeFailures::add(std::size_t node, CallError const& error) {
  said_[node] = error.message;
  failed_ = (failed_ + 1) % nodes_.size();
  return failed_ == 0;
}

void NodeFailures::reset() {
  failed_ = 0;
  std::fill(said_.begin(), said_.end(), std::string{});
}

CallError NodeFailures::summary(CallError last) const {
  if (nodes_.size() == 1) return last;
  std::string message = "no node has answered";
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    std::string const name = authority_of(nodes_[i].url);
    message += i == 0 ? ": " : "; ";
    if (said_[i].find(name) == std::string::npos) message += name + ": ";
    message += said_[i];
  }
  return reworded(std::move(last), std::move(message));
}

NodesCaller::NodesCaller(std::vector<DialConfig> nodes) : nodes_(std::move(nodes)) {}

CallResult<json::value> NodesCaller::perform(std::string_view method, std::string_view params) {
  Call const call = prepare(method, params);
  auto const end = std::chrono::steady_clock::now() + patience;
  NodeFailures failures{nodes_};
  WatchPauses pauses{std::random_device{}()};
  for (;;) {
    CallResult<json::value> answer = ask(call);
    if (answer) {
      seen_ = std::max(seen_, tx_of(*answer));
      reached_ = std::max(reached_, tx_of(*answer));
      return answer;
    }
    CallError const& error = answer.error();
    if (!is_passing(error)) return answer;
    bool const is_round = failures.add(at_, error);
    leave();
    if (!call.may_repeat && error.has_begun) return unknown_outcome(error, method);
    if (!is_round) continue;
    auto const pause = std::max(pauses.next(), retry_after(error));
    if (std::chrono::steady_clock::now() + pause > end) return failures.summary(error);
    std::this_thread::sleep_for(pause);
  }
}

/// A method that this program does not know, of a newer server, is sent as it is, once.
NodesCaller::Call NodesCaller::prepare(std::string_view method, std::string_view params) const {
  Call call{.method = method, .params = std::string{params}};
  auto const parsed = schema::json::parse(params);
  json::object const* const given = parsed ? parsed->value.if_object() : nullptr;
  if (given == nullptr) return call;
  if (method == "records.write") {
    call.may_repeat = true;
    if (has_value(*given, "dry_run") || has_value(*given, "idempotency_key")) return call;
    call.may_repeat = !given->contains("idempotency_key");  // else it is null, and cannot be given twice
    if (call.may_repeat) call.params = with_member(params, *given, "\"idempotency_key\":\"" + random_key() + "\"");
    return call;
  }
  auto const traits = net::traits_of(method, *given);
  call.may_repeat = traits && traits->only_reads;
  call.waits = call.may_repeat;
  bool const has_place = given->contains("min_tx") || given->contains("cursor");  // a cursor has that of its first page
  if (call.may_repeat && traits->takes_min_tx && !has_place && seen_ > 0) {
    call.params = with_member(params, *given, "\"min_tx\":" + std::to_string(seen_));
  }
  return call;
}

CallResult<json::value> NodesCaller::ask(Call const& call) {
  if (CallResult<void> entered = enter(); !entered) return entered.error();
  if (call.waits) {
    if (CallResult<void> caught_up = catch_up(); !caught_up) return caught_up.error();
  }
  return caller_->call(call.method, call.params);
}

CallResult<void> NodesCaller::enter() {
  if (caller_) return {};
  DialConfig const& node = nodes_[at_];
  auto const info = HttpCaller{for_entering(node)}.call("server.info", "{}");
  if (!info) {
    CallError error = info.error();
    error.has_begun = false;
    return error;
  }
  json::value const* const epoch = info->is_object() ? info->get_object().if_contains("epoch") : nullptr;
  std::string const found = epoch != nullptr && epoch->is_string() ? epoch->get_string().c_str() : "";
  if (epoch_.empty()) epoch_ = found;
  if (found != epoch_) {
    return CallError{.exit = ExitCode::unreachable,
                     .message = "it has another graph (epoch " + found + ", not " + epoch_ + ")",
                     .has_begun = false};
  }
  caller_ = std::make_unique<HttpCaller>(node);
  reached_ = tx_of(*info);
  return {};
}

CallResult<void> NodesCaller::catch_up() {
  if (reached_ >= seen_) return {};
  auto const waited = HttpCaller{for_entering(nodes_[at_])}.call("node.count", catch_up_params(seen_));
  if (waited) {
    reached_ = seen_;
    return {};
  }
  CallError error = waited.error();
  if (has_code(error, Errc::deadline_exceeded)) {
    error = {.exit = ExitCode::unreachable,
             .message = "it is behind: it does not have transaction " + std::to_string(seen_)};
  }
  error.has_begun = false;
  return error;
}

void NodesCaller::leave() {
  caller_.reset();
  at_ = (at_ + 1) % nodes_.size();
}

CallResult<DialConfig> first_that_answers(std::vector<DialConfig> const& nodes) {
  NodeFailures failures{nodes};
  for (std::size_t i = 0;; ++i) {
    auto const info = HttpCaller{for_entering(nodes[i])}.call("server.info", "{}");
    if (info) return nodes[i];
    if (!is_passing(info.error())) return info.error();
    if (failures.add(i, info.error())) return failures.summary(info.error());
  }
}

}  // namespace whence::tools
