#pragma once
// Ratings become feedback on the responses of calls.

#include "net/capture/known/outer_calls.hpp"
#include "net/capture/known/surroundings.hpp"
#include "net/capture/known/traces.hpp"

#include <set>
#include <string>

namespace whence::net::capture {

/// Writes the feedback of all ratings of the traces in hand that the graph does not have, on responses that are there
/// or among `made`: the ids of those that were written.
void make_ratings(Traces& all, OuterCalls const& outer, Surroundings const& around, std::set<std::string> const& made);

}  // namespace whence::net::capture
