// Capture mode on records alone: what is taken, what is made of weights, what is flagged; and units within responses.
#include "schema/json/json.hpp"
#include "schema/json/writer.hpp"
#include "schema/types/flags.hpp"
#include "schema/wire/codec.hpp"
#include "schema/wire/unknown_members.hpp"
#include "tests/schema/json/wire.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::schema::test {
namespace {

namespace data = boost::unit_test::data;

/// `record` as capture mode takes it.
IncomingRecord captured(std::string_view record) {
  auto const document = json::parse(record).value();
  auto incoming = json::decode_record(document.value, document.duplicates);
  json::take_unknown(incoming);
  check(incoming, {.latest_time = latest, .mode = Mode::capture});
  return incoming;
}

Response captured_response(std::string const& units) {
  auto incoming = captured(changed(response, "/context_units", units));
  BOOST_REQUIRE(incoming.violations.empty());
  return std::get<Response>(incoming.record);
}

std::string flags_of(Flags const& flags) {
  std::string text;
  for (auto const& each : flags.value_or(std::vector<std::string>{})) text.append(text.empty() ? "" : " ").append(each);
  return text;
}

std::string weights_of(std::vector<double> const& weights) {
  std::string text;
  for (double const each : weights) json::append_number(text.append(text.empty() ? "" : " "), each);
  return text;
}

std::string weights_of(Response const& given) {
  std::vector<double> weights;
  for (auto const& use : given.context_units) weights.push_back(use.weight);
  return weights_of(weights);
}

/// Uses of cu_0, cu_1, ... with the weights listed; "-" is one that is left out.
std::string weighted(std::vector<std::string> const& weights) {
  std::string text = "[";
  for (std::size_t i = 0; i < weights.size(); ++i) {
    text.append(i == 0 ? "" : ",").append(R"({"context_unit_id":"cu_)" + std::to_string(i) + '"');
    if (weights[i] != "-") text.append(R"(,"weight":)" + weights[i]);
    text.append("}");
  }
  return text.append("]");
}

struct WeightCase {
  std::vector<std::string> given;
  std::string weights;
  std::string flags;
  std::string kept;  ///< `given_weights`; empty: absent
};
std::ostream& operator<<(std::ostream& out, WeightCase const& each) {
  for (auto const& weight : each.given) out << weight << ' ';
  return out;
}

std::vector<WeightCase> const weight_cases = {
    {{"0.75", "0.25"}, "0.75 0.25", "", ""},
    {{"0.5", "0.505"}, "0.5 0.505", "", ""},
    {{"-", "-", "-", "-"}, "0.25 0.25 0.25 0.25", "weights_left_out", ""},
    {{"0.5", "-", "-"}, "0.5 0.25 0.25", "weights_left_out", ""},
    {{"3", "1"}, "0.75 0.25", "scaled_weights", "3 1"},
    {{"0.25", "0.25"}, "0.5 0.5", "scaled_weights", "0.25 0.25"},
    {{"1.5", "-"}, "1 0", "scaled_weights weights_left_out", "1.5 0"},
    {{"0", "0"}, "0.5 0.5", "scaled_weights", "0 0"},
    {{"-0.5", "1"}, "0 1", "scaled_weights", "-0.5 1"},
    {{"-1", "-2"}, "0.5 0.5", "scaled_weights", "-1 -2"},
    {{"1e308", "1e308"}, "0.5 0.5", "scaled_weights", "1e+308 1e+308"},
    {{}, "", "no_units", ""},
};

}  // namespace

BOOST_AUTO_TEST_SUITE(capture)

BOOST_DATA_TEST_CASE(weights_sum_to_one_and_the_given_ones_are_kept, data::make(weight_cases), each) {
  auto const taken = captured_response(weighted(each.given));
  BOOST_TEST(weights_of(taken) == each.weights);
  BOOST_TEST(flags_of(taken.flags) == each.flags);
  BOOST_TEST(weights_of(taken.given_weights.value_or(std::vector<double>{})) == each.kept);
}

