// Each `parse_` makes a step of the engine from params. The query of a hold is kept as the text that was given, and
// read once here, so that one that cannot be asked is refused now, not when something is removed.

#include "net/calls/hold_calls.hpp"

#include "net/calls/write.hpp"
#include "net/params/held_query.hpp"
#include "net/params/params.hpp"
#include "net/params/wire_params.hpp"
#include "schema/json/json.hpp"
#include "schema/json/writer.hpp"
#include "schema/types/belonging.hpp"
#include "schema/types/ref.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace whence::net {

namespace {

/// The query as it is kept. Fails with `invalid_params` where it cannot be asked.
Result<std::optional<std::string>> query_of(Request const& request, HoldSetParams const& params) {
  if (!params.query) return std::optional<std::string>{};
  auto text = schema::json::to_text(request.params.at("query"));
  auto const read = read_held_query(text);
  if (!read) return error_within("/query", read.error());
  return std::optional{std::move(text)};
}

std::optional<std::vector<std::string>> texts_of(std::optional<std::vector<schema::NodeRef>> const& refs) {
  if (!refs) return std::nullopt;
  std::vector<std::string> texts;
  texts.reserve(refs->size());
  for (auto const& ref : *refs) texts.push_back(schema::format_ref(ref));
  return texts;
}

}  // namespace

Result<WriteRequest> parse_hold_set(Request const& request) {
  auto params = parse_params<HoldSetParams>(request);
  if (!params) return params.error();
  auto query = query_of(request, *params);
  if (!query) return query.error();
  if (params->person) params->person = schema::belonging_id(*params->person);
  engine::HoldSetting step{.given = {.refs = texts_of(params->refs),
                                     .person = std::move(params->person),
                                     .topic = std::move(params->topic),
                                     .query = *std::move(query),
                                     .reason = std::move(params->reason)}};
  return with_step(request, *params, std::move(step));
}

Result<WriteRequest> parse_hold_clear(Request const& request) {
  auto params = parse_params<HoldClearParams>(request);
  if (!params) return params.error();
  constexpr std::string_view ref_prefix = "Hold:";  // hold.set answers a ref
  if (params->id.starts_with(ref_prefix)) params->id.erase(0, ref_prefix.size());
  engine::HoldClearing step{.id = std::move(params->id), .reason = std::move(params->reason)};
  return with_step(request, *params, std::move(step));
}

Result<WriteRequest> parse_person_erase(Request const& request) {
  auto params = parse_params<PersonEraseParams>(request);
  if (!params) return params.error();
  engine::ContentRemoval step{.is_purge = true, .person = schema::belonging_id(params->person)};
  auto write = with_step(request, *params, std::move(step));
  write.batch.reason = std::move(params->reason).value_or("");
  write.names_backups = true;
  return write;
}

void write_hold(std::string& out, engine::WriteAnswer const& answer) {
  schema::json::Writer writer(out);
  writer.begin_object().member("tx", number(answer.tx)).member("ref", answer.refs.front());
  if (answer.is_unchanged) writer.member("unchanged", true);
  if (!answer.warnings.empty()) add_warnings(writer, answer.warnings);
  writer.end_object();
}

}  // namespace whence::net
