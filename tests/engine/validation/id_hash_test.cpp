// Records of a ONE export: references by id hash lead to the records that had it.

#include "tests/engine/answers.hpp"
#include "tests/engine/batches.hpp"
#include "tests/engine/records.hpp"

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

std::string const subject_hash(64, 'a');
std::string const attachment_hash(64, 'b');
std::string const unknown_hash(64, 'c');

schema::Subject exported_subject(std::string id = "s") {
  return {.id = std::move(id), .topic = "t", .keywords = {"k"}, .message_count = 1, .id_hash = subject_hash};
}

schema::Keyword exported_keyword(std::string term = "k") {
  return {.term = std::move(term), .frequency = 1, .subjects = {subject_hash}, .source_xml_hash = attachment_hash};
}

schema::XmlMessageAttachment exported_attachment() {
  auto made = attachment("t", "m", schema::QueryParts{.user_message = "How?", .context = {.topic_id = "t"}});
  made.id_hash = attachment_hash;
  return made;
}

struct ExportFixture : EngineFixture {
  schema::Keyword keyword(std::string const& term = "k") {
    return record_of<schema::Keyword>(*engine, "Keyword:" + term);
  }

  void check_resolved(std::string const& attachment) {
    BOOST_TEST(keyword().subjects == std::vector<std::string>{"Subject:t/s"}, boost::test_tools::per_element());
    BOOST_TEST(keyword().source_xml_hash.value() == attachment);
  }
};

BOOST_FIXTURE_TEST_SUITE(id_hashes, ExportFixture)

BOOST_AUTO_TEST_CASE(references_resolve_within_the_batch_before_and_after) {
  auto const refs =
      engine->write(ensured({exported_keyword(), exported_subject(), exported_attachment()})).value().refs;
  check_resolved(refs.at(2).substr(refs.at(2).find(':') + 1));
  BOOST_TEST(record_of<schema::Subject>(*engine, "Subject:t/s").id_hash.value() == subject_hash);
  BOOST_TEST(record_of<schema::XmlMessageAttachment>(*engine, refs.at(2)).id_hash.value() == attachment_hash);
  auto const now = engine->snapshot();
  auto const vertex = now.find(schema::RecordType::keyword, "k").value();
  BOOST_TEST(now.relations_from(vertex).size() == 1U);
  BOOST_TEST(now.causes(vertex).size() == 1U);
}

BOOST_AUTO_TEST_CASE(references_resolve_to_what_was_written_before_also_after_a_restart) {
  auto const refs = engine->write(ensured({exported_subject(), exported_attachment()})).value().refs;
  reopen();
  BOOST_TEST(outcome(write({exported_keyword()})) == "ok 2");
  check_resolved(refs.at(1).substr(refs.at(1).find(':') + 1));
  BOOST_TEST(outcome(write({exported_keyword()})) == "unchanged 2");
  auto second = exported_subject("later");
  second.id_hash = unknown_hash;
  BOOST_TEST(outcome(write({second})) == "ok 3");
  auto other = exported_keyword("other");
  other.subjects = {unknown_hash, "Subject:t/later", subject_hash};
  BOOST_TEST(outcome(write({other})) == "ok 4");
  BOOST_TEST(keyword("other").subjects == (std::vector<std::string>{"Subject:t/later", "Subject:t/s"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_hash_that_none_has_is_refused_or_dangles) {
  BOOST_TEST(outcome(write({exported_keyword()})) == "0 /subjects/0 invalid_record unknown_reference");
  auto keyword = exported_keyword();
  keyword.subjects.clear();
  BOOST_TEST(outcome(write({keyword})) == "ok 1");
  BOOST_TEST(this->keyword().source_xml_hash.value() == attachment_hash);
  engine->write(ensured({exported_subject()})).value();
  engine->write(removing({"Subject:t/s"})).value();
  BOOST_TEST(outcome(write({exported_keyword("new")})) == "0 /subjects/0 invalid_record unknown_reference");
}

BOOST_AUTO_TEST_CASE(the_hash_has_a_form_and_may_be_left_out_in_a_repeat) {
  auto topic = test::topic("t");
  topic.id_hash = "short";
  BOOST_TEST(outcome(write({topic})) == "0 /$idHash$ invalid_record hash");
  topic.id_hash = subject_hash;
  BOOST_TEST(outcome(write({topic})) == "ok 1");
  BOOST_TEST(outcome(write({test::topic("t")})) == "unchanged 1");
  topic.id_hash = unknown_hash;
  BOOST_TEST(outcome(write({topic})) == "0 /id conflict conflict");
}

BOOST_AUTO_TEST_CASE(the_hash_stays_when_extraction_changes_the_record) {
  schema::Keyword given{.term = "k", .frequency = 4, .id_hash = subject_hash};
  write({given}).value();
  engine->write(ensured({attachment("t", "m", said({about("a", true, {{"k", 0.9}})}))})).value();
  BOOST_TEST(keyword().frequency == 5);
  BOOST_TEST(keyword().id_hash.value() == subject_hash);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
