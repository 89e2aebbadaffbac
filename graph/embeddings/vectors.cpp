// Storage in columns by row, and the scan over them.
#include "graph/embeddings/vectors.hpp"

#include "graph/embeddings/dot.hpp"
#include "graph/embeddings/rows.hpp"
#include "graph/storage/chunked.hpp"
#include "schema/base/limits.hpp"
#include "schema/base/poll.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace whence::graph {

using impl::AlignedNumbers;
using impl::ChunkedArray;
using impl::DotProducts;
using schema::number;

namespace {

/// Where the embedding of a vertex is: the number of its space, and its row there.
struct Home {
  std::uint32_t space;
  std::uint32_t row;
};

constexpr std::uint64_t packed(Home home) noexcept {
  return std::uint64_t{home.space} << 32 | home.row;
}
constexpr Home unpacked(std::uint64_t home) noexcept {
  return {static_cast<std::uint32_t>(home >> 32), static_cast<std::uint32_t>(home)};
}

[[maybe_unused]] bool is_sound(std::span<float const> vector) {
  return !vector.empty() && vector.size() <= schema::limits::embedding_dimension_max &&
         std::all_of(vector.begin(), vector.end(), [](float each) { return std::isfinite(each); }) &&
         std::any_of(vector.begin(), vector.end(), [](float each) { return each != 0; });
}

}  // namespace

/// The embeddings of one model and dimension. Rows are numbered in order of appending.
///
/// Invariants: 1. rows below `published` never change; those at or above it only the writer touches. 2. `txs` ascends,
/// so a snapshot sees a prefix of the rows.
struct Vectors::Space {
  Space(SpaceName const& name, std::uint32_t place)
      : model{name.model}, dimension{name.dimension}, number{place}, rows{name.dimension} {}

  std::string const model;
  std::size_t const dimension;
  std::uint32_t const number;  ///< its place among the spaces
  impl::Rows rows;
  ChunkedArray<double> squares;  ///< each row's inner product with itself
  ChunkedArray<VertexId> vertices;
  ChunkedArray<TxId> txs;
  std::atomic<std::uint32_t> published = 0;
  std::uint32_t appended = 0;  ///< the writer's; at least `published`

  [[nodiscard]] SpaceName name() const noexcept { return {model, dimension}; }
  [[nodiscard]] std::uint32_t rows_up_to(TxId tx) const noexcept;
};

