// Columns as one run of bytes: for each type its rows in the order of ids, then for each field the texts and the codes,
// or the numbers.
// How many rows have a text is counted again, and its hash is made again, so that only places can be wrong.
#include "graph/columns/columns_impl.hpp"
#include "graph/columns/field_columns.hpp"
#include "graph/image/image.hpp"
#include "graph/snapshot/access.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <limits>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

namespace whence::graph {
namespace {

using impl::ChunkedArray;
using impl::Column;
using impl::Dictionary;
using impl::TypeColumns;
using schema::number;

constexpr std::uint32_t rows_written_at_once = 1U << 16U;

struct ColumnsHead {
  impl::HashKey hash_key = {};
  std::uint64_t tx = 0;
};

class ColumnsWriter {
 public:
  explicit ColumnsWriter(ImageSink& sink) : sink_{sink} {}

  [[nodiscard]] bool put(std::span<std::byte const> bytes) { return bytes.empty() || sink_.write(bytes); }
  template <class T>
  [[nodiscard]] bool put(T const& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    return put(std::as_bytes(std::span{&value, 1}));
  }

  [[nodiscard]] bool type(TypeColumns const& columns) {
    auto const rows = columns.rows.load(std::memory_order_relaxed);
    auto const by_id = columns.by_id.rows();
    auto const ordered = static_cast<std::uint32_t>(by_id->size());
    return put(rows) && put(ordered) && put(std::as_bytes(std::span{*by_id})) &&
           std::ranges::all_of(columns.columns, [&](Column const& each) { return column(each, rows); });
  }

 private:
  [[nodiscard]] bool column(Column const& column, std::uint32_t rows) {
    if (column.is_of_numbers()) return values(column.numbers, rows);
    return texts(column) && values(column.codes, rows);
  }

  [[nodiscard]] bool texts(Column const& column) {
    auto const& dictionary = column.dictionary;  // this thread alone changes it
    std::vector<std::uint32_t> sizes(dictionary.end());
    std::string all;
    for (std::uint32_t text = 0; text < dictionary.end(); ++text) {
      sizes[text] = static_cast<std::uint32_t>(dictionary.text(text).size());
      all += dictionary.text(text);
    }
    return put(dictionary.end()) && put(std::as_bytes(std::span{sizes})) && put(std::as_bytes(std::span{all}));
  }

  template <class T>
  [[nodiscard]] bool values(ChunkedArray<std::atomic<T>> const& of, std::uint32_t rows) {
    std::vector<T> some;
    for (std::uint32_t row = 0; row < rows; row += static_cast<std::uint32_t>(some.size())) {
      some.clear();
      for (auto at = row; at < std::min<std::uint64_t>(rows, std::uint64_t{row} + rows_written_at_once); ++at)
        some.push_back(of[at].load(std::memory_order_relaxed));
      if (!put(std::as_bytes(std::span{some}))) return false;
    }
    return true;
  }

  ImageSink& sink_;
};

/// What an image has of a field, and of a type.
struct TakenColumn {
  ChunkedArray<std::atomic<std::uint32_t>> codes = {};
  ChunkedArray<std::atomic<std::uint64_t>> numbers = {};
  Dictionary dictionary = {};
  std::uint32_t hashed_rows = 0;
};
struct TakenType {
  std::uint32_t rows = 0;
  impl::IdOrder::Rows by_id = {};
  std::vector<TakenColumn> columns = {};

  /// Nobody looks at the codes of a type without rows.
  void move_to(TypeColumns& type) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      Column& column = type.columns[i];
      std::scoped_lock const lock{column.mutex};
      column.codes = std::move(columns[i].codes);
      column.numbers = std::move(columns[i].numbers);
      column.dictionary = std::move(columns[i].dictionary);
      column.hashed_rows.store(columns[i].hashed_rows, std::memory_order_relaxed);
    }
    type.by_id.take(std::move(by_id));
    type.rows.store(rows, std::memory_order_release);
  }
};

class ColumnsReader {
 public:
  ColumnsReader(impl::Storage const& storage, std::span<std::byte const> image) : storage_{storage}, rest_{image} {}

  [[nodiscard]] bool is_at_end() const noexcept { return rest_.empty(); }

  template <class T>
  [[nodiscard]] bool take(T& value) {
    auto const bytes = take_bytes(sizeof value);
    if (bytes.size() != sizeof value) return false;
    std::memcpy(&value, bytes.data(), sizeof value);
    return true;
  }

  /// The columns of the first vertices of a type, at most `rows_max`.
  [[nodiscard]] std::optional<TakenType> type(TypeColumns const& wanted, std::uint32_t rows_max) {
    TakenType taken;
    std::uint32_t ordered = 0;
    if (!take(taken.rows) || !take(ordered) || taken.rows > rows_max || ordered > taken.rows) return std::nullopt;
    if (!take_all(taken.by_id, ordered)) return std::nullopt;
    if (std::ranges::any_of(taken.by_id, [&](std::uint32_t row) { return row >= ordered; })) return std::nullopt;
    for (Column const& each : wanted.columns) {
      auto& column = taken.columns.emplace_back();
      auto const is_good = each.is_of_numbers() ? numbers(taken.rows, column) : texts(*each.field, taken.rows, column);
      if (!is_good) return std::nullopt;
    }
    return taken;
  }

 private:
  [[nodiscard]] bool numbers(std::uint32_t rows, TakenColumn& column) {
    std::vector<std::uint64_t> all;
    if (!take_all(all, rows)) return false;
    column.numbers.ensure_all(rows);
    for (std::uint32_t row = 0; row < rows; ++row) column.numbers[row].store(all[row], std::memory_order_relaxed);
    return true;
  }

