// Rules of retention as an operator writes them.

#include "queries/retention/retention.hpp"

#include <string>
#include <vector>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace data = boost::unit_test::data;
using namespace whence;
using queries::RetentionParser;
using schema::RecordType;

BOOST_AUTO_TEST_SUITE(retention)

namespace {

std::int64_t seconds_of(queries::RetentionRules const& rules, RecordType type) {
  auto const rule = rules.kept_for[static_cast<std::size_t>(type)];
  return rule ? rule->count() : 0;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_rule_of_a_type_goes_before_that_of_all) {
  RetentionParser parser;
  for (auto const* const rule : {"Response=12h", "90d", "Keyword=30m", "Topic=5s"})
    BOOST_TEST(parser.take(rule).has_value());
  auto const rules = parser.finish();
  BOOST_TEST(seconds_of(rules, RecordType::response) == 12 * 3600);
  BOOST_TEST(seconds_of(rules, RecordType::keyword) == 30 * 60);
  BOOST_TEST(seconds_of(rules, RecordType::topic) == 5);
  BOOST_TEST(seconds_of(rules, RecordType::document) == 90 * 86400);
  BOOST_TEST(seconds_of(rules, RecordType::citation) == 0);  // is no node
  BOOST_TEST(RetentionParser{}.finish().is_empty());
}

BOOST_DATA_TEST_CASE(what_is_no_rule_is_refused,
                     data::make({"", "d", "90", "90D", "0d", "-1d", "1.5d", " 1d", "1d ", "Response",
                                 "Response=", "=1d", "response=1d", "Citation=1d", "Response=1d=1d",
                                 "99999999999999999999d", "9223372036854775807d"}),
                     rule) {
  BOOST_TEST(RetentionParser{}.take(rule).has_error());
}

BOOST_AUTO_TEST_CASE(a_second_rule_of_one_type_is_refused) {
  RetentionParser parser;
  BOOST_TEST(parser.take("1d").has_value());
  BOOST_TEST(parser.take("2d").has_error());
  BOOST_TEST(parser.take("Response=1d").has_value());
  BOOST_TEST(parser.take("Response=1d").has_error());
}

namespace {

queries::RetentionRules rules_of(std::vector<std::string> const& texts) {
  RetentionParser parser;
  for (auto const& text : texts) BOOST_REQUIRE(parser.take(text).has_value());
  return parser.finish();
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_must_stay_longer_than_it_may_is_refused_by_both_rules) {
  auto const minimum = rules_of({"30d", "Response=12h"});
  BOOST_TEST(queries::check_not_shorter(rules_of({}), minimum).has_value());
  BOOST_TEST(queries::check_not_shorter(rules_of({"30d", "Response=12h"}), minimum).has_value());
  BOOST_TEST(queries::check_not_shorter(rules_of({"Response=1d"}), minimum).has_value());
  auto const shorter = queries::check_not_shorter(rules_of({"90d", "Message=719h"}), minimum);
  BOOST_REQUIRE(shorter.has_error());
  BOOST_TEST(shorter.error().message == "--retention Message=719h is shorter than --retention-min Message=30d");
}

BOOST_DATA_TEST_CASE(a_rule_is_shown_in_its_largest_unit, data::make({"90d", "25h", "61m", "59s"}), text) {
  auto const type = RecordType::response;
  BOOST_TEST(graph::format_rule(type, queries::parse_age(text).value()) == std::string("Response=") + text);
}

BOOST_AUTO_TEST_SUITE_END()
