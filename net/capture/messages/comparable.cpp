// Frameworks repeat messages with other white space and write calls of tools each in its own form. What is compared has
// one form: a call is its id where that is telling, else with its name and arguments, and JSON has no white space.

#include "net/capture/messages/comparable.hpp"

#include "net/capture/messages/json_text.hpp"
#include "net/capture/messages/tool_calls.hpp"
#include "schema/base/text.hpp"
#include "schema/json/json.hpp"

#include <algorithm>

namespace whence::net::capture {

namespace json = boost::json;

namespace {

/// A part that looks like JSON without the white space between its values; a part that is anything else as it is.
std::string folded_json(std::string_view part) {
  bool const is_json = (part.starts_with('{') && part.ends_with('}')) || (part.starts_with('[') && part.ends_with(']'));
  if (!is_json) return std::string(part);
  std::string folded;
  bool is_in_text = false;
  for (std::size_t i = 0; i < part.size(); ++i) {
    char const c = part[i];
    bool const is_space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (is_space && !is_in_text) continue;
    folded.push_back(c);
    if (c == '"') is_in_text = !is_in_text;
    if (c == '\\' && is_in_text && i + 1 < part.size()) folded.push_back(part[++i]);
  }
  return is_in_text ? std::string(part) : folded;
}

}  // namespace

Comparable comparable(std::string_view text) {
  constexpr std::string_view between = "\n\n";
  text = schema::trim_white_space(text);  // frameworks do
  Comparable result;
  bool is_told = false;
  bool has_calls = false;
  for (std::size_t at = 0; at <= text.size();) {
    auto const end = std::min(text.find(between, at), text.size());
    auto const part = text.substr(at, end - at);
    at = end + between.size();
    auto const calls = calls_of(part);
    if (calls.empty()) {
      is_told = true;
      auto const folded = folded_json(part);
      for (auto* const to : {&result.text, &result.nameless}) to->append(to->empty() ? "" : between).append(folded);
    }
    for (auto const& call : calls) {
      bool const is_telling = is_telling_id(call.id);
      is_told = is_told || is_telling;
      auto const made = " " + call.name + " " + schema::json::to_canonical_text(json::value(call.arguments));
      result.text.append(result.text.empty() ? "" : between).append("call ").append(call.id);
      if (!is_telling) result.text.append(made);
      result.nameless.append(result.nameless.empty() ? "" : between).append("call ").append(made);
      if (!call.id.empty()) result.calls.push_back(call.id);
      has_calls = true;
    }
  }
  if (!has_calls) result.nameless.clear();
  result.telling = is_told ? text.size() : 0;
  return result;
}

std::string shortened(std::string_view text) {
  constexpr std::string_view between = "\n\n";
  constexpr std::string_view mark = "[tool: ";
  std::string said;
  std::string names;
  auto const add_name = [&](std::string_view name) { names.append("\ntool ").append(name); };
  for (std::size_t at = 0; at < text.size();) {
    auto const end = std::min(text.find(between, at), text.size());
    auto const part = text.substr(at, end - at);
    at = end + between.size();
    auto const calls = calls_of(part);
    for (auto const& call : calls) add_name(call.name);
    if (calls.empty()) said.append(part);
  }
  auto const first = names.empty() && said.ends_with(']') ? said.find(mark) : std::string::npos;
  for (auto at = first; at < said.size();) {
    auto const close = said.find(']', at);
    if (std::string_view(said).substr(at, mark.size()) != mark || close == std::string::npos) return {};
    add_name(std::string_view(said).substr(at + mark.size(), close - at - mark.size()));
    at = close + 1;
  }
  if (first != std::string::npos) said.resize(first);
  return names.empty() ? std::string{} : std::string(schema::trim_white_space(said)) + names;
}

std::string answer_hash(schema::SecretKey const& key, std::string_view answer) {
  return hash_of_comparable(key, comparable(answer).text);
}

std::string hash_of_comparable(schema::SecretKey const& key, std::string_view text) {
  return hash_of(key, json::value(text));
}

}  // namespace whence::net::capture
