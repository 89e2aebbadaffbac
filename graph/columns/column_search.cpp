// Answering from columns. The order in which a search looks at what the following thread publishes decides that it
// misses nothing: first how many revisions were looked at, then how many rows there are, then how many revisions there
// are, then the values, then the rows.
#include "graph/columns/columns_impl.hpp"
#include "graph/columns/field_columns.hpp"
#include "graph/snapshot/access.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>
#include <numeric>
#include <shared_mutex>

namespace whence::graph {
namespace {

using impl::Column;
using impl::TypeColumns;
using schema::number;

enum class Verdict : std::uint8_t { no, yes, unknown };

constexpr std::uint32_t block_rows = 4096;
/// A step through the order of ids looks at memory here and there, as comparing the ids of two matches does.
constexpr std::size_t steps_a_match = 4;

/// What the codes of one column mean for one condition.
class Codes {
 public:
  Codes(impl::Storage const& storage, Column const& column, ColumnCondition const& condition) : column_{&column} {
    bool const has_hashed = column.hashed_rows.load(std::memory_order_relaxed) > 0;
    std::shared_lock const lock{column.mutex};
    verdicts_.assign(impl::code::first + column.dictionary.end(), Verdict::no);
    verdicts_[impl::code::by_record] = Verdict::unknown;
    if (condition.equals.empty()) {
      for (std::uint32_t text = 0; text < column.dictionary.end(); ++text) {
        if (!column.dictionary.is_used(text) || !condition.holds(column.dictionary.text(text))) continue;
        verdicts_[impl::code::first + text] = Verdict::yes;
      }
      all_hashed_ = has_hashed;
      return;
    }
    for (std::string const& text : condition.equals) {
      auto const hash = impl::hash_of(storage.hash_key, column.field->type, text);
      if (auto const known = column.dictionary.find(hash, text)) verdicts_[impl::code::first + *known] = Verdict::yes;
      hashes_.push_back(impl::code::of_hash(hash));
    }
  }

  [[nodiscard]] Column const& column() const noexcept { return *column_; }
  [[nodiscard]] Verdict of(std::uint32_t code) const noexcept {
    if (code < verdicts_.size()) return verdicts_[code];
    return of_hashed(code);
  }

 private:
  [[nodiscard]] Verdict of_hashed(std::uint32_t code) const noexcept {
    if (!impl::code::is_hashed(code)) return Verdict::unknown;  // of a row that came later
    bool const may_be = all_hashed_ || std::ranges::find(hashes_, code) != hashes_.end();
    return may_be ? Verdict::unknown : Verdict::no;
  }

  Column const* column_;
  std::vector<Verdict> verdicts_;  ///< by code
  std::vector<std::uint32_t> hashes_;
  bool all_hashed_ = false;
};

/// One look at the columns of a type.
class Looking {
 public:
  Looking(Snapshot const& snapshot, RecordType type, TypeColumns const& columns, std::uint64_t revisions_seen)
      : snapshot_{snapshot},
        columns_{columns},
        storage_{impl::Access::storage(snapshot)},
        vertices_{storage_.vertices_by_type[static_cast<std::size_t>(type)]},
        seen_{vertices_.count_below(snapshot.vertex_count())},
        rows_{std::min(columns.rows.load(std::memory_order_acquire), seen_)},
        has_hidden_{storage_.hidden_vertices[static_cast<std::size_t>(type)].as_of(number(snapshot.tx())) != 0} {
    auto const revisions = storage_.revision_rows.load(std::memory_order_acquire);
    for (auto at = revisions_seen; at < revisions; ++at) {
      VertexId const vertex{storage_.revisions[static_cast<std::uint32_t>(at)].vertex};
      if (snapshot.contains(vertex) && snapshot.type(vertex) == type) revised_.push_back(vertex);
    }
    std::ranges::sort(revised_);
    revised_.erase(std::unique(revised_.begin(), revised_.end()), revised_.end());
    while (!revised_.empty() && vertices_.count_below(number(revised_.back())) >= rows_) revised_.pop_back();
    has_gone_ = storage_.has_gone.load(std::memory_order_relaxed);
  }

  void add(Column const& column, ColumnCondition const& condition) { codes_.emplace_back(storage_, column, condition); }

