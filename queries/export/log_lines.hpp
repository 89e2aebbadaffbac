#pragma once
// The log as text: one JSON object a line.

#include "graph/snapshot/delta.hpp"
#include "queries/export/source.hpp"
#include "schema/base/error.hpp"

#include <string>

namespace whence::exports {

/// Appends the lines of one transaction, its events in the form of live updates. `selection` null: all of them. Fails
/// with `corrupt`.
[[nodiscard]] Result<void> append_lines(Source const& source, Selection const* selection, graph::Delta&& delta,
                                        std::string& out);

}  // namespace whence::exports
