#pragma once
// Why the result of a query is not all there is.

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

/// The word for it on the wire: "depth"; empty for `no`.
[[nodiscard]] std::string_view name_of(Incomplete reason) noexcept;

}  // namespace whence::queries
