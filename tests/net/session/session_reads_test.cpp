#include "tests/net/session/session_fixture.hpp"

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

std::vector<std::string> refs_of(json::value const& result) {
  std::vector<std::string> refs;
  for (json::value const& node : result.at("nodes").as_array()) refs.emplace_back(node.at("ref").as_string());
  return refs;
}

std::string quoted(json::value const& text) {
  return "\"" + std::string(text.as_string()) + "\"";
}

BOOST_FIXTURE_TEST_CASE(an_answer_names_its_snapshot_and_is_complete, SessionFixture) {
  put_fan(3);
  json::value const answer = result("lineage.descendants", R"({"ref":"cu_root"})");
  BOOST_TEST(answer.at("tx").as_int64() == 1);
  BOOST_TEST(answer.at("complete").as_bool());
  BOOST_TEST(!answer.as_object().contains("cursor"));
  BOOST_TEST(answer.at("nodes").as_array().size() == 3U);
}

BOOST_FIXTURE_TEST_CASE(an_unknown_node_is_not_found_and_a_lonely_one_is_an_empty_answer, SessionFixture) {
  put({unit("cu_a")});
  BOOST_TEST(error_code("lineage.ancestors", R"({"ref":"cu_b"})") == -32020);
  BOOST_TEST(result("lineage.ancestors", R"({"ref":"cu_a"})").at("nodes").as_array().empty());
}

BOOST_FIXTURE_TEST_CASE(pages_follow_each_other_and_the_last_has_no_cursor_even_when_full, SessionFixture) {
  put_units(6);
  std::vector<std::string> seen;
  json::value page = result("node.find", R"({"type":"ContextUnit","limit":2})");
  for (int pages = 1;; ++pages) {
    for (std::string& ref : refs_of(page)) seen.push_back(std::move(ref));
    if (page.at("complete").as_bool()) {
      BOOST_TEST(pages == 3);
      BOOST_TEST(!page.as_object().contains("cursor"));
      break;
    }
    BOOST_TEST(page.at("reason").as_string() == "limit");
    page = result("node.find", R"({"limit":2,"cursor":)" + quoted(page.at("cursor")) + "}");
  }
  BOOST_TEST(seen.size() == 6U);
}

BOOST_FIXTURE_TEST_CASE(without_a_limit_a_page_holds_a_thousand, SessionFixture) {
  put_units(1001);
  json::value const page = result("node.find", R"({"type":"ContextUnit"})");
  BOOST_TEST(page.at("nodes").as_array().size() == 1000U);
  BOOST_TEST(page.as_object().contains("cursor"));
}

BOOST_FIXTURE_TEST_CASE(a_cursor_stays_on_its_snapshot_and_survives_a_restart, ServiceWorld) {
  put_units(4);
  std::string cursor;
  {
    Connection c(*this);
    cursor = quoted(c.result("node.find", R"({"type":"ContextUnit","limit":1})").at("cursor"));
  }
  put({unit("cu_00")});
  restart();
  Connection c(*this);
  json::value const rest = c.result("node.find", R"({"cursor":)" + cursor + "}");
  BOOST_TEST(rest.at("tx").as_int64() == 1);
  std::vector<std::string> const expected = {"ContextUnit:cu_1", "ContextUnit:cu_2", "ContextUnit:cu_3"};
  BOOST_TEST(refs_of(rest) == expected, boost::test_tools::per_element());
}

struct CursorFixture : SessionFixture {
  CursorFixture() {
    put_units(3);
    cursor = quoted(result("node.find", R"({"type":"ContextUnit","limit":1,"order":{"by":"id"}})").at("cursor"));
  }
  std::string cursor;
};

BOOST_FIXTURE_TEST_CASE(params_beside_a_cursor_must_be_those_of_the_first_request, CursorFixture) {
  auto const with = [&](std::string const& rest) { return "{\"cursor\":" + cursor + "," + rest + "}"; };
  result("node.find", with(R"("type":"ContextUnit","order":{"by":"id"},"limit":2,"timeout_ms":5000)"));
  BOOST_TEST(error_code("node.find", with(R"("type":"Response")")) == -32060);
  BOOST_TEST(error_code("node.find", with(R"("as_of":1)")) == -32060);
  BOOST_TEST(error_code("node.find", with(R"("unknown":1)")) == -32060);
  BOOST_TEST(error_code("node.count", with(R"("type":"ContextUnit")")) == -32602);
  BOOST_TEST(error_code("lineage.ancestors", with(R"("ref":"cu_0")")) == -32060);
}

BOOST_FIXTURE_TEST_CASE(a_damaged_cursor_and_one_of_another_log_are_invalid, CursorFixture) {
  BOOST_TEST(error_code("node.find", R"({"cursor":"AAAA"})") == -32060);
  BOOST_TEST(error_code("node.find", R"({"cursor":""})") == -32060);
  std::string damaged = cursor;
  damaged[damaged.size() / 2] = damaged[damaged.size() / 2] == 'A' ? 'B' : 'A';
  BOOST_TEST(error_code("node.find", "{\"cursor\":" + damaged + "}") == -32060);
  SessionFixture other;
  other.put_units(3);
  BOOST_TEST(other.error_code("node.find", "{\"cursor\":" + cursor + "}") == -32060);
}

