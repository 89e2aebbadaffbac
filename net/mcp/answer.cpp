// Arguments to params, nodes to labels, and answers of a bounded size.

#include "net/mcp/answer.hpp"

#include "net/plain_text/cell.hpp"
#include "net/plain_text/record_line.hpp"
#include "schema/base/text.hpp"
#include "schema/json/json.hpp"

#include <algorithm>
#include <utility>

namespace whence::net::mcp {

namespace json = boost::json;

ToolAnswer failure(std::string text) {
  return {.text = std::move(text), .is_error = true};
}

std::int64_t number_of(json::object const& arguments, std::string_view name, std::int64_t otherwise) {
  auto const* const given = arguments.if_contains(name);
  return given == nullptr ? otherwise : given->as_int64();
}

ToolAnswer fitted(json::object const& arguments, std::int64_t limit_default, Make const& make) {
  auto const bytes_max = static_cast<std::size_t>(number_of(arguments, "max_bytes", answer_bytes_default));
  for (auto limit = number_of(arguments, "limit", limit_default);; limit /= 2) {
    auto made = make(limit);
    if (!made) return failure(made.error().message);
    if (made->text.size() + schema::json::to_text(made->data).size() <= bytes_max) return std::move(*made);
    if (limit > 1) continue;
    return failure("even one item has more than " + std::to_string(bytes_max) + " bytes; give a larger max_bytes");
  }
}

std::string label_of(json::object const& node) {
  if (auto mark = plain_text::mark_of_gone(node); !mark.empty()) return mark;
  auto const* const record = node.if_contains("record");
  auto const said = record != nullptr && plain_text::cell(node, "type") == "Response"
                        ? plain_text::cell(record->as_object(), "content")
                        : std::string{};
  return schema::cut(said.empty() ? plain_text::note_of(node) : said + "  " + plain_text::note_of(node),
                     label_bytes_max);
}

json::object short_node(json::object const& node) {
  json::object shown{
      {"ref", plain_text::cell(node, "ref")}, {"type", plain_text::cell(node, "type")}, {"label", label_of(node)}};
  for (auto const name : {"depth", "weight", "share", "expired", "purged"}) {
    if (auto const* const value = node.if_contains(name)) shown.emplace(name, *value);
  }
  return shown;
}

json::object params_from(json::object const& arguments, std::initializer_list<std::string_view> names) {
  json::object params;
  for (auto const name : names) {
    if (auto const* const value = arguments.if_contains(name)) params.emplace(name, *value);
  }
  return params;
}

json::value moment_of(std::string const& text) {
  auto const is_number = !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  if (!is_number || text.size() > 18) return json::value(text);
  return json::value(std::stoll(text));
}

void add_moment(json::object& params, json::object const& arguments) {
  if (arguments.contains("as_of")) params["as_of"] = moment_of(plain_text::cell(arguments, "as_of"));
}

Result<json::object> ask(Call const& call, std::string_view method, json::object const& params) {
  auto answer = call(method, params);
  if (!answer) return answer.error();
  return std::move(answer->as_object());
}

}  // namespace whence::net::mcp
