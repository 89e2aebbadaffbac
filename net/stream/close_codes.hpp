#pragma once
// Close code 1014 (bad gateway), which IANA registered after RFC 6455. Beast 1.81 takes a close frame that has it for a
// broken one and answers 1002; so the function with which it reads such frames has a specialization of ours for the
// buffers of its stream. Every file that has a `websocket::stream` includes it before its first use, or the program has
// two definitions of one function and the linker takes either: tests/house looks for those that do not.

#include <array>
#include <cstdint>

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/buffers_prefix.hpp>
#include <boost/beast/core/static_buffer.hpp>
#include <boost/beast/websocket/error.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <boost/endian/conversion.hpp>

namespace whence::net {

inline constexpr std::uint16_t close_bad_gateway = 1014;

/// RFC 6455 7.4 and the registry that it founded: 1004 to 1006 and 1015 are never sent; from 3000 on all are free.
[[nodiscard]] constexpr bool may_be_sent(std::uint16_t close_code) noexcept {
  if (close_code >= 1000 && close_code <= close_bad_gateway) return close_code < 1004 || close_code > 1006;
  return close_code >= 3000;
}

}  // namespace whence::net

namespace boost::beast::websocket::detail {

/// What a stream reads control frames from.
using ControlPayload = buffers_prefix_view<static_buffer_base::mutable_buffers_type>;

/// The payload of a close frame, at most 125 bytes: nothing, or a code and a text (RFC 6455 5.5.1).
template <>
inline void read_close(close_reason& reason, ControlPayload const& payload, error_code& ec) {
  std::array<char, 125> bytes = {};
  auto const size = net::buffer_copy(net::buffer(bytes), payload);
  ec = {};
  if (size == 0) {
    reason = close_reason{};
    return;
  }
  if (size == 1) {
    ec = error::bad_close_size;
    return;
  }
  reason.code = endian::load_big_u16(reinterpret_cast<unsigned char const*>(bytes.data()));
  reason.reason.assign(bytes.data() + 2, size - 2);
  if (!whence::net::may_be_sent(reason.code))
    ec = error::bad_close_code;
  else if (!check_utf8(reason.reason.data(), reason.reason.size()))
    ec = error::bad_close_payload;
}

}  // namespace boost::beast::websocket::detail
