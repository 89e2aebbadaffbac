#pragma once
// A call of a model by what its span and the events of it say.

#include "net/capture/spans/attributes.hpp"
#include "net/capture/spans/captured.hpp"
#include "net/capture/spans/telemetry.hpp"

namespace whence::net::capture {

/// Reads the prompt, the answer and the reasoning of a call. What its events say beside their messages.
[[nodiscard]] AttributeMap read_call(Span const& span, Attributes& attributes, CapturedSpan& out);

/// The run of an agent in another process as the call that it is: its prompt is read of `rest`.
[[nodiscard]] CapturedSpan as_call(CapturedSpan agent);

}  // namespace whence::net::capture
