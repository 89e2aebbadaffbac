#pragma once
// How long the text of a query may be.

#include <cstddef>

namespace whence::queries::cypher {

inline constexpr std::size_t query_bytes_max = 1 << 20;

}  // namespace whence::queries::cypher
