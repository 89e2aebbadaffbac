#pragma once
// The rows of a query as a table for people and as CSV for programs.

#include "tools/cli/process/io.hpp"

#include <string>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace whence::tools {

/// Prints the result of `query` as a table under the query's own names of columns, columns of numbers to the right,
/// then the plan where there is one. Without rows the names alone are printed.
void show_query(boost::json::object const& result, Io& io);

/// Says on `io.talk` which names of the query the schema lacks.
void tell_query_warnings(boost::json::object const& result, Io& io);

/// A record of RFC 4180, CR and LF included. Numbers are exact; a node is its ref, null an empty field, and anything
/// else that is not a plain value is its JSON.
[[nodiscard]] std::string csv_record(boost::json::array const& values);

}  // namespace whence::tools
