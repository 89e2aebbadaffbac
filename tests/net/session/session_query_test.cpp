// The method `query` on one connection: streams without a last page, and pages that go on where the page before ended.

#include "tests/net/session/session_fixture.hpp"

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

std::string numbers(int count) {
  return R"("cypher":"UNWIND range(1, )" + std::to_string(count) + R"() AS i RETURN i")";
}

struct QueryFixture : SessionFixture {
  /// The numbers streamed so far, each of which has to be one more than the one before.
  std::int64_t streamed() const {
    std::int64_t last = 0;
    for (json::value const& partial : notifications("$/partial")) {
      for (json::value const& row : partial.at("items").as_array()) {
        BOOST_REQUIRE(row.as_array().at(0).as_int64() == last + 1);
        ++last;
      }
    }
    return last;
  }
};

BOOST_FIXTURE_TEST_CASE(a_stream_of_a_query_has_no_last_page, QueryFixture) {
  json::value const end = result("query", "{" + numbers(25'000) + R"(,"stream":{"credit":1000}})");
  BOOST_TEST(end.at("complete").as_bool());
  BOOST_TEST(!end.as_object().contains("cursor"));
  BOOST_TEST(!end.as_object().contains("rows"));
  BOOST_TEST(end.at("columns") == json::parse(R"(["i"])"));
  BOOST_TEST(streamed() == 25'000);
}

BOOST_FIXTURE_TEST_CASE(rows_are_made_as_credit_is_given, QueryFixture) {
  int const id = ask(
      "query",
      R"({"cypher":"UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b RETURN b AS i","stream":{"credit":2}})");
  host.run_until([&] { return notifications("$/partial").size() == 2; });
  host.run_posted();
  BOOST_TEST(streamed() <= 1'000);
  BOOST_TEST(find_answer(id) == nullptr);
  notify("$/cancel", R"({"id":)" + std::to_string(id) + "}");
  BOOST_TEST(answer(id).at("error").at("code").as_int64() == -32800);
}

BOOST_FIXTURE_TEST_CASE(the_limit_of_a_stream_is_followed_by_a_cursor, QueryFixture) {
  json::value const end = result("query", "{" + numbers(25) + R"(,"limit":10,"stream":{"credit":9}})");
  BOOST_TEST(end.at("reason").as_string() == "limit");
  BOOST_TEST(streamed() == 10);
  std::string const cursor{end.at("cursor").as_string()};
  json::value const rest = result("query", R"({"cursor":")" + cursor + R"("})");
  BOOST_TEST(rest.at("complete").as_bool());
  BOOST_TEST(rest.at("rows").as_array().size() == 15U);
  BOOST_TEST(rest.at("rows").as_array().at(0).as_array().at(0).as_int64() == 11);
  // Exactly as many as there are: nothing follows.
  json::value const all = result("query", "{" + numbers(10) + R"(,"limit":10,"stream":{"credit":9}})");
  BOOST_TEST(all.at("complete").as_bool());
}

BOOST_FIXTURE_TEST_CASE(a_stream_without_rows_says_its_columns, QueryFixture) {
  json::value const end =
      result("query", R"({"cypher":"MATCH (n:Topic) RETURN n.name AS name","stream":{"credit":1}})");
  BOOST_TEST(end.at("complete").as_bool());
  BOOST_TEST(end.at("columns") == json::parse(R"(["name"])"));
  BOOST_TEST(notifications("$/partial").empty());
}

BOOST_FIXTURE_TEST_CASE(a_stream_fails_where_its_rows_do, QueryFixture) {
  json::value const failed = call("query", R"({"cypher":"UNWIND [1, 1, 0] AS i RETURN 1 / i","stream":{"credit":9}})");
  BOOST_TEST(failed.at("error").at("code").as_int64() == -32602);
}

BOOST_FIXTURE_TEST_CASE(a_stream_that_is_out_of_time_ends_with_what_it_has, QueryFixture) {
  std::string const endless =
      "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b WITH a, b WHERE a = 1 AND b <= 3 RETURN b AS i";
  json::value const end = result("query", R"({"cypher":")" + endless + R"(","timeout_ms":300,"stream":{"credit":9}})");
  BOOST_TEST(!end.at("complete").as_bool());
  BOOST_TEST(end.at("reason").as_string() == "timeout");
}

BOOST_FIXTURE_TEST_CASE(pages_go_on_where_the_page_before_ended, QueryFixture) {
  // Beyond what would be made again from the first row on.
  json::value page = result("query", "{" + numbers(120'000) + R"(,"limit":10000})");
  std::string cursor;
  std::string late;
  std::int64_t seen = 0;
  for (;;) {
    for (json::value const& row : page.at("rows").as_array()) BOOST_REQUIRE(row.as_array().at(0).as_int64() == ++seen);
    if (page.at("complete").as_bool()) break;
    cursor = page.at("cursor").as_string();
    if (seen == 110'000) late = cursor;
    page = result("query", R"({"limit":10000,"cursor":")" + cursor + R"("})");
  }
  BOOST_TEST(seen == 120'000);
  // The evaluation has gone on since: that page is not made again.
  BOOST_TEST(error_code("query", R"({"limit":10000,"cursor":")" + late + R"("})") == -32060);
}

BOOST_FIXTURE_TEST_CASE(a_page_is_made_again_where_nothing_was_kept, QueryFixture) {
  json::value const first = result("query", "{" + numbers(10) + R"(,"limit":4})");
  std::string const cursor{first.at("cursor").as_string()};
  for (int i = 0; i < 2; ++i) {
    json::value const second = result("query", R"({"limit":3,"cursor":")" + cursor + R"("})");
    BOOST_TEST(second.at("rows") == json::parse("[[5],[6],[7]]"));
  }
  // Another connection, after a restart.
  session->on_closed();
  restart();
  Connection other{static_cast<ServiceWorld&>(*this)};
  BOOST_TEST(other.result("query", R"({"cursor":")" + cursor + R"("})").at("rows") ==
             json::parse("[[5],[6],[7],[8],[9],[10]]"));
}

BOOST_FIXTURE_TEST_CASE(all_pages_are_of_one_moment, QueryFixture) {
  put_units(3);
  json::value const first = result("query", R"({"cypher":"MATCH (u:ContextUnit) RETURN u.id","limit":2})");
  put_units(5, "cu_later_");
  json::value const rest = result("query", R"({"cursor":")" + std::string{first.at("cursor").as_string()} + R"("})");
  BOOST_TEST(rest.at("rows").as_array().size() == 1U);
  BOOST_TEST(rest.at("tx") == first.at("tx"));
}

}  // namespace
}  // namespace whence::test
