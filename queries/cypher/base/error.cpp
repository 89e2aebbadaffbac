// A failure as an error of the protocol and as text, with the line of the query and a mark below the place.
#include "queries/cypher/base/error.hpp"

#include "schema/encoding/code_points.hpp"

#include <array>
#include <ostream>
#include <stdexcept>

namespace whence::queries::cypher {
namespace {

constexpr std::array<std::string_view, 13> kind_names = {
    "SyntaxError",     "SemanticError",  "ParameterMissing", "TypeError",      "ArgumentError",
    "ArithmeticError", "EntityNotFound", "ProcedureError",   "WritingRefused", "LimitExceeded",
    "Timeout",         "Cancelled",      "OutOfMemory"};

/// The kind as the protocol's codes know it.
Errc code_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::limit_exceeded:
      return Errc::limit_exceeded;
    case ErrorKind::timeout:
      return Errc::deadline_exceeded;
    case ErrorKind::cancelled:
      return Errc::cancelled;
    case ErrorKind::out_of_memory:
      return Errc::busy;
    default:
      return Errc::invalid_params;
  }
}

}  // namespace

std::string_view name_of(ErrorKind kind) noexcept {
  return kind_names[static_cast<std::size_t>(kind)];
}

std::ostream& operator<<(std::ostream& out, QueryError const& error) {
  out << name_of(error.kind);
  if (!error.detail.empty()) out << " (" << error.detail << ')';
  if (error.place.line != 0) out << " at line " << error.place.line << ", column " << error.place.column;
  out << ": " << error.message;
  if (!error.excerpt.empty()) out << '\n' << error.excerpt;
  return out;
}

Error to_error(QueryError const& error) {
  std::string message{name_of(error.kind)};
  if (!error.detail.empty()) message += " (" + error.detail + ")";
  if (error.place.line != 0) {
    message += " at line " + std::to_string(error.place.line) + ", column " + std::to_string(error.place.column);
  }
  message += ": " + error.message;
  if (!error.excerpt.empty()) message += "\n" + error.excerpt;
  constexpr std::uint32_t memory_retry_ms = 1000;
  Error made{.code = code_of(error.kind), .message = message};
  if (error.kind == ErrorKind::out_of_memory) made.retry_after_ms = memory_retry_ms;
  return made;
}

void show_place(QueryError& error, std::string_view text) {
  if (error.place.line == 0) return;
  std::size_t begin = 0;
  for (std::uint32_t line = 1; line < error.place.line; ++line) {
    auto const end = text.find('\n', begin);
    if (end == std::string_view::npos) break;
    begin = end + 1;
  }
  auto const line = text.substr(begin, text.find('\n', begin) - begin);
  // Of a long line as much as people look at: a query may be one line of a megabyte.
  constexpr std::uint32_t before_max = 120;
  constexpr std::uint32_t shown_max = 240;
  auto const first = error.place.column > before_max ? error.place.column - before_max : 1;
  auto const from = schema::start_of_code_point(line, first - 1);
  auto const shown = line.substr(from, schema::start_of_code_point(line.substr(from), shown_max));
  bool const is_cut = first > 1;
  error.excerpt = (is_cut ? "..." : "") + std::string{shown} + (from + shown.size() < line.size() ? "..." : "") + "\n" +
                  std::string(error.place.column - first + (is_cut ? 3 : 0), ' ') + "^";
}

void throw_exception_from_error(QueryError const& error, boost::source_location const& /*where*/) {
  throw std::runtime_error{std::string{name_of(error.kind)} + ": " + error.message};
}

}  // namespace whence::queries::cypher