BOOST_FIXTURE_TEST_CASE(as_of_reads_the_past_by_number_and_by_time, SessionFixture) {
  put({unit("cu_a")});
  auto const before = clock.now();
  clock.set({before.seconds + 10, 0});
  put({unit("cu_b")});
  auto const count = [&](std::string const& as_of) {
    return result("node.count", R"({"type":"ContextUnit","as_of":)" + as_of + "}").at("count").as_int64();
  };
  BOOST_TEST(count("0") == 0);
  BOOST_TEST(count("1") == 1);
  BOOST_TEST(count("2") == 2);
  BOOST_TEST(count("\"" + schema::format_rfc3339(before) + "\"") == 1);
  BOOST_TEST(count("\"2999-01-01T00:00:00Z\"") == 2);
  BOOST_TEST(result("node.count", R"({"type":"ContextUnit","as_of":1})").at("tx").as_int64() == 1);
  BOOST_TEST(error_code("node.get", R"({"ref":"cu_b","as_of":1})") == -32020);
}

BOOST_FIXTURE_TEST_CASE(min_tx_waits_for_the_transaction, SessionFixture) {
  int const waiting = ask("node.get", R"({"ref":"cu_a","min_tx":1})");
  BOOST_TEST(host.sent.empty());
  put({unit("cu_a")});
  BOOST_TEST(answer(waiting).at("result").at("tx").as_int64() == 1);
}

BOOST_FIXTURE_TEST_CASE(min_tx_that_does_not_come_in_time_is_an_error, SessionFixture) {
  BOOST_TEST(error_code("node.get", R"({"ref":"cu_a","min_tx":5,"timeout_ms":1})") == -32801);
}

