// From a body to an answer: tools call methods as a client with the request's role would.

#include "net/http/mcp_call.hpp"

#include "net/base/errors.hpp"
#include "net/plain_text/query_value.hpp"
#include "net/service/waiting_call.hpp"
#include "net/state/service_state.hpp"
#include "schema/json/json.hpp"
#include "schema/json/writer.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include <boost/beast/core/string.hpp>
#include <boost/beast/http/field.hpp>

namespace whence::net {

namespace {

namespace http = boost::beast::http;
using http::field;
using http::status;

/// Answers may nest deeper than requests: a record's own depth plus the members around it.
constexpr std::size_t answer_depth_max = 128;
/// What an answer takes as a tree, times its text, about.
constexpr std::size_t tree_factor = 8;

Error error_of(boost::json::value const& answer) {
  Error failed{.code = Errc::internal_error, .message = "the method gave no answer"};
  auto const* const object = answer.if_object();
  auto const* const error = object == nullptr ? nullptr : object->if_contains("error");
  if (error == nullptr || !error->is_object()) return failed;
  failed.code = Errc::invalid_params;
  failed.message = error->get_object().at("message").as_string();
  return failed;
}

/// Whether one media range of an `Accept` is JSON or more.
bool is_json_range(std::string_view range) {
  range.remove_prefix(std::min(range.find_first_not_of(" \t"), range.size()));
  auto const essence = range.substr(0, range.find_first_of("; \t"));
  return boost::beast::iequals(essence, "application/json") || essence == "*/*" || essence == "application/*";
}

bool takes_json(HttpRequest const& request) {
  if (request.count(field::accept) == 0) return true;
  for (auto [at, end] = request.equal_range(field::accept); at != end; ++at) {
    std::string_view rest{at->value().data(), at->value().size()};
    for (bool is_more = true; is_more;) {
      auto const comma = rest.find(',');
      if (is_json_range(rest.substr(0, comma))) return true;
      is_more = comma != std::string_view::npos;
      if (is_more) rest.remove_prefix(comma + 1);
    }
  }
  return false;
}

}  // namespace

std::optional<HttpAnswer> check_mcp_head(HttpRequest const& request) {
  if (!takes_json(request)) return error_answer(status::not_acceptable, "Accept: expected application/json");
  return std::nullopt;
}

mcp::Frame mcp_frame_of(HttpRequest const& request) {
  auto const header = [&](std::string_view name) {
    auto const found = request.find(name);
    return found == request.end() ? std::string{} : std::string{found->value()};
  };
  return {.is_http = true,
          .revision = header("MCP-Protocol-Version"),
          .method = header("Mcp-Method"),
          .name = header("Mcp-Name")};
}

McpCall::McpCall(std::shared_ptr<BufferedStream> stream, Namespace const& where, Grant grant, std::string peer,
                 std::shared_ptr<PeerMemory> memory)
    : HttpCall(std::move(stream)),
      state_(where.service->state()),
      grant_(std::move(grant)),
      peer_(std::move(peer)),
      memory_(std::move(memory)),
      queue_(state_.pool, 1, state_.pool.group_of(client_of(grant_, peer_))) {}

Awaitable<HttpAnswer> McpCall::run(std::string body, mcp::Frame frame) {
  frame_ = std::move(frame);
  post_step([this, body = std::move(body)] { begin(body); });
  return wait();
}

void McpCall::abort() {
  cancel();
  settle(error_answer(status::service_unavailable, "the server stops"));
}

/// Runs a step on a worker.
void McpCall::post_step(std::function<void()> step) {
  queue_.post([this, self = shared_from_this(), step = std::move(step)] {
    try {
      step();
    } catch (std::bad_alloc const&) {
      finish(error_answer(status::service_unavailable, no_memory_for_request));
    } catch (std::exception const& failure) {
      finish(error_answer(status::internal_server_error, failure.what()));
    }
  });
}

void McpCall::begin(std::string const& body) {
  auto sent = mcp::Server::read(body);
  if (!sent) return finish({.body = mcp::Server::text_of(sent.error())});
  sent_ = std::move(*sent);
  frame_.is_batch = sent_.is_batch;
  go_on();
}

/// `method` called on behalf of the client.
Result<boost::json::value> McpCall::call_method(std::string_view method, boost::json::object const& params) {
  std::string request;
  schema::json::Writer writer{request};
  writer.begin_object().member("jsonrpc", "2.0").member("id", 1).member("method", method);
  writer.key("params").raw(schema::json::to_text(params)).end_object();
  auto const text = call_and_wait(state_, request, grant_, peer_, ended(), memory_);
  if (!held_.try_set(held_.bytes() + tree_factor * text.size())) {
    return Error{.code = Errc::busy, .message = "there is not enough memory for this answer now"};
  }
  auto answer = schema::json::parse(text, answer_depth_max);
  if (!answer) return answer.error();
  auto* const object = answer->value.if_object();
  auto* const result = object == nullptr ? nullptr : object->if_contains("result");
  if (result == nullptr) return error_of(answer->value);
  return std::move(*result);
}

/// Each message of a batch is a task of its own: other clients have their turn between two, and none begins when the
/// client has gone.
void McpCall::go_on() {
  if (has_ended()) return;
  mcp::Server server{
      [this](std::string_view method, boost::json::object const& params) { return call_method(method, params); }};
  auto answer = server.answer(sent_.messages[next_++], frame_);
  status_ = std::max(status_, answer.http_status);
  if (answer.message) answers_.push_back(std::move(*answer.message));
  if (next_ < sent_.messages.size()) return post_step([this] { go_on(); });
  if (answers_.empty()) return finish({.status = status::accepted});
  finish({.status = status{status_},
          .body = plain_text::answer_text(sent_.is_batch ? boost::json::value(answers_) : answers_.front())});
}

}  // namespace whence::net
