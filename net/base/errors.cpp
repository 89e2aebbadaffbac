// The table of wire codes, and errors as JSON.

#include "net/base/errors.hpp"

#include "schema/json/json.hpp"

#include <array>
#include <cassert>
#include <cerrno>
#include <utility>

namespace whence::net {

namespace {

constexpr std::array<WireError, 23> error_table = {{
    {Errc::parse_error, -32700, "The message is no JSON text."},
    {Errc::invalid_request, -32600, "The message is no JSON-RPC request."},
    {Errc::method_not_found, -32601, "There is no such method."},
    {Errc::invalid_params, -32602, "A member of params is missing, unknown or out of bounds."},
    {Errc::internal_error, -32603, "The server failed."},
    {Errc::cancelled, -32800, "The request was cancelled."},
    {Errc::deadline_exceeded, -32801, "The request did not finish in its time."},
    {Errc::unauthenticated, -32010, "A valid token is needed first."},
    {Errc::forbidden, -32011, "The caller's role is too low."},
    {Errc::not_found, -32020, "A node the request names does not exist."},
    {Errc::expired, -32021, "The content has expired."},
    {Errc::purged, -32022, "The content was purged."},
    {Errc::invalid_record, -32030, "A record breaks a rule."},
    {Errc::invalid_xml, -32031, "An XML document breaks a rule."},
    {Errc::conflict, -32040, "What is to be written exists with other content."},
    {Errc::cycle, -32041, "The write would close a cycle of influence."},
    {Errc::precondition, -32042, "A number the write depends on is not the expected one."},
    {Errc::limit_exceeded, -32050, "The answer is too large."},
    {Errc::busy, -32051, "Too much is in progress; try again after retry_after_ms."},
    {Errc::cursor_invalid, -32060, "The cursor is damaged or belongs to another request or store."},
    {Errc::resume_impossible, -32061, "The log no longer holds what is to be resumed."},
    {Errc::storage_full, -32080, "The disk is full."},
    {Errc::corrupt, -32081, "The store is damaged."},
}};

constexpr bool is_indexed_by_code() {
  for (std::size_t i = 0; i < error_table.size(); ++i) {
    if (static_cast<std::size_t>(error_table[i].code) != i + 1) return false;
  }
  return true;
}
static_assert(is_indexed_by_code());

// A whole value is written as JSON, a cut one as text. Texts are quoted without escapes (`schema::shown`), so that what
// is between the quotes is the text itself, also where it looks like an escape.
void write_seen(schema::json::Writer& out, std::string_view seen) {
  bool const is_quoted = seen.size() >= 2 && seen.starts_with('"') && seen.ends_with('"');
  if (is_quoted) {
    out.member("seen", seen.substr(1, seen.size() - 2));
  } else if (schema::json::parse(seen)) {
    out.key("seen").raw(seen);
  } else {
    out.member("seen", seen);
  }
}

void write_members(schema::json::Writer& out, Violation const& violation) {
  out.member("rule", violation.rule);
  out.member("path", violation.path);
  if (violation.index) out.member("index", *violation.index);
  write_seen(out, violation.seen);
  if (violation.expected) out.member("expected", *violation.expected);
  if (!violation.xml) return;
  if (!violation.xml->error.empty()) out.member("error", violation.xml->error);
  out.member("line", violation.xml->line).member("column", violation.xml->column);
}

std::string_view message_of(Error const& error) noexcept {
  return error.message.empty() ? name_of(error.code) : std::string_view{error.message};
}

void write_errors(schema::json::Writer& out, Error const& error) {
  out.key("errors").begin_array();
  for (Violation const& violation : error.violations) {
    out.begin_object().member("code", wire_code(violation.code));
    write_members(out, violation);
    out.member("message", violation.message).end_object();
  }
  if (error.violations.empty()) {
    out.begin_object().member("code", wire_code(error.code)).member("message", message_of(error)).end_object();
  }
  out.end_array();
}

void write_data(schema::json::Writer& out, Error const& error) {
  out.key("data").begin_object();
  out.member("name", name_of(error.code));
  if (!error.violations.empty()) {
    Violation const& first = error.violations.front();
    write_members(out, first);
    // A client that keeps only `data` of a refused document still has the message.
    if (first.xml) out.member("message", first.message);
  }
  if (error.epoch) out.member("epoch", *error.epoch);
  if (error.tx) out.member("tx", *error.tx);
  if (error.is_outcome_unknown) out.member("outcome", "unknown");
  if (error.retry_after_ms) out.member("retry_after_ms", *error.retry_after_ms);
  write_errors(out, error);
  out.end_object();
}

}  // namespace

std::span<WireError const> wire_errors() noexcept {
  return error_table;
}

int wire_code(Errc code) noexcept {
  auto const row = static_cast<std::size_t>(code) - 1;
  assert(row < error_table.size());
  return error_table[row].number;
}

Error busy_error(std::string message, std::uint32_t retry_after_ms) {
  return {.code = Errc::busy, .message = std::move(message), .retry_after_ms = retry_after_ms};
}

Error error_of(std::system_error const& failed) {
  auto const& code = failed.code();
  bool const is_full = code == std::errc::no_space_on_device || code == std::errc::file_too_large ||
                       code == std::error_code{EDQUOT, std::generic_category()};
  return {.code = is_full ? Errc::storage_full : Errc::internal_error, .message = failed.what()};
}

bool is_of_environment(Errc code) noexcept {
  return code == Errc::busy || code == Errc::storage_full || code == Errc::internal_error || code == Errc::corrupt;
}

void write_error(schema::json::Writer& out, Error const& error) {
  out.begin_object();
  out.member("code", wire_code(error.code));
  out.member("message", message_of(error));
  write_data(out, error);
  out.end_object();
}

}  // namespace whence::net
