#pragma once
// Decoding a row into storage that is used again: what replay and verification do millions of times.

#include "schema/ids.hpp"
#include "store/graph_row.hpp"

#include <cstddef>
#include <span>

namespace whence::store {

/// As `decode_row`, into `row`, whose string and vector keep their capacity. False, with `row` and `bytes` unspecified,
/// on anything that `encode_row` did not write.
[[nodiscard]] bool decode_row_into(schema::VertexId vertex, std::span<std::byte const>& bytes, VertexRow& row);

}  // namespace whence::store
