// What an interrupted evaluation answers.

#include "queries/impl/poll.hpp"

namespace whence::queries {

Error Poll::error() const {
  switch (stop_) {
    case schema::Stop::cancelled:
      return Error{.code = Errc::cancelled, .message = "the request was cancelled"};
    case schema::Stop::timeout:
      return Error{.code = Errc::deadline_exceeded, .message = "the time for the request is over"};
    case schema::Stop::too_long:
      return Error{.code = Errc::busy, .message = "the request needs more than its slice"};
    case schema::Stop::none:
      break;
  }
  return Error{.code = Errc::internal_error, .message = "the evaluation was not stopped"};
}

}  // namespace whence::queries
