#pragma once
// Whole records as of a view, with the texts that are made on reading.

#include "queries/view.hpp"
#include "schema/records/records.hpp"

#include <cstddef>
#include <functional>
#include <span>

namespace whence::queries {

/// As `graph::read_records`; the `content` of a summary that was extracted from a response is made of the increments up
/// to it, and long texts are read from their blobs. A summary costs a read of each version before it, back to the last
/// that a client wrote whole.
[[nodiscard]] Result<void> read_whole(View const& view, std::span<graph::VertexId const> vertices,
                                      std::function<bool(std::size_t, schema::Record&&)> const& visit);

/// One whole record.
[[nodiscard]] Result<schema::Record> read_one(View const& view, graph::VertexId vertex);

}  // namespace whence::queries
