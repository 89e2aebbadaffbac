#pragma once
// Params that methods of several families share. Each family has its own in `<family>/params.hpp`: a struct per method,
// and its field table, which parsing, errors, OpenRPC and the flags of the command line read. The params that every
// read has (`as_of`, `limit`, `cursor`, ...) belong to net.

#include "schema/base/fields.hpp"
#include "schema/base/ids.hpp"
#include "schema/base/limits.hpp"
#include "schema/base/time.hpp"
#include "schema/types/edge_type.hpp"
#include "schema/types/named_enum.hpp"
#include "schema/types/ref.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

namespace whence::queries {

using schema::NodeRef;
using schema::TxId;

/// A moment: a transaction id, or a time.
using AsOf = std::variant<TxId, schema::Time>;

/// A part that rendering adds to each node. Queries do not read it.
enum class Include : std::uint8_t { record, status, edges };
constexpr std::array<std::string_view, 3> enum_names(Include) noexcept {
  return {"record", "status", "edges"};
}

inline constexpr schema::Rule depth_rule = schema::rules::number(0, std::numeric_limits<std::uint32_t>::max());
inline constexpr schema::Rule refs_rule = schema::rules::items(1, schema::limits::refs_max);

/// The types of edges that a request walks.
[[nodiscard]] inline schema::EdgeTypeSet walked_types(std::optional<std::vector<schema::Basis>> const& bases,
                                                      schema::EdgeTypeSet types = schema::EdgeTypeSet::all()) {
  if (bases) types.keep(*bases);
  return types;
}

inline constexpr schema::Rule basis_rule = schema::rules::items(1, schema::names_of<schema::Basis>.size());
inline constexpr std::string_view basis_doc = "Walks only edges that are known so; all where not given.";
inline constexpr std::string_view roles_doc = "Gives instructions and questions their part in shares, too.";

}  // namespace whence::queries
