// Reads requests and answers again to log what the client saw. Only methods whose row has a `log` cost that, and only
// where a log sink is set.

#include "net/rpc/request_log.hpp"

#include "schema/base/text.hpp"
#include "schema/json/json.hpp"
#include "schema/json/writer.hpp"

#include <string>
#include <utility>

namespace whence::net {

namespace {

namespace json = boost::json;

/// Whether an error is the server's fault.
bool is_ours(Errc error) {
  return error == Errc::internal_error || error == Errc::corrupt || error == Errc::storage_full;
}

std::string text_in(json::object const& object, std::string_view name) {
  auto const* text = object.if_contains(name);
  if (text == nullptr) return {};
  if (text->is_object()) return text_in(text->get_object(), name);
  return text->is_string() ? std::string(text->get_string()) : std::string{};
}

/// The id of the retrieval request in an answer: beside the chunks, or in the stored Answer.
std::string request_id_in(json::object const& result) {
  auto id = text_in(result, "request_id");
  auto const* answer = result.if_contains("answer");
  if (id.empty() && answer != nullptr && answer->is_object()) id = text_in(answer->get_object(), "request_id");
  return id;
}

std::string error_message(json::object const& response) {
  auto const* error = response.if_contains("error");
  return error != nullptr && error->is_object() ? text_in(error->get_object(), "message") : std::string{};
}

}  // namespace

std::string log_received(LogSink const& sink, Method const& method, json::object const& params) {
  auto const* const logged = method.log;
  if (logged == nullptr) return {};
  auto request_id = text_in(params, "request_id");
  if (logged->received.empty()) return request_id;
  LogEvent line{.component = logged->component, .event = logged->received, .data = {}};
  schema::json::Writer out(line.data);
  out.begin_object();
  auto const question = text_in(params, "question");
  out.member("question_length", std::uint64_t{schema::is_utf8(question) ? schema::code_points(question) : 0});
  out.end_object();
  line.request_id = request_id;
  sink(line);
  return request_id;
}

void log_answered(LogSink const& sink, Method const& method, Answered const& answered) {
  auto const& error = answered.error;
  auto const* const logged = method.log;
  if (logged == nullptr && !(error && is_ours(*error))) return;
  LogEvent line{.component = "server", .event = "request_failed", .request_id = answered.request_id, .data = {}};
  if (logged != nullptr) line.component = logged->component;
  if (logged != nullptr && !error) line.event = logged->answered;
  if (error) line.level = LogLevel::error;
  schema::json::Writer out(line.data);
  out.begin_object().member("method", method.name);
  auto const parsed = schema::json::parse(answered.response);
  if (parsed && parsed->value.is_object()) {
    auto const& whole = parsed->value.get_object();
    line.error = error_message(whole);
    auto const* result = whole.if_contains("result");
    if (result != nullptr && result->is_object()) {
      if (auto id = request_id_in(result->get_object()); !id.empty()) line.request_id = std::move(id);
      if (logged != nullptr) logged->describe(out, result->get_object());
    }
  }
  auto const ms = std::chrono::duration_cast<std::chrono::milliseconds>(answered.elapsed).count();
  out.member("processing_time_ms", std::int64_t{ms}).end_object();
  sink(line);
}

}  // namespace whence::net
