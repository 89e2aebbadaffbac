#pragma once
// Errors on the wire: the one table from `Errc` to the protocol's codes, and the JSON error object.

#include "schema/base/error.hpp"
#include "schema/json/writer.hpp"

#include <span>

namespace whence::net {

/// One row of the table. The name on the wire is `name_of(code)`.
struct WireError {
  Errc code;
  int number;            ///< JSON-RPC `error.code`
  std::string_view doc;  ///< one sentence for the OpenRPC document
};

/// Every error a method may answer, in order of `Errc`.
[[nodiscard]] std::span<WireError const> wire_errors() noexcept;

[[nodiscard]] int wire_code(Errc code) noexcept;

/// Writes `{code, message, data}`. `data` has the name of the error, the members of its first violation, `epoch`, `tx`,
/// `outcome` and `retry_after_ms` where the error has them, and under `errors` every violation, or the error itself
/// where it has none. An error in an XML document also has `error` (its name in the XML contract), `line` and `column`.
/// `seen` is the offending value itself, or text where it is too long to be shown whole.
void write_error(schema::json::Writer& out, Error const& error);

}  // namespace whence::net