  /// All rows.
  Result<ColumnMatches> all(ColumnAsked const& asked, schema::Poll& poll) const {
    ColumnMatches matches;
    bool const only_count = asked.only_count;
    bool const is_plain = !has_hidden_ && !has_gone_ && revised_.empty();
    std::array<Verdict, block_rows> verdicts{};
    for (std::uint32_t begin = 0; begin < rows_;) {
      auto const end = std::min(rows_, begin + block_rows);
      if (poll.must_stop(end - begin)) return poll.error();
      auto const length = judge(begin, end, verdicts);
      auto const judged = std::span<Verdict const>{verdicts}.first(length);
      if (!is_plain || std::ranges::find(judged, Verdict::unknown) != judged.end()) {
        take_some(begin, judged, only_count, matches);
      } else if (only_count) {
        matches.count += static_cast<std::uint64_t>(std::ranges::count(judged, Verdict::yes));
      } else {
        take_plain(begin, judged, matches);
      }
      begin += length;
    }
    for (VertexId const vertex : revised_) add_unknown(vertex, matches);
    for (auto row = rows_; row < seen_; ++row) {
      if (poll.must_stop()) return poll.error();
      add_unknown(VertexId{vertices_.at(row)}, matches);
    }
    if (!revised_.empty()) std::ranges::sort(matches.unknown);
    if (asked.first_by_id < matches.found.size()) matches.first = first_of(matches.found, asked);
    return matches;
  }

  /// Only those of `asked`, ascending.
  Result<ColumnMatches> among(std::span<VertexId const> asked, schema::Poll& poll) const {
    ColumnMatches matches;
    std::uint32_t row = 0;
    for (VertexId const vertex : asked) {
      if (poll.must_stop()) return poll.error();
      row = row_of(vertex, row);
      auto verdict = Verdict::unknown;
      if (row < rows_ && !is_revised(vertex)) verdict = verdict_of(row);
      take(vertex, verdict, false, matches);
    }
    return matches;
  }

