// The per-thread parts of walks: scratch, and what a stop is called.
#include "graph/impl/scratch.hpp"

#include "graph/impl/poll.hpp"

namespace whence::graph::impl {

VisitedBits& visited_bits() noexcept {
  thread_local VisitedBits bits;
  return bits;
}

LocalNumbers::LocalNumbers(std::uint32_t vertex_count) {
  thread_local std::vector<std::uint32_t> plus_one;
  if (plus_one.size() < vertex_count) plus_one.resize(vertex_count);
  plus_one_ = &plus_one;
}

LocalNumbers::~LocalNumbers() {
  for (auto const v : members_) (*plus_one_)[schema::number(v)] = 0;
}

std::uint32_t LocalNumbers::add(VertexId v) {
  auto& slot = (*plus_one_)[schema::number(v)];
  if (slot == 0) {
    members_.push_back(v);
    slot = size();
  }
  return slot - 1;
}

Error Poll::error() const {
  switch (stop_) {
    case schema::Stop::cancelled:
      return {.code = Errc::cancelled, .message = "the request was cancelled"};
    case schema::Stop::timeout:
      return {.code = Errc::deadline_exceeded, .message = "the request took longer than its time limit"};
    case schema::Stop::too_long:
      return {.code = Errc::busy, .message = "the request takes longer than a slice"};
    case schema::Stop::none:
      break;
  }
  return {.code = Errc::internal_error, .message = "a walk ended without a reason"};
}

}  // namespace whence::graph::impl
