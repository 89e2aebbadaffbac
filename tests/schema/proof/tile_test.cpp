// The paths of tiles, and hashes of subtrees from tiles against those that appending makes.
#include "schema/proof/tile.hpp"

#include <map>
#include <ostream>
#include <string>
#include <string_view>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using namespace schema;
using namespace schema::proof;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(tiles)

struct PathCase {
  std::string_view path;
  std::optional<unsigned> level;
  std::uint64_t index;
  unsigned width;

  friend std::ostream& operator<<(std::ostream& out, PathCase const& each) { return out << each.path; }
};

// The index 1234067 is the example of C2SP's text.
PathCase const paths[] = {{"tile/0/000", 0, 0, 256},
                          {"tile/63/999", 63, 999, 256},
                          {"tile/1/x001/x234/067", 1, 1234067, 256},
                          {"tile/0/x001/000", 0, 1000, 256},
                          {"tile/entries/x001/x234/067.p/8", {}, 1234067, 8},
                          {"tile/2/000.p/255", 2, 0, 255},
                          {"tile/0/x009/x223/x372/x036/x854/x774/999", 0, 9223372036854774999U, 256}};

BOOST_DATA_TEST_CASE(paths_are_written_and_read, data::make(paths), each) {
  Tile const tile{.level = each.level, .index = each.index, .width = each.width};
  BOOST_TEST(format_tile(tile) == each.path);
  BOOST_TEST((parse_tile(each.path) == tile));
}

BOOST_DATA_TEST_CASE(other_paths_are_refused,
                     data::make({"",
                                 "tile",
                                 "tile/",
                                 "tile/0",
                                 "tile/0/",
                                 "tile/0/0",
                                 "tile/0/00",
                                 "tile/0/0000",
                                 "tile/00/000",
                                 "tile/64/000",
                                 "tile/-1/000",
                                 "tile/0/x000/001",
                                 "tile/0/x001",
                                 "tile/0/x001/",
                                 "tile/0/x01/000",
                                 "tile/0/001/000",
                                 "tile/0/000/",
                                 "tile/0/000.p",
                                 "tile/0/000.p/",
                                 "tile/0/000.p/0",
                                 "tile/0/000.p/01",
                                 "tile/0/000.p/256",
                                 "tile/0/000.p/1/",
                                 "tile/0/000.p/1.p/1",
                                 "tile/0/ 00",
                                 "tile/x/000",
                                 "/tile/0/000",
                                 "tile//000",
                                 "tile/entries/",
                                 "tile/entries/0/000",
                                 "tile/0/x009/x223/x372/x036/x854/x775/808",
                                 "tile/0/x999/x999/x999/x999/x999/x999/x999/x999/999",
                                 "tile/18446744073709551616/000"}),
                     path) {
  BOOST_TEST(!parse_tile(path).has_value());
}

// The figures for 70,000 and 256 are those of C2SP's text.
BOOST_AUTO_TEST_CASE(widths_follow_from_the_size) {
  BOOST_TEST(tile_width_in(70'000, 0, 272) == 256U);
  BOOST_TEST(tile_width_in(70'000, 0, 273) == 112U);
  BOOST_TEST(tile_width_in(70'000, 0, 274) == 0U);
  BOOST_TEST(tile_width_in(70'000, 1, 0) == 256U);
  BOOST_TEST(tile_width_in(70'000, 1, 1) == 17U);
  BOOST_TEST(tile_width_in(70'000, 2, 0) == 1U);
  BOOST_TEST(tile_width_in(70'000, 3, 0) == 0U);
  BOOST_TEST(tile_width_in(256, 0, 0) == 256U);
  BOOST_TEST(tile_width_in(256, 0, 1) == 0U);
  BOOST_TEST(tile_width_in(256, 1, 0) == 1U);
  BOOST_TEST(tile_width_in(0, 0, 0) == 0U);
  BOOST_TEST(tile_width_in(~std::uint64_t{0}, 7, 0) == 255U);
  BOOST_TEST(tile_width_in(~std::uint64_t{0}, 8, 0) == 0U);
  BOOST_TEST(tile_width_in(~std::uint64_t{0}, 63, ~std::uint64_t{0}) == 0U);
}

/// A tree whose tiles are made of what appending visits.
struct Log {
  Frontier frontier;
  std::map<Subtree, Digest> nodes;

  explicit Log(std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
      frontier.append(leaf_hash(std::to_string(i)), [&](Subtree at, Digest const& hash) { nodes.emplace(at, hash); });
    }
  }

  [[nodiscard]] Result<std::string> tile(Tile const& tile) const {
    std::string bytes;
    for (std::uint64_t i = 0; i < tile.width; ++i) {
      auto const& hash = nodes.at({.level = tile_height * *tile.level, .index = tile.index * tile_width + i});
      bytes.append(hash.bytes.begin(), hash.bytes.end());
    }
    return bytes;
  }
};

BOOST_AUTO_TEST_CASE(subtrees_come_from_tiles) {
  constexpr std::size_t size = 70'000;
  Log const log{size};
  ReadTile const read = [&](Tile const& tile) { return log.tile(tile); };
  for (auto const& each : log.nodes) {
    if (each.first.level < tile_height && each.first.index % 97 != 0) continue;  // each reads a whole tile
    BOOST_TEST_REQUIRE(node_from_tiles(each.first, size, read).value() == each.second);
  }
  auto const node = [&](Subtree subtree) { return node_from_tiles(subtree, size, read); };
  BOOST_TEST(root_of(size, node).value() == log.frontier.root());
  auto const proof = inclusion_proof(12'345, size, node).value();
  BOOST_TEST(verify_inclusion(12'345, size, leaf_hash("12345"), proof, log.frontier.root()));
}

BOOST_AUTO_TEST_CASE(what_is_not_in_the_tree_or_damaged_is_said) {
  Log const log{10};
  ReadTile const read = [&](Tile const& tile) { return log.tile(tile); };
  BOOST_TEST(node_from_tiles({.level = 0, .index = 10}, 10, read).error().code == Errc::invalid_params);
  BOOST_TEST(node_from_tiles({.level = 4, .index = 0}, 10, read).error().code == Errc::invalid_params);
  BOOST_TEST(node_from_tiles({.level = 64, .index = 0}, 10, read).error().code == Errc::invalid_params);
  auto const cut = [&](Tile const& tile) -> Result<std::string> { return log.tile(tile).value().substr(1); };
  BOOST_TEST(node_from_tiles({.level = 0, .index = 3}, 10, cut).error().code == Errc::corrupt);
  auto const gone = [](Tile const&) -> Result<std::string> { return Error{.code = Errc::not_found}; };
  BOOST_TEST(node_from_tiles({.level = 0, .index = 3}, 10, gone).error().code == Errc::not_found);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
