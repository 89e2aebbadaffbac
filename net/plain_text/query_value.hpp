#pragma once
// Values in the rows of a query as texts.

#include <string>

#include <boost/json/value.hpp>

namespace whence::net::plain_text {

/// A value of a row as the text of a cell. A node is its ref with its label, a relation `-[TYPE 0.6]->` with its weight
/// or confidence, a path its nodes with these between them, each arrow in the stored direction; lists and maps are
/// JSON `without_properties`. Empty for null. The text is not escaped.
[[nodiscard]] std::string query_text(boost::json::value const& value);

/// How the answer of a query spells a float that JSON would spell as an integer which is not it: a zero with a sign,
/// and one that only 64 bits without a sign hold. Empty for all others.
[[nodiscard]] std::string special_float(double value);

/// Compact JSON with its floats as the answer of a query has them.
[[nodiscard]] std::string answer_text(boost::json::value const& value);

/// The value with each node in it as its ref, and each relation and path as its text.
[[nodiscard]] boost::json::value without_properties(boost::json::value const& value);

}  // namespace whence::net::plain_text
