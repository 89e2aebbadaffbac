// The table of codes.

#include "net/bolt/packstream/failure.hpp"

#include <array>
#include <ostream>
#include <stdexcept>
#include <utility>

namespace whence::net::bolt {

namespace {

struct FailureRow {
  FailureKind kind;
  std::string_view code;
};

/// Every kind at its place.
constexpr std::array<FailureRow, 22> failure_table = {{
    {FailureKind::request_invalid, "Neo.ClientError.Request.Invalid"},
    {FailureKind::unauthorized, "Neo.ClientError.Security.Unauthorized"},
    {FailureKind::forbidden, "Neo.ClientError.Security.Forbidden"},
    {FailureKind::database_not_found, "Neo.ClientError.Database.DatabaseNotFound"},
    {FailureKind::syntax_error, "Neo.ClientError.Statement.SyntaxError"},
    {FailureKind::semantic_error, "Neo.ClientError.Statement.SemanticError"},
    {FailureKind::parameter_missing, "Neo.ClientError.Statement.ParameterMissing"},
    {FailureKind::type_error, "Neo.ClientError.Statement.TypeError"},
    {FailureKind::argument_error, "Neo.ClientError.Statement.ArgumentError"},
    {FailureKind::arithmetic_error, "Neo.ClientError.Statement.ArithmeticError"},
    {FailureKind::entity_not_found, "Neo.ClientError.Statement.EntityNotFound"},
    {FailureKind::procedure_failed, "Neo.ClientError.Procedure.ProcedureCallFailed"},
    {FailureKind::execution_failed, "Neo.ClientError.Statement.ExecutionFailed"},
    {FailureKind::bookmark_invalid, "Neo.ClientError.Transaction.InvalidBookmark"},
    {FailureKind::bookmark_timeout, "Neo.TransientError.Transaction.BookmarkTimeout"},
    {FailureKind::transaction_timed_out, "Neo.ClientError.Transaction.TransactionTimedOut"},
    {FailureKind::transaction_terminated, "Neo.TransientError.Transaction.Terminated"},
    {FailureKind::access_mode, "Neo.ClientError.Statement.AccessMode"},
    {FailureKind::resource_exhausted, "Neo.ClientError.General.ResourceExhausted"},
    {FailureKind::out_of_memory, "Neo.TransientError.General.OutOfMemoryError"},
    {FailureKind::unavailable, "Neo.TransientError.General.DatabaseUnavailable"},
    {FailureKind::internal, "Neo.DatabaseError.General.UnknownError"},
}};

constexpr bool is_in_order() noexcept {
  for (std::size_t i = 0; i < failure_table.size(); ++i) {
    if (static_cast<std::size_t>(failure_table[i].kind) != i) return false;
  }
  return failure_table.back().kind == FailureKind::internal;
}
static_assert(is_in_order());

FailureKind kind_of(Errc code) noexcept {
  switch (code) {
    case Errc::parse_error:
      return FailureKind::syntax_error;
    case Errc::invalid_request:
      return FailureKind::request_invalid;
    case Errc::invalid_params:
    case Errc::cursor_invalid:
      return FailureKind::argument_error;
    case Errc::cancelled:
      return FailureKind::transaction_terminated;
    case Errc::deadline_exceeded:
      return FailureKind::transaction_timed_out;
    case Errc::unauthenticated:
      return FailureKind::unauthorized;
    case Errc::forbidden:
      return FailureKind::forbidden;
    case Errc::not_found:
    case Errc::expired:
    case Errc::purged:
      return FailureKind::entity_not_found;
    case Errc::limit_exceeded:
      return FailureKind::resource_exhausted;
    case Errc::busy:
      return FailureKind::unavailable;
    case Errc::invalid_record:
    case Errc::invalid_xml:
    case Errc::conflict:
    case Errc::cycle:
    case Errc::precondition:
    case Errc::method_not_found:
    case Errc::resume_impossible:
      return FailureKind::execution_failed;
    case Errc::internal_error:
    case Errc::storage_full:
    case Errc::corrupt:
      return FailureKind::internal;
  }
  return FailureKind::internal;
}

}  // namespace

std::string_view code_of(FailureKind kind) noexcept {
  return failure_table[static_cast<std::size_t>(kind)].code;
}

std::ostream& operator<<(std::ostream& out, FailureKind kind) {
  return out << code_of(kind);
}

Failure failure_of(Error const& error) {
  Failure failure{.kind = kind_of(error.code), .message = error.message};
  for (auto const& violation : error.violations) failure.message.append("; ").append(violation.message);
  return failure;
}

void throw_exception_from_error(Failure const& failure, boost::source_location const& /*where*/) {
  throw std::logic_error(failure.message);
}

}  // namespace whence::net::bolt
