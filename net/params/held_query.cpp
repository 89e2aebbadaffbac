#include "net/params/held_query.hpp"

#include "net/params/params.hpp"
#include "queries/find/params.hpp"
#include "queries/find/search.hpp"
#include "schema/json/json.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace whence::net {

namespace {

bool is_match(queries::Search const& search, graph::Snapshot const& known, schema::VertexId vertex,
              schema::Record const& record) {
  return std::ranges::all_of(search.on_graph,
                             [&](queries::Predicate const& each) {
                               return queries::holds(each, each.field->from_graph(known, vertex));
                             }) &&
         std::ranges::all_of(search.on_record,
                             [&](queries::Predicate const& each) { return queries::holds(each, record); });
}

}  // namespace

Result<graph::HeldQuery> read_held_query(std::string_view text) {
  auto const document = schema::json::parse(text);
  if (!document) return document.error();
  auto const* const object = document->value.if_object();
  if (object == nullptr) return Error{.code = Errc::invalid_params, .message = "the query is no object"};
  auto const params = parse_params<queries::NodeCountParams>(*object);
  if (!params) return params.error();
  auto search = queries::parse_search(params->type, params->where);
  if (!search) return search.error();
  graph::HeldQuery held{.type = search->type, .matches = {}};
  held.matches = [search = *std::move(search)](graph::Snapshot const& known, schema::VertexId vertex,
                                               schema::Record const& record) {
    return is_match(search, known, vertex, record);
  };
  return held;
}

}  // namespace whence::net
