#pragma once
// What is noted of a span, a message or a rating for the records of others.

#include "net/capture/spans/captured.hpp"
#include "net/capture/trace/facts.hpp"

namespace whence::net::capture {

[[nodiscard]] LogFacts facts_of(SaidMessage const& said);
[[nodiscard]] LogFacts facts_of(Evaluation const& evaluation);
[[nodiscard]] SpanFacts facts_of(CapturedSpan const& span);

/// The call that a span of an agent in another process turns out to be.
[[nodiscard]] CapturedSpan remote_call(SpanName const& name, SpanFacts const& facts);

}  // namespace whence::net::capture
