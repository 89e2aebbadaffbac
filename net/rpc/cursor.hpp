#pragma once
// The content of a cursor: where to continue, in which answer, at which moment. It carries all of it, so that it
// outlives connections and restarts; the server keeps nothing that it depends on.

#include "schema/base/error.hpp"
#include "schema/base/ids.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace whence::net {

struct Cursor {
  std::string epoch;         ///< the store's, so that it dies with the log it counts in
  schema::TxId tx;           ///< the snapshot of the first page
  std::uint64_t offset = 0;  ///< items already given
  std::string method;
  std::string params;  ///< canonical JSON object: what the answer depends on

  friend bool operator==(Cursor const&, Cursor const&) = default;
};

/// Opaque text, safe in URLs.
[[nodiscard]] std::string encode_cursor(Cursor const& cursor);

/// Fails with `cursor_invalid` on any text that `encode_cursor` did not make; a checksum finds damage.
[[nodiscard]] Result<Cursor> decode_cursor(std::string_view text);

/// The error of a cursor that cannot be used, for the reason given.
[[nodiscard]] Error cursor_error(std::string message);

}  // namespace whence::net
