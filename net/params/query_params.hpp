#pragma once
// How the members of queries' params that only queries have are read from JSON. Overloads found by the schema's decoder
// through the namespaces of their types.

#include "net/params/enum_names.hpp"
#include "net/params/step_params.hpp"
#include "net/params/wire_params.hpp"
#include "queries/conversation/params.hpp"
#include "queries/discussion/params.hpp"
#include "queries/find/params.hpp"
#include "queries/history/params.hpp"
#include "queries/impact/params.hpp"
#include "queries/lineage/params.hpp"
#include "queries/live/match.hpp"
#include "queries/retrieval/params.hpp"
#include "queries/search/params.hpp"
#include "schema/base/fields.hpp"
#include "schema/base/report.hpp"

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

namespace whence::net {

/// The names of the enums that params hold.
template <>
inline constexpr std::array names_of<queries::Include> = {Named<queries::Include>{queries::Include::record, "record"},
                                                          Named<queries::Include>{queries::Include::status, "status"},
                                                          Named<queries::Include>{queries::Include::edges, "edges"}};
template <>
inline constexpr std::array names_of<queries::Form> = {Named<queries::Form>{queries::Form::nodes, "nodes"},
                                                       Named<queries::Form>{queries::Form::edges, "edges"},
                                                       Named<queries::Form>{queries::Form::graph, "graph"}};
template <>
inline constexpr std::array names_of<queries::ImpactOrder> = {
    Named<queries::ImpactOrder>{queries::ImpactOrder::share, "share"},
    Named<queries::ImpactOrder>{queries::ImpactOrder::depth, "depth"}};
template <>
inline constexpr std::array names_of<queries::BlameOrder> = {
    Named<queries::BlameOrder>{queries::BlameOrder::lower, "lower"},
    Named<queries::BlameOrder>{queries::BlameOrder::share, "share"},
    Named<queries::BlameOrder>{queries::BlameOrder::bad, "bad"}};
template <>
inline constexpr std::array names_of<queries::BlameOf> = {
    Named<queries::BlameOf>{queries::BlameOf::sources, "sources"},
    Named<queries::BlameOf>{queries::BlameOf::units, "units"},
    Named<queries::BlameOf>{queries::BlameOf::chunks, "chunks"},
    Named<queries::BlameOf>{queries::BlameOf::documents, "documents"},
    Named<queries::BlameOf>{queries::BlameOf::tools, "tools"},
    Named<queries::BlameOf>{queries::BlameOf::agents, "agents"},
    Named<queries::BlameOf>{queries::BlameOf::models, "models"},
    Named<queries::BlameOf>{queries::BlameOf::prompts, "prompts"},
    Named<queries::BlameOf>{queries::BlameOf::questions, "questions"}};
template <>
inline constexpr std::array names_of<queries::Side> = {
    Named<queries::Side>{queries::Side::causes, "causes"}, Named<queries::Side>{queries::Side::effects, "effects"},
    Named<queries::Side>{queries::Side::wholes, "wholes"}, Named<queries::Side>{queries::Side::parts, "parts"}};
template <>
inline constexpr std::array names_of<queries::LaneBy> = {Named<queries::LaneBy>{queries::LaneBy::type, "type"},
                                                         Named<queries::LaneBy>{queries::LaneBy::topic, "topic"},
                                                         Named<queries::LaneBy>{queries::LaneBy::agent, "agent"}};
template <>
inline constexpr std::array names_of<queries::Period> = [] {
  std::array<Named<queries::Period>, queries::periods.size()> names = {};
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = {queries::periods[i], name_of(queries::periods[i])};
  return names;
}();
template <>
inline constexpr std::array names_of<queries::EventPart> = {
    Named<queries::EventPart>{queries::EventPart::record, "record"},
    Named<queries::EventPart>{queries::EventPart::edges, "edges"}};
template <>
inline constexpr std::array names_of<graph::EventOp> = [] {
  std::array<Named<graph::EventOp>, graph::event_ops.size()> names = {};
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = {graph::event_ops[i], graph::name_of(graph::event_ops[i])};
  return names;
}();
template <>
inline constexpr std::array names_of<graph::PathKind> = {
    Named<graph::PathKind>{graph::PathKind::strongest, "strongest"},
    Named<graph::PathKind>{graph::PathKind::shortest, "shortest"}, Named<graph::PathKind>{graph::PathKind::all, "all"}};
template <>
inline constexpr std::array names_of<schema::Persona> = {
    Named<schema::Persona>{schema::Persona::analyzer, "Analyzer AI"},
    Named<schema::Persona>{schema::Persona::solver, "Solver AI"},
    Named<schema::Persona>{schema::Persona::moderator, "Moderator AI"}};
template <>
inline constexpr std::array names_of<Repair> = {
    Named<Repair>{Repair::none, "none"}, Named<Repair>{Repair::tokens, "tokens"}, Named<Repair>{Repair::all, "all"},
    Named<Repair>{Repair::from_file, "from_file"}};
using ConditionOp = queries::Condition::Op;
template <>
inline constexpr std::array names_of<ConditionOp> = {
    Named<ConditionOp>{ConditionOp::eq, "eq"},         Named<ConditionOp>{ConditionOp::in, "in"},
    Named<ConditionOp>{ConditionOp::lt, "lt"},         Named<ConditionOp>{ConditionOp::lte, "lte"},
    Named<ConditionOp>{ConditionOp::gt, "gt"},         Named<ConditionOp>{ConditionOp::gte, "gte"},
    Named<ConditionOp>{ConditionOp::prefix, "prefix"}, Named<ConditionOp>{ConditionOp::contains, "contains"},
    Named<ConditionOp>{ConditionOp::has, "has"}};
template <>
inline constexpr std::array names_of<schema::Mode> = {Named<schema::Mode>{schema::Mode::strict, "strict"},
                                                      Named<schema::Mode>{schema::Mode::capture, "capture"}};

/// Rules "type", "enum".
void decode_value(boost::json::value const& value, Repair& into, schema::Rule const& rule, schema::Path const& at,
                  schema::Report& report);
void decode_value(boost::json::value const& value, AnyJson& into, schema::Rule const& rule, schema::Path const& at,
                  schema::Report& report);
/// As `queries::AsOf`, or "now".
void decode_value(boost::json::value const& value, Since& into, schema::Rule const& rule, schema::Path const& at,
                  schema::Report& report);
/// Rules "type" and "items" (an empty list).
void decode_value(boost::json::value const& value, RecordElements& into, schema::Rule const& rule,
                  schema::Path const& at, schema::Report& report);

}  // namespace whence::net

