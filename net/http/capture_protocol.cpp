#include "net/http/capture_protocol.hpp"

#include <algorithm>

namespace whence::net {

using boost::beast::http::status;

std::size_t CaptureProtocol::memory_for(std::string_view body) const noexcept {
  constexpr std::size_t text_factor = 4;  // the text, what is made of its texts, and what is written of that
  constexpr std::size_t value_bytes = 64;
  auto const values = std::ranges::count_if(body, [](char c) { return c == ',' || c == '{' || c == '[' || c == ':'; });
  return body.size() * text_factor + static_cast<std::size_t>(values) * value_bytes;
}

status CaptureProtocol::status_of(Errc code) noexcept {
  switch (code) {
    case Errc::busy:
    case Errc::storage_full:
    case Errc::internal_error:
    case Errc::corrupt:
      return status::service_unavailable;
    case Errc::limit_exceeded:
      return status::payload_too_large;
    case Errc::conflict:
      return status::conflict;
    default:
      return status::bad_request;
  }
}

}  // namespace whence::net
