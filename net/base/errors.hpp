#pragma once
// Errors on the wire: the one table from `Errc` to the protocol's codes, and the JSON error object.

#include "schema/base/error.hpp"
#include "schema/json/writer.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

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

inline constexpr char const* no_memory_for_request = "there is not enough memory for this request now";

/// `busy`, with when to try again.
[[nodiscard]] Error busy_error(std::string message, std::uint32_t retry_after_ms = 1000);

/// What the system refused: `storage_full` where there was no room, else `internal_error`. The message names the call
/// and the path.
[[nodiscard]] Error error_of(std::system_error const& failed);

/// Whether a failure says nothing about what was to be written: the same request may succeed later.
[[nodiscard]] bool is_of_environment(Errc code) noexcept;

/// Writes `{code, message, data}`. `data` has the name of the error, the members of its first violation, `epoch`, `tx`,
/// `outcome` and `retry_after_ms` where the error has them, and under `errors` every violation, or the error itself
/// where it has none. An error in an XML document also has `error` (its name in the XML contract), `line` and `column`.
/// `seen` is the offending value itself, or text where it is too long to be shown whole.
void write_error(schema::json::Writer& out, Error const& error);

}  // namespace whence::net
