// Conditions as people type them.

#include "tools/cli/options/where.hpp"

#include "schema/json/json.hpp"

#include <ostream>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

using namespace whence;
using schema::RecordType;

namespace {

struct WhereCase {
  std::string_view name;
  RecordType type;
  std::string_view text;
  std::string_view expected;  ///< the whole `where`; empty: refused
};
std::ostream& operator<<(std::ostream& out, WhereCase const& each) {
  return out << each.name;
}

constexpr WhereCase where_cases[] = {
    {"equality", RecordType::response, "agent=claude", R"({"agent":{"eq":"claude"}})"},
    {"spaces_around_the_operator", RecordType::response, " agent = claude sdk ", R"({"agent":{"eq":"claude sdk"}})"},
    {"prefix", RecordType::context_unit, "source^=memory:", R"({"source":{"prefix":"memory:"}})"},
    {"contained", RecordType::query, "question*=a=b", R"({"question":{"contains":"a=b"}})"},
    {"number_field", RecordType::response, "token_count>=1984", R"({"token_count":{"gte":1984}})"},
    {"negative_number", RecordType::feedback_record, "score<-0.5", R"({"score":{"lt":-0.5}})"},
    {"server_made_number", RecordType::context_unit, "tx<=7", R"({"tx":{"lte":7}})"},
    {"epoch_milliseconds_are_a_number", RecordType::message, "createdAt>12", R"({"createdAt":{"gt":12}})"},
    {"from_the_begin_of_a_day", RecordType::response, "timestamp>=2025-10-11",
     R"({"timestamp":{"gte":"2025-10-11T00:00:00Z"}})"},
    {"before_a_day", RecordType::response, "timestamp<2025-10-11", R"({"timestamp":{"lt":"2025-10-11T00:00:00Z"}})"},
    {"after_a_day", RecordType::response, "timestamp>2025-10-11",
     R"({"timestamp":{"gt":"2025-10-11T23:59:59.999999999Z"}})"},
    {"up_to_a_day", RecordType::response, "timestamp<=2025-10-11",
     R"({"timestamp":{"lte":"2025-10-11T23:59:59.999999999Z"}})"},
    {"a_whole_time", RecordType::response, "timestamp>2025-10-11T09:00:00Z",
     R"({"timestamp":{"gt":"2025-10-11T09:00:00Z"}})"},
    {"a_day_in_milliseconds", RecordType::message, "createdAt<=2025-10-11", R"({"createdAt":{"lte":1760227199999}})"},
    {"a_day_in_a_text_field_stays_text", RecordType::response, "content<2025-10-11",
     R"({"content":{"lt":"2025-10-11"}})"},
    {"no_day", RecordType::message, "createdAt<2025-13-11", ""},
    {"digits_in_a_text_field_stay_text", RecordType::topic, "name=42", R"({"name":{"eq":"42"}})"},
    {"quoted_text", RecordType::topic, R"(name="a b ")", R"({"name":{"eq":"a b "}})"},
    {"text_with_an_operator_sign", RecordType::context_unit, "source=a=b<c", R"({"source":{"eq":"a=b<c"}})"},
    {"list", RecordType::response, R"(agent=["a","b"])", R"({"agent":{"in":["a","b"]}})"},
    {"empty_value", RecordType::context_unit, "summary=", R"({"summary":{"eq":""}})"},
    {"item_of_a_list", RecordType::response, "flags=no_units", R"({"flags":{"has":"no_units"}})"},
    {"no_operator", RecordType::response, "agent", ""},
    {"no_field", RecordType::response, "=claude", ""},
    {"text_for_a_number", RecordType::response, "token_count=many", ""},
    {"list_with_another_operator", RecordType::response, R"(agent<["a"])", ""},
    {"broken_quotes", RecordType::response, R"(agent="a)", ""},
};

}  // namespace

BOOST_AUTO_TEST_SUITE(where)

BOOST_DATA_TEST_CASE(reads_a_condition, boost::unit_test::data::make(where_cases), sample) {
  boost::json::object where;
  Result<void> const added = tools::add_condition(where, sample.type, sample.text);
  if (sample.expected.empty()) {
    BOOST_TEST(!added);
  } else {
    BOOST_REQUIRE(added);
    BOOST_TEST(schema::json::to_text(where) == sample.expected);
  }
}

BOOST_AUTO_TEST_CASE(joins_conditions_on_one_field) {
  boost::json::object where;
  BOOST_REQUIRE(tools::add_condition(where, RecordType::response, "token_count>1"));
  BOOST_REQUIRE(tools::add_condition(where, RecordType::response, "token_count<=9"));
  BOOST_TEST(schema::json::to_text(where) == R"({"token_count":{"gt":1,"lte":9}})");
}

BOOST_AUTO_TEST_CASE(refuses_an_operator_given_twice) {
  boost::json::object where;
  BOOST_REQUIRE(tools::add_condition(where, RecordType::response, "agent=a"));
  BOOST_TEST(!tools::add_condition(where, RecordType::response, "agent=b"));
}

BOOST_AUTO_TEST_SUITE_END()
