#pragma once
// The edges of one slice in the order that all formats share, with the refs of their ends.

#include "queries/export/attribute.hpp"
#include "queries/export/walk.hpp"
#include "queries/view/view.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace whence::exports {

/// Keeps its memory from one slice to the next. Belongs to one thread.
class EdgeRows {
 public:
  /// The view outlives it.
  explicit EdgeRows(queries::View const& view) : view_(view) {}

  /// Sorts the edges of `slice` by (transaction, from, to, type, number). The refs at the ends are ordered once, and
  /// edges compare places: comparing refs took a third of an export of edges.
  void set(EdgeSlice const& slice);

  /// Calls `visit(Edge const&)` for each edge in order, until it returns false.
  template <class Visit>
  void for_each(Visit const& visit) {
    std::size_t begin = 0;
    for (auto const& transaction : slice_->transactions) {
      auto const tx_text = std::to_string(schema::number(transaction.tx));
      for (auto place = begin; place < transaction.end; ++place) {
        if (!visit(edge_of(rows_[place], transaction.tx, tx_text))) return;
      }
      begin = transaction.end;
    }
  }

 private:
  /// The key of an edge within its transaction, and where it is.
  struct Row {
    std::uint64_t ends;  ///< the places of both refs among those of the slice
    std::uint64_t type;  ///< the place of its type among their names, then its number
    std::uint32_t edge;  ///< in the slice
  };

  /// One node at an end.
  struct End {
    std::size_t begin;  ///< of its ref in `refs_`
    std::size_t size;
    std::uint32_t rank;
  };

  void collect_ends();
  [[nodiscard]] std::uint32_t place_of(schema::VertexId vertex);
  void rank_ends();
  void sort_rows();
  [[nodiscard]] std::string_view ref(std::uint32_t place) const {
    return std::string_view(refs_).substr(ends_[place].begin, ends_[place].size);
  }
  [[nodiscard]] Edge edge_of(Row const& row, schema::TxId tx, std::string_view tx_text);

  queries::View const& view_;
  EdgeSlice const* slice_ = nullptr;
  std::vector<schema::VertexId> vertices_ = {};                           // at the ends, each once
  std::vector<std::pair<std::uint32_t, std::uint32_t>> end_places_ = {};  // in `vertices_`, of each edge's from and to
  std::vector<std::uint32_t> slots_ = {};  // open addressing: place in `vertices_` plus one, 0: free
  std::vector<End> ends_ = {};             // as `vertices_`
  std::string refs_ = {};
  std::vector<Row> rows_ = {};
  std::vector<Attribute> carried_ = {};
};

}  // namespace whence::exports
