#pragma once
// The arguments of a tool, held against its JSON Schema.

#include <string>

#include <boost/json/object.hpp>

namespace whence::net::mcp {

/// What is wrong with `arguments`, one line each; empty where nothing is. Of `schema` the keywords `required`,
/// `properties`, `type`, `items`, `minimum` and `maximum` are known; a member that `properties` lacks is wrong.
[[nodiscard]] std::string check_arguments(boost::json::object const& schema, boost::json::object const& arguments);

/// `arguments` as `schema` has them, where a model wrote a number for a text or a text for a whole number: `1` for "1",
/// as in a moment, and "10" for 10.
[[nodiscard]] boost::json::object settled_arguments(boost::json::object const& schema,
                                                    boost::json::object const& arguments);

}  // namespace whence::net::mcp
