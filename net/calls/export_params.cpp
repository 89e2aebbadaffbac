// From the params of `export.start` to what is exported.

#include "net/calls/export_params.hpp"

#include "net/base/engine_view.hpp"
#include "net/base/version.hpp"
#include "net/params/exports.hpp"
#include "net/params/params.hpp"
#include "net/rpc/method.hpp"
#include "queries/view/moments.hpp"
#include "schema/base/suggest.hpp"
#include "schema/json/json.hpp"

#include <algorithm>
#include <limits>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace whence::net {
namespace {

namespace json = boost::json;

/// Params that choose how an answer is sent, not what it is: an export takes all of it.
constexpr std::array<std::string_view, 4> ignored_params = {"limit", "stream", "progress", "timeout_ms"};

/// The vertices that the selected method asks about and answers.
Result<exports::Selection> evaluate(SelectMethod const& part, queries::View const& view,
                                    schema::Interrupt const& interrupt) {
  Method const& method = *part.method.row;
  json::object params = part.params ? part.params->value.get_object() : json::object{};
  for (auto const name : ignored_params) params.erase(name);
  auto const query = method.parse_query(params);
  if (!query) return query.error();
  queries::Budget const budget{.interrupt = interrupt, .vertices_max = std::numeric_limits<std::uint64_t>::max()};
  // The first path is enough: the vertices on all paths are known without listing these.
  std::uint32_t const limit = method.shape == Shape::prefix ? 1 : std::numeric_limits<std::uint32_t>::max();
  auto vertices = query->select(view, limit, budget);
  if (!vertices) return vertices.error();
  return exports::Selection(std::move(*vertices), view.snapshot.vertex_count());
}

std::string as_of_text(json::object const& params) {
  auto const* const as_of = params.if_contains("as_of");
  return as_of == nullptr ? "null" : schema::json::to_text(*as_of);
}

void write_names(schema::json::Writer& out, exports::Names const& names) {
  out.begin_array();
  for (auto const name : names) out.value(name);
  out.end_array();
}

}  // namespace

void write_schema(schema::json::Writer& out, schema::Rule const& /*rule*/, Kinded<exports::Format const*>) {
  out.member("type", "string").key("enum").begin_array();
  for (auto const& format : exports::formats()) out.value(format.name);
  out.end_array().key("x-formats").begin_array();
  for (auto const& format : exports::formats()) {
    out.begin_object().member("name", format.name).member("title", format.title).member("use", format.use);
    write_names(out.key("suffixes"), format.suffixes);
    write_names(out.key("files"), format.files);
    out.end_object();
  }
  out.end_array();
}

void write_schema(schema::json::Writer& out, schema::Rule const& rule, Kinded<Select>) {
  out.key("oneOf").begin_array().begin_object().member("const", "whole").end_object().begin_object();
  write_schema(out, rule, Kinded<SelectMethod>{});
  out.end_object().end_array();
}

void write_schema(schema::json::Writer& out, schema::Rule const& /*rule*/, Kinded<SelectingMethod>) {
  out.member("type", "string").key("enum").begin_array();
  for (Method const& row : methods()) {
    if (row.selects) out.value(row.name);
  }
  out.end_array();
}

void decode_value(json::value const& value, SelectingMethod& into, schema::Rule const& /*rule*/, schema::Path const& at,
                  schema::Report& report) {
  auto const* const name = value.if_string();
  if (name == nullptr) return schema::json::refuse(value, "type", at, report, "must be a string");
  auto const* const row = find_method({name->data(), name->size()});
  if (row == nullptr || !row->selects) {
    std::vector<std::string_view> names;
    for (Method const& each : methods()) {
      if (each.selects) names.push_back(each.name);
    }
    return schema::json::refuse(
        value, "enum", at, report,
        "does not answer a part of the graph" + schema::alternatives({name->data(), name->size()}, names));
  }
  into.row = row;
}

void decode_value(json::value const& value, Select& into, schema::Rule const& rule, schema::Path const& at,
                  schema::Report& report) {
  if (value.is_string() && value.get_string() == "whole") return;
  into.text = schema::json::to_text(value);
  if (!value.is_object()) {
    schema::json::refuse(value, "select", at, report, "is \"whole\" or an object of method and params");
    return;
  }
  using schema::json::decode_value;
  decode_value(value, into.part.emplace(), rule, at, report);
  if (into.part->params && !into.part->params->value.is_object()) {
    schema::json::refuse(into.part->params->value, "type", {at, "params"}, report, "must be an object");
  }
}

}  // namespace whence::net

namespace whence::exports {

void decode_value(boost::json::value const& value, Format const*& into, schema::Rule const& /*rule*/,
                  schema::Path const& at, schema::Report& report) {
  auto const* const text = value.if_string();
  if (text == nullptr) return schema::json::refuse(value, "type", at, report, "must be a string");
  into = find_format(*text);
  if (into != nullptr) return;
  schema::json::refuse(value, "enum", at, report, schema::json::must_be_one_of(*text, schema::names_in(formats())));
}

}  // namespace whence::exports

namespace whence::net {

Result<PreparedExport> prepare_export(engine::Engine const& engine, json::object const& params,
                                      schema::Interrupt const& interrupt, bool is_admin) {
  auto const asked = parse_params<ExportStartParams>(params);
  if (!asked) return asked.error();
  auto const head = engine.snapshot();
  auto const snapshot = queries::snapshot_as_of(head, asked->as_of);
  if (!snapshot) return snapshot.error();

  PreparedExport prepared{.source = {.view = view_of(engine, *snapshot),
                                     .read_deltas =
                                         [&engine, moment = *snapshot](schema::TxId first, auto const& visit) {
                                           return engine.read_deltas(first, moment, visit);
                                         },
                                     .rest = [&engine] { engine.forget_touched_pages(); },
                                     .epoch = engine.epoch(),
                                     .version = std::string(version())},
                          .request = {.format = asked->format,
                                      .select_json = asked->select.text,
                                      .as_of_json = as_of_text(params),
                                      .threads = std::max(std::thread::hardware_concurrency(), 1U)}};
  auto const options = asked->options.value_or(ExportOptions{});
  prepared.request.options = {
      .formulas = options.formulas, .direction = options.direction, .compression = options.compress};
  prepared.request.is_reduced = asked->reduced;
  if (asked->select.part) {
    auto selection = evaluate(*asked->select.part, view_of(engine, shown_to(*snapshot, is_admin)), interrupt);
    if (!selection) return error_within("/select/params", selection.error());
    prepared.request.selection = std::move(*selection);
  }
  // Here too, so that the caller learns it from the answer and not from a failed job.
  if (auto const allowed = exports::check_export(prepared.source, prepared.request); !allowed) return allowed.error();
  return prepared;
}

}  // namespace whence::net
