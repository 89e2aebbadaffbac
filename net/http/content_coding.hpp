#pragma once
// Content codings of request bodies: gzip and zstd, unpacked up to a bound.

#include "schema/base/error.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace whence::net {

/// Whether bodies of this `Content-Encoding` are accepted: empty, `identity`, `gzip` or `zstd`.
[[nodiscard]] bool is_known_coding(std::string_view coding) noexcept;

/// The body before it was coded. Fails with `limit_exceeded` where it has more than `bytes_max` bytes, with
/// `parse_error` where it is not of this coding or incomplete. Memory: twice the answer at most.
[[nodiscard]] Result<std::string> decode_content(std::string_view body, std::string_view coding, std::size_t bytes_max);

}  // namespace whence::net
