// Two protocols in one: revisions that begin with `initialize`, and 2026-07-28, where each request says its revision
// itself (`is_stateless`). Failures of the latter have statuses of HTTP, those of the former are answered with 200.

#include "net/mcp/server.hpp"

#include "net/base/version.hpp"
#include "net/mcp/arguments.hpp"
#include "net/mcp/tool.hpp"
#include "net/plain_text/cell.hpp"
#include "schema/encoding/base64.hpp"
#include "schema/encoding/percent.hpp"
#include "schema/json/json.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include <boost/json/array.hpp>

namespace whence::net::mcp {
namespace {

namespace json = boost::json;

constexpr int parse_error = -32700;
constexpr int invalid_request = -32600;
constexpr int method_not_found = -32601;
constexpr int invalid_params = -32602;
constexpr int resource_not_found = -32002;  ///< until 2025-11-25; then it is invalid_params
constexpr int header_mismatch = -32020;
constexpr int unsupported_revision = -32022;
constexpr unsigned bad_request = 400;
constexpr unsigned not_found = 404;

constexpr std::size_t batch_max = 100;  ///< revision 2025-03-26 has batches

/// The revision in which each request says by itself by what it is to be answered.
constexpr std::string_view stateless_revision = "2026-07-28";

/// Revisions that begin with `initialize`, the newest first.
constexpr std::string_view handshake_revisions[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};

constexpr std::string_view revision_key = "io.modelcontextprotocol/protocolVersion";
constexpr std::string_view capabilities_key = "io.modelcontextprotocol/clientCapabilities";
constexpr std::string_view server_key = "io.modelcontextprotocol/serverInfo";

/// How long a client may keep what is the same for everybody until the program is replaced.
constexpr std::int64_t list_ttl_ms = 300'000;

constexpr std::string_view instructions =
    "Whence knows what answers of models were made from. `search` finds records by words, `why` shows what one was "
    "made from, `impact` what else was made from a source, `cite` the sources of an answer by their share.";

/// A kind of resource: its address begins with `uri` and goes on with a percent-encoded name.
struct ResourceKind {
  std::string_view uri;
  std::string_view variable;
  std::string_view name;
  std::string_view title;
  std::string_view doc;
  std::string_view mime_type;
  Result<std::string> (*read)(Call const& call, std::string const& name);
};

Result<std::string> read_record(Call const& call, std::string const& ref) {
  auto const found = call("node.get", {{"ref", ref}, {"include", json::array{"record", "status", "edges"}}});
  if (!found) return found.error();
  return schema::json::to_text(found->as_object().at("nodes").as_array().front());
}

Result<std::string> read_blob(Call const& call, std::string const& hash) {
  auto const found = call("attachment.get", {{"hash", hash}});
  if (!found) return found.error();
  return std::string{found->as_object().at("xml").as_string()};
}

constexpr ResourceKind resource_kinds[] = {
    {"whence://record/", "ref", "record", "A record",
     "A record with its status and its edges, by its ref such as Document:faq.md", "application/json", read_record},
    {"whence://blob/", "hash", "blob", "The text of an XML message",
     "The XML of a message as it was written, by the hash of its attachment", "application/xml", read_blob},
};

constexpr std::string_view prompt_name = "explain_answer";

json::object tool_list() {
  json::array list;
  for (auto const& tool : tools()) {
    list.push_back(
        json::object{{"name", tool.name},
                     {"title", tool.title},
                     {"description", std::string(tool.doc) + (tool.more_doc != nullptr ? "\n" + tool.more_doc() : "")},
                     {"inputSchema", schema::json::parse(tool.input_schema)->value},
                     {"annotations", {{"readOnlyHint", !tool.writes}, {"destructiveHint", false}}}});
  }
  return {{"tools", std::move(list)}};
}

json::object template_list() {
  json::array list;
  for (auto const& kind : resource_kinds) {
    list.push_back(json::object{{"uriTemplate", std::string(kind.uri) + "{" + std::string(kind.variable) + "}"},
                                {"name", kind.name},
                                {"title", kind.title},
                                {"description", kind.doc},
                                {"mimeType", kind.mime_type}});
  }
  return {{"resourceTemplates", std::move(list)}};
}

json::object prompt_list() {
  json::array arguments;
  arguments.push_back(
      json::object{{"name", "ref"}, {"description", "of the Response or the Answer"}, {"required", true}});
  json::array list;
  list.push_back(json::object{{"name", prompt_name},
                              {"title", "Explain this answer"},
                              {"description", "Why an answer says what it says, and what else its sources affect"},
                              {"arguments", std::move(arguments)}});
  return {{"prompts", std::move(list)}};
}

json::object message(json::value id, std::string_view member, json::value content) {
  return {{"jsonrpc", "2.0"}, {"id", std::move(id)}, {member, std::move(content)}};
}

json::object failure_message(json::value id, Failure const& failure) {
  json::object error{{"code", failure.code}, {"message", failure.message}};
  if (!failure.data.empty()) error["data"] = failure.data;
  return message(std::move(id), "error", std::move(error));
}

json::object server_info() {
  return {{"name", "whence"}, {"title", "Whence"}, {"version", version()}};
}

json::object capabilities() {
  return {{"tools", json::object{}}, {"resources", json::object{}}, {"prompts", json::object{}}};
}

bool has_handshake(std::string_view revision) noexcept {
  return std::ranges::find(handshake_revisions, revision) != std::end(handshake_revisions);
}

/// The text of a header that may be wrapped as `=?base64?...?=`, since headers are ASCII; nothing where it is broken.
std::optional<std::string> unwrapped(std::string const& value) {
  constexpr std::string_view begin = "=?base64?";
  constexpr std::string_view end = "?=";
  if (!value.starts_with(begin) || !value.ends_with(end) || value.size() < begin.size() + end.size()) return value;
  auto const digits = std::string_view{value}.substr(begin.size(), value.size() - begin.size() - end.size());
  return schema::decode_base64(digits);
}

/// The param that `Mcp-Name` repeats; empty for methods without the header.
std::string_view named_param(std::string_view method) {
  if (method == "tools/call" || method == "prompts/get") return "name";
  return method == "resources/read" ? "uri" : "";
}

/// What is wrong with the headers of a request of revision 2026-07-28: they repeat its body, for proxies.
std::optional<Failure> wrong_headers(Frame const& frame, std::string_view method, json::object const& params) {
  auto const wrong = [](std::string text) {
    return Failure{.code = header_mismatch, .message = std::move(text), .http_status = bad_request};
  };
  if (frame.revision.empty()) return wrong("MCP-Protocol-Version: the header is missing");
  if (frame.method.empty()) return wrong("Mcp-Method: the header is missing");
  if (frame.method != method) return wrong("Mcp-Method: the header and /method differ");
  auto const member = named_param(method);
  if (member.empty() || !params.contains(member)) return std::nullopt;
  if (frame.name.empty()) return wrong("Mcp-Name: the header is missing");
  if (unwrapped(frame.name) == plain_text::cell(params, member)) return std::nullopt;
  return wrong("Mcp-Name: the header and /params/" + std::string{member} + " differ");
}

Failure not_spoken(std::string_view revision) {
  return {.code = unsupported_revision,
          .message = "the revision " + std::string{revision} + " is not spoken",
          .data = {{"supported", json::array{stateless_revision}}, {"requested", revision}},
          .http_status = bad_request};
}

Failure not_named(std::string const& key) {
  return {.code = invalid_params, .message = "/params/_meta/" + key + ": is required", .http_status = bad_request};
}

/// What is wrong with what a request says of itself by revision 2026-07-28.
std::optional<Failure> wrong_frame(Frame const& frame, std::string_view method, json::object const& params) {
  if (frame.is_batch)
    return Failure{.code = invalid_request, .message = "this revision has no batches", .http_status = bad_request};
  auto const* const given = params.if_contains("_meta");
  auto const* const meta = given == nullptr ? nullptr : given->if_object();
  auto const* const named = meta == nullptr ? nullptr : meta->if_contains(revision_key);
  auto const* const revision = named == nullptr ? nullptr : named->if_string();
  if (revision == nullptr) {
    if (!frame.revision.empty() && frame.revision != stateless_revision) return not_spoken(frame.revision);
    return not_named(std::string{revision_key});
  }
  if (!frame.revision.empty() && frame.revision != *revision)
    return Failure{.code = header_mismatch,
                   .message = "MCP-Protocol-Version: the header and /params/_meta differ",
                   .http_status = bad_request};
  if (*revision != stateless_revision) return not_spoken(*revision);
  auto const* const abilities = meta->if_contains(capabilities_key);
  if (abilities == nullptr || !abilities->is_object()) return not_named(std::string{capabilities_key});
  return frame.is_http ? wrong_headers(frame, method, params) : std::nullopt;
}

/// Whether a request is to be answered by revision 2026-07-28.
bool is_stateless(Frame const& frame, std::string_view method, json::object const& params) {
  auto const* const meta = params.if_contains("_meta");
  bool const says_so = meta != nullptr && meta->is_object() && meta->get_object().contains(revision_key);
  return says_so || method == "server/discover" || (!frame.revision.empty() && !has_handshake(frame.revision));
}

json::object discovered() {
  return {{"supportedVersions", json::array{stateless_revision}},
          {"capabilities", capabilities()},
          {"instructions", instructions}};
}

/// Adds what results have in revision 2026-07-28.
json::object stateless_result(std::string_view method, json::object result) {
  result["resultType"] = "complete";
  result["_meta"] = json::object{{server_key, server_info()}};
  bool const is_read = method == "resources/read";
  if (is_read || method == "server/discover" || method.ends_with("/list")) {
    result["ttlMs"] = is_read ? 0 : list_ttl_ms;
    result["cacheScope"] = is_read ? "private" : "public";
  }
  return result;
}

}  // namespace

void throw_exception_from_error(Failure const& failure, boost::source_location const& /*where*/) {
  throw std::logic_error(failure.message);
}

Server::Outcome Server::initialize(json::object const& params) {
  auto const asked = plain_text::cell(params, "protocolVersion");
  return json::object{{"protocolVersion", has_handshake(asked) ? std::string_view{asked} : handshake_revisions[0]},
                      {"capabilities", capabilities()},
                      {"serverInfo", server_info()},
                      {"instructions", instructions}};
}

Server::Outcome Server::call_tool(json::object const& params) {
  auto const name = plain_text::cell(params, "name");
  auto const* const tool = find_tool(name);
  if (tool == nullptr) return Failure{invalid_params, "there is no tool " + name};
  auto const* const given = params.if_contains("arguments");
  auto const arguments = given == nullptr || given->is_null() ? json::value(json::object{}) : settled_object(*given);
  if (!arguments.is_object()) return Failure{invalid_params, "/arguments: must be an object"};
  auto made = run_tool(*tool, call_, arguments.get_object());
  json::array content;
  content.push_back(json::object{{"type", "text"}, {"text", std::move(made.text)}});
  json::object result{{"content", std::move(content)}, {"isError", made.is_error}};
  if (!made.is_error) result["structuredContent"] = std::move(made.data);
  return result;
}

Server::Outcome Server::read_resource(json::object const& params) {
  auto const uri = plain_text::cell(params, "uri");
  auto const kind = std::ranges::find_if(resource_kinds, [&](auto const& each) { return uri.starts_with(each.uri); });
  if (kind == std::end(resource_kinds))
    return Failure{resource_not_found, "there is no resource " + uri, json::object{{"uri", uri}}};
  auto const text = kind->read(call_, schema::percent_decoded_leniently(uri.substr(kind->uri.size())));
  if (!text) return Failure{resource_not_found, text.error().message, json::object{{"uri", uri}}};
  json::array contents;
  contents.push_back(json::object{{"uri", uri}, {"mimeType", kind->mime_type}, {"text", *text}});
  return json::object{{"contents", std::move(contents)}};
}

Server::Outcome Server::get_prompt(json::object const& params) {
  if (plain_text::cell(params, "name") != prompt_name)
    return Failure{invalid_params, "there is no prompt " + plain_text::cell(params, "name")};
  auto const* const arguments = params.if_contains("arguments");
  auto const ref =
      arguments != nullptr && arguments->is_object() ? plain_text::cell(arguments->get_object(), "ref") : std::string{};
  if (ref.empty()) return Failure{invalid_params, "/arguments/ref: is required"};
  auto const text =
      "Explain why " + ref +
      " says what it says. Use the tool `why` for what it was made from and `cite` for the "
      "sources that count most; quote them. Then use `impact` on the main source and say what else it affects.";
  json::array messages;
  messages.push_back(json::object{{"role", "user"}, {"content", {{"type", "text"}, {"text", text}}}});
  return json::object{{"messages", std::move(messages)}};
}

Server::Outcome Server::call(std::string_view method, json::object const& params) {
  if (method == "initialize") return initialize(params);
  if (method == "ping") return json::object{};
  if (method == "tools/list") return tool_list();
  if (method == "tools/call") return call_tool(params);
  if (method == "resources/list") return json::object{{"resources", json::array{}}};
  if (method == "resources/templates/list") return template_list();
  if (method == "resources/read") return read_resource(params);
  if (method == "prompts/list") return prompt_list();
  if (method == "prompts/get") return get_prompt(params);
  return Failure{
      .code = method_not_found, .message = "there is no method " + std::string(method), .http_status = not_found};
}

Server::Outcome Server::call_by_revision(std::string_view method, json::object const& params, Frame const& frame) {
  if (!is_stateless(frame, method, params)) {
    auto outcome = call(method, params);
    if (outcome) return outcome;
    auto failure = outcome.error();
    failure.http_status = 200;  // as before revision 2026-07-28
    return failure;
  }
  if (auto wrong = wrong_frame(frame, method, params)) return std::move(*wrong);
  if (method == "server/discover") return stateless_result(method, discovered());
  if (method == "initialize" || method == "ping")
    return Failure{.code = method_not_found,
                   .message = "this revision has no method " + std::string{method},
                   .http_status = not_found};
  auto outcome = call(method, params);
  if (outcome) return stateless_result(method, std::move(*outcome));
  auto failure = outcome.error();
  if (failure.code == resource_not_found) failure.code = invalid_params;
  return failure;
}

Answer Server::answer(json::value const& sent, Frame const& frame) {
  auto const refused = [&](json::value const& id, int code, std::string text) {
    bool const is_strict = !frame.revision.empty() && !has_handshake(frame.revision);
    return Answer{.message = failure_message(id, {.code = code, .message = std::move(text)}),
                  .http_status = is_strict ? bad_request : 200U};
  };
  auto const* const request = sent.if_object();
  if (request == nullptr) return refused(nullptr, invalid_request, "a message is one JSON object");
  auto const* const method = request->if_contains("method");
  auto const* const id = request->if_contains("id");
  if (id != nullptr && !id->is_string() && !id->is_int64())
    return refused(nullptr, invalid_request, "/id: must be a string or an integer");
  if (method == nullptr || !method->is_string()) {
    bool const is_answer = request->contains("result") || request->contains("error");
    if (is_answer) return {};  // nothing was asked of the client
    return refused(id != nullptr ? *id : json::value{}, invalid_request, "/method: must be a string");
  }
  if (id == nullptr) return {};
  auto const* const params = request->if_contains("params");
  if (params != nullptr && !params->is_object()) return refused(*id, invalid_params, "/params: must be an object");
  auto outcome =
      call_by_revision(method->get_string(), params != nullptr ? params->get_object() : json::object{}, frame);
  if (!outcome) return {.message = failure_message(*id, outcome.error()), .http_status = outcome.error().http_status};
  return {.message = message(*id, "result", std::move(*outcome))};
}

boost::system::result<Server::Sent, Failure> Server::read(std::string_view text) {
  auto parsed = schema::json::parse(text);
  if (!parsed) return Failure{parse_error, parsed.error().message};
  // A reader of the message before this one may have taken another of the two for what is asked.
  if (!parsed->duplicates.empty()) return Failure{invalid_request, parsed->duplicates.front() + ": is named twice"};
  if (!parsed->inexact.empty()) {
    auto const place = parsed->inexact.front();
    return Failure{invalid_request, place + ": " + std::string{schema::json::inexact_message}};
  }
  Sent sent;
  auto* const batch = parsed->value.if_array();
  if (batch == nullptr) {
    sent.messages.push_back(std::move(parsed->value));
    return sent;
  }
  if (batch->empty() || batch->size() > batch_max)
    return Failure{invalid_request, "a batch has 1 to " + std::to_string(batch_max) + " messages"};
  sent.is_batch = true;
  sent.messages.assign(std::make_move_iterator(batch->begin()), std::make_move_iterator(batch->end()));
  return sent;
}

std::string Server::text_of(Failure const& failure) {
  return schema::json::to_text(failure_message(nullptr, failure));
}

}  // namespace whence::net::mcp
