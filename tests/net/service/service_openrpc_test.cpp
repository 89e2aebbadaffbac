#include "net/metrics/exposition.hpp"
#include "net/rpc/method.hpp"
#include "schema/types/edge_type.hpp"
#include "schema/types/record_type.hpp"
#include "tests/net/session/session_fixture.hpp"

#include <map>
#include <set>

#include <boost/json/parse.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

std::set<std::string> const all_methods = {"rpc.discover",
                                           "search",
                                           "query",
                                           "server.info",
                                           "session.hello",
                                           "records.write",
                                           "node.get",
                                           "node.find",
                                           "node.count",
                                           "node.neighbors",
                                           "node.activity",
                                           "lineage.graph",
                                           "lineage.ancestors",
                                           "lineage.descendants",
                                           "lineage.path",
                                           "lineage.stale",
                                           "lineage.influence",
                                           "lineage.diff",
                                           "lineage.manifest",
                                           "impact.analyze",
                                           "impact.blame",
                                           "impact.replay_plan",
                                           "impact.without",
                                           "versions.list",
                                           "versions.diff",
                                           "history.get",
                                           "log.bundle",
                                           "log.checkpoint",
                                           "log.consistency",
                                           "log.cosign",
                                           "log.proof",
                                           "log.rotate",
                                           "feedback.list",
                                           "subscribe",
                                           "unsubscribe",
                                           "admin.backup",
                                           "admin.log",
                                           "admin.restore",
                                           "admin.verify",
                                           "export.cancel",
                                           "export.start",
                                           "export.status",
                                           "attachment.get",
                                           "attachment.list",
                                           "trace",
                                           "summary.get",
                                           "template.active",
                                           "template.list",
                                           "records.delete",
                                           "records.purge",
                                           "admin.retention",
                                           "person.find",
                                           "person.certificate",
                                           "person.erase",
                                           "purge.confirm",
                                           "purge.proposals",
                                           "purge.withdraw",
                                           "hold.set",
                                           "hold.list",
                                           "hold.clear",
                                           "xml.validate",
                                           "xml.build",
                                           "xml.context",
                                           "xml.instructions",
                                           "discussion.context",
                                           "discussion.get",
                                           "discussion.prompt",
                                           "discussion.tokens",
                                           "rag.get",
                                           "rag.retrieve",
                                           "discussion.open",
                                           "discussion.addResponse",
                                           "discussion.answer",
                                           "discussion.abandon",
                                           "discussion.set",
                                           "discussion.summarize",
                                           "unit.update",
                                           "discussion.write",
                                           "discussion.reconcile",
                                           "rag.answer"};

BOOST_FIXTURE_TEST_CASE(describes_exactly_the_methods_that_exist, SessionFixture) {
  json::value const document = result("rpc.discover");
  BOOST_TEST(document.at("openrpc").as_string() == "1.3.2");
  std::set<std::string> described;
  for (json::value const& method : document.at("methods").as_array()) described.emplace(method.at("name").as_string());
  BOOST_TEST(described == all_methods);
}

BOOST_FIXTURE_TEST_CASE(every_reference_to_an_error_resolves, SessionFixture) {
  json::value const document = json::parse(service->openrpc());
  for (json::value const& method : document.at("methods").as_array()) {
    BOOST_TEST(!method.at("errors").as_array().empty(), method.at("name"));
    for (json::value const& error : method.at("errors").as_array()) {
      std::string const ref(error.at("$ref").as_string());
      BOOST_TEST(document.at("components").at("errors").as_object().contains(ref.substr(ref.rfind('/') + 1)));
    }
  }
}

