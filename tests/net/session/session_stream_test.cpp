#include "tests/net/session/session_fixture.hpp"

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

struct StreamFixture : SessionFixture {
  std::size_t items() const {
    std::size_t count = 0;
    for (json::value const& partial : notifications("$/partial")) count += partial.at("items").as_array().size();
    return count;
  }
  void wait_for_partials(std::size_t count) {
    host.run_until([&] { return notifications("$/partial").size() >= count; });
  }
};

BOOST_FIXTURE_TEST_CASE(a_stream_gives_everything_in_pieces_numbered_from_1, StreamFixture) {
  put_fan(1700);
  json::value const end = result("lineage.descendants", R"({"ref":"cu_root","form":"graph","stream":{"credit":100}})");
  BOOST_TEST(end.at("complete").as_bool());
  BOOST_TEST(end.at("tx").as_int64() == 1);
  BOOST_TEST(!end.as_object().contains("nodes"));
  BOOST_TEST(!end.as_object().contains("edges"));
  BOOST_TEST(items() == 3400U);
  std::int64_t seq = 0;
  for (json::value const& partial : notifications("$/partial")) {
    BOOST_TEST(partial.at("seq").as_int64() == ++seq);
    BOOST_TEST(partial.at("id").as_int64() == last_id);
  }
  BOOST_TEST(seq > 1);
}

BOOST_FIXTURE_TEST_CASE(an_edge_has_a_from_and_comes_with_its_node, StreamFixture) {
  put_fan(2);
  result("lineage.descendants", R"({"ref":"cu_root","form":"graph","stream":{"credit":1}})");
  json::value const partial = notifications("$/partial").at(0);
  json::array const& all = partial.at("items").as_array();
  BOOST_TEST(
      std::count_if(all.begin(), all.end(), [](auto const& item) { return item.as_object().contains("from"); }) == 2);
}

BOOST_FIXTURE_TEST_CASE(a_stream_waits_for_credit, StreamFixture) {
  put_units(1200);
  int const id = ask("node.find", R"({"type":"ContextUnit","stream":{"credit":1}})");
  wait_for_partials(1);
  host.run_posted();
  BOOST_TEST(notifications("$/partial").size() == 1U);
  BOOST_TEST(find_answer(id) == nullptr);
  notify("$/credit", R"({"id":)" + std::to_string(id) + R"(,"n":1})");
  wait_for_partials(2);
  BOOST_TEST(find_answer(id) == nullptr);
  notify("$/credit", R"({"id":)" + std::to_string(id) + R"(,"n":5})");
  answer(id);
  BOOST_TEST(items() == 1200U);
}

BOOST_FIXTURE_TEST_CASE(credit_for_nothing_and_malformed_credit_are_ignored, StreamFixture) {
  put_units(1200);
  int const id = ask("node.find", R"({"type":"ContextUnit","stream":{"credit":1}})");
  wait_for_partials(1);
  for (char const* const params :
       {"{}", R"({"id":1})", R"({"id":1,"n":0})", R"({"id":1,"n":"1"})", R"({"id":99,"n":9})", "[]"}) {
    notify("$/credit", params);
  }
  host.run_posted();
  BOOST_TEST(notifications("$/partial").size() == 1U);
  BOOST_TEST(find_answer(id) == nullptr);
}

BOOST_FIXTURE_TEST_CASE(a_stream_pauses_while_the_connection_is_congested, StreamFixture) {
  put_units(120);
  host.congested = true;
  int const id = ask("node.find", R"({"type":"ContextUnit","stream":{"credit":9}})");
  host.run_posted();
  BOOST_TEST(notifications("$/partial").empty());
  host.congested = false;
  session->on_drained();
  answer(id);
  BOOST_TEST(items() == 120U);
}

BOOST_FIXTURE_TEST_CASE(a_limit_cuts_a_stream_and_leaves_a_cursor, StreamFixture) {
  put_units(30);
  json::value const end = result("node.find", R"({"type":"ContextUnit","limit":20,"stream":{"credit":9}})");
  BOOST_TEST(end.at("reason").as_string() == "limit");
  BOOST_TEST(items() == 20U);
  std::string const cursor(end.at("cursor").as_string());
  BOOST_TEST(result("node.find", R"({"cursor":")" + cursor + "\"}").at("nodes").as_array().size() == 10U);
}

BOOST_FIXTURE_TEST_CASE(a_stream_without_credit_ends_at_its_own_timeout_with_a_cursor, StreamFixture) {
  put_units(1200);
  json::value const end = result("node.find", R"({"type":"ContextUnit","timeout_ms":200,"stream":{"credit":1}})");
  BOOST_TEST(end.at("reason").as_string() == "timeout");
  std::string const cursor(end.at("cursor").as_string());
  std::size_t const first = items();
  json::value const rest = result("node.find", R"({"limit":10000,"cursor":")" + cursor + "\"}");
  BOOST_TEST(rest.at("nodes").as_array().size() + first == 1200U);
}

BOOST_FIXTURE_TEST_CASE(an_empty_stream_is_just_its_answer, StreamFixture) {
  json::value const end = result("node.find", R"({"type":"Topic","stream":{"credit":1}})");
  BOOST_TEST(end.at("complete").as_bool());
  BOOST_TEST(notifications("$/partial").empty());
}

BOOST_FIXTURE_TEST_CASE(long_work_reports_progress_when_asked, SessionFixture) {
  put_fan(20'000);
  std::string const params = R"({"ref":"cu_root","limit":1,"progress":)";
  result("lineage.descendants", params + "false}");
  BOOST_TEST(notifications("$/progress").empty());
  result("lineage.descendants", params + "true}");
  host.run_posted();
  // More steps than are tried at once, so a worker evaluates, and a worker's first check reports.
  auto const reported = notifications("$/progress");
  BOOST_REQUIRE(!reported.empty());
  for (json::value const& progress : reported) {
    BOOST_TEST(progress.at("id").as_int64() == last_id);
    BOOST_TEST(progress.at("done").as_int64() <= progress.at("total").as_int64());
  }
}

}  // namespace
}  // namespace whence::test
