// Writing what a snapshot sees while the graph goes on: of a column the rows that it knows, of a list the prefix, of a
// history the part up to its transaction.

#include "graph/image/image.hpp"
#include "graph/image/image_places.hpp"
#include "graph/snapshot/access.hpp"
#include "graph/storage/arena.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <type_traits>
#include <vector>

namespace whence::graph {
namespace {

using impl::ChunkedArray;
using impl::ImageListHeader;
using impl::ImageRoot;
using impl::ListKind;
using impl::MonotoneList;
using impl::Storage;

/// A plain copy of an element that may be atomic.
template <class T>
T plain(T const& element) noexcept {
  return element;
}
template <class T>
T plain(std::atomic<T> const& element) noexcept {
  return element.load(std::memory_order_relaxed);
}

class ImageWriter {
 public:
  ImageWriter(Snapshot const& snapshot, ImageSink& sink)
      : storage_{impl::Access::storage(snapshot)},
        // Loaded after the snapshot was taken, which keeps it alive.
        table_{*storage_.id_table.load(std::memory_order_acquire)},
        tx_{static_cast<std::uint32_t>(schema::number(snapshot.tx()))},
        vertices_{snapshot.vertex_count()},
        edges_{impl::Access::edges_seen(snapshot)},
        sink_{sink} {
    buffer_.reserve(buffer_bytes);
  }

  bool write() {
    ImageRoot const root = make_root();
    put(root);
    impl::visit_parts(storage_, root, *this);
    flush();
    return !is_ended_;
  }

  template <class T>
  void column(ChunkedArray<T> const& column, std::uint32_t count) {
    put_column(count, ChunkedArray<T>::room_for(count), [&](std::uint32_t i) { return plain(column[i]); });
  }
  template <class T>
  void list(MonotoneList<T> const& list, std::uint32_t size) {
    put_column(size, MonotoneList<T>::room_for(size), [&](std::uint32_t i) { return list.at(i); });
  }

  void ids(ImageRoot const& root) {
    std::uint64_t place = 0;
    put_column(root.vertices, ChunkedArray<char const*>::room_for(root.vertices), [&](std::uint32_t v) {
      auto const here = place;
      place += id_bytes(v);
      return here;
    });
    align();
    for (std::uint32_t v = 0; v < root.vertices && !is_ended_; ++v) {
      put_bytes({reinterpret_cast<std::byte const*>(storage_.ids[v]), id_bytes(v)});
    }
  }

  void lists(ListKind kind, ImageRoot const& root) {
    auto const room = ChunkedArray<impl::ListHeader>::room_for(root.vertices);
    std::uint64_t place = impl::aligned(impl::aligned(at_) + room * sizeof(ImageListHeader));
    put_column(root.vertices, room, [&](std::uint32_t v) { return header_of(kind, v, place); });
    align();
    for (std::uint32_t v = 0; v < root.vertices && !is_ended_; ++v) put_block(kind, v);
  }

  void extras(ImageRoot const& root) {
    std::uint32_t next = 0;
    put_column(root.vertices, ChunkedArray<std::atomic<std::uint32_t>>::room_for(root.vertices), [&](std::uint32_t v) {
      if (next == extra_vertices_.size() || extra_vertices_[next] != v) return 0U;
      return ++next;
    });
    auto const room = ChunkedArray<impl::ExtraRow>::room_for(root.extra_rows);
    std::uint64_t from = impl::aligned(impl::aligned(at_) + room * sizeof(impl::ImageExtraRow));
    std::uint64_t to = impl::aligned(from + root.block_bytes[static_cast<std::size_t>(ListKind::relations_from)]);
    put_column(root.extra_rows, room, [&](std::uint32_t row) { return extra_of(extra_vertices_[row], from, to); });
    for (auto const kind : {ListKind::relations_from, ListKind::relations_to}) {
      align();
      for (auto const v : extra_vertices_) put_block(kind, v);
    }
  }

  void slots(ImageRoot const& root) {
    align();
    for (std::uint64_t at = 0; at < std::uint64_t{1} << root.id_table_bits && !is_ended_; ++at) {
      put(table_.slot_at(at, vertices_));
    }
  }

 private:
  static constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

