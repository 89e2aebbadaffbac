// Storage in columns by row, and the scan over them.
#include "graph/embeddings/vectors.hpp"

#include "graph/embeddings/dot.hpp"
#include "graph/storage/chunked.hpp"
#include "schema/base/poll.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

namespace whence::graph {

using impl::ChunkedArray;
using impl::DotProducts;
using impl::VectorRow;
using impl::WideVector;
using schema::number;

static_assert(Vectors::dimension == impl::vector_dimension);

/// Rows are numbered in order of appending.
///
/// Invariants: 1. rows below `published` never change; those at or above it only the writer touches. 2. `txs` ascends,
/// so a snapshot sees a prefix of the rows. 3. `row_of[v]` is the row of `v` if there is one, else anything: it counts
/// only where that row is visible and names `v`. So a rollback need not clean it, and a reader may meet what the writer
/// is about to publish. 4. `row_of` has entries for the vertices below `indexed`.
struct Vectors::Impl {
  ChunkedArray<VectorRow> rows;
  ChunkedArray<double> squares;  ///< each row's inner product with itself
  ChunkedArray<VertexId> vertices;
  ChunkedArray<TxId> txs;
  ChunkedArray<std::atomic<std::uint32_t>> row_of;  ///< by vertex
  std::atomic<std::uint32_t> indexed = 0;
  std::atomic<std::uint32_t> published = 0;
  std::uint32_t appended = 0;  ///< the writer's; at least `published`
  DotProducts const dot_products = impl::fastest_dot_products();

