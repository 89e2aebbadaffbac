// The catch at the top of a thread.
#include "schema/threads/thread_guard.hpp"

#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace whence::schema {
namespace {

BOOST_AUTO_TEST_SUITE(thread_guards)

BOOST_AUTO_TEST_CASE(tells_the_first_of_failures_in_a_row) {
  std::vector<std::string> told;
  ThreadGuard guard{[&](std::string_view trouble) { told.emplace_back(trouble); }, "columns", "queries go on"};
  BOOST_TEST(guard.run([] {}));
  BOOST_TEST(!guard.run([] { throw std::runtime_error("the disk is gone"); }));
  BOOST_TEST(!guard.run([] { throw std::bad_alloc(); }));
  BOOST_TEST(guard.run([] {}));
  BOOST_TEST(!guard.run([] { throw 7; }));
  std::vector<std::string> const expected{"columns: the disk is gone; queries go on",
                                          "columns: an unknown exception; queries go on"};
  BOOST_TEST(told == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(goes_on_where_nobody_listens_or_the_listener_fails) {
  BOOST_TEST(!(ThreadGuard{{}, "a", "b"}.run([] { throw std::bad_alloc(); })));
  ThreadGuard guard{[](std::string_view) { throw std::bad_alloc(); }, "a", "b"};
  BOOST_TEST(!guard.run([] { throw std::bad_alloc(); }));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::schema
