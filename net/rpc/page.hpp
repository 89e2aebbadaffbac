#pragma once
// An answer as pages: its lists as one sequence of items, what is attached to an item beside it.

#include "queries/render/page_source.hpp"
#include "schema/base/error.hpp"
#include "schema/base/ids.hpp"
#include "schema/json/writer.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace whence::net {

/// Items [begin, end) of the sequence of an answer's lists.
struct ItemRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// An evaluated answer and the snapshot it is of. Immutable; any thread may render from it.
class PagedAnswer {
 public:
  PagedAnswer(queries::PageSource answer, schema::TxId tx);

  [[nodiscard]] schema::TxId tx() const noexcept { return tx_; }
  [[nodiscard]] queries::PageSource const& answer() const noexcept { return answer_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// Items and what is attached to them, for deciding where to render.
  [[nodiscard]] std::size_t size_with_attached(ItemRange range) const;
  /// About what it occupies in memory, in bytes.
  [[nodiscard]] std::size_t weight() const noexcept;

  /// Asked between pieces of a page; true ends it there.
  using ShouldStop = std::function<bool()>;

  /// Asked after each piece of what is written; an error ends it.
  using Check = std::function<Result<void>()>;

  /// Writes every list as a member of the open object, with those items of `range` that were written before
  /// `should_stop` was true, and what is attached to them. Returns the end of what was written. Fails as the lists do,
  /// and as `check` does.
  [[nodiscard]] Result<std::size_t> write_page(schema::json::Writer& out, ItemRange range,
                                               ShouldStop const& should_stop, Check const& check) const;

  /// Writes the items of `range` one after the other into the open array, then what is attached to them.
  [[nodiscard]] Result<void> write_items(schema::json::Writer& out, ItemRange range) const;

 private:
  /// Positions in `anchors` of one attached list, ordered by their anchor, then by position.
  using Order = std::vector<std::uint32_t>;

  [[nodiscard]] std::vector<std::size_t> attached_to(std::size_t list, ItemRange anchors) const;
  [[nodiscard]] Result<void> write_attached(schema::json::Writer& out, std::size_t list, ItemRange anchors,
                                            Check const& check) const;

  queries::PageSource answer_;
  schema::TxId tx_;
  std::size_t size_ = 0;
  std::vector<Order> orders_;  ///< one per attached list; empty where the anchors ascend already
};

}  // namespace whence::net
