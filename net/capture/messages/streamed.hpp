#pragma once
// Answers that were kept as the pieces in which a model sent them.

#include <optional>

#include <boost/json/value.hpp>

namespace whence::net::capture {

/// What the pieces of a streamed answer are together, as an answer that is no stream has it: texts and arguments of
/// calls one piece after the other, choices and calls by their `index`. What says nothing of the answer is in `events`.
/// Nothing where `held` is no list of pieces.
[[nodiscard]] std::optional<boost::json::value> whole_of(boost::json::value const& held);

}  // namespace whence::net::capture
