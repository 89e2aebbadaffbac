// Contents that are gone: for every snapshot, until a later content.
#include "tests/graph/world.hpp"

#include <boost/test/unit_test.hpp>

namespace whence::test {

using graph::GoneWhy;
using graph::RevisionKind;

BOOST_AUTO_TEST_SUITE(gone)

BOOST_AUTO_TEST_CASE(a_content_that_is_gone_is_gone_for_earlier_snapshots_too) {
  World world;
  auto const unit = world.unit("cu_a");
  auto const other = world.unit("cu_b");
  auto const before = world.now();
  BOOST_TEST(!before.gone(unit).has_value());
  world.begin();
  world.graph.forget_contents(unit, GoneWhy::purged);
  world.graph.forget_contents(other, GoneWhy::expired);
  world.end();
  for (auto const& snapshot : {before, world.now(), world.now().as_of(TxId{1})}) {
    BOOST_CHECK(snapshot.gone(unit) == GoneWhy::purged);
    if (snapshot.contains(other)) BOOST_CHECK(snapshot.gone(other) == GoneWhy::expired);
  }
  BOOST_CHECK(world.now().find(RecordType::context_unit, "cu_a") == unit);
}

BOOST_AUTO_TEST_CASE(a_later_content_is_there_and_an_update_is_none) {
  World world;
  auto const unit = world.unit("cu_a");
  world.begin();
  (void)world.graph.revise(unit, RevisionKind::whole);
  world.end();
  world.begin();
  world.graph.forget_contents(unit, GoneWhy::purged);
  world.end();
  auto const removed = world.now();
  world.begin();
  (void)world.graph.revise(unit, RevisionKind::update);
  world.end();
  BOOST_CHECK(world.now().gone(unit) == GoneWhy::purged);
  world.begin();
  (void)world.graph.revise(unit, RevisionKind::whole);
  world.end();
  BOOST_TEST(!world.now().gone(unit).has_value());
  BOOST_CHECK(removed.gone(unit) == GoneWhy::purged);
  BOOST_CHECK(world.now().as_of(TxId{1}).gone(unit) == GoneWhy::purged);
  BOOST_TEST(world.now().contents_count(unit) == 4U);
}

// In one transaction, a content is replaced by another.
BOOST_AUTO_TEST_CASE(a_content_of_the_same_transaction_stays) {
  World world;
  auto const unit = world.unit("cu_a");
  world.begin();
  (void)world.graph.revise(unit, RevisionKind::whole);
  world.graph.forget_contents(unit, GoneWhy::purged);
  world.end();
  BOOST_TEST(!world.now().gone(unit).has_value());
  BOOST_CHECK(world.now().as_of(TxId{1}).gone(unit) == GoneWhy::purged);
}

BOOST_AUTO_TEST_CASE(what_is_rolled_back_was_never_gone) {
  World world;
  auto const unit = world.unit("cu_a");
  world.graph.begin(TxId{2}, {});
  world.graph.forget_contents(unit, GoneWhy::purged);
  world.graph.end();
  world.graph.rollback();
  (void)world.unit("cu_b");
  BOOST_TEST(!world.now().gone(unit).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace whence::test