  /// The first row from `row` on whose vertex is not below `vertex`: near `row`, mostly.
  [[nodiscard]] std::uint32_t row_of(VertexId vertex, std::uint32_t row) const {
    auto const wanted = number(vertex);
    if (row >= rows_ || vertices_.at(row) > wanted) row = 0;
    std::uint32_t step = 1;
    auto low = row;
    while (low + step < rows_ && vertices_.at(low + step) <= wanted) {
      low += step;
      step *= 2;
    }
    auto high = std::min(rows_, low + step);
    while (low < high) {
      auto const middle = low + (high - low) / 2;
      if (vertices_.at(middle) < wanted) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
  [[nodiscard]] bool is_known(std::uint32_t row, VertexId vertex) const {
    return row < rows_ && number(vertex) == vertices_.at(row) && !is_revised(vertex) &&
           !(has_gone_ && storage_.gone_of(number(vertex)) != 0);
  }

 private:
  /// What the first of `found` are among (`ColumnMatches::first`): found by going through the order of ids, unless most
  /// of it would have to be gone through.
  [[nodiscard]] std::optional<std::vector<VertexId>> first_of(std::span<VertexId const> found,
                                                              ColumnAsked const& asked) const {
    auto const order = columns_.by_id.rows();
    auto const ordered_rows = std::min(rows_, static_cast<std::uint32_t>(order->size()));
    ColumnMatches taken;
    auto const steps_max = std::min(order->size(), found.size() / steps_a_match);
    for (std::size_t step = 0; step < order->size() && taken.found.size() < asked.first_by_id; ++step) {
      if (step == steps_max && step < order->size()) return std::nullopt;
      auto const row = (*order)[asked.is_descending ? order->size() - 1 - step : step];
      if (row >= rows_) continue;
      VertexId const vertex{vertices_.at(row)};
      if (verdict_of(row) == Verdict::yes && !is_revised(vertex)) take(vertex, Verdict::yes, false, taken);
    }
    auto const unordered = std::ranges::lower_bound(
        found, ordered_rows < rows_ ? VertexId{vertices_.at(ordered_rows)} : VertexId{snapshot_.vertex_count()});
    taken.found.insert(taken.found.end(), unordered, found.end());
    return std::move(taken.found);
  }

  /// Judges the rows from `begin` on that lie together; returns how many.
  std::uint32_t judge(std::uint32_t begin, std::uint32_t end, std::span<Verdict> verdicts) const {
    auto length = end - begin;
    for (std::size_t i = 0; i < codes_.size(); ++i) {
      auto const run = codes_[i].column().codes.run(begin, begin + length);
      length = static_cast<std::uint32_t>(run.size());
      for (std::uint32_t at = 0; at < length; ++at) {
        auto const verdict = codes_[i].of(run[at].load(std::memory_order_relaxed));
        verdicts[at] = i == 0 ? verdict : both(verdicts[at], verdict);
      }
    }
    return length;
  }

  [[nodiscard]] Verdict verdict_of(std::uint32_t row) const {
    auto verdict = Verdict::yes;
    for (Codes const& codes : codes_) {
      verdict = both(verdict, codes.of(codes.column().codes[row].load(std::memory_order_relaxed)));
    }
    return verdict;
  }

  static Verdict both(Verdict a, Verdict b) noexcept {
    if (a == Verdict::no || b == Verdict::no) return Verdict::no;
    return a == Verdict::yes ? b : a;
  }

  /// The vertices of the rows from `begin` on. The list has chunks of the same sizes as a column, so that what lies
  /// together there does so here.
  [[nodiscard]] std::span<std::atomic<std::uint32_t> const> vertices_at(std::uint32_t begin, std::size_t length) const {
    return vertices_.run(begin, begin + static_cast<std::uint32_t>(length));
  }

  /// Every row that is a match. Without a branch for each, which nothing could foresee.
  void take_plain(std::uint32_t begin, std::span<Verdict const> verdicts, ColumnMatches& matches) const {
    auto const run = vertices_at(begin, verdicts.size());
    auto size = matches.found.size();
    matches.found.resize(size + verdicts.size());
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      matches.found[size] = VertexId{run[i].load(std::memory_order_relaxed)};
      size += verdicts[i] == Verdict::yes ? 1 : 0;
    }
    matches.found.resize(size);
    matches.count = size;
  }

  /// The same where something was revised, deleted or gone, or is unknown.
  void take_some(std::uint32_t begin, std::span<Verdict const> verdicts, bool only_count,
                 ColumnMatches& matches) const {
    auto const run = vertices_at(begin, verdicts.size());
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      if (verdicts[i] == Verdict::no) continue;
      VertexId const vertex{run[i].load(std::memory_order_relaxed)};
      if (!is_revised(vertex)) take(vertex, verdicts[i], only_count, matches);
    }
  }

  void take(VertexId vertex, Verdict verdict, bool only_count, ColumnMatches& matches) const {
    if (verdict == Verdict::no) return;
    if (verdict == Verdict::unknown || (has_gone_ && storage_.gone_of(number(vertex)) != 0)) {
      return add_unknown(vertex, matches);
    }
    if (has_hidden_ && snapshot_.is_deleted(vertex)) return;
    ++matches.count;
    if (!only_count) matches.found.push_back(vertex);
  }

  /// What is gone says nothing that a condition could hold for.
  void add_unknown(VertexId vertex, ColumnMatches& matches) const {
    if (has_hidden_ && snapshot_.is_deleted(vertex)) return;
    if (has_gone_ && snapshot_.gone(vertex)) return;
    matches.unknown.push_back(vertex);
  }

  [[nodiscard]] bool is_revised(VertexId vertex) const {
    return !revised_.empty() && std::ranges::binary_search(revised_, vertex);
  }

