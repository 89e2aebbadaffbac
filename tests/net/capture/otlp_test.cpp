// The two forms of OTLP bodies: equal bodies give equal values, damaged ones are refused, answers have the request's
// form.

#include "net/capture/otlp.hpp"

#include "net/capture/messages/messages.hpp"
#include "net/capture/spans/mapping.hpp"
#include "net/capture/spans/read_telemetry.hpp"
#include "net/http/content_coding.hpp"
#include "schema/json/json.hpp"

#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

namespace capture = net::capture;
using capture::Signal;

/// A message field of protobuf, at most 127 bytes.
std::string otlp_field(unsigned number, std::string const& bytes) {
  std::string out(1, static_cast<char>(number << 3 | 2));
  return out + static_cast<char>(bytes.size()) + bytes;
}

std::string otlp_attribute(std::string const& key, std::string const& text) {
  return otlp_field(9, otlp_field(1, key) + otlp_field(2, otlp_field(1, text)));
}

std::string otlp_request(std::string const& span) {
  return otlp_field(1, otlp_field(2, otlp_field(2, span)));
}

std::string otlp_named_span() {
  return otlp_field(1, std::string(16, '\x01')) + otlp_field(2, std::string(8, '\x02'));
}

capture::Telemetry decoded(std::string const& body) {
  std::size_t unnamed = 0;
  return capture::decode_protobuf(body, Signal::traces, unnamed).value();
}

capture::Telemetry decoded_json(std::string_view body) {
  std::size_t unnamed = 0;
  return capture::decode_json(body, Signal::traces, unnamed).value();
}

BOOST_AUTO_TEST_SUITE(otlp)

BOOST_AUTO_TEST_CASE(both_forms_give_the_same_span) {
  auto const span = otlp_named_span() + otlp_field(5, "chat") + otlp_attribute("llm.request.model", "m");
  auto const one = decoded(otlp_request(span));
  auto const other =
      decoded_json(R"({"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"01010101010101010101010101010101",)"
                   R"("spanId":"0202020202020202","name":"chat","unknown":{},)"
                   R"("attributes":[{"key":"llm.request.model","value":{"stringValue":"m"}}]}]}]}]})");
  BOOST_REQUIRE_EQUAL(one.spans.size(), 1U);
  BOOST_REQUIRE_EQUAL(other.spans.size(), 1U);
  BOOST_TEST((one.spans[0].name == other.spans[0].name));
  BOOST_TEST(one.spans[0].title == other.spans[0].title);
  BOOST_TEST(schema::json::to_text(one.spans[0].attributes) == schema::json::to_text(other.spans[0].attributes));
}

BOOST_AUTO_TEST_CASE(every_prefix_of_a_body_is_refused_or_holds_less) {
  auto const whole = otlp_request(otlp_named_span() + otlp_attribute("a", "b"));
  for (std::size_t size = 1; size < whole.size(); ++size) {
    std::size_t unnamed = 0;
    auto const result = capture::decode_protobuf(whole.substr(0, size), Signal::traces, unnamed);
    BOOST_TEST(!result, "prefix of " << size << " bytes");
  }
}

BOOST_AUTO_TEST_CASE(a_malformed_part_of_a_span_costs_itself) {
  std::string const group = "\x0f";  // a wire type that there is not
  auto const bad = otlp_field(9, otlp_field(1, "mine") + otlp_field(2, group + "x"));
  auto const read = decoded(otlp_request(otlp_named_span() + bad + otlp_attribute("yours", "kept")));
  BOOST_REQUIRE_EQUAL(read.spans.size(), 1U);
  BOOST_TEST(schema::json::to_text(read.spans[0].attributes) == R"({"mine":null,"yours":"kept"})");
  BOOST_TEST(read.left_out.count == 1U);
  BOOST_TEST(read.left_out.first == "mine");
  auto const cut = decoded(otlp_request(otlp_named_span() + otlp_attribute("yours", "kept") + group));
  BOOST_REQUIRE_EQUAL(cut.spans.size(), 1U);
  BOOST_TEST(schema::json::to_text(cut.spans[0].attributes) == R"({"yours":"kept"})");
  BOOST_TEST(cut.left_out.first == "span");
}

