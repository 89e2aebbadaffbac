// Numbers are taken from the requests and answers themselves, so that the log says what the client saw. Both are looked
// at again for that, but only of the few methods that have a row here, and only where somebody listens.

#include "net/rpc/request_log.hpp"

#include "schema/json/json.hpp"
#include "schema/json/writer.hpp"
#include "schema/base/text.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace whence::net {

namespace {

namespace json = boost::json;

using schema::json::Writer;

/// Writes what an answer says into the open object of a line's data.
using Describe = void (*)(Writer& out, json::object const& result);

/// A method that leaves lines.
struct Logged {
  std::string_view method;
  std::string_view component;
  std::string_view received;  ///< event; empty: none
  std::string_view answered;
  Describe describe;
};

void describe_retrieval(Writer& out, json::object const& result) {
  auto const* chunks = result.if_contains("chunks");
  out.member("chunks_retrieved", std::uint64_t{chunks != nullptr ? chunks->as_array().size() : 0});
}

void describe_answer(Writer& out, json::object const& result) {
  auto const* answer = result.if_contains("answer");
  if (answer == nullptr || !answer->is_object()) return;
  out.member("citations", std::uint64_t{answer->at("citations").as_array().size()});
  out.member("confidence", answer->at("confidence").to_number<double>());
}

constexpr std::array<Logged, 2> table = {{
    {"rag.retrieve", "retrieval", "query_received", "chunks_retrieved", describe_retrieval},
    {"rag.answer", "generation", {}, "answer_generated", describe_answer},
}};

Logged const* find_logged(std::string_view method) {
  auto const found = std::ranges::find(table, method, &Logged::method);
  return found == table.end() ? nullptr : &*found;
}

/// Whether an error is the server's own affair.
bool is_ours(Errc error) {
  return error == Errc::internal_error || error == Errc::corrupt || error == Errc::storage_full;
}

std::string text_in(json::object const& object, std::string_view name) {
  auto const* text = object.if_contains(name);
  if (text == nullptr) return {};
  if (text->is_object()) return text_in(text->get_object(), name);
  return text->is_string() ? std::string(text->get_string()) : std::string{};
}

/// The request's id as an answer says it: beside the chunks, or in the answer.
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
  auto const* logged = find_logged(method.name);
  if (logged == nullptr) return {};
  auto request_id = text_in(params, "request_id");
  if (logged->received.empty()) return request_id;
  LogEvent line{.component = logged->component, .event = logged->received, .data = {}};
  Writer out(line.data);
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
  auto const* logged = find_logged(method.name);
  if (logged == nullptr && !(error && is_ours(*error))) return;
  LogEvent line{.component = "server", .event = "request_failed", .request_id = answered.request_id, .data = {}};
  if (logged != nullptr) line.component = logged->component;
  if (logged != nullptr && !error) line.event = logged->answered;
  if (error) line.level = LogLevel::error;
  Writer out(line.data);
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
