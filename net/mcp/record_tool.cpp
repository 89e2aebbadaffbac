// From the tool's arguments to a record.

#include "net/mcp/record_tool.hpp"

#include "net/plain_text/cell.hpp"
#include "schema/base/time.hpp"
#include "schema/json/members.hpp"

#include <string_view>
#include <utility>

namespace whence::net::mcp {

namespace json = boost::json;

namespace {

constexpr std::string_view unit_prefix = "ContextUnit:";

/// `sources` as the response has them: units and texts are what it used, with weights; other records are what its
/// prompt was made from, and have none.
Result<void> add_sources(json::object& response, json::array const& sources) {
  json::array uses;
  json::array refs;
  for (auto const& source : sources) {
    json::object use = source.as_object();
    auto const ref = plain_text::cell(use, "ref");
    if (!ref.empty() && !ref.starts_with(unit_prefix)) {
      if (use.contains("weight"))
        return Error{.code = Errc::invalid_params, .message = "/sources: " + ref + ": only a ContextUnit has a weight"};
      refs.push_back(json::value(ref));
      continue;
    }
    if (!ref.empty()) use["context_unit_id"] = ref.substr(unit_prefix.size());
    use.erase("ref");
    uses.push_back(std::move(use));
  }
  response["context_units"] = std::move(uses);
  if (!refs.empty()) response["prompt_refs"] = std::move(refs);
  return {};
}

}  // namespace

ToolAnswer record(Call const& call, json::object const& arguments) {
  json::object response{{"$type$", "Response"},
                        {"agent", "mcp"},
                        {"model", "unknown"},
                        {"timestamp", schema::format_rfc3339(schema::SystemClock{}.now())}};
  for (auto const& member : arguments) {
    if (member.key() != "sources") response[member.key()] = member.value();
  }
  if (auto const added = add_sources(response, schema::json::list_at(arguments, "sources")); !added)
    return failure(added.error().message);
  json::array records;
  records.push_back(std::move(response));
  auto answer = ask(call, "records.write", {{"mode", "capture"}, {"records", std::move(records)}});
  if (!answer) return failure(answer.error().message);
  auto const& refs = schema::json::list_at(*answer, "refs");
  auto const ref = refs.empty() ? std::string{} : std::string(refs.back().as_string());
  return {.text = "Recorded as " + ref + "\n", .data = {{"ref", ref}, {"tx", answer->at("tx")}}};
}

}  // namespace whence::net::mcp
