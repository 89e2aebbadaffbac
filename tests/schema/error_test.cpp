// Errors made of violations.
#include "schema/base/error.hpp"

#include "schema/base/limits.hpp"

#include <set>
#include <sstream>

#include <boost/test/unit_test.hpp>

namespace whence {
namespace {

Violation at(std::uint32_t index, std::string path, Errc code = Errc::invalid_record) {
  return {.code = code, .rule = "r", .path = std::move(path), .index = index, .message = "m"};
}

BOOST_AUTO_TEST_CASE(puts_the_lowest_index_and_path_on_top) {
  auto const error = error_from({at(1, "/a"), at(0, "/b"), at(0, "/a", Errc::conflict), at(0, "")});
  BOOST_TEST(error.code == Errc::invalid_record);
  BOOST_TEST(error.violations[0].path == "");
  BOOST_TEST(error.violations[1].code == Errc::conflict);
  BOOST_TEST(*error.violations[3].index == 1U);
}

BOOST_AUTO_TEST_CASE(keeps_at_most_a_hundred_violations) {
  std::vector<Violation> many;
  for (std::uint32_t i = 200; i > 0; --i) many.push_back(at(i, "/a"));
  auto const error = error_from(many);
  BOOST_TEST(error.violations.size() == schema::limits::violations_max);
  BOOST_TEST(*error.violations.back().index == 100U);
}

BOOST_AUTO_TEST_CASE(names_every_code_once) {
  std::set<std::string_view> names;
  for (int code = 1; code <= static_cast<int>(Errc::corrupt); ++code) {
    BOOST_TEST(names.insert(name_of(static_cast<Errc>(code))).second);
  }
  BOOST_TEST(error_category().message(static_cast<int>(Errc::cycle)) == "cycle");
  BOOST_TEST(error_category().message(-1) == "unknown error -1");
}

BOOST_AUTO_TEST_CASE(throws_the_code_where_a_value_is_demanded) {
  Result<int> const result = Error{.code = Errc::busy, .message = "full"};
  BOOST_CHECK_EXCEPTION(static_cast<void>(result.value()), boost::system::system_error,
                        [](auto const& thrown) { return thrown.code() == Errc::busy; });
}

BOOST_AUTO_TEST_CASE(prints_what_is_wrong_and_where) {
  std::ostringstream out;
  out << error_from(at(3, "/a"));
  BOOST_TEST(out.str() == "invalid_record: record 3 /a: m\n  invalid_record r at [3]/a (saw ): m");
}

}  // namespace
}  // namespace whence
