#pragma once
// The paths of the tiles of a log (C2SP tlog-tiles), and what a tile holds.

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace whence::schema::proof {

inline constexpr unsigned tile_height = 8;
inline constexpr unsigned tile_width = 1U << tile_height;  ///< hashes, or entries, of a full tile
inline constexpr unsigned tile_level_max = 63;             ///< that a path may name; a size of 64 bits has 0 to 7

/// A tile: hash i of tile `index` at `level` is that of the perfect subtree of level 8 * `level` with the index
/// 256 * `index` + i. Without a level it is a bundle of the entries beside tile `index` of level 0.
struct Tile {
  std::optional<unsigned> level = {};
  std::uint64_t index = 0;
  unsigned width = tile_width;  ///< 1 to 256; below 256 the tile is partial

  friend auto operator<=>(Tile const&, Tile const&) = default;
};

/// `tile/0/x001/x234/067`, `tile/entries/000.p/17`.
[[nodiscard]] std::string format_tile(Tile const& tile);

/// Reads what `format_tile` writes, with levels up to 63 and indexes below 2^63, and nothing else.
[[nodiscard]] std::optional<Tile> parse_tile(std::string_view path);

/// How many hashes tile `index` at `level` has in a tree of `size`; 0 where it has none.
[[nodiscard]] unsigned tile_width_in(std::uint64_t size, unsigned level, std::uint64_t index) noexcept;

}  // namespace whence::schema::proof
