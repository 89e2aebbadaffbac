// Following the graph: new vertices get their codes, revisions and contents that went make rows depend on the record.
#include "graph/columns/columns_impl.hpp"
#include "graph/columns/field_columns.hpp"
#include "graph/snapshot/access.hpp"
#include "graph/snapshot/records.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <shared_mutex>

namespace whence::graph {
namespace {

using impl::Column;
using impl::TypeColumns;
using schema::number;

constexpr std::uint32_t rows_at_once = 1000;
/// A vertex with more revisions is not looked at: its record decides.
constexpr std::size_t revisions_looked_at = 64;

std::uint64_t hash_in(impl::Storage const& storage, Column const& column, std::string_view text) {
  return impl::hash_of(storage.hash_key, column.field->type, text);
}

impl::Dictionary::Room room_at(std::size_t rows, ColumnRoom const& room) {
  return {std::max(room.values_min, rows / room.rows_a_value), std::max(room.bytes_min, rows * room.bytes_a_row)};
}

/// The code for one more row that has `text`.
std::uint32_t take_code(impl::Storage const& storage, Column& column, std::optional<std::string_view> text,
                        impl::Dictionary::Room const& room) {
  if (!text) return impl::code::none;
  auto const hash = hash_in(storage, column, *text);
  std::scoped_lock const lock{column.mutex};
  auto const known = column.dictionary.take(hash, *text, room);
  if (known) return impl::code::first + *known;
  column.hashed_rows.fetch_add(1, std::memory_order_relaxed);
  return impl::code::of_hash(hash);
}

/// Writes a row of one column before it is published. `record` is null where it is not whole.
void put_row(impl::Storage const& storage, Column& column, std::uint32_t row, schema::Record const* record,
             impl::Dictionary::Room const& room) {
  if (column.is_of_numbers()) {
    column.numbers.ensure(row);
    auto const bits =
        record == nullptr ? impl::number_bits::by_record : impl::number_bits::of(column.field->number(*record));
    return column.numbers[row].store(bits, std::memory_order_relaxed);
  }
  column.codes.ensure(row);
  std::string made;
  auto const code =
      record == nullptr ? impl::code::by_record : take_code(storage, column, column.field->text(*record, made), room);
  column.codes[row].store(code, std::memory_order_relaxed);
}

bool is_by_record(Column const& column, std::uint32_t row) {
  if (column.is_of_numbers()) {
    return column.numbers[row].load(std::memory_order_relaxed) == impl::number_bits::by_record;
  }
  return column.codes[row].load(std::memory_order_relaxed) == impl::code::by_record;
}

/// Whether something else stood there.
bool set_by_record(impl::Storage const& storage, TypeColumns& type, std::uint32_t row) {
  bool is_new = false;
  for (Column& column : type.columns) {
    if (column.is_of_numbers()) {
      is_new = !is_by_record(column, row) || is_new;
      column.numbers[row].store(impl::number_bits::by_record, std::memory_order_relaxed);
      continue;
    }
    auto const before = column.codes[row].exchange(impl::code::by_record, std::memory_order_relaxed);
    is_new = is_new || before != impl::code::by_record;
    if (impl::code::is_hashed(before)) column.hashed_rows.fetch_sub(1, std::memory_order_relaxed);
    if (impl::code::is_hashed(before) || before < impl::code::first) continue;
    std::scoped_lock const lock{column.mutex};
    auto const text = before - impl::code::first;
    column.dictionary.release(text, hash_in(storage, column, column.dictionary.text(text)));
  }
  return is_new;
}

/// Whether each column of the row says what `record` does.
bool is_same(TypeColumns const& type, std::uint32_t row, schema::Record const& record) {
  return std::ranges::all_of(type.columns, [&](Column const& column) {
    if (column.is_of_numbers()) {
      return column.numbers[row].load(std::memory_order_relaxed) == impl::number_bits::of(column.field->number(record));
    }
    auto const code = column.codes[row].load(std::memory_order_relaxed);
    std::string made;
    auto const text = column.field->text(record, made);
    if (code < impl::code::first) return code == impl::code::none && !text;
    if (!text) return false;
    if (impl::code::is_hashed(code)) return false;                     // it might be another value of that hash
    return column.dictionary.text(code - impl::code::first) == *text;  // this thread alone changes it
  });
}

/// One call of `follow`.
class Following {
 public:
  Following(Snapshot const& snapshot, schema::RecordReader const& reader, std::stop_token const& stop, TxId before)
      : snapshot_{snapshot}, storage_{impl::Access::storage(snapshot)}, reader_{reader}, stop_{stop}, before_{before} {}

