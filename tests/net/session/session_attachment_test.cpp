// The exchange of an XML message on the wire: what is read of it, and what deleting leaves.

#include "tests/net/session/session_fixture.hpp"

#include <ostream>
#include <string>

#include <boost/json/serialize.hpp>
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>

namespace whence::test {
namespace {

namespace data = boost::unit_test::data;

/// A query and two responses in one topic: `first` and `second` are the responses' hashes. Transactions 1 to 3.
struct ExchangeFixture : SessionFixture {
  ExchangeFixture() {
    put({unit("cu_a"), unit("cu_b"), response("resp_1", {"cu_a", "cu_b"}), topic("t"), message("m1", "t"),
         message("m2", "t"), message("m3", "t")});
    auto query = attachment("t", "m1", schema::QueryParts{.user_message = "?", .context = {.topic_id = "t"}});
    query.response_id = "resp_1";
    auto answer = attachment("t", "m2", said({about("saving", true, {{"529-plan", 0.95}})}, "Plans."), 1);
    answer.response_id = "resp_1";
    first = hash(put_one({query, answer}, 1));
    second = hash(put_one({attachment("t", "m3", said({about("saving", false, {{"529-plan", 0.5}})}, "More."), 2)}, 0));
  }

  std::string put_one(std::vector<schema::Record> records, std::size_t wanted) {
    return write(std::move(records)).value().refs[wanted];
  }
  static std::string hash(std::string const& ref) { return ref.substr(ref.find(':') + 1); }
  std::string deleting(std::string const& refs, std::string const& more = "") {
    return R"({"refs":[)" + refs + "]" + more + "}";
  }
  json::value remove(std::string const& ref) { return result("records.delete", deleting("\"" + ref + "\"")); }

  std::string first;
  std::string second;
};

std::vector<std::string> texts(json::value const& list) {
  std::vector<std::string> found;
  for (json::value const& each : list.as_array()) found.emplace_back(each.as_string());
  return found;
}
std::vector<std::string> refs_of(json::value const& nodes) {
  std::vector<std::string> found;
  for (json::value const& node : nodes.as_array()) found.emplace_back(node.at("ref").as_string());
  return found;
}
using Refs = std::vector<std::string>;

BOOST_FIXTURE_TEST_CASE(an_attachment_is_read_by_its_hash_or_its_ref, ExchangeFixture) {
  json::value const got = result("attachment.get", R"({"hash":")" + first + "\"}");
  BOOST_TEST(got.at("hash").as_string() == first);
  BOOST_TEST(got.at("xml").as_string().starts_with("<llmResponse>"));
  BOOST_TEST(got.at("record").at("xmlContent") == got.at("xml"));
  BOOST_TEST(got.at("responseId").as_string() == "resp_1");
  BOOST_TEST(got.at("complete").as_bool());
  BOOST_TEST(got.at("tx").as_int64() == 3);
  BOOST_TEST(result("attachment.get", R"({"hash":"XMLMessageAttachment:)" + first + "\"}") == got);
  BOOST_TEST(error_code("attachment.get", R"({"hash":"00"})") == -32020);
  BOOST_TEST(error_code("attachment.get", R"({"hash":")" + second + R"(","as_of":2})") == -32020);
}

BOOST_FIXTURE_TEST_CASE(attachments_are_listed_in_pages_and_counted_over_all, ExchangeFixture) {
  json::value page = result("attachment.list", R"({"topicId":"t","limit":2})");
  BOOST_TEST(page.at("records").as_array().size() == 2U);
  BOOST_TEST(page.at("count").as_int64() == 3);
  BOOST_TEST(page.at("reason").as_string() == "limit");
  BOOST_TEST(page.at("records").at(1).at("hash").as_string() == first);
  std::string const cursor(page.at("cursor").as_string());
  BOOST_TEST(error_code("attachment.list", R"({"topicId":"u","cursor":")" + cursor + "\"}") == -32060);
  put({message("m4", "t"), attachment("t", "m4", said({}), 3)});
  json::value const rest = result("attachment.list", R"({"cursor":")" + cursor + "\"}");
  BOOST_TEST(rest.at("records").as_array().size() == 1U);
  BOOST_TEST(rest.at("records").at(0).at("hash").as_string() == second);
  BOOST_TEST(rest.at("count").as_int64() == 3);
  BOOST_TEST(rest.at("complete").as_bool());
}

