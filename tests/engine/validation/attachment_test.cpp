// Attachments in a batch: the place of the text, their identity, and the records they must agree with.

#include "tests/engine/answers.hpp"
#include "tests/engine/batches.hpp"
#include "tests/engine/records.hpp"

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

constexpr char const* worked_hash = "d906ae35eb736eb37e2771c519a031ea1c3ba037a2a369020ea63a863d2d2cde";
constexpr char const* worked_xml =
    "<llmResponse><response>Yes, 529 plans are great.</response><analysis><summaryUpdate></summaryUpdate></analysis>"
    "</llmResponse>";

schema::XmlMessageAttachment worked() {
  return {.topic_id = "family-planning-2025",
          .message_id = "msg-1",
          .xml = worked_xml,
          .format = schema::XmlFormat::llm_response,
          .created_at = schema::EpochMs{1'728'234'567'890}};
}

/// A response of `bytes` bytes in all.
schema::XmlMessageAttachment of_size(std::size_t bytes) {
  auto const empty = schema::xml::write(schema::ResponseParts{.response = "x"}).value();
  auto result = worked();
  result.xml =
      schema::xml::write(schema::ResponseParts{.response = std::string(bytes - empty.size() + 1, 'x')}).value();
  return result;
}

BOOST_FIXTURE_TEST_SUITE(attachments, EngineFixture)

BOOST_AUTO_TEST_CASE(is_identified_by_the_digest_of_its_canonical_content) {
  auto const answer = write_batch(ensured({worked()}));
  BOOST_TEST(outcome(answer) == "ok 1");
  BOOST_TEST(answer->refs.front() == std::string("XMLMessageAttachment:") + worked_hash);
}

BOOST_AUTO_TEST_CASE(makes_missing_topics_and_messages_only_when_asked) {
  BOOST_TEST(outcome(write({worked()})) == "0 /messageId invalid_record unknown_reference");
  BOOST_TEST(outcome(write_batch(ensured({worked()}))) == "ok 1");
  auto const now = engine->snapshot();
  BOOST_TEST(now.find(schema::RecordType::topic, "family-planning-2025").has_value());
  BOOST_TEST(now.find(schema::RecordType::message, "msg-1").has_value());
}

BOOST_AUTO_TEST_CASE(keeps_1024_bytes_in_the_record_and_1025_as_a_blob) {
  auto inline_one = of_size(1024);
  auto const inline_text = *inline_one.xml;
  auto blob_one = of_size(1025);
  auto const blob_text = *blob_one.xml;
  blob_one.message_id = "msg-2";
  auto const refs = write_batch(ensured({inline_one, blob_one})).value().refs;
  auto const kept = record_of<schema::XmlMessageAttachment>(*engine, refs[0]);
  BOOST_TEST(kept.xml_content.value() == inline_text);
  BOOST_TEST(!kept.xml_blob.has_value());
  BOOST_TEST(kept.size.value() == 1024);
  auto const blob = record_of<schema::XmlMessageAttachment>(*engine, refs[1]);
  BOOST_TEST(!blob.xml_content.has_value());
  BOOST_TEST(blob.xml_blob.value() == "sha256://" + schema::to_hex(schema::sha256(blob_text)));
  BOOST_TEST(engine->records().read_blob(schema::sha256(blob_text)).value().value() == blob_text);
}

BOOST_AUTO_TEST_CASE(takes_a_stored_blob_by_its_name_and_refuses_an_unknown_one) {
  auto first = of_size(2000);
  auto const name = schema::blob_name(schema::sha256(*first.xml));
  auto second = first;
  second.message_id = "msg-2";
  second.xml.reset();
  second.xml_blob = name;
  BOOST_TEST(outcome(write_batch(ensured({second}))) == "0 /xmlBlob invalid_record unknown_blob");
  write_batch(ensured({first})).value();
  BOOST_TEST(outcome(write_batch(ensured({second}))) == "ok 2");
}

BOOST_AUTO_TEST_CASE(takes_a_blob_that_the_same_batch_brings_in_any_order) {
  auto first = of_size(2000);
  auto second = first;
  second.message_id = "msg-2";
  second.xml_blob = schema::blob_name(schema::sha256(*first.xml));
  second.xml.reset();
  BOOST_TEST(outcome(write_batch(ensured({second, first}))) == "ok 1");
  BOOST_TEST(engine->verify().value().problems.empty());
}

BOOST_AUTO_TEST_CASE(needs_its_topic_also_where_the_message_is_known) {
  write({topic("family-planning-2025"), message("msg-1", "family-planning-2025")}).value();
  engine->write(removing({"Topic:family-planning-2025"})).value();
  BOOST_TEST(outcome(write({worked()})) == "0 /topicId invalid_record unknown_reference");
  BOOST_TEST(outcome(write_batch(ensured({worked()}))) == "ok 3");
}

BOOST_AUTO_TEST_CASE(a_response_is_prompted_by_a_query_and_not_by_a_response) {
  auto const hash =
      write_batch(ensured({worked()})).value().refs[0].substr(std::string("XMLMessageAttachment:").size());
  auto made = response("resp_1", {"cu_1"});
  made.query_attachment = hash;
  BOOST_TEST(outcome(write({unit("cu_1"), made})) == "1 /query_attachment invalid_record format");
}