BOOST_FIXTURE_TEST_CASE(params_carry_their_type_bounds_and_presence, SessionFixture) {
  json::value const document = json::parse(service->openrpc());
  for (json::value const& method : document.at("methods").as_array()) {
    for (json::value const& param : method.at("params").as_array()) {
      BOOST_TEST_CONTEXT(method.at("name") << " " << param.at("name")) {
        BOOST_TEST(param.at("required").is_bool());
        BOOST_TEST(!param.at("description").as_string().empty());
        BOOST_TEST(param.at("schema").is_object());
        if (param.at("name").as_string() == "limit") BOOST_TEST(param.at("schema").at("minimum").as_int64() == 1);
      }
    }
  }
}

BOOST_FIXTURE_TEST_CASE(refs_are_described_as_one_or_a_list_and_taken_as_both, SessionFixture) {
  put({unit("cu_a")});
  json::value const document = json::parse(service->openrpc());
  std::set<std::string> described;
  for (json::value const& method : document.at("methods").as_array()) {
    for (json::value const& param : method.at("params").as_array()) {
      if (param.at("name").as_string() != "refs") continue;
      described.emplace(method.at("name").as_string());
      json::array const& either = param.at("schema").at("oneOf").as_array();
      BOOST_TEST(either.at(0).at("format").as_string() == "ref");
      BOOST_TEST(either.at(1).at("maxItems").as_int64() >= 1000);
      BOOST_TEST(either.at(1).at("items").at("format").as_string() == "ref");
    }
  }
  for (char const* const method : {"node.get", "impact.analyze", "impact.without", "impact.replay_plan"}) {
    BOOST_TEST(described.contains(method));
    result(method, R"({"refs":"cu_a"})");
  }
  BOOST_TEST(described.contains("hold.set"));
  std::string const hold = std::string(result("hold.set", R"({"refs":"cu_a","reason":"x"})").at("ref").as_string());
  json::value const kept = result("node.get", R"({"ref":")" + hold + R"(","include":["record"]})").at("nodes").at(0);
  BOOST_TEST(kept.at("record").at("refs") == json::parse(R"(["ContextUnit:cu_a"])"));
}

BOOST_FIXTURE_TEST_CASE(parts_are_described_as_the_one_document_or_the_other, SessionFixture) {
  json::value const document = json::parse(service->openrpc());
  std::set<std::string> names;
  for (json::value const& method : document.at("methods").as_array()) {
    if (method.at("name").as_string() != "xml.build") continue;
    for (json::value const& param : method.at("params").as_array()) {
      names.emplace(param.at("name").as_string());
      BOOST_TEST(!param.at("required").as_bool());
      if (param.at("name").as_string() != "parts") continue;
      json::array const& either = param.at("schema").at("oneOf").as_array();
      BOOST_TEST(either.at(0).at("properties").at("format").at("const").as_string() == "llm-query");
      BOOST_TEST(either.at(1).at("properties").at("format").at("const").as_string() == "llm-response");
    }
  }
  BOOST_TEST(names == (std::set<std::string>{"parts", "format", "userMessage", "context", "response", "analysis"}));
}

BOOST_AUTO_TEST_CASE(the_limit_described_is_the_limit_enforced) {
  SessionFixture f({.page_max = 7});
  json::value const document = json::parse(f.service->openrpc());
  int limits = 0;
  for (json::value const& method : document.at("methods").as_array()) {
    for (json::value const& param : method.at("params").as_array()) {
      if (param.at("name").as_string() != "limit") continue;
      ++limits;
      BOOST_TEST(param.at("schema").at("maximum").as_int64() == 7);
    }
  }
  BOOST_TEST(limits > 10);
  f.result("node.find", R"({"type":"Topic","limit":7})");
  BOOST_TEST(f.error_code("node.find", R"({"type":"Topic","limit":8})") == -32602);
}

BOOST_FIXTURE_TEST_CASE(a_cursor_is_taken_where_there_are_pages, SessionFixture) {
  json::value const document = json::parse(service->openrpc());
  std::set<std::string> without;
  for (json::value const& method : document.at("methods").as_array()) {
    std::set<std::string> names;
    for (json::value const& param : method.at("params").as_array()) names.emplace(param.at("name").as_string());
    if (names.contains("limit") && !names.contains("cursor")) without.emplace(method.at("name").as_string());
  }
  BOOST_TEST(without == std::set<std::string>{"lineage.graph"});
}