BOOST_FIXTURE_TEST_CASE(filters_of_a_list_must_all_hold, ExchangeFixture) {
  auto const count = [&](std::string const& params) {
    return result("attachment.list", params).at("count").as_int64();
  };
  BOOST_TEST(count("{}") == 3);
  BOOST_TEST(count(R"({"format":"llm-query"})") == 1);
  BOOST_TEST(count(R"({"messageId":"m2","format":"llm-query"})") == 0);
  BOOST_TEST(count(R"({"topicId":"t","as_of":2})") == 2);
  BOOST_TEST(count(R"({"orphans":true})") == 0);
  json::value const counted = result("attachment.list", R"({"topicId":"t","count_only":true})");
  BOOST_TEST(!counted.as_object().contains("records"));
  BOOST_TEST(counted.at("total_size").as_int64() > 0);
  BOOST_TEST(error_code("attachment.list", R"({"topicId":"none"})") == -32020);
  BOOST_TEST(error_code("attachment.list", R"({"messageId":"none"})") == -32020);
  BOOST_TEST(error_code("attachment.list", R"({"format":"html"})") == -32602);
}

BOOST_FIXTURE_TEST_CASE(a_trace_leads_from_a_keyword_to_the_context_units, ExchangeFixture) {
  json::value const traced = result("trace", R"({"ref":"Keyword:529-plan"})");
  Refs attachments{"XMLMessageAttachment:" + first, "XMLMessageAttachment:" + second};
  std::sort(attachments.begin(), attachments.end());
  Refs const expected = {attachments[0], attachments[1], "Response:resp_1", "ContextUnit:cu_a", "ContextUnit:cu_b"};
  BOOST_TEST(refs_of(traced.at("nodes")) == expected, boost::test_tools::per_element());
  BOOST_TEST(traced.at("edges").as_array().size() == 5U);
  BOOST_TEST(traced.at("dangling").as_array().empty());
  BOOST_TEST(result("trace", R"({"ref":"Keyword:529-plan","as_of":2})").at("nodes").as_array().size() == 4U);
  BOOST_TEST(error_code("trace", R"({"ref":"Keyword:none"})") == -32020);
  BOOST_TEST(result("trace", R"({"ref":"ContextUnit:cu_a"})").at("nodes").as_array().empty());
}

BOOST_FIXTURE_TEST_CASE(a_trace_comes_in_pages_and_in_a_stream, ExchangeFixture) {
  json::value const whole = result("trace", R"({"ref":"Keyword:529-plan"})");
  json::array nodes;
  json::array edges;
  json::value page = result("trace", R"({"ref":"Keyword:529-plan","limit":2})");
  for (;;) {
    for (json::value const& node : page.at("nodes").as_array()) nodes.push_back(node);
    for (json::value const& edge : page.at("edges").as_array()) edges.push_back(edge);
    if (page.at("complete").as_bool()) break;
    page = result("trace", R"({"limit":2,"cursor":")" + std::string(page.at("cursor").as_string()) + "\"}");
  }
  BOOST_TEST(nodes == whole.at("nodes").as_array());
  BOOST_TEST(edges.size() == whole.at("edges").as_array().size());
  json::value const end = result("trace", R"({"ref":"Keyword:529-plan","stream":{"credit":9}})");
  BOOST_TEST(!end.as_object().contains("nodes"));
  BOOST_TEST(notifications("$/partial").at(0).at("items").as_array().size() == 10U);
}

BOOST_FIXTURE_TEST_CASE(a_summary_has_its_whole_text, ExchangeFixture) {
  BOOST_TEST(result("summary.get", R"({"topic":"t"})").at("summary").at("content").as_string() == "Plans.\nMore.");
  BOOST_TEST(result("summary.get", R"({"topic":"t","version":1})").at("summary").at("content").as_string() == "Plans.");
  BOOST_TEST(result("summary.get", R"({"topic":"t","as_of":2})").at("summary").at("version").as_int64() == 1);
  BOOST_TEST(error_code("summary.get", R"({"topic":"t","version":3})") == -32020);
  BOOST_TEST(error_code("summary.get", R"({"topic":"none"})") == -32020);
  BOOST_TEST(error_code("summary.get", R"({"topic":"t","version":0})") == -32602);
}

