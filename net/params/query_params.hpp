#pragma once
// How the members of queries' params that only queries have are read from JSON. Overloads found by the schema's decoder
// through the namespaces of their types.

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

#include <span>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

namespace whence::net {

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

}  // namespace whence::schema

namespace whence::queries {

/// `[t0, t1]`, either end null.
void decode_value(boost::json::value const& value, TimeRange& into, schema::Rule const& rule, schema::Path const& at,
                  schema::Report& report);
/// `{field: {op: operand, ...}, ...}`; operands are scalars, `in` takes a list of them.
void decode_value(boost::json::value const& value, std::vector<Condition>& into, schema::Rule const& rule,
                  schema::Path const& at, schema::Report& report);

}  // namespace whence::queries