BOOST_FIXTURE_TEST_CASE(names_every_record_type_with_its_facts, SessionFixture) {
  json::value const types = json::parse(service->openrpc()).at("x-whence-types");
  std::vector<std::string> names;
  for (json::value const& type : types.at("records").as_array()) {
    BOOST_TEST_CONTEXT(type.at("name")) {
      names.emplace_back(type.at("name").as_string());
      BOOST_TEST(!type.at("label").as_string().empty());
      BOOST_TEST(!type.at("family").as_string().empty());
      for (json::value const& member : type.at("label_members").as_array()) BOOST_TEST(!member.as_string().empty());
      for (json::value const& member : type.at("search_members").as_array()) BOOST_TEST(!member.as_string().empty());
      BOOST_TEST((type.at("time_member").is_null() || !type.at("time_member").as_string().empty()));
    }
  }
  std::vector<std::string> expected;
  for (auto const& row : schema::record_types()) expected.emplace_back(row.name);
  BOOST_TEST(names == expected, boost::test_tools::per_element());
  json::value const& unit_type = types.at("records").at(0);
  BOOST_TEST(unit_type.at("time_member").as_string() == "timestamp");
  BOOST_TEST(unit_type.at("label_members").at(0).as_string() == "summary");
  BOOST_TEST(unit_type.at("is_node").as_bool());
}

BOOST_FIXTURE_TEST_CASE(names_every_edge_type_and_its_influence, SessionFixture) {
  json::value const types = json::parse(service->openrpc()).at("x-whence-types");
  std::map<std::string, json::value> edges;
  for (json::value const& type : types.at("edges").as_array()) {
    edges.emplace(std::string(type.at("name").as_string()), type);
  }
  std::set<std::string> expected;
  for (auto const& rule : schema::edge_rules()) expected.emplace(schema::name_of(rule.type));
  std::set<std::string> names;
  for (auto const& [name, type] : edges) names.insert(name);
  BOOST_TEST(names == expected);
  BOOST_TEST(edges.at("USED_IN").at("label").as_string() == "used in");
  BOOST_TEST(edges.at("USED_IN").at("influence").as_string() == "along");
  BOOST_TEST(edges.at("DERIVED_FROM").at("influence").as_string() == "against");
  BOOST_TEST(edges.at("EVALUATES").at("influence").as_string() == "none");
  BOOST_TEST(edges.at("PROV_wasDerivedFrom").at("label").as_string() == "was derived from");
  // What is part of something is no effect of it, but for the chunks of a document.
  BOOST_TEST(edges.at("PART_OF").at("influence").as_string() == "none");
  BOOST_TEST(edges.at("PART_OF").at("influence_from") == json::parse(R"({"RetrievedChunk":"against"})"));
}

BOOST_FIXTURE_TEST_CASE(info_counts_stored_records, SessionFixture) {
  put({unit("cu_a"), unit("cu_b"), response("resp_1", {"cu_a", "cu_b"})});
  json::value const info = result("server.info");
  BOOST_TEST(info.at("tx").as_int64() == 1);
  BOOST_TEST(info.at("nodes").at("ContextUnit").as_int64() == 2);
  BOOST_TEST(info.at("nodes").at("Response").as_int64() == 1);
  BOOST_TEST(info.at("edges").at("USED_IN").as_int64() == 2);
  for (char const* const member : {"version", "build", "store_bytes", "uptime_s", "epoch"}) {
    BOOST_TEST(info.as_object().contains(member));
  }
}

