// Further contents of a vertex: their numbers, and which of them are folded at a moment.
#include "tests/graph/world.hpp"

#include <string>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::test {

using graph::Revision;
using graph::RevisionKind;

using Numbers = std::vector<std::uint32_t>;

BOOST_AUTO_TEST_SUITE(revision)

struct History {
  char const* kinds;  ///< w(hole), a(ddition), u(pdate)
  Numbers contents;
  friend std::ostream& operator<<(std::ostream& out, History const& each) { return out << '"' << each.kinds << '"'; }
};
History const histories[] = {
    {"", {0}},
    {"w", {1}},
    {"a", {0, 1}},
    {"u", {0, 1}},
    {"uu", {0, 2}},
    {"ua", {0, 2}},
    {"au", {0, 1, 2}},
    {"aa", {0, 1, 2}},
    {"auau", {0, 1, 3, 4}},
    {"auuuuau", {0, 1, 6, 7}},
    {"uuuu", {0, 4}},
    {"aw", {2}},
    {"uw", {2}},
    {"wu", {1, 2}},
    {"wua", {1, 3}},
    {"ww", {2}},
    {"awauwau", {5, 6, 7}},
    {"wauu", {1, 2, 4}},
};

RevisionKind kind_of(char letter) {
  return letter == 'w' ? RevisionKind::whole : letter == 'a' ? RevisionKind::addition : RevisionKind::update;
}

BOOST_DATA_TEST_CASE(folds_from_the_latest_whole_over_additions_to_the_last, histories, each) {
  World world;
  auto const v = world.vertex(RecordType::keyword, "k");
  for (std::string_view const kinds = each.kinds; auto const letter : kinds) (void)world.revise(v, kind_of(letter));
  BOOST_TEST(world.now().contents(v) == each.contents);
}

// The same history, seen at every moment of it, is each of its beginnings.
BOOST_DATA_TEST_CASE(answers_as_of_any_transaction, histories, each) {
  World at_once;
  auto const v = at_once.vertex(RecordType::keyword, "k");
  std::string const kinds = each.kinds;
  for (auto const letter : kinds) (void)at_once.revise(v, kind_of(letter));
  for (std::size_t length = 0; length <= kinds.size(); ++length) {
    World beginning;
    auto const same = beginning.vertex(RecordType::keyword, "k");
    for (auto const letter : kinds.substr(0, length)) (void)beginning.revise(same, kind_of(letter));
    auto const then = at_once.now().as_of(TxId{length + 1});
    BOOST_TEST(then.contents(v) == beginning.now().contents(same));
    BOOST_CHECK(then.revisions(v) == beginning.now().revisions(same));
    BOOST_TEST(then.revisions(v).size() == length);
  }
}

BOOST_AUTO_TEST_CASE(numbers_each_vertex_s_contents_from_1) {
  World world;
  auto const a = world.vertex(RecordType::keyword, "a");
  auto const b = world.vertex(RecordType::keyword, "b");
  BOOST_TEST(world.revise(a, RevisionKind::update) == 1U);
  BOOST_TEST(world.revise(b, RevisionKind::whole) == 1U);
  BOOST_TEST(world.revise(a, RevisionKind::addition) == 2U);
  std::vector<Revision> const expected{{TxId{3}, 1, RevisionKind::update}, {TxId{5}, 2, RevisionKind::addition}};
  BOOST_CHECK(world.now().revisions(a) == expected);
  BOOST_TEST(world.now().revisions(b).size() == 1U);
  BOOST_TEST(world.now().as_of(TxId{2}).revisions(a).empty());
}

BOOST_AUTO_TEST_CASE(may_be_several_in_one_transaction_even_the_vertex_s_own) {
  World world;
  world.begin();
  auto const v = world.graph.add_vertex(RecordType::keyword, "k", {});
  BOOST_TEST(world.graph.revise(v, RevisionKind::addition) == 1U);
  BOOST_TEST(world.graph.revise(v, RevisionKind::update) == 2U);
  BOOST_TEST(world.graph.pending().contents(v) == (Numbers{0, 1, 2}));
  world.end();
  world.begin();
  BOOST_TEST(world.graph.revise(v, RevisionKind::whole) == 3U);
  BOOST_TEST(world.graph.revise(v, RevisionKind::update) == 4U);
  BOOST_TEST(world.graph.revise(v, RevisionKind::addition) == 5U);
  BOOST_TEST(world.now().contents(v) == (Numbers{0, 1, 2}));
  world.end();
  BOOST_TEST(world.now().contents(v) == (Numbers{3, 5}));
  BOOST_TEST(world.now().as_of(TxId{1}).contents(v) == (Numbers{0, 1, 2}));
}

BOOST_AUTO_TEST_CASE(stay_with_a_deleted_vertex_and_not_with_the_next_of_its_name) {
  World world;
  auto const v = world.vertex(RecordType::keyword, "k");
  (void)world.revise(v, RevisionKind::addition);
  world.hide(v);
  auto const again = world.vertex(RecordType::keyword, "k");
  BOOST_TEST(world.now().contents(v) == (Numbers{0, 1}));
  BOOST_TEST(world.now().contents(again) == Numbers{0});
  BOOST_TEST(world.revise(again, RevisionKind::whole) == 1U);
}

BOOST_AUTO_TEST_CASE(take_memory_that_is_told) {
  World world;
  auto const v = world.vertex(RecordType::keyword, "k");
  auto const before = world.graph.memory().states;
  for (int i = 0; i < 10; ++i) (void)world.revise(v, RevisionKind::update);
  BOOST_TEST(world.graph.memory().states == before + 10 * 20U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace whence::test
