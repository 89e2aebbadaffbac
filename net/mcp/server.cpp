#include "net/mcp/server.hpp"

#include "net/mcp/tool.hpp"
#include "net/plain_text/cell.hpp"
#include "net/version.hpp"
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
constexpr int resource_not_found = -32002;

constexpr std::size_t batch_max = 100;  ///< revision 2025-03-26 has batches

/// Revisions that are spoken, the newest first.
constexpr std::string_view revisions[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};

constexpr std::string_view instructions =
    "Whence knows what answers of models were made from. `search` finds records by words, `why` shows what one was "
    "made "
    "from, `impact` what else was made from a source, `cite` the sources of an answer by their share.";

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

json::object failure_message(json::value id, int code, std::string_view text) {
  return message(std::move(id), "error", {{"code", code}, {"message", text}});
}

std::string decoded(std::string_view uri) {
  std::string text;
  for (std::size_t i = 0; i < uri.size(); ++i) {
    auto const digit = [&](std::size_t at) {
      return std::string_view{"0123456789abcdef"}.find(static_cast<char>(uri[at] | 32));
    };
    if (uri[i] == '%' && i + 2 < uri.size() && digit(i + 1) < 16 && digit(i + 2) < 16) {
      text += static_cast<char>(digit(i + 1) * 16 + digit(i + 2));
      i += 2;
    } else {
      text += uri[i];
    }
  }
  return text;
}

}  // namespace

void throw_exception_from_error(Failure const& failure, boost::source_location const& /*where*/) {
  throw std::logic_error(failure.message);
}

bool is_known_revision(std::string_view revision) noexcept {
  return std::ranges::find(revisions, revision) != std::end(revisions);
}

Server::Outcome Server::initialize(json::object const& params) {
  auto const asked = plain_text::cell(params, "protocolVersion");
  auto const known = std::ranges::find(revisions, asked);
  return json::object{
      {"protocolVersion", known == std::end(revisions) ? revisions[0] : *known},
      {"capabilities", {{"tools", json::object{}}, {"resources", json::object{}}, {"prompts", json::object{}}}},
      {"serverInfo", {{"name", "whence"}, {"title", "Whence"}, {"version", version()}}},
      {"instructions", instructions}};
}

Server::Outcome Server::call_tool(json::object const& params) {
  auto const name = plain_text::cell(params, "name");
  auto const* const tool = find_tool(name);
  if (tool == nullptr) return Failure{invalid_params, "there is no tool " + name};
  auto const* const given = params.if_contains("arguments");
  if (given != nullptr && !given->is_object()) return Failure{invalid_params, "/arguments: must be an object"};
  auto made = run_tool(*tool, call_, given != nullptr ? given->get_object() : json::object{});
  json::array content;
  content.push_back(json::object{{"type", "text"}, {"text", std::move(made.text)}});
  json::object result{{"content", std::move(content)}, {"isError", made.is_error}};
  if (!made.is_error) result["structuredContent"] = std::move(made.data);
  return result;
}

Server::Outcome Server::read_resource(json::object const& params) {
  auto const uri = plain_text::cell(params, "uri");
  auto const kind = std::ranges::find_if(resource_kinds, [&](auto const& each) { return uri.starts_with(each.uri); });
  if (kind == std::end(resource_kinds)) return Failure{resource_not_found, "there is no resource " + uri};
  auto const text = kind->read(call_, decoded(uri.substr(kind->uri.size())));
  if (!text) return Failure{resource_not_found, text.error().message};
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
  return Failure{method_not_found, "there is no method " + std::string(method)};
}

std::optional<json::object> Server::answer(json::value const& sent) {
  auto const* const request = sent.if_object();
  if (request == nullptr) return failure_message(nullptr, invalid_request, "a message is one JSON object");
  auto const* const method = request->if_contains("method");
  auto const* const id = request->if_contains("id");
  if (id != nullptr && !id->is_string() && !id->is_int64())
    return failure_message(nullptr, invalid_request, "/id: must be a string or an integer");
  if (method == nullptr || !method->is_string()) {
    bool const is_answer = request->contains("result") || request->contains("error");
    if (is_answer) return std::nullopt;  // nothing was asked of the client
    return failure_message(id != nullptr ? *id : json::value{}, invalid_request, "/method: must be a string");
  }
  if (id == nullptr) return std::nullopt;
  auto const* const params = request->if_contains("params");
  if (params != nullptr && !params->is_object())
    return failure_message(*id, invalid_params, "/params: must be an object");
  auto outcome = call(method->get_string(), params != nullptr ? params->get_object() : json::object{});
  if (!outcome) return failure_message(*id, outcome.error().code, outcome.error().message);
  return message(*id, "result", std::move(*outcome));
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
  return schema::json::to_text(failure_message(nullptr, failure.code, failure.message));
}

}  // namespace whence::net::mcp
