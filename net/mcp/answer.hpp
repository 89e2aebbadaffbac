#pragma once
// What tools answer, and what they all do with arguments and with answers of the protocol.

#include "schema/base/error.hpp"

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace whence::net::mcp {

/// Calls a method of the protocol and waits: its result, or its error with a message for people.
using Call = std::function<Result<boost::json::value>(std::string_view method, boost::json::object const& params)>;

/// What a tool says: to a model as text, to a program as data.
struct ToolAnswer {
  std::string text = {};
  boost::json::object data = {};
  bool is_error = false;  ///< the text says what went wrong
};

/// The bytes of text and data that an answer has at most, unless it is asked for more.
inline constexpr std::size_t answer_bytes_default = 60'000;

/// The bytes of a label or of a piece of a text.
inline constexpr std::size_t label_bytes_max = 200;

/// An answer that is an error.
[[nodiscard]] ToolAnswer failure(std::string text);

/// An answer of at most so many items.
using Make = std::function<Result<ToolAnswer>(std::int64_t limit)>;

/// What `make` makes with the argument `limit`, halved again and again, whose answer has the bytes that are allowed.
[[nodiscard]] ToolAnswer fitted(boost::json::object const& arguments, std::int64_t limit_default, Make const& make);

/// An integer member; `otherwise` where it is absent.
[[nodiscard]] std::int64_t number_of(boost::json::object const& object, std::string_view name, std::int64_t otherwise);

/// What is known of a node in a few words: of a response what it said.
[[nodiscard]] std::string label_of(boost::json::object const& node);

/// A node without its record, with its label.
[[nodiscard]] boost::json::object short_node(boost::json::object const& node);

/// The params that `arguments` give under the same names.
[[nodiscard]] boost::json::object params_from(boost::json::object const& arguments,
                                              std::initializer_list<std::string_view> names);

/// A moment as `as_of` takes it: a transaction's number, or else a time.
[[nodiscard]] boost::json::value moment_of(std::string const& text);

/// `as_of`, where the arguments have it.
void add_moment(boost::json::object& params, boost::json::object const& arguments);

/// The result of a method whose result is an object.
[[nodiscard]] Result<boost::json::object> ask(Call const& call, std::string_view method,
                                              boost::json::object const& params);

}  // namespace whence::net::mcp
