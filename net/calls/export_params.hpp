#pragma once
// The params of `export.start`, `export.status` and `export.cancel`.

#include "net/params/json_schema.hpp"
#include "net/params/query_params.hpp"
#include "net/params/wire_params.hpp"
#include "queries/export/formats/table.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <tuple>

namespace whence::net {

struct Method;

struct ExportOptions {
  exports::Compression compress = exports::Compression::none;
  exports::Formulas formulas = exports::Formulas::keep;
  exports::EdgeDirection direction = exports::EdgeDirection::stored;
};

/// A method by which an export may select (`Method::selects`).
struct SelectingMethod {
  Method const* row = nullptr;
};

/// A selecting method with its own params.
struct SelectMethod {
  SelectingMethod method;
  std::optional<AnyJson> params;
};

/// The whole graph, or what a method answers.
struct Select {
  std::optional<SelectMethod> part = {};
  std::string text = R"("whole")";  ///< as it was asked
};

struct ExportStartParams : ProgressParams {
  Select select;
  exports::Format const* format = nullptr;  ///< never null once parsed: it is required
  std::optional<queries::AsOf> as_of;
  bool reduced = false;
  std::optional<ExportOptions> options;
};

struct ExportJobParams {
  std::string job;
};

/// As an OpenRPC schema.
void write_schema(schema::json::Writer& out, schema::Rule const& rule, Kinded<Select>);
/// The names of the methods that select.
void write_schema(schema::json::Writer& out, schema::Rule const& rule, Kinded<SelectingMethod>);
/// The names of the table of formats as `enum`; `x-formats` has the rest of the table.
void write_schema(schema::json::Writer& out, schema::Rule const& rule, Kinded<exports::Format const*>);

/// Rules "type", "enum".
void decode_value(boost::json::value const& value, SelectingMethod& into, schema::Rule const& rule,
                  schema::Path const& at, schema::Report& report);
/// "whole", or an object of `method` and `params`.
void decode_value(boost::json::value const& value, Select& into, schema::Rule const& rule, schema::Path const& at,
                  schema::Report& report);

}  // namespace whence::net

namespace whence::exports {

void decode_value(boost::json::value const& value, Format const*& into, schema::Rule const& rule,
                  schema::Path const& at, schema::Report& report);

}  // namespace whence::exports

namespace whence::schema {

template <>
struct Describe<net::ExportOptions> {
  using T = net::ExportOptions;
  static constexpr auto fields = std::tuple{
      field("compress", &T::compress, Presence::optional, rules::any(),
            "How the files are compressed. Not at all where left out."),
      field("direction", &T::direction, Presence::optional, rules::any(),
            "Of formats with edges: whether those with influence lead from cause to effect. As stored where left out."),
      field("formulas", &T::formulas, Presence::optional, rules::any(),
            "Of csv: whether texts that a spreadsheet would run get an apostrophe before them. Kept where left out."),
  };
};

template <>
struct Describe<net::SelectMethod> {
  using T = net::SelectMethod;
  static constexpr auto fields = std::tuple{
      field("method", &T::method, Presence::required, rules::any(), "A read whose answer is a part of the graph."),
      field("params", &T::params, Presence::optional, rules::any(), "Its params; no limit applies."),
  };
};

template <>
struct Describe<net::ExportStartParams> {
  using T = net::ExportStartParams;
  static constexpr auto fields = std::tuple_cat(
      std::tuple{
          field("select", &T::select, Presence::optional, rules::any(),
                "What: \"whole\", or a method with its params, whose answer is exported with all edges among its "
                "nodes. The whole graph where left out."),
          field("format", &T::format, Presence::required, rules::any(), "In which form."),
          field("as_of", &T::as_of, Presence::optional, rules::any(),
                "The moment exported: a transaction id, or a time. The head where left out."),
          field("reduced", &T::reduced, Presence::optional, rules::any(),
                "Leaves out every edge that a longer path among the nodes implies. Not of jsonl, prov-json, prov-n."),
          field("options", &T::options, Presence::optional, rules::any(), "What else there is to choose."),
      },
      fields_of<net::ProgressParams>);
};

template <>
struct Describe<net::ExportJobParams> {
  using T = net::ExportJobParams;
  static constexpr auto fields = std::tuple{
      field("job", &T::job, Presence::required, rules::any(), "As export.start answered it."),
  };
};

}  // namespace whence::schema
