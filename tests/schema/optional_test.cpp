// Members that are seldom there.
#include "schema/base/optional.hpp"

#include "schema/records/context/records.hpp"

#include <string>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

using namespace whence::schema;

BOOST_AUTO_TEST_SUITE(optional)

BOOST_AUTO_TEST_CASE(an_empty_one_holds_nothing_and_takes_a_pointer) {
  BoxedOptional<std::string> const none;
  BOOST_TEST(!none.has_value());
  BOOST_TEST((none == BoxedOptional<std::string>{std::nullopt}));
  BOOST_TEST((none != BoxedOptional<std::string>{""}));
  static_assert(sizeof none == sizeof(void*));
  // A response of a hundred uses is read, checked and freed with all of them.
  static_assert(sizeof(ContextReference) <= 112);
}

BOOST_AUTO_TEST_CASE(a_copy_has_its_own_value) {
  BoxedOptional<std::string> first{"a"};
  auto second = first;
  *second += "b";
  BOOST_TEST(*first == "a");
  BOOST_TEST(*second == "ab");
  first = second;
  BOOST_TEST((first == second));
  auto const& itself = first;
  first = itself;
  BOOST_TEST(*first == "ab");
  second.reset();
  first = second;
  BOOST_TEST(!first);
}

BOOST_AUTO_TEST_CASE(what_was_moved_from_is_empty) {
  BoxedOptional<std::vector<int>> first{std::vector{1, 2}};
  auto second = std::move(first);
  BOOST_TEST(!first);  // NOLINT(bugprone-use-after-move): that it is empty is the claim
  BOOST_TEST(second->size() == 2U);
  BOOST_TEST(std::move(second).optional().value().size() == 2U);
  BOOST_TEST(!second);  // NOLINT(bugprone-use-after-move)
  BOOST_TEST(!std::move(second).optional());
  BOOST_TEST(first.emplace(3, 7).back() == 7);
}

BOOST_AUTO_TEST_SUITE_END()
