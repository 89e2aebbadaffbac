// One request on a connection of its own: a model takes longer to answer than to be reached.

#include "tools/cli/what_if/model_client.hpp"

#include "net/access/secret_file.hpp"
#include "schema/base/text.hpp"
#include "schema/json/json.hpp"
#include "tools/cli/transport/dial_stream.hpp"

#include <chrono>
#include <utility>

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace whence::tools {
namespace {

namespace http = boost::beast::http;
namespace json = boost::json;
using boost::system::system_error;

constexpr std::uint64_t answer_bytes_max = std::uint64_t{64} << 20U;
/// Of what an end point says of an error, for people.
constexpr std::size_t shown_bytes_max = 500;

std::string name_of_end_point(DialConfig const& server) {
  return authority_of(server.url) + server.url.path + "/chat/completions";
}

CallError model_failed(DialConfig const& server, std::string const& why, ExitCode exit = ExitCode::failure) {
  return {.exit = exit, .message = name_of_end_point(server) + ": " + why};
}

std::string body_of(std::string_view model, std::vector<ModelMessage> const& messages) {
  json::array list;
  list.reserve(messages.size());
  for (auto const& each : messages) list.push_back(json::object{{"role", each.role}, {"content", each.content}});
  return schema::json::to_text(json::object{{"model", model}, {"messages", std::move(list)}});
}

json::value const* find_member(json::value const& value, std::string_view name) {
  auto const* const object = value.if_object();
  return object == nullptr ? nullptr : object->if_contains(name);
}

/// The beginning of what an error's body says: of the message where it has one.
std::string told_by(std::string const& body) {
  auto const parsed = schema::json::parse(body);
  auto const* const error = parsed ? find_member(parsed->value, "error") : nullptr;
  auto const* const message = error == nullptr ? nullptr : find_member(*error, "message");
  if (message != nullptr && message->is_string())
    return std::string(schema::cut(std::string_view(message->get_string()), shown_bytes_max));
  return std::string(schema::cut(body, shown_bytes_max));
}

/// A text, or the texts of a list of parts.
std::optional<std::string> text_in(json::value const& content) {
  if (content.is_string()) return std::string(content.get_string());
  auto const* const parts = content.if_array();
  if (parts == nullptr) return std::nullopt;
  std::string text;
  for (auto const& part : *parts) {
    auto const* const said = find_member(part, "text");
    if (said == nullptr || !said->is_string()) return std::nullopt;
    text += std::string_view(said->get_string());
  }
  return text;
}

std::optional<std::int64_t> tokens_in(json::value const& answer, std::string_view name) {
  auto const* const usage = find_member(answer, "usage");
  auto const* const count = usage == nullptr ? nullptr : find_member(*usage, name);
  if (count == nullptr || !count->is_int64() || count->get_int64() < 0) return std::nullopt;
  return count->get_int64();
}

CallResult<ModelAnswer> answer_in(DialConfig const& server, std::string const& body) {
  auto const parsed = schema::json::parse(body);
  if (!parsed) return model_failed(server, "its answer is no JSON: " + parsed.error().message);
  auto const* const choices = find_member(parsed->value, "choices");
  auto const* const list = choices == nullptr ? nullptr : choices->if_array();
  auto const* const message = list == nullptr || list->empty() ? nullptr : find_member(list->front(), "message");
  auto const* const content = message == nullptr ? nullptr : find_member(*message, "content");
  auto text = content == nullptr ? std::nullopt : text_in(*content);
  if (!text) return model_failed(server, "its answer has no text at choices[0].message.content");
  ModelAnswer made{.text = *std::move(text),
                   .input_tokens = tokens_in(parsed->value, "prompt_tokens"),
                   .output_tokens = tokens_in(parsed->value, "completion_tokens")};
  auto const* const model = find_member(parsed->value, "model");
  if (model != nullptr && model->is_string()) made.model = std::string(model->get_string());
  return made;
}

}  // namespace

CallResult<std::string> read_model_key(std::string const& path) {
  auto key = net::read_secret(path);
  if (!key) return CallError{.exit = ExitCode::usage, .message = "--model-key-file: " + key.error().message};
  return std::move(*key);
}

CallResult<ModelAnswer> ask_model(DialConfig const& server, std::string_view model,
                                  std::vector<ModelMessage> const& messages) {
  http::request<http::string_body> request{http::verb::post, server.url.path + "/chat/completions", 11,
                                           body_of(model, messages)};
  request.set(http::field::host, authority_of(server.url));
  request.set(http::field::content_type, "application/json");
  if (!server.token.empty()) request.set(http::field::authorization, "Bearer " + server.token);
  request.keep_alive(false);
  request.prepare_payload();
  auto const begun = std::chrono::steady_clock::now();
  try {
    OperationLoop loop;
    DialStream stream(loop, server);
    stream.open();
    try {
      stream.finish([&](auto token) { return http::async_write(stream, request, token); });
    } catch (system_error const&) {
      // A refusal may come before all is sent. If none is there, reading fails too.
    }
    boost::beast::flat_buffer buffer;
    http::response_parser<http::string_body> parser;
    parser.body_limit(answer_bytes_max);
    stream.finish([&](auto token) { return http::async_read(stream, buffer, parser, token); });
    auto const& answer = parser.get();
    if (answer.result() != http::status::ok) {
      return model_failed(server, "HTTP " + std::to_string(answer.result_int()) + ": " + told_by(answer.body()));
    }
    auto made = answer_in(server, answer.body());
    if (!made) return made;
    made->latency_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun).count();
    return made;
  } catch (TlsFailure const& failed) {
    return model_failed(server, failed.why(), ExitCode::unreachable);
  } catch (system_error const& failed) {
    return model_failed(server, "no answer: " + failed.code().message(), ExitCode::unreachable);
  }
}

}  // namespace whence::tools
