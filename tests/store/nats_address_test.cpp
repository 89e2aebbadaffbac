// Addresses of a replicated log.
#include "store/replicated/nats_address.hpp"

#include <boost/test/unit_test.hpp>

namespace whence::store {
namespace {

BOOST_AUTO_TEST_SUITE(nats_addresses)

BOOST_AUTO_TEST_CASE(passwords_are_not_shown) {
  BOOST_TEST(shown_address("nats://ann:s3cret@a:4222,bob:p@ss@b:4222/graph") ==
             "nats://ann:***@a:4222,bob:***@b:4222/graph");
  BOOST_TEST(shown_address("nats://token@a:4222/graph") == "nats://***@a:4222/graph");
  BOOST_TEST(shown_address("nats://a:4222/graph") == "nats://a:4222/graph");
  auto const wrong = parse_nats_address("nats://ann:s3cret@a:4222").error().message;
  BOOST_TEST(wrong.find("s3cret") == std::string::npos, wrong);
  BOOST_TEST(wrong.find("ann:***@a") != std::string::npos, wrong);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::store
