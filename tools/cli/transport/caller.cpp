// The JSON-RPC envelope, the same for every caller.

#include "tools/cli/transport/caller.hpp"

#include "schema/json/json.hpp"
#include "schema/json/writer.hpp"

#include <stdexcept>
#include <utility>

namespace whence::tools {
namespace {

namespace json = boost::json;

CallError error_from_rpc(json::value const& error) {
  CallError failed{.rpc_error = error};
  json::object const* const object = error.if_object();
  if (object == nullptr) return failed;
  if (auto const* code = object->if_contains("code"); code != nullptr && code->is_int64()) {
    failed.exit = exit_code_of(code->get_int64());
  }
  if (auto const* message = object->if_contains("message"); message != nullptr && message->is_string()) {
    failed.message = message->get_string().c_str();
  }
  return failed;
}

CallError no_answer(std::string_view seen) {
  return {.message = "the answer is not JSON-RPC: " + std::string{seen.substr(0, 200)}};
}

}  // namespace

CallError call_error(Error const& error) {
  std::string message = error.message;
  for (auto const& violation : error.violations) {
    if (violation.path.empty()) continue;
    message = violation.path + ": " + violation.message + " (" + violation.rule + ")";
    break;
  }
  return {.exit = exit_code_of(error.code), .message = std::move(message)};
}

CallError invalid_input(std::string message) {
  return {.exit = ExitCode::invalid_input, .message = std::move(message)};
}

void throw_exception_from_error(CallError const& error, boost::source_location const& where) {
  boost::throw_exception(std::runtime_error{error.message}, where);
}

std::string request_text(std::int64_t id, std::string_view method, std::string_view params) {
  std::string request;
  request.reserve(params.size() + 128);
  schema::json::Writer writer{request};
  writer.begin_object().member("jsonrpc", "2.0").member("id", id).member("method", method);
  writer.key("params").raw(params).end_object();
  return request;
}

CallResult<json::value> result_of(json::object&& answer) {
  if (json::value const* error = answer.if_contains("error"); error != nullptr) return error_from_rpc(*error);
  if (json::value* result = answer.if_contains("result"); result != nullptr) return std::move(*result);
  return no_answer(schema::json::to_text(answer));
}

CallResult<json::value> Caller::call(std::string_view method, std::string_view params) {
  return perform(method, params);
}

CallResult<json::value> TextCaller::perform(std::string_view method, std::string_view params) {
  CallResult<std::string> const answer = exchange(request_text(1, method, params));
  if (!answer) return answer.error();
  Result<schema::json::Document> parsed = schema::json::parse(*answer, answer_depth_max);
  if (!parsed || !parsed->value.is_object()) return no_answer(*answer);
  return result_of(std::move(parsed->value.get_object()));
}

CallResult<json::value> Caller::call(std::string_view method, json::object const& params) {
  return call(method, schema::json::to_text(params));
}

}  // namespace whence::tools
