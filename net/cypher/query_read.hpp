#pragma once
// The method `query`: openCypher over JSON-RPC, as a read.

#include "net/rpc/method.hpp"
#include "schema/base/error.hpp"
#include "schema/json/writer.hpp"

#include <boost/json/object.hpp>

namespace whence::net {

/// Fails with `invalid_params` for params that are none; what is wrong with the query is said when it is evaluated.
[[nodiscard]] Result<Query> parse_cypher_query(boost::json::object const& params);

void write_cypher_params(schema::json::Writer& out);

}  // namespace whence::net
