#pragma once
// The arguments of a tool, held against its JSON Schema.

#include <string>

#include <boost/json/object.hpp>

namespace whence::net::mcp {

/// What is wrong with `arguments`, one line each; empty where nothing is. Of `schema` the keywords `required`,
/// `properties`, `type`, `items`, `minimum` and `maximum` are known; a member that `properties` lacks is wrong.
[[nodiscard]] std::string check_arguments(boost::json::object const& schema, boost::json::object const& arguments);

/// `arguments` as `schema` has them, where a model wrote them otherwise, at any depth: a number for a text (17 for
/// "17", as in a moment), a text for a number or a boolean, JSON in a text or a lone item for a list, JSON in a text
/// for an object, null for what is absent. What cannot be settled stays, and `check_arguments` names it.
[[nodiscard]] boost::json::object settled_arguments(boost::json::object const& schema,
                                                    boost::json::object const& arguments);

/// `value`, or the object that it is as JSON in a text.
[[nodiscard]] boost::json::value settled_object(boost::json::value const& value);

}  // namespace whence::net::mcp