BOOST_AUTO_TEST_CASE(a_replayed_answer_has_the_places_of_its_warnings) {
  auto const keyed = [&] {
    auto given = ensured({attachment("t", "m", said({about("Not Hyphenated", true)}))});
    given.idempotency_key = "k";
    return given;
  };
  auto const first = write_batch(keyed()).value();
  BOOST_TEST(!first.warnings.empty());
  BOOST_CHECK(write_batch(keyed()).value().warnings == first.warnings);
}

BOOST_AUTO_TEST_CASE(refuses_claims_that_differ_from_the_text) {
  auto size = worked();
  size.size = 124;
  auto blob = worked();
  blob.xml_blob = "sha256://" + std::string(64, '0');
  auto both = worked();
  both.xml_content = both.xml;
  auto neither = worked();
  neither.xml.reset();
  auto version = worked();
  version.version = 2;
  BOOST_TEST(outcome(write_batch(ensured({size}))) == "0 /size invalid_record size");
  BOOST_TEST(outcome(write_batch(ensured({blob}))) == "0 /xmlBlob invalid_record blob");
  BOOST_TEST(outcome(write_batch(ensured({both}))) == "0 /xmlContent invalid_record xml_twice");
  BOOST_TEST(outcome(write_batch(ensured({neither}))) == "0 /xml invalid_record required");
  BOOST_TEST(outcome(write_batch(ensured({version}))) == "0 /version invalid_record range");
}

BOOST_AUTO_TEST_CASE(refuses_a_document_that_breaks_the_contract_with_its_place) {
  auto bad = worked();
  bad.xml = "<llmResponse><response> </response><analysis><summaryUpdate/></analysis></llmResponse>";
  auto const answer = write_batch(ensured({topic("t"), bad}));
  BOOST_REQUIRE(!answer);
  auto const error = answer.error();
  BOOST_CHECK(error.code == Errc::invalid_xml);
  auto const& violation = error.violations.front();
  BOOST_TEST(violation.index.value() == 1U);
  BOOST_TEST(violation.rule == "R3");
  BOOST_TEST(violation.xml.value().error == "empty_content");
  BOOST_TEST(schema::number(engine->snapshot().tx()) == 0U);
}

BOOST_AUTO_TEST_CASE(is_one_per_message) {
  write_batch(ensured({worked()})).value();
  BOOST_TEST(outcome(write_batch(ensured({worked()}))) == "unchanged 1");
  auto other = worked();
  other.created_at = schema::EpochMs{1'728'234'567'891};
  BOOST_TEST(outcome(write({other})) == "0 /messageId conflict message_attachment");
}

BOOST_AUTO_TEST_CASE(a_repeat_without_a_time_is_the_existing_attachment) {
  write_batch(ensured({worked()})).value();
  auto again = worked();
  again.created_at.reset();
  BOOST_TEST(outcome(write({again})) == "unchanged 1");
}

BOOST_AUTO_TEST_CASE(belongs_to_its_messages_topic) {
  write({topic("a"), topic("family-planning-2025"), message("msg-1", "a")}).value();
  BOOST_TEST(outcome(write({worked()})) == "0 /topicId invalid_record topic_mismatch");
}

BOOST_AUTO_TEST_CASE(with_other_attributes_or_another_response_is_a_conflict) {
  write_batch(ensured({worked()})).value();
  auto tagged = worked();
  tagged.attributes = schema::Attributes{R"({"a":1})"};
  BOOST_TEST(outcome(write({tagged})) == "0  conflict conflict");
}

BOOST_AUTO_TEST_CASE(links_query_and_response_to_the_response) {
  auto query = attachment("t", "m-q", schema::QueryParts{.user_message = "How much?", .context = {.topic_id = "t"}});
  query.response_id = "resp_1";
  auto answer = attachment("t", "m-r", said({}));
  answer.response_id = "resp_1";
  auto const refs = write_batch(ensured({unit("cu_1"), response("resp_1", {"cu_1"}), query, answer})).value().refs;
  auto const edges = edges_of(engine->snapshot());
  auto const has = [&](std::string const& edge) { return std::ranges::find(edges, edge) != edges.end(); };
  auto const id = [&](std::size_t i) { return refs[i].substr(refs[i].find(':') + 1); };
  BOOST_TEST(has(id(2) + " PROMPTED resp_1"));
  BOOST_TEST(has("resp_1 RENDERED_AS " + id(3)));
}

BOOST_AUTO_TEST_CASE(a_query_named_from_both_sides_is_linked_once) {
  auto query = attachment("t", "m-q", schema::QueryParts{.user_message = "How much?", .context = {.topic_id = "t"}});
  auto const hash =
      write_batch(dry(ensured({query}))).value().refs[0].substr(std::string_view("XMLMessageAttachment:").size());
  query.response_id = "resp_1";
  auto made = response("resp_1", {"cu_1"});
  made.query_attachment = hash;
  write_batch(ensured({unit("cu_1"), query, made})).value();
  auto const edges = edges_of(engine->snapshot());
  BOOST_TEST(std::ranges::count(edges, hash + " PROMPTED resp_1") == 1);
}

BOOST_AUTO_TEST_CASE(a_query_of_another_topic_is_a_warning) {
  auto const query =
      attachment("t", "m", schema::QueryParts{.user_message = "How much?", .context = {.topic_id = "other"}});
  BOOST_TEST(warnings(write_batch(ensured({query}))) == "0 /llmQuery/context/@topicId topic_mismatch");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