  [[nodiscard]] std::size_t id_bytes(std::uint32_t vertex) const noexcept {
    return sizeof(std::uint16_t) + storage_.id_at(vertex).size();
  }

  /// The header of a list whose block begins at `place`, which moves on behind it.
  [[nodiscard]] ImageListHeader header_of(ListKind kind, std::uint32_t vertex, std::uint64_t& place) const noexcept {
    auto const list = storage_.visible_list(kind, vertex, edges_);
    auto const count = static_cast<std::uint32_t>(list.size());
    if (count == 0) return {};
    ImageListHeader const header{place | (list.is_marked ? 1U : 0U), count, schema::number(list.edges.back())};
    place += impl::Block::bytes_for(count);
    return header;
  }
  void put_block(ListKind kind, std::uint32_t vertex) {
    auto const list = storage_.visible_list(kind, vertex, edges_);
    if (list.size() == 0) return;
    put(static_cast<std::uint32_t>(list.size()));
    put_bytes(std::as_bytes(list.vertices));
    put_bytes(std::as_bytes(list.edges));
  }

  [[nodiscard]] std::uint32_t hidden_at(std::uint32_t vertex) const noexcept {
    auto const tx = storage_.hidden_at(vertex);
    return tx <= tx_ ? tx : impl::never_hidden;
  }
  /// The extra row of a vertex that has one, with the places of the blocks of its relations.
  [[nodiscard]] impl::ImageExtraRow extra_of(std::uint32_t vertex, std::uint64_t& from,
                                             std::uint64_t& to) const noexcept {
    return {
        .relations = {header_of(ListKind::relations_from, vertex, from), header_of(ListKind::relations_to, vertex, to)},
        .state_head = storage_.state_at(vertex, tx_),
        .revision_head = storage_.revision_at(vertex, tx_),
        .hidden = hidden_at(vertex),
        .gone = storage_.extra_of(vertex)->gone.load(std::memory_order_relaxed)};
  }

  [[nodiscard]] ImageRoot make_root() {
    ImageRoot root;
    root.layout = image_layout();
    root.hash_key = storage_.hash_key;
    root.tx = tx_;
    root.vertices = vertices_;
    root.edges = edges_;
    root.edge_ranks = storage_.edge_ranks.count_below(impl::ranked(edges_));
    root.id_table_bits = table_.bits();
    for (std::uint64_t at = 0; at < std::uint64_t{1} << table_.bits(); ++at) {
      if (table_.slot_at(at, vertices_) != 0) ++root.id_slots_used;
    }
    for (std::uint32_t v = 0; v < vertices_; ++v) count_vertex(v, root);
    root.extra_rows = static_cast<std::uint32_t>(extra_vertices_.size());
    root.other_values = storage_.edge_values.others_among(edges_);
    auto const bound = (std::uint64_t{tx_} + 1) << 32U;
    for (std::size_t type = 0; type < schema::record_type_count; ++type) {
      root.vertices_by_type[type] = storage_.vertices_by_type[type].count_below(vertices_);
      root.hidden_vertices[type] = storage_.hidden_vertices[type].entries().count_below(bound);
    }
    for (std::size_t type = 0; type < schema::edge_type_count; ++type) {
      root.edges_made[type] = storage_.edges_made[type].entries().count_below(bound);
      root.hidden_edges[type] = storage_.hidden_edges[type].entries().count_below(bound);
    }
    return root;
  }

  void count_vertex(std::uint32_t v, ImageRoot& root) {
    root.id_bytes += id_bytes(v);
    (void)count_list(ListKind::causes, v, root);
    (void)count_list(ListKind::effects, v, root);
    // Which rows are in the image is decided here once: contents may be gone soon after.
    if (storage_.extra_of(v) != nullptr && count_extra(v, root)) extra_vertices_.push_back(v);
  }
  /// Whether the list has entries.
  bool count_list(ListKind kind, std::uint32_t v, ImageRoot& root) const {
    auto const list = storage_.visible_list(kind, v, edges_);
    if (list.size() == 0) return false;
    root.block_bytes[static_cast<std::size_t>(kind)] += impl::Block::bytes_for(static_cast<std::uint32_t>(list.size()));
    return true;
  }
  /// Whether the snapshot sees anything of the extra row. Rows of states and revisions are in order of time, so those
  /// up to the last that a vertex has are all published.
  bool count_extra(std::uint32_t v, ImageRoot& root) const {
    bool const has_from = count_list(ListKind::relations_from, v, root);
    bool const has_to = count_list(ListKind::relations_to, v, root);
    auto const state = storage_.state_at(v, tx_);
    auto const revision = storage_.revision_at(v, tx_);
    bool const is_hidden = hidden_at(v) != impl::never_hidden;
    bool const is_gone = storage_.extra_of(v)->gone.load(std::memory_order_relaxed) != 0;
    if (state != impl::no_state) root.states = std::max(root.states, state + 1);
    if (revision != impl::no_revision) root.revisions = std::max(root.revisions, revision + 1);
    if (is_hidden) root.has_hidden = 1;
    if (is_gone) root.has_gone = 1;
    return has_from || has_to || state != impl::no_state || revision != impl::no_revision || is_hidden || is_gone;
  }

