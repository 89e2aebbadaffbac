// Times: exactly RFC 3339 in, one form out.
#include "schema/base/time.hpp"

#include "tests/support/seed.hpp"

#include <random>
#include <string>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::schema {
namespace {

namespace data = boost::unit_test::data;

struct TimeForm {
  std::string given;
  std::string normal;  ///< empty: refused
};
std::ostream& operator<<(std::ostream& out, TimeForm const& each) {
  return out << each.given;
}

std::vector<TimeForm> const time_forms = {
    {"2025-10-09T16:15:00Z", "2025-10-09T16:15:00Z"},
    {"1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z"},
    {"1969-12-31T23:59:59.999999999Z", "1969-12-31T23:59:59.999999999Z"},
    {"2025-10-09T16:15:00.5Z", "2025-10-09T16:15:00.5Z"},
    {"2025-10-09T16:15:00.500000000Z", "2025-10-09T16:15:00.5Z"},
    {"2025-10-09T16:15:00.000000001Z", "2025-10-09T16:15:00.000000001Z"},
    {"2025-10-09T16:15:00.0000000001Z", ""},
    {"2025-10-09T16:15:00.Z", ""},
    {"2025-10-09T16:15:00,5Z", ""},
    {"2025-10-09T18:15:00+02:00", "2025-10-09T16:15:00Z"},
    {"2025-10-09T00:00:00+23:59", "2025-10-08T00:01:00Z"},
    {"2025-10-09T00:00:00-23:59", "2025-10-09T23:59:00Z"},
    {"2025-10-09T16:15:00-00:00", "2025-10-09T16:15:00Z"},
    {"2025-10-09T16:15:00+24:00", ""},
    {"2025-10-09T16:15:00+00:60", ""},
    {"2025-10-09T16:15:00+0200", ""},
    {"2025-10-09T16:15:00+02", ""},
    {"2025-10-09t16:15:00Z", ""},
    {"2025-10-09T16:15:00z", ""},
    {"2025-10-09 16:15:00Z", ""},
    {"2025-10-09T16:15:00", ""},
    {"2025-10-09T16:15Z", ""},
    {"2025-10-09", ""},
    {"2025-10-09T16:15:60Z", ""},
    {"2025-10-09T16:60:00Z", ""},
    {"2025-10-09T23:59:59Z", "2025-10-09T23:59:59Z"},
    {"2025-10-09T24:00:00Z", ""},
    {"2025-00-09T16:15:00Z", ""},
    {"2025-13-09T16:15:00Z", ""},
    {"2025-10-00T16:15:00Z", ""},
    {"2025-10-31T16:15:00Z", "2025-10-31T16:15:00Z"},
    {"2025-11-31T16:15:00Z", ""},
    {"2025-02-29T00:00:00Z", ""},
    {"2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z"},
    {"2024-02-30T00:00:00Z", ""},
    {"1900-02-29T00:00:00Z", ""},
    {"2000-02-29T00:00:00Z", "2000-02-29T00:00:00Z"},
    {"0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z"},
    {"0000-01-01T00:00:00+00:01", ""},
    {"9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59.999999999Z"},
    {"9999-12-31T23:59:59-00:01", ""},
    {"10000-01-01T00:00:00Z", ""},
    {"2025-10-09T16:15:00Z ", ""},
    {" 2025-10-09T16:15:00Z", ""},
    {"2025-1-09T16:15:00Z", ""},
    {"2025-10-09T1 :15:00Z", ""},
    {"", ""},
};
BOOST_DATA_TEST_CASE(reads_exactly_rfc3339, data::make(time_forms), each) {
  auto const time = parse_rfc3339(each.given);
  BOOST_TEST((time ? format_rfc3339(*time) : "") == each.normal);
}

BOOST_AUTO_TEST_CASE(any_time_comes_back_from_its_text) {
  auto const seed = whence::test::seed_from_environment();
  std::mt19937_64 random(seed);
  auto const first = parse_rfc3339("0000-01-01T00:00:00Z")->seconds;
  auto const last = parse_rfc3339("9999-12-31T23:59:59Z")->seconds;
  for (int round = 0; round < 20'000; ++round) {
    Time time{.seconds = std::uniform_int_distribution(first, last)(random)};
    std::uint32_t const unit = round % 3 == 0 ? 1 : round % 3 == 1 ? 100'000'000 : 1'000'000'000;
    time.nanos = std::uniform_int_distribution(std::uint32_t{0}, 999'999'999 / unit)(random) * unit;
    auto const text = format_rfc3339(time);
    BOOST_TEST((parse_rfc3339(text) == time), "seed " << seed << ": " << text);
    BOOST_TEST((text[text.size() - 2] != '0' || text.find('.') == std::string::npos), text);
  }
}

BOOST_AUTO_TEST_CASE(refuses_every_cut_of_a_time) {
  std::string const whole = "2025-10-09T16:15:00.123+02:00";
  for (std::size_t size = 0; size < whole.size(); ++size) {
    BOOST_TEST(!parse_rfc3339(std::string_view{whole}.substr(0, size)), "cut at " << size);
  }
}

BOOST_AUTO_TEST_CASE(orders_by_instant_with_full_precision) {
  BOOST_TEST((*parse_rfc3339("2025-10-09T18:15:00.000000001+02:00") > *parse_rfc3339("2025-10-09T16:15:00Z")));
  BOOST_TEST((*parse_rfc3339("1969-12-31T23:59:59.9Z") < *parse_rfc3339("1970-01-01T00:00:00Z")));
}

BOOST_AUTO_TEST_CASE(turns_milliseconds_into_instants) {
  BOOST_TEST(time_of(EpochMs{1'728'234'567'890}) == *parse_rfc3339("2024-10-06T17:09:27.89Z"));
  BOOST_TEST(time_of(EpochMs{-1}) == *parse_rfc3339("1969-12-31T23:59:59.999Z"));
}

BOOST_AUTO_TEST_CASE(adds_seconds_and_parts_of_them) {
  Time const base{10, 600'000'000};
  BOOST_TEST(plus_seconds(base, 5) == (Time{15, 600'000'000}));
  BOOST_TEST(plus_seconds(base, 0.5) == (Time{11, 100'000'000}));
  BOOST_TEST(plus_seconds(base, -0.75) == (Time{9, 850'000'000}));
  BOOST_TEST((plus_seconds(base, 1e300) > base));
}

}  // namespace
}  // namespace whence::schema
