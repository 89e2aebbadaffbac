#pragma once
// Why the result of a query is not all there is.

#include "schema/types/named_enum.hpp"

#include <cstdint>
#include <string_view>

namespace whence::queries {

/// The limit that ended an evaluation. The network adds `timeout`, and `limit` where a page ends before its list.
enum class Incomplete : std::uint8_t {
  no,
  depth,
  nodes,
  limit,
  cycle_cut,  ///< a relation leads on that carries no influence, since it would close a cycle of influence
  index,      ///< the index of texts has not read everything yet
};
constexpr std::array<std::string_view, 6> enum_names(Incomplete) noexcept {
  return {"", "depth", "nodes", "limit", "cycle_cut", "index"};
}

}  // namespace whence::queries