  void ensure_row(std::uint32_t row);
  void index(VertexId v, std::uint32_t row);
  [[nodiscard]] std::optional<std::uint32_t> find_row(VertexId v, std::uint32_t row_count) const noexcept;
  [[nodiscard]] std::uint32_t rows_up_to(TxId tx) const noexcept;
};

void Vectors::Impl::ensure_row(std::uint32_t row) {
  rows.ensure(row);
  squares.ensure(row);
  vertices.ensure(row);
  txs.ensure(row);
}

void Vectors::Impl::index(VertexId v, std::uint32_t row) {
  auto end = indexed.load(std::memory_order_relaxed);
  for (; end <= number(v); ++end) row_of.ensure(end);
  indexed.store(end, std::memory_order_release);
  row_of[number(v)].store(row, std::memory_order_relaxed);
}

/// The row of `v` among the first `row_count`, which are the writer's own or published.
std::optional<std::uint32_t> Vectors::Impl::find_row(VertexId v, std::uint32_t row_count) const noexcept {
  if (number(v) >= indexed.load(std::memory_order_acquire)) return std::nullopt;
  auto const row = row_of[number(v)].load(std::memory_order_relaxed);
  if (row >= row_count || vertices[row] != v) return std::nullopt;
  return row;
}

std::uint32_t Vectors::Impl::rows_up_to(TxId tx) const noexcept {
  std::uint32_t low = 0;
  std::uint32_t high = published.load(std::memory_order_acquire);
  while (low < high) {
    auto const middle = low + (high - low) / 2;
    if (txs[middle] <= tx) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

namespace {

VectorRow row_from(std::span<float const> vector) {
  assert(vector.size() == Vectors::dimension);
  assert(std::all_of(vector.begin(), vector.end(), [](float each) { return std::isfinite(each); }));
  assert(std::any_of(vector.begin(), vector.end(), [](float each) { return each != 0; }));
  VectorRow row;
  std::copy(vector.begin(), vector.end(), row.components.begin());
  return row;
}

double square_of(VectorRow const& row) noexcept {
  double square = 0;
  impl::dot_products(&row, 1, impl::widened(row), &square);
  return square;
}

double similarity_of(double product, double square, double other_square) noexcept {
  return std::clamp(product / std::sqrt(square * other_square), 0.0, 1.0);  // sums that start at +0 are never -0
}

/// The order of an answer. Byte order of ids; equal ones are of two types, and then the earlier vertex comes first.
struct IsBefore {
  Snapshot const* snapshot;

  bool operator()(Match const& a, Match const& b) const {
    if (a.similarity != b.similarity) return a.similarity > b.similarity;
    auto const order = snapshot->id(a.vertex).compare(snapshot->id(b.vertex));
    return order != 0 ? order < 0 : number(a.vertex) < number(b.vertex);
  }
};

/// The best matches met so far: a heap with the last of them in front.
class Best {
 public:
  Best(Snapshot const& snapshot, std::size_t count) : is_before_{&snapshot}, count_{count} {}

  /// Ids and deletions are looked up for those only that may be among the best: few, but where similarities are equal.
  void offer(Match const& match) {
    if (is_full() && !is_before_(match, matches_.front())) return;
    if (is_before_.snapshot->is_deleted(match.vertex)) return;
    if (is_full()) drop_last();
    matches_.push_back(match);
    std::push_heap(matches_.begin(), matches_.end(), is_before_);
  }
  /// A match of less similarity is not taken in any more.
  [[nodiscard]] double least_similarity() const { return is_full() ? matches_.front().similarity : 0; }

  [[nodiscard]] std::vector<Match> take_sorted() {
    std::sort_heap(matches_.begin(), matches_.end(), is_before_);
    return std::move(matches_);
  }

 private:
  [[nodiscard]] bool is_full() const { return matches_.size() == count_; }
  void drop_last() {
    std::pop_heap(matches_.begin(), matches_.end(), is_before_);
    matches_.pop_back();
  }

  IsBefore is_before_;
  std::size_t count_;
  std::vector<Match> matches_;
};

/// Rows multiplied in one go. A power of two that divides the size of every chunk: aligned blocks lie in one chunk.
constexpr std::uint32_t block_rows = 64;

/// One search. Its members answer false where the interrupt said to stop.
template <class Columns>
class Scan {
 public:
  Scan(Columns const& columns, Nearest const& asked, schema::Interrupt const& interrupt)
      : columns_{&columns},
        row_count_{columns.rows_up_to(asked.snapshot.tx())},
        poll_{interrupt},
        best_{asked.snapshot, asked.count} {
    auto const row = row_from(asked.vector);
    asked_ = impl::widened(row);
    square_ = square_of(row);
  }

  bool look_at_all() { return look_at(0, row_count_); }

  /// In the order of rows: neighbours, such as the chunks of one document, are then multiplied together.
  bool look_at_these(std::span<VertexId const> vertices) {
    auto const rows = rows_of(vertices);
    if (poll_.has_stopped()) return false;
    for (std::size_t i = 0; i < rows.size();) {
      auto const begin = i++;
      while (i < rows.size() && rows[i] == rows[i - 1] + 1) ++i;
      if (!look_at(rows[begin], rows[i - 1] + 1)) return false;
    }
    return true;
  }

  [[nodiscard]] Error error() const { return poll_.error(); }
  [[nodiscard]] std::vector<Match> take_sorted() { return best_.take_sorted(); }

 private:
  /// Each visible row once, ascending.
  std::vector<std::uint32_t> rows_of(std::span<VertexId const> vertices) {
    std::vector<std::uint32_t> rows;
    for (auto const v : vertices) {
      if (poll_.must_stop()) return {};
      if (auto const row = columns_->find_row(v, row_count_)) rows.push_back(*row);
    }
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    return rows;
  }

  bool look_at(std::uint32_t begin, std::uint32_t end) {
    while (begin != end) {
      auto const block_end = std::min(end, (begin / block_rows + 1) * block_rows);
      look_at_block(begin, block_end);
      if (poll_.must_stop(block_end - begin)) return false;
      begin = block_end;
    }
    return true;
  }

  void look_at_block(std::uint32_t begin, std::uint32_t end) {
    std::array<double, block_rows> products;
    columns_->dot_products(&columns_->rows[begin], end - begin, asked_, products.data());
    for (auto row = begin; row != end; ++row) {
      double const product = products[row - begin];
      double const square = columns_->squares[row];
      if (product * std::fabs(product) < bound_ * square) continue;
      best_.offer({columns_->vertices[row], similarity_of(product, square_, square)});
      raise_bound();
    }
  }

  /// Dividing and taking a root take a third of the time of a product, so rows are first compared without: with t the
  /// least similarity still of use, one of p^2 < t^2 * square * its square has less than t, or p < 0 < t. The margin of
  /// 2^-40 is far above what a dozen roundings may have moved either side. Where t is 0, every row may be of use.
  void raise_bound() {
    double const least = best_.least_similarity();
    if (least > 0) bound_ = least * least * square_ * (1 - 0x1p-40);
  }

  Columns const* columns_;
  std::uint32_t row_count_;
  WideVector asked_;
  double square_;
  double bound_ = -std::numeric_limits<double>::infinity();  ///< see `raise_bound`
  schema::Poll poll_;
  Best best_;
};

}  // namespace

Vectors::Vectors() : impl_{std::make_unique<Impl>()} {}
Vectors::~Vectors() = default;

void Vectors::append(VertexId v, TxId tx, std::span<float const> vector) {
  auto const row = impl_->appended;
  assert(row == 0 || impl_->txs[row - 1] <= tx);
  assert(!impl_->find_row(v, row));
  impl_->ensure_row(row);
  impl_->rows[row] = row_from(vector);
  impl_->squares[row] = square_of(impl_->rows[row]);
  impl_->vertices[row] = v;
  impl_->txs[row] = tx;
  impl_->index(v, row);
  impl_->appended = row + 1;
}

void Vectors::publish() noexcept {
  impl_->published.store(impl_->appended, std::memory_order_release);
}

void Vectors::rollback() noexcept {
  impl_->appended = impl_->published.load(std::memory_order_relaxed);
}

Result<std::vector<Match>> Vectors::nearest(Nearest const& asked, schema::Interrupt const& interrupt) const {
  if (asked.count == 0) return std::vector<Match>{};
  Scan scan{*impl_, asked, interrupt};
  bool const is_complete = asked.among ? scan.look_at_these(*asked.among) : scan.look_at_all();
  if (!is_complete) return scan.error();
  return scan.take_sorted();
}

std::size_t Vectors::size() const noexcept {
  return impl_->published.load(std::memory_order_acquire);
}

std::uint64_t Vectors::bytes() const noexcept {
  constexpr auto row_bytes = sizeof(VectorRow) + sizeof(double) + sizeof(VertexId) + sizeof(TxId);
  return size() * row_bytes + impl_->indexed.load(std::memory_order_acquire) * sizeof(std::uint32_t);
}

}  // namespace whence::graph
