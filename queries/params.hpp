#pragma once
// Params that methods of several families share. Each family has its own in `<family>/params.hpp`: a struct per method,
// and its field table, which parsing, errors, OpenRPC and the flags of the command line read. The params that every
// read has (`as_of`, `limit`, `cursor`, ...) belong to net.

#include "schema/base/fields.hpp"
#include "schema/base/ids.hpp"
#include "schema/base/limits.hpp"
#include "schema/base/time.hpp"
#include "schema/records/ref.hpp"

#include <cstdint>
#include <limits>
#include <variant>

namespace whence::queries {

using schema::NodeRef;
using schema::TxId;

/// A moment: a transaction id, or a time.
using AsOf = std::variant<TxId, schema::Time>;

/// A part that rendering adds to each node. Queries do not read it.
enum class Include : std::uint8_t { record, status, edges };

inline constexpr schema::Rule depth_rule = schema::rules::number(0, std::numeric_limits<std::uint32_t>::max());
inline constexpr schema::Rule refs_rule = schema::rules::items(1, schema::limits::refs_max);

}  // namespace whence::queries
