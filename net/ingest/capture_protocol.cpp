#include "net/ingest/capture_protocol.hpp"

namespace whence::net {

using boost::beast::http::status;

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
