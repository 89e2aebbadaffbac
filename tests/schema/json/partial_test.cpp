#include "schema/json/partial.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using namespace schema::json;

constexpr std::array<std::string_view, 1> names = {"records"};

std::vector<std::string> items_of(std::string_view text) {
  std::vector<std::string> items;
  for (ArrayItems all(text); auto const item = all.next();) items.emplace_back(*item);
  return items;
}

BOOST_AUTO_TEST_CASE(items_of_an_array_are_their_texts) {
  std::vector<std::string> const expected = {"1 ", R"({"a":[1,2],"b":"]\","})", R"("\\")", "[[]]"};
  BOOST_TEST(items_of(R"([ 1 ,{"a":[1,2],"b":"]\","},"\\",[[]]] , "x")") == expected, boost::test_tools::per_element());
  BOOST_TEST(items_of("[ ]}").empty());
  BOOST_TEST(whole_array(R"([1,"]"] ,2)") == R"([1,"]"] )");
}

BOOST_AUTO_TEST_CASE(an_array_among_the_params_stays_text) {
  auto const document = parse_partly(R"({"params":{"a":[1],"records" : [1,2],"b":3}})", {.names = names});
  BOOST_REQUIRE(document.has_value());
  BOOST_REQUIRE(document->arrays.size() == 1U);
  BOOST_TEST(document->arrays[0].name == "records");
  BOOST_TEST(document->arrays[0].text.starts_with("[1,2]"));
  BOOST_TEST(to_text(document->value) == R"({"params":{"a":[1],"records":[null],"b":3}})");
}

BOOST_AUTO_TEST_CASE(what_stays_text_is_checked_all_the_same) {
  for (std::string const bad : {"[1,]", "[01]", "[\"\xff\"]", R"(["\ud800"])", "[1e999]"}) {
    auto const document = parse_partly(R"({"params":{"records":)" + bad + "}}", {.names = names});
    BOOST_TEST(document.error().code == Errc::parse_error, bad);
    BOOST_TEST(document.error().message == parse(R"({"params":{"records":)" + bad + "}}").error().message);
  }
}

BOOST_AUTO_TEST_CASE(too_many_values_are_cut_and_what_follows_the_params_is_read) {
  std::string zeros = "0";
  for (std::size_t i = 0; i < values_max; ++i) zeros += ",0";
  auto const document = parse_partly(R"({"params":{"x":[)" + zeros + R"(],"y":1},"id":7})", {.names = names});
  BOOST_REQUIRE(document.has_value());
  BOOST_TEST(document->cut.value_or("").starts_with("/params/x/"));
  BOOST_TEST(document->value.at("id").as_int64() == 7);
  BOOST_TEST(parse_partly(R"({"params":{"x":[)" + zeros + R"(],"y":1},"id":7)", {.names = names}).has_error());
}

BOOST_AUTO_TEST_CASE(too_many_names_to_compare_are_not_compared) {
  std::string members = R"("a":1,"a":2)";
  for (int i = 0; i < 250'000; ++i) members += ",\"" + std::to_string(i) + "\":0";
  auto const document = parse("{" + members + "}");
  BOOST_REQUIRE(document.has_value());
  BOOST_TEST(document->has_more_places);
  BOOST_TEST(document->duplicates == std::vector<std::string>{"/a"}, boost::test_tools::per_element());
}

}  // namespace
}  // namespace whence::test