  [[nodiscard]] bool texts(schema::IndexedField const& field, std::uint32_t rows, TakenColumn& column) {
    std::uint32_t count = 0;
    std::vector<std::uint32_t> sizes;
    std::vector<std::uint32_t> codes;
    if (!take(count) || !take_all(sizes, count)) return false;
    std::vector<std::string> known(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      auto const bytes = take_bytes(sizes[i]);
      if (bytes.size() != sizes[i]) return false;
      known[i].assign(reinterpret_cast<char const*>(bytes.data()), bytes.size());
    }
    if (!take_all(codes, rows)) return false;
    std::vector<std::uint32_t> rows_of(count);
    column.codes.ensure_all(rows);
    for (std::uint32_t row = 0; row < rows; ++row) {
      auto const code = codes[row];
      column.codes[row].store(code, std::memory_order_relaxed);
      if (impl::code::is_hashed(code)) {
        ++column.hashed_rows;
      } else if (code >= impl::code::first) {
        if (code - impl::code::first >= count) return false;
        ++rows_of[code - impl::code::first];
      }
    }
    column.dictionary.fill(std::move(known), rows_of,
                           [&](std::string_view text) { return impl::hash_of(storage_.hash_key, field.type, text); });
    return true;
  }

  template <class T>
  [[nodiscard]] bool take_all(std::vector<T>& values, std::uint32_t count) {
    auto const bytes = take_bytes(std::uint64_t{count} * sizeof(T));
    if (bytes.size() != std::uint64_t{count} * sizeof(T)) return false;
    values.resize(count);
    std::ranges::copy(bytes, std::as_writable_bytes(std::span{values}).begin());
    return true;
  }

  /// The next `count` bytes; none where there are fewer.
  [[nodiscard]] std::span<std::byte const> take_bytes(std::uint64_t count) {
    if (count > rest_.size()) return {};
    auto const bytes = rest_.first(count);
    rest_ = rest_.subspan(count);
    return bytes;
  }

  impl::Storage const& storage_;
  std::span<std::byte const> rest_;
};

/// The first revision of a later transaction than `tx`: they are in order of time.
std::uint64_t revisions_until(impl::Storage const& storage, std::uint64_t tx) {
  std::uint64_t low = 0;
  std::uint64_t high = storage.revision_rows.load(std::memory_order_acquire);
  while (low < high) {
    auto const middle = low + (high - low) / 2;
    if (storage.revisions[static_cast<std::uint32_t>(middle)].tx <= tx) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace

bool FieldColumns::write_image(Snapshot const& snapshot, ImageSink& sink) const {
  Impl const& my = *impl_;
  auto const& storage = impl::Access::storage(snapshot);
  if (snapshot.tx() != my.followed || storage.gone_changes.load(std::memory_order_acquire) != my.gone_seen)
    return false;
  ColumnsWriter writer{sink};
  return writer.put(ColumnsHead{.hash_key = storage.hash_key, .tx = schema::number(my.followed)}) &&
         std::ranges::all_of(my.types, [&](auto const& type) { return !type || writer.type(*type); });
}

bool FieldColumns::take_image(Snapshot const& snapshot, std::span<std::byte const> image) {
  auto const begin = std::chrono::steady_clock::now();
  auto const& storage = impl::Access::storage(snapshot);
  ColumnsReader reader{storage, image};
  ColumnsHead head;
  if (!reader.take(head) || head.tx > number(snapshot.tx())) return false;
  auto const past = snapshot.as_of(TxId{head.tx});
  Impl& my = *impl_;
  std::vector<std::pair<TypeColumns*, TakenType>> types;
  for (std::size_t type = 0; type < my.types.size(); ++type) {
    if (!my.types[type]) continue;
    auto taken = reader.type(*my.types[type], storage.vertices_by_type[type].count_below(past.vertex_count()));
    if (!taken) return false;
    bool const has_hashed =
        std::ranges::any_of(taken->columns, [](TakenColumn const& each) { return each.hashed_rows > 0; });
    if (has_hashed && head.hash_key != storage.hash_key) return false;
    types.emplace_back(my.types[type].get(), std::move(*taken));
  }
  if (!reader.is_at_end()) return false;
  for (auto& [type, taken] : types) taken.move_to(*type);
  my.followed = past.tx();
  my.revisions_seen.store(revisions_until(storage, head.tx), std::memory_order_release);
  my.gone_seen = std::numeric_limits<std::uint64_t>::max();  // each row is looked at once
  my.build_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  my.is_built.store(true, std::memory_order_release);  // what came since is unknown to it, and what went is seen
  return true;
}

std::uint64_t FieldColumns::image_layout() noexcept {
  std::uint64_t sum = 1;  // changes with the order of parts and with the meaning of codes
  auto const add = [&sum](std::uint64_t value) { sum = (sum ^ value) * 0x9e37'79b9'7f4a'7c15 + (sum >> 29U); };
  add(std::endian::native == std::endian::little ? 1 : 2);
  add(sizeof(ColumnsHead));
  for (schema::IndexedField const& field : schema::indexed_fields()) {
    for (auto const letter : schema::name_of(field.type)) add(static_cast<unsigned char>(letter));
    for (auto const letter : field.name) add(static_cast<unsigned char>(letter));
    add(field.number != nullptr ? 1 : field.is_list ? 2 : 3);
  }
  return sum;
}

}  // namespace whence::graph
