#pragma once
// Members of JSON objects and numbers as the text of a table's cell.

#include <cstdint>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

namespace whence::net::plain_text {

/// Text unchanged, fractions with 4 significant digits, other values as compact JSON; empty for null or absent. The
/// text is not escaped: `shown` does that where it is printed.
[[nodiscard]] std::string cell(boost::json::object const& object, std::string_view member);

/// A whole number for people: "53,629".
[[nodiscard]] std::string grouped(std::uint64_t number);

}  // namespace whence::net::plain_text