BOOST_FIXTURE_TEST_CASE(one_template_of_a_model_is_active_at_a_time, SessionFixture) {
  for (char const* const version : {"1", "2"}) {
    result("records.write",
           R"({"records":[{"$type$":"SystemPromptTemplate","modelId":"m","promptText":"p","version":)" +
               std::string(version) + "}]}");
  }
  auto const active = [&](std::string const& more) {
    return result("template.active", R"({"modelId":"m")" + more + "}").at("template").at("version").as_int64();
  };
  BOOST_TEST(active("") == 2);
  BOOST_TEST(active(R"(,"as_of":1)") == 1);
  BOOST_TEST(error_code("template.active", R"({"modelId":"n"})") == -32020);
  json::value const listed = result("template.list", R"({"modelId":"m","limit":1})");
  BOOST_TEST(listed.at("templates").as_array().size() == 1U);
  BOOST_TEST(!listed.at("templates").at(0).at("active").as_bool());
  json::value const rest =
      result("template.list", R"({"cursor":")" + std::string(listed.at("cursor").as_string()) + "\"}");
  BOOST_TEST(rest.at("templates").at(0).at("active").as_bool());
  BOOST_TEST(result("template.list", R"({"modelId":"n"})").at("templates").as_array().empty());
}

BOOST_FIXTURE_TEST_CASE(deleting_a_message_deletes_its_attachment_and_leaves_derived_records_dangling,
                        ExchangeFixture) {
  json::value const answer = remove("Message:m2");
  BOOST_TEST(answer.at("tx").as_int64() == 4);
  Refs const gone = {"Message:m2", "XMLMessageAttachment:" + first};
  BOOST_TEST(texts(answer.at("deleted")) == gone, boost::test_tools::per_element());
  BOOST_TEST(answer.at("orphaned").as_array().empty());
  auto dangling = texts(answer.at("dangling"));
  std::sort(dangling.begin(), dangling.end());
  Refs const left = {"Keyword:529-plan", "Subject:t/529-plan", "Summary:t-v1"};
  BOOST_TEST(dangling == left, boost::test_tools::per_element());

  json::value const traced = result("trace", R"({"ref":"Keyword:529-plan"})");
  Refs const lost = {"XMLMessageAttachment:" + first};
  BOOST_TEST(texts(traced.at("dangling")) == lost, boost::test_tools::per_element());
  BOOST_TEST(traced.at("nodes").as_array().size() == 1U);
  json::value const keyword = result("node.get", R"({"ref":"Keyword:529-plan","include":["record"]})");
  BOOST_TEST(keyword.at("nodes").at(0).at("record").at("dangling").as_bool());
}

BOOST_FIXTURE_TEST_CASE(a_deleted_node_is_not_found_and_still_seen_at_earlier_moments, ExchangeFixture) {
  remove("Message:m2");
  json::value const error = call("attachment.get", R"({"hash":")" + first + "\"}").at("error");
  BOOST_TEST(error.at("code").as_int64() == -32020);
  BOOST_TEST(error.at("data").at("rule").as_string() == "deleted");
  BOOST_TEST(result("attachment.get", R"({"as_of":3,"hash":")" + first + "\"}").at("hash").as_string() == first);
  BOOST_TEST(result("trace", R"({"ref":"Keyword:529-plan","as_of":3})").at("dangling").as_array().empty());
  BOOST_TEST(result("attachment.list", R"({"topicId":"t"})").at("count").as_int64() == 2);
}

BOOST_FIXTURE_TEST_CASE(deleting_a_topic_leaves_orphans_that_are_listed, ExchangeFixture) {
  json::value const answer = remove("Topic:t");
  BOOST_TEST(answer.at("deleted").as_array().size() == 1U);
  BOOST_TEST(answer.at("orphaned").as_array().size() == 3U);
  for (char const* const params : {R"({"orphans":true})", R"({"topicId":"t"})", R"({"topicId":"t","orphans":true})"}) {
    BOOST_TEST(result("attachment.list", params).at("count").as_int64() == 3);
  }
  BOOST_TEST(result("attachment.list", R"({"orphans":true,"as_of":3})").at("count").as_int64() == 0);
}

BOOST_FIXTURE_TEST_CASE(every_ref_that_cannot_be_deleted_is_named_and_nothing_goes, ExchangeFixture) {
  remove("Message:m3");
  json::value const error =
      call("records.delete", deleting(R"("Topic:t","Topic:none","Message:m3","cu_none")")).at("error");
  BOOST_TEST(error.at("code").as_int64() == -32020);
  json::array const& errors = error.at("data").at("errors").as_array();
  BOOST_REQUIRE(errors.size() == 3U);
  BOOST_TEST(errors[0].at("index").as_int64() == 1);
  BOOST_TEST(errors[1].at("index").as_int64() == 2);
  BOOST_TEST(errors[1].at("rule").as_string() == "deleted");
  BOOST_TEST(errors[2].at("index").as_int64() == 3);
  BOOST_TEST(errors[0].at("rule").as_string() == errors[2].at("rule").as_string());
  result("node.get", R"({"ref":"Topic:t"})");
}

