#pragma once
// Known calls, of any trace, that may have gained something of what is new. Each is noted in `Traces::touched`, and its
// trace is in hand then. All fail as `Traces::state_of`.

#include "net/capture/known/traces.hpp"
#include "schema/base/error.hpp"
#include "schema/base/ids.hpp"

namespace whence::net::capture {

/// Touches the calls whose request goes on from a response, or names an item of one, by its provider's id.
[[nodiscard]] Result<void> touch_next(Traces& all, std::string const& response_id);

/// Calls, of any trace, that may be made from what is new: whose prompt has the result of a new call of a tool, or
/// says what a new response answered.
[[nodiscard]] Result<void> find_users(Traces& all);

/// Spans of other traces, or of earlier requests, that name a new span as a link: their responses gain a cause.
[[nodiscard]] Result<void> find_linkers(Traces& all);

/// Spans that name `name` as a link, as the graph has them.
[[nodiscard]] Result<void> touch_linkers(Traces& all, SpanName const& name);

/// The calls that were given a unit: the first `users_max`.
[[nodiscard]] Result<void> touch_users(Traces& all, schema::VertexId unit);

}  // namespace whence::net::capture
