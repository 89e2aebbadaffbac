#pragma once
// What `FieldColumns` holds, for its sources.

#include "graph/columns/column.hpp"
#include "graph/columns/field_columns.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

namespace whence::graph {

struct FieldColumns::Impl {
  std::array<std::unique_ptr<impl::TypeColumns>, schema::record_type_count> types;  ///< null: no indexed field

  ColumnRoom room;

  /// All rows of revisions below this have been looked at; published after what they changed.
  std::atomic<std::uint64_t> revisions_seen = 0;
  std::atomic<bool> is_built = false;
  std::atomic<double> build_seconds = 0;
  std::atomic<std::uint64_t> rows_lost = 0;

  // Of the thread that follows.
  TxId followed{0};
  std::uint64_t gone_seen = 0;

  [[nodiscard]] impl::TypeColumns* of(RecordType type) const noexcept {
    return types[static_cast<std::size_t>(type)].get();
  }
};

}  // namespace whence::graph
