#pragma once
// What is noted of a span, a message or a rating for the records of others. Hashes of texts are made with the store's
// key.

#include "net/capture/spans/captured.hpp"
#include "net/capture/trace/facts.hpp"
#include "schema/base/digest.hpp"

namespace whence::net::capture {

[[nodiscard]] LogFacts facts_of(schema::SecretKey const& key, SaidMessage const& said);
[[nodiscard]] LogFacts facts_of(schema::SecretKey const& key, Evaluation const& evaluation);
[[nodiscard]] LogFacts facts_of(schema::SecretKey const& key, SaidBeside const& said);
[[nodiscard]] SpanFacts facts_of(schema::SecretKey const& key, CapturedSpan const& span);

/// The call that a span of an agent in another process turns out to be.
[[nodiscard]] CapturedSpan remote_call(SpanName const& name, SpanFacts const& facts);

}  // namespace whence::net::capture