BOOST_FIXTURE_TEST_CASE(info_counts_the_records_of_a_moment, SessionFixture) {
  put({unit("cu_a"), response("resp_1", {"cu_a"})});
  put({unit("cu_b")});
  json::value const info = result("server.info", R"({"as_of":1})");
  BOOST_TEST(info.at("tx").as_int64() == 1);
  BOOST_TEST(info.at("nodes").at("ContextUnit").as_int64() == 1);
  BOOST_TEST(info.at("edges").at("USED_IN").as_int64() == 1);
  BOOST_TEST(error_code("server.info", R"({"as_of":3})") == -32602);
}

BOOST_FIXTURE_TEST_CASE(metrics_count_requests_by_method_and_code, SessionFixture) {
  result("server.info");
  call("server.info", R"({"x":1})");
  call("no.such");
  net::Exposition metrics;
  service->request_metrics().add_to(metrics);
  auto const text = metrics.text();
  BOOST_TEST(text.find("whence_requests_total{method=\"server.info\",code=\"0\"} 1\n") != std::string::npos);
  BOOST_TEST(text.find("whence_requests_total{method=\"server.info\",code=\"-32602\"} 1\n") != std::string::npos);
  BOOST_TEST(text.find("whence_requests_total{method=\"unknown\",code=\"-32601\"} 1\n") != std::string::npos);
  BOOST_TEST(text.find("whence_request_seconds_count{method=\"server.info\"} 2\n") != std::string::npos);
  BOOST_TEST(text.find("whence_request_seconds_bucket{method=\"unknown\",le=\"100\"} 1\n") != std::string::npos);
  BOOST_TEST(text.find("whence_request_seconds_count{method=\"node.get\"}") == std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(backup_and_verify_answer_about_the_live_store, SessionFixture) {
  put({unit("cu_a")});
  std::string const path = (directory.path() / "copy").string();
  json::value const backup = result("admin.backup", R"({"path":")" + path + R"("})");
  BOOST_TEST(backup.at("tx").as_int64() == 1);
  BOOST_TEST(backup.at("bytes").as_int64() > 0);
  BOOST_TEST(error_code("admin.backup", R"({"path":")" + path + R"("})") == -32040);
  BOOST_TEST(error_code("admin.backup", R"({"path":"relative"})") == -32602);
  json::value const report = result("admin.verify");
  BOOST_TEST(report.at("ok").as_bool());
  BOOST_TEST(report.at("checked").at("records").as_int64() == 1);
}

BOOST_FIXTURE_TEST_CASE(backup_and_verify_report_progress_when_asked, SessionFixture) {
  put({unit("cu_a")});
  std::string const path = (directory.path() / "copy").string();
  result("admin.verify");
  BOOST_TEST(notifications("$/progress").empty());
  result("admin.verify", R"({"progress":true})");
  int const verified = last_id;
  result("admin.backup", R"({"progress":true,"path":")" + path + R"("})");
  std::vector<json::value> const reports = notifications("$/progress");
  std::map<std::string, int> ends;  // of what
  for (json::value const& each : reports) {
    bool const is_of_verify = each.at("id").as_int64() == verified;
    BOOST_TEST((is_of_verify || each.at("id").as_int64() == last_id));
    BOOST_TEST(each.at("total").as_int64() > 0);
    BOOST_TEST(each.at("done").as_int64() <= each.at("total").as_int64());
    std::string const part = (is_of_verify ? "verify: " : "backup: ") + std::string(each.at("message").as_string());
    ends[part] += each.at("done") == each.at("total") ? 1 : 0;
  }
  std::map<std::string, int> const expected = {{"backup: entries checked", 1}, {"verify: entries checked", 1}};
  ends.erase("backup: bytes copied");  // not told where the thread sanitizer copies in the process
  BOOST_TEST((ends == expected));
  json::value const answer = json::parse(service->call(
      R"({"jsonrpc":"2.0","id":1,"method":"admin.verify","params":{"progress":true}})", net::Role::admin));
  BOOST_TEST(answer.at("result").at("ok").as_bool());
}

}  // namespace
}  // namespace whence::test
