#pragma once
// What a client gets when something fails: the standard codes of Bolt, in one table.

#include "schema/base/error.hpp"

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

#include <boost/system/result.hpp>

namespace whence::net::bolt {

/// The kinds of failure that drivers distinguish.
enum class FailureKind : std::uint8_t {
  request_invalid,         ///< a message that the protocol does not allow, or not now
  unauthorized,            ///< no token, or a wrong one
  forbidden,               ///< what the token's role may not do
  database_not_found,      ///< no namespace of that name, or none for this token
  syntax_error,            ///< a statement that cannot be read
  semantic_error,          ///< a statement that can be read and makes no sense
  parameter_missing,       ///< of a statement
  type_error,              ///< a value of a wrong type
  argument_error,          ///< a value that is not allowed
  arithmetic_error,        ///< a division by zero, an overflow
  entity_not_found,        ///< what a statement names does not exist
  procedure_failed,        ///< what a procedure of a statement says
  execution_failed,        ///< any other failure of a statement
  bookmark_invalid,        ///< not one of this server
  bookmark_timeout,        ///< its transaction did not become visible in time
  transaction_timed_out,   ///< beyond the time given to it
  transaction_terminated,  ///< ended by the server, which stops
  access_mode,             ///< a write where only reading is possible
  resource_exhausted,      ///< a bound of the server: another statement may fit
  out_of_memory,           ///< the same statement may succeed later
  unavailable,             ///< the server stops, or is busy: again, or elsewhere
  internal,                ///< a fault of the server
};

/// `Neo.ClientError.Statement.SyntaxError` and the like. Drivers retry those of the class `TransientError`.
[[nodiscard]] std::string_view code_of(FailureKind kind) noexcept;
std::ostream& operator<<(std::ostream& out, FailureKind kind);

/// One failure, as its message says it.
struct Failure {
  FailureKind kind = FailureKind::internal;
  std::string message = {};

  friend bool operator==(Failure const&, Failure const&) = default;
};

/// What a failure of the engine or of a query is to a driver.
[[nodiscard]] Failure failure_of(Error const& error);

template <class T>
using Outcome = boost::system::result<T, Failure>;

/// For `Outcome::value` without one: a mistake of the program.
[[noreturn]] void throw_exception_from_error(Failure const& failure, boost::source_location const& where);

}  // namespace whence::net::bolt
