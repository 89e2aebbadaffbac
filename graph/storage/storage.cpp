// Making and unmaking a graph's storage, and its size.
#include "graph/storage/storage.hpp"

#include "graph/storage/arena.hpp"

namespace whence::graph::impl {

Storage::Storage() : hash_key{random_hash_key()}, id_table{std::make_unique<IdTable>(8).release()} {
  for (std::size_t type = 0; type < multiplies.size(); ++type) {
    auto const carried = type == 0 ? schema::Carries::none : carried_by(static_cast<EdgeType>(type));
    multiplies[type] = carried == schema::Carries::weight;
  }
}

Storage::~Storage() {
  auto const free_block = [this](ListHeader& header) {
    if (is_in_image(header.block_now().bytes())) return;
    auto const block = header.release();
  };
  for (auto& headers : influence_headers) {
    for (std::uint32_t v = 0; v < vertices_made; ++v) free_block(headers[v]);
  }
  for (std::uint32_t row = 0; row < extras_made; ++row) {
    for (auto& header : extras[row].relations) free_block(header);
  }
  std::unique_ptr<IdTable> const table{id_table.load(std::memory_order_relaxed)};
}

std::string_view Storage::id_at(std::uint32_t vertex) const noexcept {
  return Arena::text_at(ids[vertex]);
}

}  // namespace whence::graph::impl
