#pragma once
// How what is removed is read.

#include "schema/base/error.hpp"
#include "schema/base/ids.hpp"
#include "schema/records/records.hpp"

#include <functional>
#include <optional>

namespace whence::graph {

/// What a vertex says; nothing where that is gone. Fails as the store does.
using ReadRecord = std::function<Result<std::optional<schema::Record>>(schema::VertexId)>;

}  // namespace whence::graph
