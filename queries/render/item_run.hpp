#pragma once
// Items that are made one after the other, as their reader takes them: what a `PageSource` is for answers that are
// found as a whole.

#include "schema/base/error.hpp"
#include "schema/base/interrupt.hpp"
#include "schema/json/writer.hpp"

#include <cstddef>
#include <string>

namespace whence::queries {

/// The answer of one query on one snapshot, item by item. It may wait between two items for as long as its owner likes.
/// One thread at a time, not always the same.
class ItemRun {
 public:
  virtual ~ItemRun() = default;

  /// Makes the next item and, unless `out` is null, appends it as JSON text; false where there is none left. After a
  /// failure, an interrupt included, the run is of no more use.
  [[nodiscard]] virtual Result<bool> next(std::string* out, schema::Interrupt const& interrupt) = 0;
  /// Writes the members beside the list into the open result object.
  virtual void write_members(schema::json::Writer& out) const = 0;
  /// What it holds, about.
  [[nodiscard]] virtual std::size_t bytes() const noexcept = 0;
};

}  // namespace whence::queries