namespace whence::schema {

/// A list of refs, or a lone one. As the list of anything else.
void decode_value(boost::json::value const& value, std::vector<NodeRef>& into, Rule const& rule, Path const& at,
                  Report& report);
/// A transaction id or a time. Rules "type", "range", "integer", "format".
void decode_value(boost::json::value const& value, queries::AsOf& into, Rule const& rule, Path const& at,
                  Report& report);
/// Rules "type", "enum".
void decode_value(boost::json::value const& value, Persona& into, Rule const& rule, Path const& at, Report& report);
void decode_value(boost::json::value const& value, Mode& into, Rule const& rule, Path const& at, Report& report);

}  // namespace whence::schema

namespace whence::graph {

void decode_value(boost::json::value const& value, PathKind& into, schema::Rule const& rule, schema::Path const& at,
                  schema::Report& report);
void decode_value(boost::json::value const& value, EventOp& into, schema::Rule const& rule, schema::Path const& at,
                  schema::Report& report);

}  // namespace whence::graph

namespace whence::queries {

void decode_value(boost::json::value const& value, Include& into, schema::Rule const& rule, schema::Path const& at,
                  schema::Report& report);
void decode_value(boost::json::value const& value, Form& into, schema::Rule const& rule, schema::Path const& at,
                  schema::Report& report);
void decode_value(boost::json::value const& value, ImpactOrder& into, schema::Rule const& rule, schema::Path const& at,
                  schema::Report& report);
void decode_value(boost::json::value const& value, BlameOrder& into, schema::Rule const& rule, schema::Path const& at,
                  schema::Report& report);
void decode_value(boost::json::value const& value, BlameOf& into, schema::Rule const& rule, schema::Path const& at,
                  schema::Report& report);
void decode_value(boost::json::value const& value, Side& into, schema::Rule const& rule, schema::Path const& at,
                  schema::Report& report);
void decode_value(boost::json::value const& value, LaneBy& into, schema::Rule const& rule, schema::Path const& at,
                  schema::Report& report);
void decode_value(boost::json::value const& value, Period& into, schema::Rule const& rule, schema::Path const& at,
                  schema::Report& report);
void decode_value(boost::json::value const& value, EventPart& into, schema::Rule const& rule, schema::Path const& at,
                  schema::Report& report);
/// `[t0, t1]`, either end null.
void decode_value(boost::json::value const& value, TimeRange& into, schema::Rule const& rule, schema::Path const& at,
                  schema::Report& report);
/// `{field: {op: operand, ...}, ...}`; operands are scalars, `in` takes a list of them.
void decode_value(boost::json::value const& value, std::vector<Condition>& into, schema::Rule const& rule,
                  schema::Path const& at, schema::Report& report);

}  // namespace whence::queries
