#pragma once
// One transaction in the `graph` table: when it was committed, what it added, revised, hid and deprecated, and
// whose contents it removed. README.md
// has the layout.

#include "schema/base/ids.hpp"
#include "schema/base/time.hpp"
#include "store/rows/bytes.hpp"
#include "store/rows/graph_row.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace whence::store {

/// The part of a block before its rows.
struct BlockHead {
  schema::Time at = {};
  std::uint32_t first_vertex = 0;  ///< number of vertices before this transaction
  std::uint32_t row_count = 0;
  std::uint32_t revision_count = 0;
  std::vector<schema::VertexId> hidden = {};      ///< in the order of the log entry
  std::vector<schema::VertexId> deprecated = {};  ///< likewise
  std::vector<schema::VertexId> expired = {};     ///< likewise: their contents are gone
  std::vector<schema::VertexId> purged = {};      ///< likewise

  /// Number of vertices after this transaction.
  [[nodiscard]] std::uint32_t vertices_after() const noexcept { return first_vertex + row_count; }
};

/// Appends the head of a block; the rows follow, then the revision rows, then `pad_to_words`.
void put_block_head(BlockHead const& head, Bytes& out);

/// Fills up with zeros until what follows `start` is a whole number of words.
void pad_to_words(Bytes& out, std::size_t start);

/// Reads a block row by row, into storage that is used again. Trusts nothing.
class BlockReader {
 public:
  /// Starts on a block. False where its head does not read or names vertices that are not there; then nothing else may
  /// be called.
  [[nodiscard]] bool start(std::span<std::byte const> block);

  [[nodiscard]] BlockHead const& head() const noexcept { return head_; }

  /// Decodes the next row into `row`. False where it does not decode. Call `row_count`
  /// times.
  [[nodiscard]] bool next(VertexRow& row);

  /// The same for revision rows, after the rows, `revision_count` times. False also where its vertex is not there.
  [[nodiscard]] bool next(RevisionRow& row);

  /// Whether only zero padding of less than a word is left.
  [[nodiscard]] bool is_at_end() const noexcept;

 private:
  BlockHead head_;
  std::span<std::byte const> rest_;
  std::uint32_t next_vertex_ = 0;
};

}  // namespace whence::store
