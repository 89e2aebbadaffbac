// From a paragraph of a message to the calls that its JSON is. An answer may be JSON, too, so that an object with a
// name counts as a call only with more that calls have: a type, arguments with an id, or an id that is telling.

#include "net/capture/messages/tool_calls.hpp"

#include "net/capture/messages/json_text.hpp"
#include "schema/json/json.hpp"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <utility>

namespace whence::net::capture {

namespace json = boost::json;

namespace {

/// Whether a `type` says that an object is a call of a tool.
bool is_type_of_call(std::string_view type) {
  return is_one_of(
      type, {"tool_call", "tool-call", "tool_use", "function", "function_call", "server_tool_use", "server_tool_call",
             "mcp_tool_use", "custom_tool_call", "toolUse", "toolCall", "functionCall"});
}

/// A call of a tool that takes any text (OpenAI). Elsewhere the type may be of anything else.
bool is_custom_call(json::object const& object) {
  return string_at(object, {"type"}) == "custom" && object_at(object, "custom") != nullptr;
}

/// The id of a call, where an object says no more of it: all that some instrumentations keep of calls whose type they
/// do not know. Empty where it says more, or is none.
std::string_view id_alone(json::object const& object) {
  auto const type = string_at(object, {"type"});
  auto const id = string_at(object, {"id", "toolCallId", "tool_call_id", "call_id"});
  bool const is_one =
      (type == "custom" || is_type_of_call(type)) && is_telling_id(id) &&
      std::ranges::all_of(object, [&](auto const& member) {
        bool const is_said = is_one_of(member.key(), {"type", "index"}) || member.value() == json::value(id);
        return is_said || member.value().is_null() || member.value() == json::value("") ||
               member.value() == json::value(json::object{});
      });
  return is_one ? id : std::string_view{};
}

std::optional<ToolCall> call_of(json::value const& value) {
  if (!value.is_object()) return std::nullopt;
  auto const* object = &value.get_object();
  ToolCall call;
  if (auto const id = id_alone(*object); !id.empty())
    return ToolCall{.id = std::string(id), .name = {}, .arguments = json::object{}};
  bool has_arguments = false;
  bool has_more = false;  // than a name and an id
  bool is_call = false;   // an answer may be an object with a name, too
  bool is_request = false;
  for (int depth = 0; depth < 3; ++depth) {
    json::object const* inner = nullptr;
    bool has_request = false;  // Genkit's
    for (auto const& [key, held] : *object) {
      std::string_view const name{key.data(), key.size()};
      bool const is_text = held.is_string();
      bool const is_id = is_one_of(name, {"id", "toolCallId", "tool_call_id", "call_id", "callId", "toolUseId"}) ||
                         (is_request && name == "ref");
      bool const is_own = is_one_of(name, {"call_id", "callId"});  // beside it an item of a response has its own id
      if (is_text && is_id && (is_own || call.id.empty())) call.id = std::string(held.get_string());
      if (is_text && call.name.empty() && is_one_of(name, {"name", "toolName"}))
        call.name = std::string(held.get_string());
      if (is_one_of(name, {"arguments", "args", "input"})) {
        has_arguments = true;
        call.arguments = is_text ? structured(held) : held;
      }
      has_more = has_more || !is_one_of(name, {"id", "call_id", "name", "index"});
      if (held.is_object() &&
          is_one_of(name, {"function", "tool_call", "toolUse", "functionCall", "function_call", "toolRequest"}))
        inner = &held.get_object();
      if (inner != nullptr && name == "toolRequest") has_request = true;
      if (name == "custom" && held.is_object() && is_custom_call(*object)) inner = &held.get_object();
      is_call = is_call || inner != nullptr || name == "toolName";
      if (is_text && name == "type") is_call = is_call || is_type_of_call(held.get_string());
    }
    if (inner == nullptr) break;
    object = inner;
    is_request = has_request;
  }
  // One without arguments is one with none: conventions leave them out, or write `{}`.
  bool const is_empty = call.arguments.is_null() || call.arguments == json::value("");
  if (is_empty) call.arguments = json::object{};
  bool const is_pair = !has_more && is_telling_id(call.id);
  bool const is_whole = (is_call || (has_arguments && !call.id.empty()) || is_pair) && !call.name.empty();
  return is_whole ? std::optional{std::move(call)} : std::nullopt;
}

}  // namespace

bool are_calls(std::string_view text) {
  constexpr std::string_view between = "\n\n";
  auto const is_call = [](json::value const& value) {
    auto const* const object = value.if_object();
    return object != nullptr &&
           (is_type_of_call(string_at(*object, {"type"})) || is_custom_call(*object) || !id_alone(*object).empty() ||
            first_of(*object, {"toolUse", "functionCall", "function_call", "toolName", "tool_call", "function",
                               "toolRequest"}) != nullptr);
  };
  if (!text.starts_with('{') && !text.starts_with('[')) return false;
  for (std::size_t at = 0; at <= text.size();) {
    auto const end = std::min(text.find(between, at), text.size());
    auto const parsed = schema::json::parse(text.substr(at, end - at));
    if (!parsed) return false;
    auto const* const list = parsed->value.if_array();
    bool const are_all = list == nullptr ? is_call(parsed->value) : std::ranges::all_of(*list, is_call);
    if (!are_all || (list != nullptr && list->empty())) return false;
    at = end + between.size();
  }
  return true;
}

std::vector<ToolCall> calls_of(std::string_view part) {
  std::vector<ToolCall> calls;
  if (!part.starts_with('{') && !part.starts_with('[')) return calls;
  // Most JSON in prompts is what tools gave, and long: what has no member that a call must have is not read.
  auto const has_any = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::any_of(names, [&](std::string_view name) { return part.find(name) != std::string_view::npos; });
  };
  constexpr std::size_t short_max = 256;
  bool const may_be_calls = part.size() <= short_max ||
                            has_any({R"("arguments")", R"("args")", R"("input")", R"("function")", R"("functionCall")",
                                     R"("function_call")", R"("toolUse")", R"("tool_call")", R"("tool-call")",
                                     R"("tool_use")", R"("toolName")", R"("custom")", R"("toolRequest")"});
  bool const may_be_id = part.size() <= short_max && has_any({R"("type")"});
  if (!(has_any({R"("name")", R"("toolName")"}) || may_be_id) || !may_be_calls) return calls;
  auto const parsed = schema::json::parse(part);
  if (!parsed) return calls;
  auto const* const list = parsed->value.if_array();
  for (std::size_t i = 0; i < (list == nullptr ? 1 : list->size()); ++i) {
    auto call = call_of(list == nullptr ? parsed->value : (*list)[i]);
    if (!call) return {};
    calls.push_back(std::move(*call));
  }
  return calls;
}

bool is_telling_id(std::string_view id) {
  std::size_t length = 0;
  std::size_t digits = 0;
  for (char const c : id) {
    bool const is_digit = c >= '0' && c <= '9';
    bool const is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    length = is_digit || is_letter ? length + 1 : 0;
    digits = length == 0 ? 0 : digits + (is_digit ? 1 : 0);
    if (length >= 8 && digits >= 3) return true;
  }
  return false;
}

}  // namespace whence::net::capture
