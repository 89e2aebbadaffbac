#include "net/rpc/method.hpp"
#include "tests/net/session/session_fixture.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

namespace data = boost::unit_test::data;

struct BadParams {
  char const* method;
  char const* params;
  char const* path;
  char const* rule;
};
std::ostream& operator<<(std::ostream& out, BadParams const& bad) {
  return out << bad.method << " " << bad.params;
}

BadParams const bad_params[] = {
    {"node.get", R"({"ref":"cu_a","depht":1})", "/depht", "unknown_field"},
    {"node.get", R"({"ref":3})", "/ref", "type"},
    {"node.get", R"({"ref":"nothing"})", "/ref", "ref"},
    {"node.get", R"({"ref":"cu_a","ref":"cu_b"})", "/ref", "duplicate_member"},
    {"node.find", R"({})", "/type", "required"},
    {"node.find", R"({"type":null})", "/type", "required"},
    {"node.find", R"({"type":"Topic","limit":0})", "/limit", "range"},
    {"node.find", R"({"type":"Topic","limit":-1})", "/limit", "range"},
    {"node.find", R"({"type":"Topic","limit":10001})", "/limit", "range"},
    {"node.find", R"({"type":"Topic","limit":1.5})", "/limit", "integer"},
    {"node.find", R"({"type":"Topic","limit":"1"})", "/limit", "type"},
    {"node.find", R"({"type":"Topic","timeout_ms":0})", "/timeout_ms", "range"},
    {"node.find", R"({"type":"Topic","stream":{"credit":0}})", "/stream/credit", "range"},
    {"node.find", R"({"type":"Topic","stream":{}})", "/stream/credit", "required"},
    {"node.find", R"({"type":"Topic","where":{"id":{"like":"x"}}})", "/where/id/like", "operator"},
    {"node.find", R"({"type":"Topic","where":{"id":{"in":3}}})", "/where/id/in", "type"},
    {"node.find", R"({"type":"Topic","where":{"id":{"eq":{}}}})", "/where/id/eq", "type"},
    {"node.find", R"({"type":"Topic","as_of":-1})", "/as_of", "range"},
    {"node.find", R"({"type":"Topic","as_of":0.5})", "/as_of", "integer"},
    {"node.find", R"({"type":"Topic","as_of":"yesterday"})", "/as_of", "format"},
    {"node.find", R"({"type":"Topic","as_of":99})", "/as_of", ""},
    {"node.count", R"({"type":"Topic","limit":1})", "/limit", "unknown_field"},
    {"lineage.ancestors", R"({"ref":"cu_a","form":"tree"})", "/form", "enum"},
    {"lineage.ancestors", R"({"ref":"cu_a","include":["record","all"]})", "/include/1", "enum"},
    {"lineage.ancestors", R"({"ref":"cu_a","edge_types":["USES"]})", "/edge_types/0", "enum"},
    {"lineage.ancestors", R"({"ref":"cu_a","between":["2025-01-01T00:00:00Z"]})", "/between", "type"},
    {"lineage.ancestors", R"({"ref":"cu_a","min_weight":2})", "/min_weight", "range"},
    {"lineage.path", R"({"from":"cu_a","to":"cu_b","kind":"longest"})", "/kind", "enum"},
    {"records.write", R"({})", "/records", "required"},
    {"records.write", R"({"records":{}})", "/records", "type"},
    {"records.write", R"({"records":[]})", "/records", "items"},
    {"records.write", R"({"records":[{}],"idempotency_key":""})", "/idempotency_key", "length"},
    {"records.write", R"({"records":[{}],"dry_run":1})", "/dry_run", "type"},
    {"server.info", R"({"a":1})", "/a", "unknown_field"},
    {"server.info", R"({"as_of":1,"as_of":0})", "/as_of", "duplicate_member"},
    {"attachment.get", R"({})", "/hash", "required"},
    {"attachment.get", R"({"hash":"x","limit":1})", "/limit", "unknown_field"},
    {"attachment.list", R"({"orphans":1})", "/orphans", "type"},
    {"attachment.list", R"({"format":"xml"})", "/format", "enum"},
    {"trace", R"({"ref":"cu_a","depth":1})", "/depth", "unknown_field"},
    {"summary.get", R"({"topic":"t","version":0})", "/version", "range"},
    {"template.active", R"({})", "/modelId", "required"},
    {"template.list", R"({"modelId":7})", "/modelId", "type"},
    {"xml.validate", R"({})", "/xml", "required"},
    {"xml.validate", R"({"xml":1})", "/xml", "type"},
    {"xml.validate", R"({"xml":"","format":"html"})", "/format", "enum"},
    {"xml.validate", R"({"xml":"","as_of":1})", "/as_of", "unknown_field"},
    {"lineage.graph", R"({"ref":"cu_a","cursor":"x"})", "/cursor", "unknown_field"},
    {"lineage.path", R"({"from":"cu_a","to":"cu_b","include":["record"]})", "/include", "unknown_field"},
};

