#pragma once
// A span by its meaning, on its own.

#include "net/capture/spans/attributes.hpp"
#include "net/capture/spans/captured.hpp"
#include "net/capture/spans/mapping.hpp"
#include "net/capture/spans/telemetry.hpp"

#include <string>

namespace whence::net::capture {

/// What the attributes of a span, of whatever kind, or of a resource say that it is part of.
[[nodiscard]] Belonging belonging_of(Attributes const& attributes);

/// What a span of the kind of `row` says. `attributes` are those of the span, which has none any more.
[[nodiscard]] CapturedSpan captured(Span span, KindRow const& row, Attributes& attributes);

/// The id of the response from which the request of a call goes on, of what its attributes say beside messages; empty:
/// they say none.
[[nodiscard]] std::string previous_in(AttributeMap const& rest);

}  // namespace whence::net::capture
