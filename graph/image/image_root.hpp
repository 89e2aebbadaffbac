#pragma once
// The first bytes of an image, and how storage takes one.

#include "graph/storage/image_memory.hpp"
#include "graph/storage/storage.hpp"
#include "schema/types/edge_type.hpp"
#include "schema/types/record_type.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

namespace whence::graph::impl {

/// What an image holds. All places in it follow from these counts.
struct ImageRoot {
  std::uint64_t layout = 0;
  std::uint64_t id_bytes = 0;
  std::uint64_t id_slots_used = 0;
  HashKey hash_key = {};
  std::array<std::uint64_t, list_kind_count> block_bytes = {};
  std::uint32_t id_table_bits = 0;
  std::uint32_t tx = 0;
  std::uint32_t vertices = 0;
  std::uint32_t edges = 0;
  std::uint32_t states = 0;
  std::uint32_t revisions = 0;
  std::uint32_t extra_rows = 0;
  std::uint32_t other_values = 0;
  std::uint32_t edge_ranks = 0;
  std::uint32_t has_hidden = 0;
  std::uint32_t has_gone = 0;
  std::array<std::uint32_t, schema::record_type_count> vertices_by_type = {};
  std::array<std::uint32_t, schema::record_type_count> hidden_vertices = {};
  std::array<std::uint32_t, schema::edge_type_count> edges_made = {};
  std::array<std::uint32_t, schema::edge_type_count> hidden_edges = {};
};

/// Gives empty storage the columns of an image. Nothing, and the storage is of no use, where the image has another
/// layout or ends early.
[[nodiscard]] std::optional<ImageRoot> take_image(std::unique_ptr<ImageMemory> image, Storage& storage);

}  // namespace whence::graph::impl