  /// Appends rows for the vertices of `type` that have none yet.
  Result<void> append(RecordType type, TypeColumns& columns, ColumnRoom const& room) const {
    auto const& vertices = storage_.vertices_by_type[static_cast<std::size_t>(type)];
    auto const end = vertices.count_below(snapshot_.vertex_count());
    std::vector<VertexId> slice;
    for (auto row = columns.rows.load(std::memory_order_relaxed); row < end && !stop_.stop_requested();) {
      slice.clear();
      for (auto at = row; at < std::min(end, row + rows_at_once); ++at) slice.push_back(VertexId{vertices.at(at)});
      auto read = read_records(snapshot_, reader_, slice, [&](std::size_t i, Said&& said) {
        auto const at = row + static_cast<std::uint32_t>(i);
        auto const* const record = said.find();
        bool const is_whole = record != nullptr && storage_.gone_of(number(slice[i])) == 0;
        for (Column& column : columns.columns)
          put_row(storage_, column, at, is_whole ? record : nullptr, room_at(at, room));
        return true;
      });
      if (!read) return read;
      row += static_cast<std::uint32_t>(slice.size());
      columns.rows.store(row, std::memory_order_release);
    }
    columns.by_id.extend(storage_, vertices, columns.rows.load(std::memory_order_relaxed));
    return {};
  }

  /// Looks at a vertex that was revised since the call before.
  Result<void> look_at(VertexId vertex, TypeColumns& columns) const {
    auto const& vertices = storage_.vertices_by_type[static_cast<std::size_t>(snapshot_.type(vertex))];
    auto const row = vertices.count_below(number(vertex));
    if (is_by_record(columns.columns.front(), row)) return {};
    auto const revisions = snapshot_.revisions(vertex);
    if (revisions.size() > revisions_looked_at) {
      (void)set_by_record(storage_, columns, row);
      return {};
    }
    std::vector<TxId> moments;
    auto const add = [&](TxId tx) {
      if (tx > before_ && (moments.empty() || moments.back() != tx)) moments.push_back(tx);
    };
    add(snapshot_.created(vertex));
    for (Revision const& each : revisions) add(each.tx);
    for (TxId const tx : moments) {
      bool is_as_before = true;
      auto read = read_records(snapshot_.as_of(tx), reader_, {&vertex, 1}, [&](std::size_t, Said&& said) {
        auto const* const record = said.find();
        is_as_before = record != nullptr && is_same(columns, row, *record);
        return true;
      });
      if (!read) return read;
      if (is_as_before) continue;
      (void)set_by_record(storage_, columns, row);
      return {};
    }
    return {};
  }

  /// Makes rows whose contents went depend on the record, and says how many these are.
  [[nodiscard]] std::uint64_t leave_out_gone(RecordType type, TypeColumns& columns) const {
    auto const& vertices = storage_.vertices_by_type[static_cast<std::size_t>(type)];
    auto const rows = columns.rows.load(std::memory_order_relaxed);
    std::uint64_t lost = 0;
    for (std::uint32_t row = 0; row < rows && !stop_.stop_requested(); ++row) {
      if (storage_.gone_of(vertices.at(row)) != 0 && set_by_record(storage_, columns, row)) ++lost;
    }
    return lost;
  }

