#pragma once
// Why a query failed: kind, detail, place in the text, what was expected there.

#include "schema/base/error.hpp"

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

#include <boost/system/result.hpp>

namespace whence::queries::cypher {

/// The kinds of failure, as openCypher names them; the last five are this engine's own.
enum class ErrorKind : std::uint8_t {
  syntax_error,
  semantic_error,
  parameter_missing,
  type_error,
  argument_error,
  arithmetic_error,
  entity_not_found,
  procedure_error,
  writing_refused,  ///< the query would change the graph; the detail names the clause
  limit_exceeded,   ///< the detail names the bound: `rows`, `bytes`, `depth`
  timeout,
  cancelled,
  out_of_memory,  ///< others have what the query needs: the same query may succeed later
};

/// "SyntaxError", "TypeError", ...
std::string_view name_of(ErrorKind kind) noexcept;

/// A place in the text of a query. Both count from 1; a column is one character (code point). 0: no place is known.
struct Place {
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  friend bool operator==(Place const&, Place const&) = default;
};

/// A refused or failed query.
struct QueryError {
  ErrorKind kind = ErrorKind::syntax_error;
  std::string detail = {};   ///< openCypher's name of the fault ("UndefinedVariable"), or the bound that was passed
  std::string message = {};  ///< a sentence for people
  bool is_compile_time = true;
  Place place = {};
  std::string expected = {};  ///< what could have stood at the place; empty where the fault is no missing token
  std::string excerpt = {};   ///< the line of the text, a line feed, and a caret below the place; empty without a place
};

std::ostream& operator<<(std::ostream& out, QueryError const& error);

template <class T>
using Outcome = boost::system::result<T, QueryError>;

/// As the protocol reports it: kind, message, place and excerpt in one text.
Error to_error(QueryError const& error);

/// Sets `excerpt` to the line of `text` at the error's place, with a caret under the column.
void show_place(QueryError& error, std::string_view text);

[[noreturn]] void throw_exception_from_error(QueryError const& error, boost::source_location const& where);

}  // namespace whence::queries::cypher