  /// `count` values and room for the rest of `room`.
  template <class ValueOf>
  void put_column(std::uint32_t count, std::uint64_t room, ValueOf const& value_of) {
    using Value = std::invoke_result_t<ValueOf, std::uint32_t>;
    align();
    for (std::uint32_t i = 0; i < count && !is_ended_; ++i) put(value_of(i));
    skip((room - count) * sizeof(Value));
  }

  template <class T>
  void put(T const& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    put_bytes(std::as_bytes(std::span{&value, 1}));
  }
  void put_bytes(std::span<std::byte const> bytes) {
    at_ += bytes.size();
    if (buffer_.size() + bytes.size() > buffer_bytes) flush();
    if (bytes.size() > buffer_bytes) {
      is_ended_ = is_ended_ || !sink_.write(bytes);
    } else {
      buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    }
  }
  void skip(std::uint64_t count) {
    if (count == 0) return;
    flush();
    at_ += count;
    is_ended_ = is_ended_ || !sink_.skip(count);
  }
  void align() {
    static constexpr std::array<std::byte, impl::part_alignment> zeros = {};
    put_bytes(std::span{zeros}.first(impl::aligned(at_) - at_));
  }
  void flush() {
    if (!buffer_.empty()) is_ended_ = is_ended_ || !sink_.write(buffer_);
    buffer_.clear();
  }

  Storage const& storage_;
  impl::IdTable const& table_;
  std::uint32_t tx_;
  std::uint32_t vertices_;
  std::uint32_t edges_;
  ImageSink& sink_;
  std::vector<std::uint32_t> extra_vertices_;  ///< whose extra rows are in the image, ascending
  std::vector<std::byte> buffer_;
  std::uint64_t at_ = 0;
  bool is_ended_ = false;
};

}  // namespace

bool write_image(Snapshot const& snapshot, ImageSink& sink) {
  return ImageWriter{snapshot, sink}.write();
}

std::uint64_t image_layout() noexcept {
  // The first number changes with the order of parts, and with what a transaction does to a graph.
  std::uint64_t sum = 2;
  auto const add = [&sum](std::uint64_t value) { sum = (sum ^ value) * 0x9e37'79b9'7f4a'7c15 + (sum >> 29U); };
  for (auto const size : {sizeof(ImageRoot), sizeof(impl::VertexTime), sizeof(impl::TxRow), sizeof(impl::StateRow),
                          sizeof(impl::RevisionRow), sizeof(impl::ListHeader), sizeof(impl::ExtraRow), sizeof(double),
                          sizeof(char const*)}) {
    add(size);
  }
  add(std::endian::native == std::endian::little ? 1 : 2);
  for (std::size_t type = 1; type < schema::edge_type_count; ++type) {
    auto const edge = static_cast<EdgeType>(type);
    for (auto const letter : schema::name_of(edge)) add(static_cast<unsigned char>(letter));
    add(static_cast<std::uint64_t>(schema::carried_by(edge)));
    for (std::size_t from = 1; from < schema::record_type_count; ++from) {
      add(static_cast<std::uint64_t>(schema::influence_of(edge, static_cast<RecordType>(from))));
    }
  }
  for (std::size_t type = 1; type < schema::record_type_count; ++type) {
    for (auto const letter : schema::name_of(static_cast<RecordType>(type))) add(static_cast<unsigned char>(letter));
  }
  return sum;
}

}  // namespace whence::graph