  [[nodiscard]] bool is_stopped() const { return stop_.stop_requested(); }
  [[nodiscard]] impl::Storage const& storage() const { return storage_; }

 private:
  Snapshot const& snapshot_;
  impl::Storage const& storage_;
  schema::RecordReader const& reader_;
  std::stop_token const& stop_;
  TxId before_;
};

}  // namespace

FieldColumns::FieldColumns(ColumnRoom const& room) : impl_{std::make_unique<Impl>()} {
  impl_->room = room;
  for (schema::IndexedField const& field : schema::indexed_fields()) {
    auto& type = impl_->types[static_cast<std::size_t>(field.type)];
    if (!type) type = std::make_unique<TypeColumns>();
    type->columns.emplace_back(field);
  }
}

FieldColumns::~FieldColumns() = default;

Result<void> FieldColumns::follow(Snapshot const& snapshot, schema::RecordReader const& reader,
                                  std::stop_token const& stop) {
  auto const begin = std::chrono::steady_clock::now();
  Impl& my = *impl_;
  Following const following{snapshot, reader, stop, my.followed};
  auto const& storage = following.storage();
  auto const gone = storage.gone_changes.load(std::memory_order_acquire);
  for (std::size_t type = 0; type < my.types.size(); ++type) {
    if (!my.types[type]) continue;
    if (auto appended = following.append(static_cast<RecordType>(type), *my.types[type], my.room); !appended)
      return appended;
  }

  // Rows of later transactions than the snapshot's are looked at by a later call. Those behind such a row are no
  // earlier ones, though some may belong to transactions that were taken back.
  auto const published = storage.revision_rows.load(std::memory_order_acquire);
  auto revisions = my.revisions_seen.load(std::memory_order_relaxed);
  std::vector<VertexId> revised;
  for (; revisions < published; ++revisions) {
    auto const& row = storage.revisions[static_cast<std::uint32_t>(revisions)];
    if (row.tx > number(snapshot.tx())) break;
    VertexId const vertex{row.vertex};
    if (snapshot.contains(vertex) && my.of(snapshot.type(vertex)) != nullptr) revised.push_back(vertex);
  }
  std::ranges::sort(revised);
  revised.erase(std::unique(revised.begin(), revised.end()), revised.end());
  for (VertexId const vertex : revised) {
    if (following.is_stopped()) return {};
    if (auto looked = following.look_at(vertex, *my.of(snapshot.type(vertex))); !looked) return looked;
  }
  if (gone != my.gone_seen) {
    for (std::size_t type = 0; type < my.types.size(); ++type) {
      if (my.types[type]) my.rows_lost += following.leave_out_gone(static_cast<RecordType>(type), *my.types[type]);
    }
  }
  if (following.is_stopped()) return {};
  my.gone_seen = gone;
  my.followed = snapshot.tx();
  my.revisions_seen.store(revisions, std::memory_order_release);
  if (!my.is_built.load(std::memory_order_relaxed)) {
    my.build_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    my.is_built.store(true, std::memory_order_release);
  }
  return {};
}

ColumnFigures FieldColumns::figures() const {
  ColumnFigures figures{.is_built = impl_->is_built.load(std::memory_order_acquire),
                        .build_seconds = impl_->build_seconds.load(),
                        .rows_lost = impl_->rows_lost.load()};
  for (auto const& type : impl_->types) {
    if (!type) continue;
    auto const rows = type->rows.load(std::memory_order_acquire);
    figures.rows += rows;
    figures.bytes += type->by_id.rows()->size() * sizeof(std::uint32_t);
    for (Column const& column : type->columns) {
      std::shared_lock const lock{column.mutex};
      auto const row_bytes = column.is_of_numbers() ? sizeof(std::uint64_t) : sizeof(std::uint32_t);
      figures.bytes += column.dictionary.bytes() + rows * row_bytes;
      figures.values += column.dictionary.size();
    }
  }
  return figures;
}

}  // namespace whence::graph
