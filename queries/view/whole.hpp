#pragma once
// Whole records as of a view, with the texts that are made on reading.

#include "graph/snapshot/records.hpp"
#include "queries/view/view.hpp"
#include "schema/records/records.hpp"

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>

namespace whence::queries {

/// As `graph::read_records`; the `content` of a summary that was extracted from a response is made of the increments up
/// to it, and long texts are read from their blobs. A summary costs a read of each version before it, back to the last
/// that a client wrote whole.
[[nodiscard]] Result<void> read_whole(View const& view, std::span<graph::VertexId const> vertices,
                                      graph::SaidVisit const& visit);

/// The same without those that are gone.
[[nodiscard]] Result<void> read_those_there(View const& view, std::span<graph::VertexId const> vertices,
                                            std::function<bool(std::size_t, schema::Record&&)> const& visit);

/// One whole record, or why it is gone.
[[nodiscard]] Result<graph::Said> read_one(View const& view, graph::VertexId vertex);

/// One whole record of a read that exists to give it: fails with `expired` or `purged` at `path`.
[[nodiscard]] Result<schema::Record> read_required(View const& view, graph::VertexId vertex, std::string_view path);

}  // namespace whence::queries