BOOST_FIXTURE_TEST_CASE(a_read_too_long_for_the_io_thread_is_answered_from_a_worker, SessionFixture) {
  put_fan(20'000);
  json::value const answer = result("lineage.descendants", R"({"ref":"cu_root","limit":10000,"form":"graph"})");
  BOOST_TEST(answer.at("nodes").as_array().size() == 10000U);
  BOOST_TEST(answer.at("edges").as_array().size() == 10000U);
}

BOOST_AUTO_TEST_CASE(a_page_is_whole_however_little_may_be_done_where_it_arrives) {
  SessionFixture f({.inline_steps_max = 0});
  f.put_units(5);
  json::value const page = f.result("node.find", R"({"type":"ContextUnit"})");
  BOOST_TEST(page.at("complete").as_bool());
  BOOST_TEST(page.at("nodes").as_array().size() == 5U);
}

BOOST_AUTO_TEST_CASE(out_of_time_a_list_answers_with_a_cursor_and_anything_else_with_an_error) {
  SessionFixture f({.read_timeout = std::chrono::milliseconds{0}, .inline_steps_max = 0});
  f.put_fan(20'000);
  json::value const late = f.result("lineage.descendants", R"({"ref":"cu_root","form":"graph"})");
  BOOST_TEST(!late.at("complete").as_bool());
  BOOST_TEST(late.at("reason").as_string() == "timeout");
  BOOST_TEST(late.at("nodes").as_array().empty());
  BOOST_TEST(late.at("edges").as_array().empty());
  json::value const rest = f.result("lineage.descendants",
                                    R"({"limit":10000,"timeout_ms":60000,"cursor":)" + quoted(late.at("cursor")) + "}");
  BOOST_TEST(rest.at("nodes").as_array().size() == 10000U);
  BOOST_TEST(rest.at("tx").as_int64() == late.at("tx").as_int64());
  json::value const graph = f.result("lineage.graph", R"({"ref":"cu_root"})");
  BOOST_TEST(graph.at("reason").as_string() == "timeout");
  BOOST_TEST(!graph.as_object().contains("cursor"));
  for (char const* const list : {"nodes", "edges", "frontier"}) BOOST_TEST(graph.at(list).as_array().empty());
  BOOST_TEST(f.error_code("lineage.path", R"({"from":"cu_root","to":"cu_1","kind":"all"})") == -32801);
}

// cu_0 to cu_<stages> by way of two units at each stage.
std::vector<schema::Record> diamonds(int stages) {
  std::vector<schema::Record> records{unit("cu_0")};
  for (int i = 0; i < stages; ++i) {
    std::string const from = "cu_" + std::to_string(i);
    std::string const to = "cu_" + std::to_string(i + 1);
    records.emplace_back(derived(from + "_a", {from}));
    records.emplace_back(derived(from + "_b", {from}));
    records.emplace_back(derived(to, {from + "_a", from + "_b"}));
  }
  return records;
}

struct PathsFixture : SessionFixture {
  PathsFixture() { put(diamonds(4)); }  // 16 paths
  json::value paths(std::string const& rest) { return result("lineage.path", "{" + rest + "}"); }

  std::string const question = R"("from":"cu_0","to":"cu_4")";
};

BOOST_FIXTURE_TEST_CASE(all_paths_come_in_pages_on_one_snapshot, PathsFixture) {
  json::array const whole = paths(question + R"(,"kind":"all")").at("paths").as_array();
  BOOST_TEST(whole.size() == 16U);
  for (int const limit : {1, 5, 8, 15}) {
    json::value page = paths(question + R"(,"kind":"all","as_of":1,"limit":)" + std::to_string(limit));
    put({derived("cu_more" + std::to_string(limit), {"cu_0"})});
    json::array walked;
    for (;;) {
      json::array const& items = page.at("paths").as_array();
      BOOST_TEST(!items.empty());
      walked.insert(walked.end(), items.begin(), items.end());
      BOOST_TEST(page.at("tx").as_int64() == 1);
      if (page.at("complete").as_bool()) break;
      BOOST_TEST(page.at("reason").as_string() == "limit");
      page = paths(R"("limit":)" + std::to_string(limit) + R"(,"cursor":)" + quoted(page.at("cursor")));
    }
    BOOST_TEST(!page.as_object().contains("cursor"));
    BOOST_TEST(walked == whole);
  }
}

BOOST_FIXTURE_TEST_CASE(dominators_of_paths_and_of_impact_are_named_where_asked, PathsFixture) {
  json::array const waists{"ContextUnit:cu_1", "ContextUnit:cu_2", "ContextUnit:cu_3"};
  BOOST_TEST(paths(question + R"(,"dominators":true)").at("dominators").as_array() == waists);
  json::value const cut = paths(question + R"(,"kind":"all","limit":2,"dominators":true)");
  BOOST_TEST(cut.at("dominators").as_array() == waists);
  BOOST_TEST(!paths(question).as_object().contains("dominators"));
  BOOST_TEST(error_code("lineage.path", "{" + question + R"(,"dominators":1})") == -32602);
  put({response("resp_1", {{"cu_4", 1}})});
  json::value const impact = result("impact.analyze", R"({"refs":["cu_0"],"dominators":true})");
  BOOST_TEST(impact.at("nodes").at(0).at("dominator") == "ContextUnit:cu_4");
}

BOOST_FIXTURE_TEST_CASE(a_reduced_graph_says_how_many_edges_it_leaves_out, PathsFixture) {
  put({derived("cu_again", {"cu_0", "cu_4"})});
  json::value const whole = result("lineage.graph", R"({"ref":"cu_again","up":20})");
  json::value const reduced = result("lineage.graph", R"({"ref":"cu_again","up":20,"reduced":true})");
  BOOST_TEST(reduced.at("reduced_edges").as_int64() == 1);
  BOOST_TEST(reduced.at("edges").as_array().size() + 1 == whole.at("edges").as_array().size());
  BOOST_TEST(reduced.at("nodes") == whole.at("nodes"));
}

BOOST_FIXTURE_TEST_CASE(the_strongest_and_the_shortest_path_are_one_page, PathsFixture) {
  for (char const* const kind : {"strongest", "shortest"}) {
    json::value const answer = paths(question + R"(,"limit":1,"kind":")" + kind + "\"");
    BOOST_TEST(answer.at("paths").as_array().size() == 1U);
    BOOST_TEST(answer.at("complete").as_bool());
    BOOST_TEST(!answer.as_object().contains("cursor"));
  }
}

BOOST_FIXTURE_TEST_CASE(a_stream_of_paths_goes_to_its_limit_and_ends_with_a_cursor, PathsFixture) {
  json::value const end = paths(question + R"(,"kind":"all","limit":6,"stream":{"credit":9})");
  std::size_t streamed = 0;
  for (json::value const& partial : notifications("$/partial")) streamed += partial.at("items").as_array().size();
  BOOST_TEST(streamed == 6U);
  json::value const rest = paths(R"("cursor":)" + quoted(end.at("cursor")));
  BOOST_TEST(rest.at("paths").as_array().size() == 10U);
  BOOST_TEST(rest.at("complete").as_bool());
}

BOOST_FIXTURE_TEST_CASE(an_answer_cut_by_depth_has_that_reason_and_no_cursor, SessionFixture) {
  put({unit("cu_a"), derived("cu_b", {"cu_a"}), derived("cu_c", {"cu_b"})});
  json::value const cut = result("lineage.descendants", R"({"ref":"cu_a","depth":1})");
  BOOST_TEST(!cut.at("complete").as_bool());
  BOOST_TEST(cut.at("reason").as_string() == "depth");
  BOOST_TEST(!cut.as_object().contains("cursor"));
  BOOST_TEST(result("lineage.descendants", R"({"ref":"cu_a","depth":2})").at("complete").as_bool());
}

}  // namespace
}  // namespace whence::test