BOOST_AUTO_TEST_CASE(up_to_ten_thousand_units_are_taken) {
  BOOST_TEST(flags_of(captured_response(uses(50)).flags) == "");
  BOOST_TEST(flags_of(captured_response(uses(10'000)).flags) == "many_units");
  auto const incoming = captured(changed(response, "/context_units", uses(10'001)));
  BOOST_REQUIRE(incoming.violations.size() == 1);
  BOOST_TEST(incoming.violations.front().rule == "items");
}

BOOST_AUTO_TEST_CASE(a_unit_named_twice_is_used_once_with_both_weights) {
  auto const taken =
      captured_response(R"([{"context_unit_id":"cu_1","weight":0.25},{"context_unit_id":"cu_2","weight":0.25},)"
                        R"({"context_unit_id":"cu_1","weight":0.5}])");
  BOOST_TEST(weights_of(taken) == "0.75 0.25");
}

BOOST_AUTO_TEST_CASE(unknown_members_become_attributes_under_their_paths) {
  auto text = changed(response, "/finish_reason", "\"stop\"");
  text = changed(text, "/context_units/1/score", "0.83");
  text = changed(text, "/attributes", R"({"finish_reason":"mine"})");
  auto const incoming = captured(text);
  BOOST_TEST(incoming.violations.empty());
  auto const& taken = std::get<Response>(incoming.record);
  BOOST_TEST(taken.attributes.value().json ==
             R"({"context_units/1/score":0.83,"finish_reason":"mine","finish_reason_":"stop"})");
  BOOST_TEST(flags_of(taken.flags) == "unknown_members");
}

BOOST_AUTO_TEST_CASE(unknown_members_without_room_are_dropped_the_largest_first) {
  auto text = changed(response, "/large", quoted(20'000));
  text = changed(text, "/small", "1");
  auto const incoming = captured(text);
  BOOST_TEST(incoming.violations.empty());
  auto const& taken = std::get<Response>(incoming.record);
  BOOST_TEST(taken.attributes.value().json == R"({"small":1})");
  BOOST_TEST(flags_of(taken.flags) == "members_dropped unknown_members");
}

BOOST_AUTO_TEST_CASE(a_thousand_unknown_members_leave_a_note_that_there_were_more) {
  std::string text(response);
  text.pop_back();
  for (int i = 0; i < 1'500; ++i) text.append(",\"u" + std::to_string(i) + "\":1");
  auto const incoming = captured(text.append("}"));
  BOOST_TEST(incoming.violations.empty());
  auto const& taken = std::get<Response>(incoming.record);
  BOOST_TEST(flags_of(taken.flags) == "members_dropped unknown_members");
}

BOOST_AUTO_TEST_CASE(records_without_flags_take_unknown_members_only_where_all_find_room) {
  auto const few = captured(changed(message, "/mood", "\"good\""));
  BOOST_TEST(few.violations.empty());
  BOOST_TEST(std::get<Message>(few.record).attributes.value().json == R"({"mood":"good"})");
  auto const many = captured(changed(changed(message, "/mood", "\"good\""), "/large", quoted(20'000)));
  BOOST_TEST(many.violations.size() == 2U);
  BOOST_TEST(!std::get<Message>(many.record).attributes);
}

BOOST_AUTO_TEST_CASE(members_of_another_type_are_still_refused) {
  auto const incoming = captured(changed(response, "/agent", "7"));
  BOOST_REQUIRE(incoming.violations.size() == 1);
  BOOST_TEST(incoming.violations.front().rule == "type");
}

BOOST_AUTO_TEST_CASE(ids_of_passages_are_the_keyed_digest_of_compact_json) {
  // printf '["file:a","caf\xc3\xa9 \\"x\\"\\n"]' | openssl dgst -sha256 -mac HMAC -macopt hexkey:0101...01 (32 bytes)
  SecretKey key;
  key.bytes.fill(1);
  BOOST_TEST(unit_id_of(key, "file:a", "caf\u00e9 \"x\"\n") == "cu_53b6a2376f1859d021499c9c8e6a22a6");
  BOOST_TEST(unit_id_of(key, "a", "b") != unit_id_of(key, "b", "a"));
  BOOST_TEST(unit_id_of(key, "a", "b") != unit_id_of({}, "a", "b"));
}

BOOST_AUTO_TEST_CASE(a_passage_sent_twice_in_one_response_is_one_unit) {
  auto const incoming =
      validate(changed(response, "/context_units",
                       R"([{"content":"text","source":"s","type":"User","weight":0.25},)"
                       R"({"content":"text","source":"s","type":"External","summary":"again","weight":0.5},)"
                       R"({"content":"other","source":"s","type":"User","weight":0.25}])"));
  BOOST_TEST(incoming.violations.empty());
  auto const& taken = std::get<Response>(incoming.record);
  BOOST_TEST(weights_of(taken) == "0.75 0.25");
  BOOST_TEST(taken.context_units[0].context_unit_id == unit_id_of({}, "s", "text"));
  BOOST_TEST((taken.context_units[0].type == ContextType::user));
}

BOOST_AUTO_TEST_CASE(a_passage_without_source_and_type_is_external_in_capture_mode) {
  auto const taken = captured_response(R"([{"content":"text"}])");
  BOOST_TEST(*taken.context_units[0].source == "unknown");
  BOOST_TEST((taken.context_units[0].type == ContextType::external));
}

BOOST_AUTO_TEST_CASE(flags_and_texts_are_stored) {
  Response full{.id = "resp_1", .timestamp = latest, .agent = "a", .model = "m"};
  full.content = "said";
  full.prompt = "";
  full.content_blob = sha256("x");
  full.prompt_blob = sha256("y");
  full.request_id = "req_1";
  full.usage = Usage{.input_tokens = 0, .output_tokens = {}};
  full.latency_ms = 0.5;
  full.cost = 0;
  full.given_weights = std::vector<double>{3, 1};
  full.flags = std::vector<std::string>{"no_units"};
  BOOST_CHECK(std::get<Response>(stored_and_read(full)) == full);
  ContextUnit passage{.id = "cu_1", .source = "s", .timestamp = latest};
  passage.content = "text";
  passage.content_blob = sha256("z");
  passage.flags = std::vector<std::string>{"unknown_members"};
  BOOST_CHECK(std::get<ContextUnit>(stored_and_read(passage)) == passage);
  Answer told{.request_id = "req_1", .answer = "text"};
  told.citations = {{.document_name = "d", .excerpt = "e", .flags = std::vector<std::string>{"unsupported"}}};
  told.flags = std::vector<std::string>{"low_confidence"};
  BOOST_CHECK(std::get<Answer>(stored_and_read(told)) == told);
}

BOOST_AUTO_TEST_CASE(a_copy_brings_its_flags) {
  auto const document = json::parse(changed(response, "/flags", R"(["low_confidence"])")).value();
  auto const incoming = json::decode_record(document.value, {}, json::Source::copy);
  BOOST_TEST(incoming.violations.empty());
  BOOST_TEST(flags_of(std::get<Response>(incoming.record).flags) == "low_confidence");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace whence::schema::test
