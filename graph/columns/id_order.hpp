#pragma once
// The rows of one type's columns in the order of the ids of their vertices.

#include "graph/storage/storage.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace whence::graph::impl {

/// Rows by id, those with equal ids in order of commit. One thread extends it, others look at it meanwhile. It holds
/// the first rows only: those that came since are put in place together. Choosing the first page among the ids of half
/// a million matches took 20 to 50 ms without it, nearly all of it waiting for memory.
class IdOrder {
 public:
  using Rows = std::vector<std::uint32_t>;

  /// All rows below its size. Never null.
  [[nodiscard]] std::shared_ptr<Rows const> rows() const {
    std::scoped_lock const lock{mutex_};
    return rows_;
  }

  /// Begins with rows that were in order before.
  void take(Rows rows) {
    std::scoped_lock const lock{mutex_};
    rows_ = std::make_shared<Rows const>(std::move(rows));
  }

  /// Takes in the rows below `end` where they have become many: a 64th, and 1,024. `vertices` are those of the rows.
  /// O(rows), and O(new log rows) looks at ids.
  void extend(Storage const& storage, MonotoneList<std::uint32_t> const& vertices, std::uint32_t end);

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<Rows const> rows_ = std::make_shared<Rows const>();
};

}  // namespace whence::graph::impl
