#pragma once
// history.get: what happened to a node, transaction by transaction.

#include "queries/history/params.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"
#include "schema/types/named_enum.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace whence::queries {

enum class HistoryOp : std::uint8_t { put, version, feedback, status, expire, purge, remove };

constexpr std::array<std::string_view, 7> enum_names(HistoryOp) noexcept {
  return {"put", "version", "feedback", "status", "expire", "purge", "delete"};
}

/// One thing that happened to a vertex that has or had the ref.
struct HistoryEvent {
  TxId tx;
  HistoryOp op;
  std::optional<graph::Revision> revision = {};   ///< of a `version` that is a further content of the same vertex
  std::optional<graph::StateChange> change = {};  ///< of all but `put`, `version` and `remove`
  std::optional<bool> is_active = {};             ///< of a `status` of a template, which is a revision, not a change
};

struct History {
  std::vector<HistoryEvent> events = {};
};

/// Where a ref was deleted and written again, all lives of it follow one another, each but the last with its `remove`.
/// Edges that a node gains later are events of the newer nodes. Fails with `not_found` at "/ref", of a
/// deleted one unless `deleted` is given. O(events).
[[nodiscard]] Result<History> history_get(View const& view, HistoryParams const& params, Budget const& budget);

}  // namespace whence::queries