BOOST_AUTO_TEST_CASE(spans_without_ids_are_left_out_and_counted) {
  std::size_t unnamed = 0;
  auto const result = capture::decode_protobuf(otlp_request(otlp_field(5, "x")), Signal::traces, unnamed);
  BOOST_REQUIRE(result);
  BOOST_TEST(result->spans.empty());
  BOOST_TEST(unnamed == 1U);
}

BOOST_AUTO_TEST_CASE(deep_values_end_in_null) {
  std::string value = otlp_field(1, "deep");
  for (int depth = 0; depth < 40 && value.size() < 110; ++depth) value = otlp_field(5, otlp_field(1, value));
  BOOST_TEST(decoded(otlp_request(otlp_named_span())).spans.size() == 1U);
  std::string nested = R"({"stringValue":"deep"})";
  for (int depth = 0; depth < 38; ++depth) nested.insert(0, R"({"arrayValue":{"values":[)").append("]}}");
  auto const result =
      decoded_json(R"({"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"01010101010101010101010101010101",)"
                   R"("spanId":"0202020202020202","attributes":[{"key":"a","value":)" +
                   nested + "}]}]}]}]}");
  auto const text = schema::json::to_text(result.spans.at(0).attributes);
  BOOST_TEST(text.find("deep") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(numbers_that_json_has_not_are_their_names) {
  BOOST_TEST(schema::json::to_text(capture::number_value(1.5)) == "1.5");
  BOOST_TEST(schema::json::to_text(capture::number_value(-HUGE_VAL)) == "\"-Infinity\"");
}

BOOST_AUTO_TEST_CASE(answers_have_the_form_of_the_request) {
  using capture::Encoding;
  BOOST_TEST(capture::encode_success({}, Signal::traces, Encoding::json) == "{}");
  BOOST_TEST(capture::encode_success({}, Signal::traces, Encoding::protobuf).empty());
  BOOST_TEST(capture::encode_success({2, "why"}, Signal::logs, Encoding::json) ==
             R"({"partialSuccess":{"rejectedLogRecords":"2","errorMessage":"why"}})");
  BOOST_TEST(capture::encode_success({2, "why"}, Signal::logs, Encoding::protobuf) == "\x0a\x07\x08\x02\x12\x03why");
  BOOST_TEST(capture::encode_status(3, "no", Encoding::protobuf) == "\x08\x03\x12\x02no");
}

BOOST_AUTO_TEST_CASE(a_body_of_another_coding_is_refused) {
  for (auto const* const coding : {"gzip", "zstd", "GZIP"}) {
    BOOST_TEST(net::is_known_coding(coding));
    auto const result = net::decode_content("plain", coding, 100);
    BOOST_TEST((!result && result.error().code == Errc::parse_error));
  }
  BOOST_TEST(!net::is_known_coding("br"));
  BOOST_TEST((net::decode_content("12345", "", 4).error().code == Errc::limit_exceeded));
}

BOOST_AUTO_TEST_CASE(a_row_of_the_mapping_is_there_once) {
  std::set<std::pair<std::string_view, std::string_view>> kinds;
  for (auto const& row : capture::kind_rows()) {
    BOOST_TEST((kinds.insert({row.name, row.value}).second), row.name << " " << row.value);
  }
  std::set<std::pair<std::string, bool>> meanings;
  for (auto const& row : capture::mapping_rows()) {
    auto const name = std::string(name_of(row.meaning)) + " " + std::string(row.name);
    BOOST_TEST((meanings.insert({name, row.is_family}).second), name);
  }
}

BOOST_AUTO_TEST_CASE(messages_are_read_in_every_form) {
  for (std::string_view const text : {
           R"([{"role":"user","parts":[{"type":"text","content":"hi"}]}])",
           R"([{"role":"user","content":"hi"}])",
           R"([{"role":"user","content":[{"type":"text","text":"hi"}]}])",
           R"({"messages":[{"role":"user","content":"hi"}]})",
           R"({"prompt":"hi"})",
           "hi",
       }) {
    auto const messages = capture::messages_of(boost::json::value(std::string(text)), {.role = "user"});
    BOOST_TEST((messages == std::vector<capture::Message>{{"user", "hi"}}), text);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