  Snapshot const& snapshot_;
  TypeColumns const& columns_;
  impl::Storage const& storage_;
  impl::MonotoneList<std::uint32_t> const& vertices_;
  std::uint32_t const seen_;  ///< vertices of the type in the snapshot
  std::uint32_t const rows_;  ///< of these in the columns
  bool const has_hidden_;
  bool has_gone_ = false;
  std::vector<VertexId> revised_;  ///< since the columns were looked at last; sorted, all of them in rows
  std::vector<Codes> codes_;
};

/// Nothing where the columns do not serve.
std::optional<Looking> look(Snapshot const& snapshot, RecordType type, TypeColumns const* columns,
                            std::atomic<bool> const& is_built, std::atomic<std::uint64_t> const& revisions_seen,
                            std::span<ColumnCondition const> conditions) {
  if (columns == nullptr || !is_built.load(std::memory_order_acquire)) return std::nullopt;
  auto const revisions = revisions_seen.load(std::memory_order_acquire);
  std::optional<Looking> looking{std::in_place, snapshot, type, *columns, revisions};
  for (ColumnCondition const& condition : conditions) {
    Column const* const column = columns->find(condition.field);
    if (column == nullptr || column->is_of_numbers()) return std::nullopt;
    looking->add(*column, condition);
  }
  return looking;
}

std::vector<std::size_t> all_places(std::size_t count) {
  std::vector<std::size_t> places(count);
  std::iota(places.begin(), places.end(), std::size_t{0});
  return places;
}

}  // namespace

Result<std::optional<ColumnMatches>> FieldColumns::find(Snapshot const& snapshot, RecordType type,
                                                        std::span<ColumnCondition const> conditions,
                                                        ColumnAsked const& asked, schema::Poll& poll) const {
  auto const looking = look(snapshot, type, impl_->of(type), impl_->is_built, impl_->revisions_seen, conditions);
  if (!looking) return std::optional<ColumnMatches>{};
  auto found = looking->all(asked, poll);
  if (!found) return found.error();
  return std::optional{std::move(*found)};
}

Result<std::optional<ColumnMatches>> FieldColumns::filter(Snapshot const& snapshot, RecordType type,
                                                          std::span<ColumnCondition const> conditions,
                                                          std::span<VertexId const> vertices,
                                                          schema::Poll& poll) const {
  auto const looking = look(snapshot, type, impl_->of(type), impl_->is_built, impl_->revisions_seen, conditions);
  if (!looking) return std::optional<ColumnMatches>{};
  auto found = looking->among(vertices, poll);
  if (!found) return found.error();
  return std::optional{std::move(*found)};
}

Result<std::vector<std::size_t>> FieldColumns::read(
    Snapshot const& snapshot, RecordType type, std::string_view field, std::span<VertexId const> vertices,
    schema::Poll& poll, std::function<void(std::size_t, std::optional<std::string_view> const&)> const& visit) const {
  std::vector<std::size_t> unknown;
  auto const* const columns = impl_->of(type);
  auto const* const column = columns == nullptr ? nullptr : columns->find(field);
  auto const looking = look(snapshot, type, columns, impl_->is_built, impl_->revisions_seen, {});
  if (!looking || column == nullptr || column->is_of_numbers()) return all_places(vertices.size());
  std::shared_lock const lock{column->mutex};  // a text stays as long as somebody looks
  std::uint32_t row = 0;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    if (poll.must_stop()) return poll.error();
    row = looking->row_of(vertices[i], row);
    auto const is_known = looking->is_known(row, vertices[i]);
    auto const code = is_known ? column->codes[row].load(std::memory_order_relaxed) : impl::code::by_record;
    if (code == impl::code::none) {
      visit(i, std::nullopt);
    } else if (code == impl::code::by_record || impl::code::is_hashed(code)) {
      unknown.push_back(i);
    } else {
      visit(i, column->dictionary.text(code - impl::code::first));
    }
  }
  return unknown;
}

Result<std::vector<std::size_t>> FieldColumns::read_numbers(
    Snapshot const& snapshot, RecordType type, std::string_view field, std::span<VertexId const> vertices,
    schema::Poll& poll, std::function<void(std::size_t, std::optional<double>)> const& visit) const {
  auto const* const columns = impl_->of(type);
  auto const* const column = columns == nullptr ? nullptr : columns->find(field);
  auto const looking = look(snapshot, type, columns, impl_->is_built, impl_->revisions_seen, {});
  if (!looking || column == nullptr || !column->is_of_numbers()) return all_places(vertices.size());
  std::vector<std::size_t> unknown;
  std::uint32_t row = 0;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    if (poll.must_stop()) return poll.error();
    row = looking->row_of(vertices[i], row);
    auto const bits = looking->is_known(row, vertices[i]) ? column->numbers[row].load(std::memory_order_relaxed)
                                                          : impl::number_bits::by_record;
    if (bits == impl::number_bits::by_record) {
      unknown.push_back(i);
    } else {
      visit(i, bits == impl::number_bits::none ? std::nullopt : std::optional{std::bit_cast<double>(bits)});
    }
  }
  return unknown;
}

}  // namespace whence::graph
