#pragma once
// The names of one server's graph, for completion.

#include "tools/cli/query/completion.hpp"
#include "tools/cli/transport/caller.hpp"

namespace whence::tools {

/// Asks the server for its description and its procedures. What it does not say is not offered: a failure leaves the
/// names of the language alone.
[[nodiscard]] QueryVocabulary read_vocabulary(Caller& caller);

}  // namespace whence::tools