struct BadDelete {
  std::string params;
  char const* path;
  char const* rule;
};
std::ostream& operator<<(std::ostream& out, BadDelete const& bad) {
  return out << bad.params.substr(0, 60);
}

std::string many_refs(int count) {
  std::string refs = "\"cu_0\"";
  for (int i = 1; i < count; ++i) refs += ",\"cu_" + std::to_string(i) + "\"";
  return refs;
}

std::vector<BadDelete> const bad_deletes = {
    {"{}", "/refs", "required"},
    {R"({"refs":[]})", "/refs", "items"},
    {R"({"refs":[)" + many_refs(1001) + "]}", "/refs", "items"},
    {R"({"refs":7})", "/refs", "type"},
    {R"({"refs":["Nothing:x"]})", "/refs/0", "ref"},
    {R"({"refs":["LineageManifest:resp_1"]})", "/refs/0", "ref"},
    {R"({"refs":["cu_a"],"records":[]})", "/records", "unknown_field"},
    {R"({"refs":["cu_a"],"refs":["cu_b"]})", "/refs", "duplicate_member"},
    {R"({"refs":["cu_a"],"timeout_ms":0})", "/timeout_ms", "range"},
};

BOOST_DATA_TEST_CASE(a_deletion_names_the_wrong_member_and_its_rule, data::make(bad_deletes), bad) {
  SessionFixture f;
  f.put({unit("cu_a")});
  json::value const error = f.call("records.delete", bad.params).at("error");
  BOOST_TEST(error.at("code").as_int64() == -32602);
  BOOST_TEST(error.at("data").at("path").as_string() == bad.path);
  BOOST_TEST(error.at("data").at("rule").as_string() == bad.rule);
  f.result("node.get", R"({"ref":"cu_a"})");
}

BOOST_FIXTURE_TEST_CASE(a_deletion_can_be_tried_and_be_bound_to_the_head, SessionFixture) {
  put({topic("t")});
  json::value const tried = result("records.delete", R"({"refs":["Topic:t"],"dry_run":true})");
  BOOST_TEST(tried.at("tx").as_int64() == 1);
  BOOST_TEST(texts(tried.at("deleted")) == Refs{"Topic:t"}, boost::test_tools::per_element());
  json::value const error = call("records.delete", R"({"refs":["Topic:t"],"expect_tx":0})").at("error");
  BOOST_TEST(error.at("code").as_int64() == -32042);
  BOOST_TEST(error.at("data").at("tx").as_int64() == 1);
  BOOST_TEST(result("records.delete", R"({"refs":["Topic:t","Topic:t"],"expect_tx":1})").at("tx").as_int64() == 2);
}

BOOST_FIXTURE_TEST_CASE(a_thousand_nodes_are_deleted_at_once, SessionFixture) {
  put_units(1000);
  BOOST_TEST(result("records.delete", R"({"refs":[)" + many_refs(1000) + "]}").at("deleted").as_array().size() ==
             1000U);
  BOOST_TEST(result("node.count", R"({"type":"ContextUnit"})").at("count").as_int64() == 0);
}

/// Claim: writes and deletions of one connection are applied in the order sent, also within a batch and as
/// notifications.
BOOST_FIXTURE_TEST_CASE(deletions_keep_their_place_among_writes, SessionFixture) {
  std::string const topic_written = R"("method":"records.write","params":{"records":[{"$type$":"Topic","id":"t"}]}})";
  std::string const topic_deleted = R"("method":"records.delete","params":{"refs":["Topic:t"]}})";
  std::string const head = R"({"jsonrpc":"2.0",)";
  say("[" + head + R"("id":1,)" + topic_written + "," + head + topic_deleted + "," + head + R"("id":2,)" +
      topic_written + "," + head + R"("id":3,)" + topic_deleted + "]");
  host.run_until([&] { return !host.sent.empty(); });
  json::array const& answers = host.sent.at(0).as_array();
  BOOST_REQUIRE(answers.size() == 3U);
  BOOST_TEST(answers.at(0).at("result").at("tx").as_int64() == 1);
  BOOST_TEST(answers.at(1).at("result").at("tx").as_int64() == 3);
  BOOST_TEST(answers.at(2).at("result").at("tx").as_int64() == 4);
}

}  // namespace
}  // namespace whence::test
