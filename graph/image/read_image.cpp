// Making storage of an image: columns are borrowed where they lie, addresses in them are moved by where that is.

#include "graph/image/image.hpp"
#include "graph/image/image_places.hpp"

#include <cstring>
#include <memory>
#include <utility>

namespace whence::graph::impl {
namespace {

class ImageReader {
 public:
  ImageReader(std::span<std::byte> image, Storage& storage) : image_{image}, storage_{storage} {}

  [[nodiscard]] bool is_whole() const noexcept { return is_whole_ && at_ == image_.size(); }

  template <class T>
  void column(ChunkedArray<T>& column, std::uint32_t count) {
    if (auto* const place = take<T>(ChunkedArray<T>::room_for(count))) column.borrow(place, count);
  }
  template <class T>
  void list(MonotoneList<T>& list, std::uint32_t size) {
    if (auto* const place = take<std::atomic<T>>(MonotoneList<T>::room_for(size))) list.borrow(place, size);
  }

  void ids(ImageRoot const& root) {
    auto* const places = take<std::uint64_t>(ChunkedArray<char const*>::room_for(root.vertices));
    auto* const texts = take<char>(root.id_bytes);
    if (texts == nullptr) return;
    for (std::uint32_t v = 0; v < root.vertices; ++v) {
      char const* const id = texts + places[v];
      std::memcpy(places + v, &id, sizeof id);
    }
    storage_.ids.borrow(reinterpret_cast<char const**>(places), root.vertices);
  }

  void lists(ListKind kind, ImageRoot const& root) {
    auto* const headers = take<ImageListHeader>(ChunkedArray<ListHeader>::room_for(root.vertices));
    auto const bytes = root.block_bytes[static_cast<std::size_t>(kind)];
    if (take<std::byte>(bytes) == nullptr) return;
    for (std::uint32_t v = 0; v < root.vertices; ++v) place_block(headers[v]);
    storage_.lists(kind).borrow(reinterpret_cast<ListHeader*>(headers), root.vertices);
    storage_.block_bytes.fetch_add(bytes, std::memory_order_relaxed);
  }

  void extras(ImageRoot const& root) {
    column(storage_.extra_places, root.vertices);
    auto* const rows = take<ImageExtraRow>(ChunkedArray<ExtraRow>::room_for(root.extra_rows));
    for (auto const kind : {ListKind::relations_from, ListKind::relations_to}) {
      auto const bytes = root.block_bytes[static_cast<std::size_t>(kind)];
      if (take<std::byte>(bytes) == nullptr) return;
      storage_.block_bytes.fetch_add(bytes, std::memory_order_relaxed);
    }
    for (std::uint32_t row = 0; row < root.extra_rows; ++row) {
      for (auto& header : rows[row].relations) place_block(header);
    }
    storage_.extras.borrow(reinterpret_cast<ExtraRow*>(rows), root.extra_rows);
    storage_.extras_made = root.extra_rows;
  }

  void slots(ImageRoot const& root) {
    if (root.id_table_bits > 32) is_whole_ = false;
    auto* const slots = is_whole_ ? take<IdTable::Slot>(std::uint64_t{1} << root.id_table_bits) : nullptr;
    if (slots == nullptr) return;
    auto table = std::make_unique<IdTable>(root.id_table_bits, slots, root.id_slots_used);
    std::unique_ptr<IdTable> const empty{storage_.id_table.exchange(table.release(), std::memory_order_release)};
  }

  /// The place of the next part, of `count` elements; null where it is not all there.
  template <class T>
  [[nodiscard]] T* take(std::uint64_t count) {
    at_ = aligned(at_);
    if (!is_whole_ || at_ > image_.size() || count > (image_.size() - at_) / sizeof(T)) {
      is_whole_ = false;
      return nullptr;
    }
    auto* const place = reinterpret_cast<T*>(image_.data() + at_);
    at_ += count * sizeof(T);
    return place;
  }

 private:
  /// Makes the address of a block of its place in the image.
  void place_block(ImageListHeader& header) const noexcept {
    if (header.block == 0) return;
    std::byte* const block = image_.data() + header.block;
    std::memcpy(&header.block, &block, sizeof block);
  }

  std::span<std::byte> image_;
  Storage& storage_;
  std::uint64_t at_ = 0;
  bool is_whole_ = true;
};

}  // namespace

std::optional<ImageRoot> take_image(std::unique_ptr<ImageMemory> image, Storage& storage) {
  storage.image = std::move(image);
  ImageReader reader{storage.image->bytes(), storage};
  auto const* const place = reader.take<ImageRoot>(1);
  if (place == nullptr || place->layout != image_layout()) return std::nullopt;
  ImageRoot const root = *place;
  visit_parts(storage, root, reader);
  if (!reader.is_whole()) return std::nullopt;
  storage.hash_key = root.hash_key;
  storage.has_hidden.store(root.has_hidden != 0, std::memory_order_relaxed);
  storage.has_gone.store(root.has_gone != 0, std::memory_order_relaxed);
  storage.vertices_made = root.vertices;
  storage.edge_values.cut_others(root.other_values);
  return root;
}

}  // namespace whence::graph::impl
