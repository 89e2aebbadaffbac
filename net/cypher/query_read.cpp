// The rows of a query as the items of a read.

#include "net/cypher/query_read.hpp"

#include "net/cypher/json_values.hpp"
#include "net/cypher/moment.hpp"
#include "net/cypher/procedures.hpp"
#include "net/params/params.hpp"
#include "net/params/wire_params.hpp"
#include "net/rpc/json_schema.hpp"
#include "queries/render/page_source.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace whence::net {

struct CypherParams {
  std::string cypher = {};
  std::optional<AnyJson> params = {};
};

}  // namespace whence::net

namespace whence::schema {

template <>
struct Describe<net::CypherParams> {
  using T = net::CypherParams;
  static constexpr auto fields = std::tuple{
      field("cypher", &T::cypher, Presence::required, rules::any(), "A query in openCypher without writing clauses."),
      field("params", &T::params, Presence::optional, rules::any(), "An object: the values of `$name` in the query."),
  };
};

}  // namespace whence::schema

namespace whence::net {

namespace {

namespace cypher = queries::cypher;

struct CypherAsked {
  std::string text;
  cypher::Map params;
};

/// What a query has answered: each row as JSON text.
struct CypherFound {
  std::vector<std::string> columns;
  std::vector<std::string> rows;
  std::string plan;
};

Result<CypherFound> evaluate_cypher(queries::View const& view, CypherAsked const& asked, std::uint32_t limit,
                                    queries::Budget const& budget) {
  CypherMoment const moment{schema::SystemClock{}.now(), view};
  auto const prepared = cypher::prepare(asked.text, &cypher_procedures());
  if (!prepared) return cypher::to_error(prepared.error());
  cypher::QueryBudget const bounds{.interrupt = budget.interrupt};
  auto rows = cypher::run(*prepared, moment.graph(), asked.params, bounds, moment.environment());
  if (!rows) return cypher::to_error(rows.error());
  CypherFound found{.columns = rows->columns(), .rows = {}, .plan = {}};
  // One more than is needed says whether there are more.
  while (found.rows.size() <= limit) {
    auto const row = rows->next();
    if (!row) return cypher::to_error(row.error());
    if (!*row) break;
    schema::json::Writer out{found.rows.emplace_back()};
    out.begin_array();
    for (auto const& value : **row) write_json(out, value);
    out.end_array();
  }
  if (auto const error = moment.graph().error()) return *error;
  if (rows->is_explain() || rows->is_profile()) found.plan = cypher::to_text(rows->plan());
  return found;
}

queries::PageSource page_source(CypherFound&& answered) {
  auto const found = std::make_shared<CypherFound const>(std::move(answered));
  queries::PageSource source;
  auto const write_rows = [found](schema::json::Writer& out, std::size_t begin, std::size_t end) -> Result<void> {
    for (std::size_t i = begin; i < end; ++i) out.raw(found->rows[i]);
    return {};
  };
  source.lists.push_back({.name = "rows", .size = found->rows.size(), .write = write_rows});
  source.write_members = [found](schema::json::Writer& out) {
    out.key("columns").begin_array();
    for (auto const& name : found->columns) out.value(name);
    out.end_array();
    if (!found->plan.empty()) out.member("plan", found->plan);
  };
  return source;
}

}  // namespace

Result<Query> parse_cypher_query(boost::json::object const& params) {
  auto parsed = parse_params<CypherParams>(params);
  if (!parsed) return parsed.error();
  auto const asked = std::make_shared<CypherAsked>();
  asked->text = std::move(parsed->cypher);
  if (parsed->params) {
    auto const* const named = parsed->params->value.if_object();
    if (named == nullptr)
      return error_from(std::vector{param_violation("type", "/params", "", "an object is expected")});
    for (auto const& member : *named) asked->params.emplace(std::string{member.key()}, cypher_value(member.value()));
  }
  Query query;
  query.answer = [asked = std::shared_ptr<CypherAsked const>{asked}](
                     queries::View const& view, std::uint32_t limit,
                     queries::Budget const& budget) -> Result<queries::PageSource> {
    auto found = evaluate_cypher(view, *asked, limit, budget);
    if (!found) return found.error();
    return page_source(std::move(*found));
  };
  return query;
}

void write_cypher_params(schema::json::Writer& out) {
  write_descriptors<CypherParams>(out);
}

}  // namespace whence::net
