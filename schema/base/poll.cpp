// The error of an interrupted evaluation.

#include "schema/base/poll.hpp"

namespace whence::schema {

Error Poll::error() const {
  switch (stop_) {
    case Stop::cancelled:
      return Error{.code = Errc::cancelled, .message = "the request was cancelled"};
    case Stop::timeout:
      return Error{.code = Errc::deadline_exceeded, .message = "the time for the request is over"};
    case Stop::too_long:
      return Error{.code = Errc::busy, .message = "the request needs more than its slice"};
    case Stop::none:
      break;
  }
  return Error{.code = Errc::internal_error, .message = "the evaluation was not stopped"};
}

}  // namespace whence::schema