std::uint32_t Vectors::Space::rows_up_to(TxId tx) const noexcept {
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

/// Invariants: 1. `home_of[v]` is where the embedding of `v` is if it has one, else anything: it counts only where that
/// row is visible and names `v`. So a rollback need not clean it, and a reader may meet what the writer is about to
/// publish. 2. `home_of` has entries for the vertices below `indexed`. 3. the first `space_count` spaces are there for
/// good, a rollback leaves them without rows.
struct Vectors::Impl {
  std::array<std::unique_ptr<Space>, schema::limits::embedding_spaces_max> spaces;
  std::atomic<std::uint32_t> space_count = 0;
  std::vector<Space*> touched;                       ///< the writer's: those with rows that are not published
  ChunkedArray<std::atomic<std::uint64_t>> home_of;  ///< by vertex, packed
  std::atomic<std::uint32_t> indexed = 0;
  DotProducts const dot_products = impl::fastest_dot_products();

  [[nodiscard]] std::span<std::unique_ptr<Space> const> all() const noexcept {
    return {spaces.data(), space_count.load(std::memory_order_acquire)};
  }
  [[nodiscard]] Space* find(SpaceName const& name) const noexcept;
  Space& ensure(SpaceName const& name);
  void index(VertexId v, Home home);
  [[nodiscard]] std::optional<std::uint32_t> find_row(VertexId v, Space const& space,
                                                      std::uint32_t row_count) const noexcept;
  /// Whether the row is the last that `v` was given: those before it are gone.
  [[nodiscard]] bool is_latest(VertexId v, Space const& space, std::uint32_t row) const noexcept {
    auto const home = unpacked(home_of[number(v)].load(std::memory_order_relaxed));
    return home.space == space.number && home.row == row;
  }
  [[nodiscard]] double product(float const* row, std::size_t length, AlignedNumbers<double> const& asked) const;
};

Vectors::Space* Vectors::Impl::find(SpaceName const& name) const noexcept {
  for (auto const& space : all()) {
    if (space->dimension == name.dimension && space->model == name.model) return space.get();
  }
  return nullptr;
}

Vectors::Space& Vectors::Impl::ensure(SpaceName const& name) {
  if (auto* const known = find(name)) return *known;
  auto const count = space_count.load(std::memory_order_relaxed);
  assert(count < spaces.size());
  spaces[count] = std::make_unique<Space>(name, count);
  space_count.store(count + 1, std::memory_order_release);
  return *spaces[count];
}

void Vectors::Impl::index(VertexId v, Home home) {
  auto end = indexed.load(std::memory_order_relaxed);
  for (; end <= number(v); ++end) home_of.ensure(end);
  indexed.store(end, std::memory_order_release);
  home_of[number(v)].store(packed(home), std::memory_order_relaxed);
}

/// The row of `v` among the first `row_count` of a space, which are the writer's own or published.
std::optional<std::uint32_t> Vectors::Impl::find_row(VertexId v, Space const& space,
                                                     std::uint32_t row_count) const noexcept {
  if (number(v) >= indexed.load(std::memory_order_acquire)) return std::nullopt;
  auto const home = unpacked(home_of[number(v)].load(std::memory_order_relaxed));
  if (home.space != space.number || home.row >= row_count || space.vertices[home.row] != v) return std::nullopt;
  return home.row;
}

double Vectors::Impl::product(float const* row, std::size_t length, AlignedNumbers<double> const& asked) const {
  double product = 0;
  dot_products(row, 1, length, asked.get(), &product);
  return product;
}

namespace {

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
    if (is_before_.snapshot->is_deleted(match.vertex) || is_before_.snapshot->gone(match.vertex)) return;
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

/// One search. Its members answer false where the interrupt said to stop.
template <class Columns, class Space>
class Scan {
 public:
  Scan(Columns const& columns, Space const& space, Nearest const& asked, schema::Interrupt const& interrupt)
      : columns_{&columns},
        space_{&space},
        row_count_{space.rows_up_to(asked.snapshot.tx())},
        asked_{impl::padded_copy<double>(asked.vector)},
        poll_{interrupt},
        best_{asked.snapshot, asked.count} {
    square_ = columns.product(impl::padded_copy<float>(asked.vector).get(), space.rows.length(), asked_);
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
      if (auto const row = columns_->find_row(v, *space_, row_count_)) rows.push_back(*row);
    }
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    return rows;
  }

  static constexpr auto block_rows = impl::Rows::block_rows;  ///< multiplied in one go

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
    columns_->dot_products(space_->rows[begin], end - begin, space_->rows.length(), asked_.get(), products.data());
    for (auto row = begin; row != end; ++row) {
      double const product = products[row - begin];
      double const square = space_->squares[row];
      if (product * std::fabs(product) < bound_ * square) continue;
      if (!columns_->is_latest(space_->vertices[row], *space_, row)) continue;
      best_.offer({space_->vertices[row], similarity_of(product, square_, square)});
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
  Space const* space_;
  std::uint32_t row_count_;
  AlignedNumbers<double> asked_;
  double square_ = 0;
  double bound_ = -std::numeric_limits<double>::infinity();  ///< see `raise_bound`
  schema::Poll poll_;
  Best best_;
};

}  // namespace

Vectors::Vectors() : impl_{std::make_unique<Impl>()} {}
Vectors::~Vectors() = default;

void Vectors::append(VertexId v, TxId tx, std::span<float const> vector, std::string_view model) {
  assert(is_sound(vector));
  auto& space = impl_->ensure({model, vector.size()});
  auto const row = space.appended;
  assert(row == 0 || space.txs[row - 1] <= tx);
  space.rows.write(row, vector);
  space.squares.ensure(row);
  space.vertices.ensure(row);
  space.txs.ensure(row);
  space.squares[row] = impl_->product(space.rows[row], space.rows.length(), impl::padded_copy<double>(vector));
  space.vertices[row] = v;
  space.txs[row] = tx;
  impl_->index(v, {space.number, row});
  if (row == space.published.load(std::memory_order_relaxed)) impl_->touched.push_back(&space);
  space.appended = row + 1;
}

bool Vectors::has_room(std::vector<SpaceName> names) const {
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::erase_if(names, [&](SpaceName const& name) { return impl_->find(name) != nullptr; });
  return impl_->all().size() + names.size() <= schema::limits::embedding_spaces_max;
}

void Vectors::publish() noexcept {
  for (auto* const space : impl_->touched) space->published.store(space->appended, std::memory_order_release);
  impl_->touched.clear();
}

void Vectors::rollback() noexcept {
  for (auto* const space : impl_->touched) space->appended = space->published.load(std::memory_order_relaxed);
  impl_->touched.clear();
}

Result<std::vector<Match>> Vectors::nearest(Nearest const& asked, schema::Interrupt const& interrupt) const {
  assert(is_sound(asked.vector));
  auto const* const space = impl_->find({asked.model, asked.vector.size()});
  if (asked.count == 0 || space == nullptr) return std::vector<Match>{};
  Scan scan{*impl_, *space, asked, interrupt};
  bool const is_complete = asked.among ? scan.look_at_these(*asked.among) : scan.look_at_all();
  if (!is_complete) return scan.error();
  return scan.take_sorted();
}

std::vector<std::size_t> Vectors::dimensions(Snapshot const& snapshot, std::string_view model) const {
  std::vector<std::size_t> found;
  for (auto const& space : impl_->all()) {
    if (space->model == model && space->rows_up_to(snapshot.tx()) != 0) found.push_back(space->dimension);
  }
  std::ranges::sort(found);
  return found;
}

std::size_t Vectors::size() const noexcept {
  std::size_t count = 0;
  for (auto const& space : impl_->all()) count += space->published.load(std::memory_order_acquire);
  return count;
}

std::uint64_t Vectors::bytes() const noexcept {
  std::uint64_t bytes = impl_->indexed.load(std::memory_order_acquire) * sizeof(std::uint64_t);
  for (auto const& space : impl_->all()) {
    auto const row_bytes = space->rows.length() * sizeof(float) + sizeof(double) + sizeof(VertexId) + sizeof(TxId);
    bytes += space->published.load(std::memory_order_acquire) * row_bytes;
  }
  return bytes;
}

}  // namespace whence::graph
