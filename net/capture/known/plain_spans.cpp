#include "net/capture/known/plain_spans.hpp"

#include <utility>

namespace whence::net::capture {

void PlainSpans::add(PlainSpan span) {
  auto const name = span.name;
  if (!spans_.emplace(name, std::move(span)).second) return;
  order_.push_back(name);
  if (order_.size() <= spans_max) return;
  spans_.erase(order_.front());
  order_.pop_front();
}

PlainSpan const* PlainSpans::find(SpanName const& name) const {
  auto const found = spans_.find(name);
  return found == spans_.end() ? nullptr : &found->second;
}

}  // namespace whence::net::capture
