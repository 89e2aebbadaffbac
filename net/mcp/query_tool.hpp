#pragma once
// The tool `query`: the rows of a query in openCypher.

#include "net/mcp/answer.hpp"

#include <string>

namespace whence::net::mcp {

/// The rows that the method `query` answers, a line each, at most `limit` of them. What is wrong with a query is said
/// with its place.
[[nodiscard]] ToolAnswer query(Call const& call, boost::json::object const& arguments);

/// What a model must know of the graph to write a query: labels with their properties, types of relations with their
/// ends and with what they carry, from the catalogues.
[[nodiscard]] std::string graph_schema_text();

}  // namespace whence::net::mcp