BOOST_DATA_TEST_CASE(names_the_wrong_member_and_its_rule, data::make(bad_params), bad) {
  SessionFixture f;
  json::value const error = f.call(bad.method, bad.params).at("error");
  BOOST_TEST(error.at("code").as_int64() == -32602);
  BOOST_TEST(error.at("data").at("path").as_string() == bad.path);
  if (*bad.rule != '\0') BOOST_TEST(error.at("data").at("rule").as_string() == bad.rule);
  BOOST_TEST(error.at("data").at("errors").as_array().size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(reports_all_wrong_members_at_once_lowest_path_first, SessionFixture) {
  json::value const error = call("node.find", R"({"type":"None","limit":0,"as_of":-1,"zzz":1})").at("error");
  std::vector<std::string> paths;
  for (json::value const& each : error.at("data").at("errors").as_array()) {
    paths.emplace_back(each.at("path").as_string());
    BOOST_TEST(each.at("code").as_int64() == -32602);
  }
  std::vector<std::string> const expected = {"/as_of", "/limit", "/type", "/zzz"};
  BOOST_TEST(paths == expected, boost::test_tools::per_element());
  BOOST_TEST(error.at("data").at("path").as_string() == "/as_of");
}

struct Seen {
  char const* value;
  char const* seen;
};
std::ostream& operator<<(std::ostream& out, Seen const& one) {
  return out << one.value;
}

Seen const seen_values[] = {
    {"5", "5"},
    {"true", "true"},
    {"[1]", "[1]"},
    {R"({"a":"b"})", R"({"a":"b"})"},
    {R"("nope")", R"("nope")"},
    {R"("[n\\n] \"\u0041\"\n")", R"("[n\\n] \"A\"\n")"},
};

BOOST_DATA_TEST_CASE(shows_the_offending_value_as_the_json_it_is, data::make(seen_values), one) {
  SessionFixture f;
  json::value const error =
      f.call("lineage.ancestors", std::string(R"({"ref":"cu_a","form":)") + one.value + "}").at("error");
  BOOST_TEST(error.at("data").at("seen") == json::parse(one.seen));
  BOOST_TEST(error.at("data").at("errors").at(0).at("seen") == json::parse(one.seen));
}

BOOST_FIXTURE_TEST_CASE(shows_a_text_that_looks_like_an_escape_as_it_was_given, SessionFixture) {
  json::value const error = call("node.get", R"({"ref":"ContextUnit:cu_[n\\n]"})").at("error");
  BOOST_TEST(error.at("data").at("seen").as_string() == R"(ContextUnit:cu_[n\n])");
}

BOOST_FIXTURE_TEST_CASE(shows_a_value_that_was_cut_as_text, SessionFixture) {
  std::string const value = "\"" + std::string(300, 'x') + "\"";
  json::value const error = call("lineage.ancestors", R"({"ref":"cu_a","form":)" + value + "}").at("error");
  BOOST_TEST(error.at("data").at("seen").as_string().starts_with("\"xxx"));
}

BOOST_FIXTURE_TEST_CASE(an_error_without_broken_rules_is_listed_itself, SessionFixture) {
  json::value const error = call("no.such").at("error");
  json::array const& errors = error.at("data").at("errors").as_array();
  BOOST_REQUIRE(errors.size() == 1U);
  BOOST_TEST(errors[0].at("code") == error.at("code"));
  BOOST_TEST(errors[0].at("message") == error.at("message"));
}

struct Mistaken {
  char const* method;
  char const* params;
  char const* message;
};
std::ostream& operator<<(std::ostream& out, Mistaken const& one) {
  return out << one.message;
}

Mistaken const mistaken[] = {
    {"lineage.ancestors", R"({"ref":"cu_a","dpeth":2})", "/dpeth: is no field here; did you mean `depth`?"},
    {"lineage.ancestors", R"({"ref":"cu_a","as_off":2})", "/as_off: is no field here; did you mean `as_of`?"},
    {"node.find", R"({"type":"Topic","limt":2})", "/limt: is no field here; did you mean `limit`?"},
    {"node.find", R"({"type":"Topic","curser":"x"})", "/curser: is no field here; did you mean `cursor`?"},
    {"lineage.ancestor", "{}", "there is no such method here; did you mean `lineage.ancestors`?"},
    {"lineage.ancestors", R"({"ref":"ContextUnits:cu_a"})", "did you mean `ContextUnit:cu_a`?"},
    {"lineage.ancestors", R"({"ref":"cu_a","form":"graphs"})", "nodes, edges, graph; did you mean `graph`?"},
    {"lineage.ancestors", R"({"ref":"cu_a","edge_types":["USED_INN"]})", "did you mean `USED_IN`? There are "},
    {"node.find", R"({"type":"Respones"})",
     "/type: is no record type; did you mean `Response`? There are ContextUnit, "},
    {"node.find", R"({"type":"Response","where":{"agnet":"x"}})",
     "/where/agnet: Response has no such searchable field; did"},
    {"node.find", R"({"type":"Response","where":{"agent":{"perfix":"x"}}})",
     "did you mean `prefix`? There are eq, in, "},
    {"node.find", R"({"type":"Response","order":{"by":"agnet"}})", "to order by; did you mean `agent`?"},
    {"node.find", R"({"type":"Response","where":{"token_count":"x"}})", "/where/token_count: "},
    {"lineage.influence", R"({"ref":"cu_a","order":"shares"})",
     "/order: must be one of share, depth; did you mean `share`?"},
    {"records.write", R"({"records":[{"$type$":"Topic","id":"t"},{"$type$":"Topics","id":"u"}]})",
     "record 1 /$type$: is no record type; did you mean `Topic`?"},
    {"records.write", R"({"records":[{"$type$":"Topic","id":"t","titel":"x","title":"y"}]})",
     "record 0 /titel: is no field here"},
    {"export.start", R"({"format":"grafml"})", "did you mean `graphml`?"},
};

BOOST_DATA_TEST_CASE(errors_lead_on, data::make(mistaken), one) {
  SessionFixture f;
  json::value const error = f.call(one.method, one.params).at("error");
  std::string const message(error.at("message").as_string());
  BOOST_TEST(message.find(one.message) != std::string::npos, message);
}

BOOST_FIXTURE_TEST_CASE(a_value_alone_is_a_condition_of_equality, SessionFixture) {
  put({unit("cu_a"), unit("cu_b")});
  json::value const found = result("node.find", R"({"type":"ContextUnit","where":{"id":"cu_b","version":1}})");
  BOOST_REQUIRE(found.at("nodes").as_array().size() == 1U);
  BOOST_TEST(found.at("nodes").at(0).at("id") == "cu_b");
}

BOOST_FIXTURE_TEST_CASE(null_members_are_as_if_left_out, SessionFixture) {
  put({unit("cu_a")});
  json::value const found = result(
      "node.find", R"({"type":"ContextUnit","limit":null,"as_of":null,"where":null,"cursor":null,"stream":null})");
  BOOST_TEST(found.at("nodes").as_array().size() == 1U);
}

/// Claim: whatever type a member has, the answer is one JSON-RPC response, never a crash. Method: every member of every
/// method, from the method table, with a value of each JSON type.
BOOST_FIXTURE_TEST_CASE(every_member_of_every_method_takes_any_type_without_harm, SessionFixture) {
  json::value const document = json::parse(service->openrpc());
  for (json::value const& method : document.at("methods").as_array()) {
    std::string const name(method.at("name").as_string());
    if (name == "session.hello" || name == "admin.verify") continue;
    for (json::value const& param : method.at("params").as_array()) {
      std::string const member(param.at("name").as_string());
      for (char const* const value : {"null", "true", "-1", "0", "1e300", "0.5", "\"\"", "\"x\"", "[]", "[null]",
                                      "[[]]", "{}", R"({"":{}})", "18446744073709551615"}) {
        if (member == "min_tx") continue;  // waits, as it should
        std::string const params = "{\"" + member + "\":" + value + "}";
        BOOST_TEST_CONTEXT(name << " " << params) {
          json::value const response = call(name, params);
          BOOST_TEST(response.as_object().size() == 3U);
        }
      }
    }
  }
}

}  // namespace
}  // namespace whence::test
