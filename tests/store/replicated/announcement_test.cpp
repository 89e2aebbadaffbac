// What a node tells the others of itself comes from the network: only what a node writes is taken.
#include "store/replicated/announcement.hpp"

#include <boost/test/unit_test.hpp>

namespace whence::store {
namespace {

BOOST_AUTO_TEST_SUITE(announcement)

BOOST_AUTO_TEST_CASE(comes_back_as_it_was_written) {
  schema::proof::TreeHead const tree{.size = UINT64_MAX, .root = schema::sha256(std::string_view{"root"})};
  for (Announcement const& each : {Announcement{.id = "a", .position = 0, .name = "n"},
                                   Announcement{.id = std::string(Announcement::id_bytes_max, 'f'),
                                   .position = UINT64_MAX,
                                   .name = std::string(Announcement::name_bytes_max, 'n')},
                                   Announcement{.id = "b", .position = 7, .name = "http://127.0.0.1:1/ns/a b"},
                                   Announcement{.id = "c", .position = 1, .name = "http://h:1", .bolt = "h:7687"},
                                   Announcement{.id = "d", .position = 1, .name = "http://h:1", .tree = tree},
                                   Announcement{.id = "e", .position = 1, .name = "n", .tree = tree, .bolt = "h:1"}}) {
    BOOST_TEST((parse_announcement(to_text(each)) == each));
  }
}

BOOST_AUTO_TEST_CASE(anything_else_is_ignored) {
  std::string const long_name(Announcement::name_bytes_max + 1, 'n');
  std::string const long_id(Announcement::id_bytes_max + 1, 'f');
  for (std::string const& text : {std::string{},
                                  std::string{" "},
                                  std::string{"a"},
                                  std::string{"a 1"},
                                  std::string{"a 1 "},
                                  std::string{" 1 n"},
                                  std::string{"a  n"},
                                  std::string{"a -1 n"},
                                  std::string{"a x n"},
                                  std::string{"a 1x n"},
                                  std::string{"a 18446744073709551616 n"},
                                  std::string{"a 1 n\nm"},
                                  std::string{"a 1 \xff"},
                                  std::string{"a 1 n\0m", 7},
                                  "a 1 " + long_name,
                                  long_id + " 1 n",
                                  std::string{"a 1 n bolt://"},
                                  std::string{"a 1  bolt://h:1"},
                                  std::string{"a 1 n bolt://h 1"},
                                  "a 1 n bolt://" + std::string(101, 'h'),
                                  std::string{"a 1 n tree:"},
                                  std::string{"a 1 n tree:5"},
                                  std::string{"a 1 n tree:5/"},
                                  "a 1 n tree:5/" + std::string(63, '0'),
                                  "a 1 n tree:5/" + std::string(65, '0'),
                                  "a 1 n tree:5/" + std::string(64, 'A'),
                                  "a 1 n tree:-5/" + std::string(64, '0'),
                                  "a 1 n tree:18446744073709551616/" + std::string(64, '0'),
                                  "a 1  tree:5/" + std::string(64, '0'),
                                  std::string(100'000, ' ')}) {
    BOOST_TEST_CONTEXT(text.substr(0, 40)) {
      BOOST_TEST(!parse_announcement(text));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::store
