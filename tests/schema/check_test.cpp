// Every rule of a record's own at its bound and one step over it, through the wire form.
#include "schema/records/check.hpp"

#include "tests/schema/json/wire.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::schema::test {
namespace {

namespace data = boost::unit_test::data;

std::string two_weights(std::string const& a, std::string const& b) {
  return R"([{"context_unit_id":"cu_1","weight":)" + a + R"(},{"context_unit_id":"cu_2","weight":)" + b + "}]";
}

std::string attributes_of(std::size_t bytes) {
  return R"({"a":)" + quoted(bytes - 8) + "}";
}

std::string const astral = "\U0001F600";  // one code point of four bytes

std::vector<Case> const context_unit_cases = {
    {"good", unit, "/version", "2", ""},
    {"id_absent_is_made", unit, "-/id", "", ""},
    {"id_null_is_absent", unit, "/id", "null", ""},
    {"id_empty", unit, "/id", "\"\"", "id /id"},
    {"id_without_prefix", unit, "/id", "\"u_1\"", "prefix /id"},
    {"id_prefix_alone", unit, "/id", "\"cu_\"", "id /id"},
    {"id_255_bytes", unit, "/id", "\"cu_" + quoted(252).substr(1), ""},
    {"id_256_bytes", unit, "/id", "\"cu_" + quoted(253).substr(1), "id /id"},
    {"id_bytes_not_characters", unit, "/id", "\"cu_" + quoted(64, astral).substr(1), "id /id"},
    {"id_control_c0", unit, "/id", R"("cu_a\u001f")", "id /id"},
    {"id_space", unit, "/id", R"("cu_ ")", ""},
    {"id_delete", unit, "/id", R"("cu_a\u007f")", "id /id"},
    {"id_control_c1", unit, "/id", R"("cu_a\u009f")", "id /id"},
    {"id_after_c1", unit, "/id", R"("cu_a\u00a0")", ""},
    {"id_number", unit, "/id", "1", "type /id"},
    {"type_missing", unit, "-/type", "", "required /type"},
    {"type_unknown", unit, "/type", "\"user\"", "enum /type"},
    {"type_model_state", unit, "/type", "\"ModelState\"", ""},
    {"source_empty", unit, "/source", "\"\"", "length /source"},
    {"source_blank", unit, "/source", "\" \"", ""},
    {"source_255", unit, "/source", quoted(255, astral), ""},
    {"source_256", unit, "/source", quoted(256), "length /source"},
    {"source_null", unit, "/source", "null", "required /source"},
    {"timestamp_at_latest", unit, "/timestamp", "\"2025-10-09T16:15:05Z\"", ""},
    {"timestamp_after_latest", unit, "/timestamp", "\"2025-10-09T16:15:05.000000001Z\"", "future /timestamp"},
    {"timestamp_date_only", unit, "/timestamp", "\"2025-10-09\"", "format /timestamp"},
    {"timestamp_number", unit, "/timestamp", "1728234567890", "type /timestamp"},
    {"contribution_weight_0", unit, "/contribution_weight", "0", ""},
    {"contribution_weight_1", unit, "/contribution_weight", "1.0", ""},
    {"contribution_weight_over", unit, "/contribution_weight", "1.0000000000000002", "range /contribution_weight"},
    {"contribution_weight_under", unit, "/contribution_weight", "-5e-324", "range /contribution_weight"},
    {"embedding_id_empty", unit, "/embedding_id", "\"\"", "id /embedding_id"},
    {"embedding_id_null", unit, "/embedding_id", "null", ""},
    {"summary_empty", unit, "/summary", "\"\"", ""},
    {"summary_500", unit, "/summary", quoted(500, astral), ""},
    {"summary_501", unit, "/summary", quoted(501, astral), "length /summary"},
    {"version_missing_is_counted", unit, "-/version", "", ""},
    {"timestamp_missing_is_made", unit, "-/timestamp", "", ""},
    {"content", unit, "/content", quoted(5000), ""},
    {"content_empty", unit, "/content", "\"\"", ""},
    {"content_no_text", unit, "/content", "7", "type /content"},
    {"flags", unit, "/flags", "[\"no_units\"]", "server_field /flags"},
    {"version_0", unit, "/version", "0", "range /version"},
    {"version_1_with_previous", unit, "/version", "1", "version_link /previous_version_id"},
    {"version_1.0_counts_as_1", unit, "/version", "1.0", "version_link /previous_version_id"},
    {"version_fraction", unit, "/version", "2.5", "integer /version"},
    {"version_text", unit, "/version", "\"2\"", "type /version"},
    {"version_int32_max", unit, "/version", "2147483647", ""},
    {"version_above_int32", unit, "/version", "2147483648", "range /version"},
    {"version_2_without_previous", unit, "-/previous_version_id", "", "version_link /previous_version_id"},
    {"previous_not_a_unit", unit, "/previous_version_id", "\"resp_1\"", "prefix /previous_version_id"},
    {"updated_by_not_a_response", unit, "/updated_by_response_id", "\"cu_1\"", "prefix /updated_by_response_id"},
    {"derived_from_not_a_unit", unit, "/derived_from/1", "\"x\"", "prefix /derived_from/1"},
    {"derived_from_twice", unit, "/derived_from/1", "\"cu_7\"", "duplicate_source /derived_from/1"},
    {"derived_from_previous", unit, "/derived_from/1", "\"cu_1\"", ""},
    {"derived_from_no_array", unit, "/derived_from", "\"cu_1\"", "type /derived_from"},
    {"attributes_16384", unit, "/attributes", attributes_of(16384), ""},
    {"attributes_16385", unit, "/attributes", attributes_of(16385), "size /attributes"},
    {"attributes_no_object", unit, "/attributes", "[]", "type /attributes"},
    {"aggregate_score", unit, "/aggregate_score", "0", "server_field /aggregate_score"},
    {"feedback_count", unit, "/feedback_count", "0", "server_field /feedback_count"},
    {"status", unit, "/status", "\"active\"", "server_field /status"},
    {"misspelt", unit, "/sourse", "\"s\"", "unknown_field /sourse"},
    {"misspelt_escaped", unit, "/a~1b~0c", "1", "unknown_field /a~1b~0c"},
};
BOOST_DATA_TEST_CASE(holds_the_rules_of_context_units, data::make(context_unit_cases), each) {
  BOOST_TEST(verdict(changed(each.base, each.path, each.value)) == each.verdict);
}

std::vector<Case> const response_cases = {
    {"good", response, "/token_count", "0", ""},
    {"id_without_prefix", response, "/id", "\"r_1\"", "prefix /id"},
    {"agent_100", response, "/agent", quoted(100, astral), ""},
    {"agent_101", response, "/agent", quoted(101), "length /agent"},
    {"agent_empty", response, "/agent", "\"\"", "length /agent"},
    {"model_100", response, "/model", quoted(100), ""},
    {"model_101", response, "/model", quoted(101), "length /model"},
    {"model_missing", response, "-/model", "", "required /model"},
    {"token_count_negative", response, "/token_count", "-1", "range /token_count"},
    {"token_count_int32_max", response, "/token_count", "2147483647", ""},
    {"token_count_above_int32", response, "/token_count", "2147483648", "range /token_count"},
    {"token_count_2_to_53", response, "/token_count", "9007199254740992", "integer /token_count"},
    {"token_count_beyond_64_bits", response, "/token_count", "100000000000000000000", "integer /token_count"},
    {"token_count_null", response, "/token_count", "null", ""},
    {"no_units", response, "/context_units", "[]", "items /context_units"},
    {"units_missing", response, "-/context_units", "", "required /context_units"},
    {"50_units", response, "/context_units", uses(50), ""},
    {"51_units", response, "/context_units", uses(51), "items /context_units"},
    {"unit_twice", response, "/context_units/1/context_unit_id", "\"cu_1\"",
     "duplicate_unit /context_units/1/context_unit_id"},
    {"unit_not_a_unit", response, "/context_units/1/context_unit_id", "\"resp_1\"",
     "prefix /context_units/1/context_unit_id"},
    {"use_of_nothing", response, "-/context_units/1/context_unit_id", "", "required /context_units/1/context_unit_id"},
    {"use_by_two_names", response, "/context_units/1/ref", "\"Document:d\"", "ref /context_units/1/ref"},
    {"use_of_a_topic", response, "/context_units/1", R"({"ref":"Topic:t","weight":0.4})", "ref /context_units/1/ref"},
    {"use_of_no_ref", response, "/context_units/1", R"({"ref":"chunk_5","weight":0.4})", "ref /context_units/1/ref"},
    {"unit_twice_by_ref", response, "/context_units/1", R"({"ref":"ContextUnit:cu_1","weight":0.4})",
     "duplicate_unit /context_units/1/context_unit_id"},
    {"source_twice", response, "/context_units",
     R"([{"ref":"resp_0","weight":0.5},{"ref":"Response:resp_0","weight":0.5}])",
     "duplicate_unit /context_units/1/ref"},
    {"weight_missing_checks_no_sum", response, "-/context_units/1/weight", "", "required /context_units/1/weight"},
    {"weight_over_checks_no_sum", response, "/context_units/1/weight", "1.5", "range /context_units/1/weight"},
    {"weight_text_checks_no_sum", response, "/context_units/1/weight", "\"1\"", "type /context_units/1/weight"},
    {"unknown_in_use", response, "/context_units/1/wieght", "1", "unknown_field /context_units/1/wieght"},
    {"use_is_no_object", response, "/context_units/1", "7", "type /context_units/1"},
    {"sum_0.99", response, "/context_units", two_weights("0.5", "0.49"), ""},
    {"sum_1.01", response, "/context_units", two_weights("0.51", "0.5"), ""},
    {"sum_1.01_other_order", response, "/context_units", two_weights("0.91", "0.1"), ""},
    {"sum_0.9899", response, "/context_units", two_weights("0.5", "0.4899"), "weight_sum /context_units"},
    {"sum_1.0101", response, "/context_units", two_weights("0.5101", "0.5"), "weight_sum /context_units"},
    {"flags", response, "/flags", "[]", "server_field /flags"},
    {"given_weights", response, "/given_weights", "[1]", "server_field /given_weights"},
    {"content", response, "/content", quoted(5000), ""},
    {"content_2_to_22", response, "/content", quoted(1 << 22), ""},
    {"content_above_2_to_22", response, "/content", quoted((1 << 22) + 1), "length /content"},
    {"prompt_no_text", response, "/prompt", "{}", "type /prompt"},
    {"request_id_empty", response, "/request_id", "\"\"", "id /request_id"},
    {"usage", response, "/usage", R"({"input_tokens":0,"output_tokens":9007199254740991})", ""},
    {"usage_empty", response, "/usage", "{}", ""},
    {"usage_negative", response, "/usage", R"({"input_tokens":-1})", "range /usage/input_tokens"},
    {"usage_unknown", response, "/usage", R"({"tokens":1})", "unknown_field /usage/tokens"},
    {"latency", response, "/latency_ms", "1234.5", ""},
    {"latency_negative", response, "/latency_ms", "-0.5", "range /latency_ms"},
    {"cost", response, "/cost", "0.000123", ""},
    {"cost_negative", response, "/cost", "-1", "range /cost"},
    {"unit_within", response, "/context_units/1",
     R"({"context_unit_id":"cu_2","weight":0.4,"source":"s","type":"User"})", ""},
    {"unit_within_without_id", response, "/context_units/1",
     R"({"weight":0.4,"source":"s","type":"User","content":"text"})", ""},
    {"unit_within_without_anything", response, "/context_units/1", R"({"weight":0.4})",
     "required /context_units/1/context_unit_id"},
    {"unit_within_without_text", response, "/context_units/1", R"({"weight":0.4,"source":"s","type":"User"})",
     "required /context_units/1/context_unit_id"},
    {"unit_within_without_source_and_type", response, "/context_units/1",
     R"({"context_unit_id":"cu_2","weight":0.4,"content":"text"})",
     "required /context_units/1/source; required /context_units/1/type"},
    {"version_is_no_field", response, "/version", "1", "unknown_field /version"},
};
BOOST_DATA_TEST_CASE(holds_the_rules_of_responses, data::make(response_cases), each) {
  BOOST_TEST(verdict(changed(each.base, each.path, each.value)) == each.verdict);
}

std::vector<Case> const feedback_cases = {
    {"own_id_needs_no_prefix", feedback, "/id", "\"mine\"", ""},
    {"own_id_made_prefix_alone", feedback, "/id", "\"fb_\"", "id /id"},
    {"response_missing", feedback, "-/response_id", "", "required /response_id"},
    {"response_not_one", feedback, "/response_id", "\"cu_1\"", "prefix /response_id"},
    {"score_1", feedback, "/score", "1", ""},
    {"score_over", feedback, "/score", "1.0000000000000002", "range /score"},
    {"score_minus_1", feedback, "/score", "-1.0", ""},
    {"score_under", feedback, "/score", "-1.0000000000000002", "range /score"},
    {"score_missing", feedback, "-/score", "", "required /score"},
    {"text_empty", feedback, "/feedback_text", "\"\"", ""},
    {"text_1000", feedback, "/feedback_text", quoted(1000, astral), ""},
    {"text_1001", feedback, "/feedback_text", quoted(1001), "length /feedback_text"},
    {"user_100", feedback, "/user_id", quoted(100), ""},
    {"user_101", feedback, "/user_id", quoted(101), "length /user_id"},
    {"status_is_unknown_here", feedback, "/status", "1", "unknown_field /status"},
};
BOOST_DATA_TEST_CASE(holds_the_rules_of_feedback, data::make(feedback_cases), each) {
  BOOST_TEST(verdict(changed(each.base, each.path, each.value)) == each.verdict);
}

std::vector<Case> const conversation_cases = {
    {"topic", topic, "/name", "\"n\"", ""},
    {"topic_bare", R"({"$type$":"Topic"})", "/name", "null", ""},
    {"topic_unknown", topic, "/title", "\"n\"", "unknown_field /title"},
    {"created_text", topic, "/createdAt", "\"2025-10-09T16:15:00Z\"", "type /createdAt"},
    {"created_negative", topic, "/createdAt", "-1", "range /createdAt"},
    {"created_0", topic, "/createdAt", "0", ""},
    {"created_at_latest", topic, "/createdAt", "1760026505000", ""},
    {"created_after_latest", topic, "/createdAt", "1760026505001", "future /createdAt"},
    {"message", message, "/text", "\"\"", ""},
    {"message_without_topic", message, "-/topicId", "", "required /topicId"},
    {"message_topic_control", message, "/topicId", R"("a\nb")", "id /topicId"},
};
BOOST_DATA_TEST_CASE(holds_the_rules_of_topics_and_messages, data::make(conversation_cases), each) {
  BOOST_TEST(verdict(changed(each.base, each.path, each.value)) == each.verdict);
}

BOOST_AUTO_TEST_CASE(reports_every_violation_of_a_record_at_once) {
  auto const record = changed(changed(changed(unit, "/source", "\"\""), "/version", "0"), "/typ", "1");
  BOOST_TEST(verdict(record) == "length /source; unknown_field /typ; range /version");
}

BOOST_AUTO_TEST_CASE(shows_what_was_seen_cut_short) {
  auto const incoming = validate(changed(unit, "/source", quoted(5000, astral)));
  BOOST_TEST_REQUIRE(incoming.violations.size() == 1U);
  Violation const& violation = incoming.violations.front();
  BOOST_TEST(violation.seen.size() <= 120U);
  BOOST_TEST(violation.seen.starts_with("\"" + astral));
  BOOST_TEST(violation.code == Errc::invalid_record);
  BOOST_TEST(violation.message == "must have 1 to 255 characters");
}

BOOST_AUTO_TEST_CASE(refuses_texts_that_are_not_utf8_in_records_made_by_programs) {
  IncomingRecord incoming{.record = Topic{.id = "t", .name = "\xC0\x80"}};
  check(incoming, {.latest_time = latest});
  BOOST_TEST_REQUIRE(incoming.violations.size() == 1U);
  BOOST_TEST(incoming.violations.front().rule == "utf8");
}

BOOST_AUTO_TEST_CASE(survives_a_record_of_countless_mistakes) {
  std::string list = "[";
  for (int i = 0; i < 100'000; ++i) list.append(i == 0 ? "7" : ",7");
  auto const incoming = validate(changed(response, "/context_units", list + "]"));
  BOOST_TEST(incoming.violations.size() == 1000U);
}

}  // namespace
}  // namespace whence::schema::test
