// The paths of tiles, and how wide they are.
#include "schema/proof/tile.hpp"

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

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
