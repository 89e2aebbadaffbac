// A page of the method `search` as lines: a ref, where the words are, and the piece of the text around them.

#include "net/mcp/search_tool.hpp"

#include "net/plain_text/cell.hpp"
#include "net/plain_text/shown.hpp"
#include "schema/base/text.hpp"
#include "schema/json/members.hpp"

#include <string>
#include <utility>

namespace whence::net::mcp {
namespace {

namespace json = boost::json;

/// A record that was found, with the first piece of a text that has a word.
json::object hit_of(json::object const& node) {
  json::object hit{{"ref", plain_text::cell(node, "ref")}, {"type", plain_text::cell(node, "type")}};
  if (auto const* const score = node.if_contains("score")) hit["score"] = *score;
  auto const& snippets = schema::json::list_at(node, "snippets");
  if (snippets.empty()) return hit;
  auto const& first = snippets.front().as_object();
  auto const path = plain_text::cell(first, "path");
  std::string text;
  for (auto const& part : schema::json::list_at(first, "parts")) text += plain_text::cell(part.as_object(), "text");
  hit["member"] = path.starts_with('/') ? path.substr(1) : path;
  hit["snippet"] = schema::cut(text, label_bytes_max);
  return hit;
}

Result<ToolAnswer> found(Call const& call, json::object const& arguments, std::int64_t limit) {
  auto params = params_from(arguments, {"text", "types", "exact", "cursor"});
  params["limit"] = limit;
  add_moment(params, arguments);
  auto const answer = ask(call, "search", params);
  if (!answer) return answer.error();
  ToolAnswer made;
  json::array hits;
  for (auto const& node : schema::json::list_at(*answer, "nodes")) {
    auto hit = hit_of(node.as_object());
    made.text += plain_text::cell(hit, "ref") + "  " + plain_text::cell(hit, "member") + ": " +
                 plain_text::cell(hit, "snippet") + "\n";
    hits.push_back(std::move(hit));
  }
  bool const is_complete = answer->at("complete").as_bool();
  auto const cursor = plain_text::cell(*answer, "cursor");
  auto const& suggestions = schema::json::list_at(*answer, "suggestions");
  if (hits.empty()) made.text = "Nothing has these words.\n";
  for (auto const& each : suggestions)
    made.text += "This finds something: " + plain_text::shown(each.as_string()) + "\n";
  if (!cursor.empty()) {
    made.text += "\nThere are more: give cursor " + cursor + ".\n";
  } else if (!is_complete) {
    made.text += "\nThere may be more: give more words, or ask again.\n";
  }
  made.data = {{"nodes", std::move(hits)}, {"complete", is_complete}};
  if (auto const* const total = answer->if_contains("total")) made.data["total"] = *total;
  if (!cursor.empty()) made.data["cursor"] = cursor;
  if (!suggestions.empty()) made.data["suggestions"] = suggestions;
  return made;
}

}  // namespace

ToolAnswer search(Call const& call, json::object const& arguments) {
  return fitted(arguments, 20, [&](std::int64_t limit) { return found(call, arguments, limit); });
}

}  // namespace whence::net::mcp
