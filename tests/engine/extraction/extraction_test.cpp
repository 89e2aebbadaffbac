// Records derived from responses: worked sequences with every keyword, subject, time range and summary computed by
// hand.

#include "tests/engine/answers.hpp"
#include "tests/engine/batches.hpp"
#include "tests/engine/records.hpp"

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

constexpr std::int64_t start = 1'728'234'567'890;
constexpr char const* family = "family-planning-2025";
constexpr char const* savings_id = "529-plan+education-expenses+financial-planning+tax-advantages";

/// Writes attachments one after the other, each with its own message.
struct ConversationFixture : EngineFixture {
  int messages = 0;

  Result<engine::WriteAnswer> say(std::string const& topic, schema::ResponseParts const& parts, std::int64_t minute) {
    return engine->write(ensured({attachment(topic, "m" + std::to_string(++messages), parts, minute)}));
  }

  /// The hash of an answer's only attachment.
  static std::string hash_of(Result<engine::WriteAnswer> const& answer) {
    return answer.value().refs.front().substr(std::string_view("XMLMessageAttachment:").size());
  }

  std::string subject(std::string const& topic, std::string const& id) {
    return text_of(*engine, "Subject:" + topic + "/" + id);
  }

  /// "[start-end]..." in minutes and the count of responses.
  std::string ranges(std::string const& topic, std::string const& id) {
    auto const found = record_of<schema::Subject>(*engine, "Subject:" + topic + "/" + id);
    std::string text;
    for (auto const& range : found.time_ranges) {
      text += "[" + std::to_string((range.start.value - start) / 60'000) + "-" +
              std::to_string((range.end.value - start) / 60'000) + "]";
    }
    return text + " " + std::to_string(found.message_count);
  }
};

schema::ResponseParts example() {
  return {.response = "For college savings, financial advisors often recommend 529 plans.",
          .analysis = {.subjects = {{.name = "college-savings",
                                     .description = "Discussion of saving strategies for children's higher education",
                                     .is_new = true,
                                     .keywords = {{"529-plan", 0.95},
                                                  {"tax-advantages", 0.85},
                                                  {"education-expenses", 0.90},
                                                  {"financial-planning", 0.75}}}},
                       .summary_update = "User asked about college savings amounts."}};
}

schema::ResponseParts follow_up() {
  return said({about("college-savings", false, {{"529-plan", 0.80}, {"tuition", 0.7}}),
               about("budgeting", true, {{"monthly-budget", 0.9}, {"529-plan", 0.99}})},
              "Tuition and a budget were added.");
}

BOOST_FIXTURE_TEST_SUITE(extraction, ConversationFixture)

BOOST_AUTO_TEST_CASE(draws_keywords_subjects_and_summaries_of_two_responses) {
  auto const a1 = hash_of(say(family, example(), 0));
  auto const a2 = hash_of(say(family, follow_up(), 1));
  auto const savings = std::string("Subject:") + family + "/" + savings_id;
  BOOST_TEST(text_of(*engine, "Keyword:529-plan") ==
             R"({"$type$":"Keyword","term":"529-plan","frequency":3,"subjects":[")" + savings + R"(","Subject:)" +
                 family +
                 R"(/529-plan+monthly-budget"],"score":0.99,"createdAt":1728234567890,"lastSeen":1728234627890,)"
                 R"("sourceXmlHash":")" +
                 a1 + R"("})");
  BOOST_TEST(text_of(*engine, "Keyword:tuition") ==
             R"({"$type$":"Keyword","term":"tuition","frequency":1,"subjects":[")" + savings +
                 R"("],"score":0.7,"createdAt":1728234627890,"lastSeen":1728234627890,"sourceXmlHash":")" + a2 +
                 R"("})");
  BOOST_TEST(subject(family, savings_id) ==
             std::string(R"({"$type$":"Subject","id":")") + savings_id + R"(","topic":")" + family +
                 R"(","name":"college-savings","description":"Discussion of saving strategies for children's higher )"
                 R"(education","keywords":["529-plan","education-expenses","financial-planning","tax-advantages",)"
                 R"("tuition"],"timeRanges":[{"start":1728234567890,"end":1728234627890}],"messageCount":2,)"
                 R"("createdAt":1728234567890,"lastSeenAt":1728234627890,"archived":false,"sourceXmlHash":")" +
                 a1 + R"("})");
  BOOST_TEST(ranges(family, "529-plan+monthly-budget") == "[1-1] 1");
  auto const summary = record_of<schema::Summary>(*engine, std::string("Summary:") + family + "-v2");
  BOOST_TEST(summary.increment.value() == "Tuition and a budget were added.");
  BOOST_TEST(summary.previous_version.value() == std::string(family) + "-v1");
  BOOST_TEST(summary.keywords == (std::vector<std::string>{"529-plan", "tuition", "monthly-budget"}),
             boost::test_tools::per_element());
  BOOST_TEST(summary.subjects == (std::vector<std::string>{savings_id, "529-plan+monthly-budget"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(keyword_edges_carry_the_highest_confidence_in_each_attachment) {
  auto const a1 = hash_of(say(family, example(), 0));
  auto const a2 = hash_of(say(family, follow_up(), 1));
  auto const now = engine->snapshot();
  auto const keyword = now.find(schema::RecordType::keyword, "529-plan").value();
  auto const causes = now.causes(keyword);
  BOOST_REQUIRE(causes.size() == 2);
  BOOST_TEST(now.id(causes.vertices[0]) == a1);
  BOOST_TEST(now.value(causes.edges[0]).value() == 0.95);
  BOOST_TEST(now.id(causes.vertices[1]) == a2);
  BOOST_TEST(now.value(causes.edges[1]).value() == 0.99);
}

BOOST_AUTO_TEST_CASE(extracted_records_are_parts_of_what_they_belong_to) {
  say(family, example(), 0).value();
  say(family, follow_up(), 1).value();
  say("other", said({about("savings", true, {{"529-plan", 0.9}})}, "one"), 2).value();
  auto const now = engine->snapshot();
  auto const wholes = [&](schema::RecordType type, std::string const& id) {
    std::string text;
    auto const relations = now.relations_from(now.find(type, id).value());
    for (std::size_t i = 0; i < relations.size(); ++i) {
      BOOST_TEST(now.type(relations.edges[i]) == schema::EdgeType::part_of);
      text += schema::format_ref(now.type(relations.vertices[i]), now.id(relations.vertices[i])) + "; ";
    }
    return text;
  };
  auto const savings = "Subject:" + std::string(family) + "/" + savings_id + "; ";
  BOOST_TEST(wholes(schema::RecordType::keyword, "529-plan") ==
             savings + "Subject:" + family + "/529-plan+monthly-budget; Subject:other/529-plan; ");
  BOOST_TEST(wholes(schema::RecordType::keyword, "tuition") == savings);
  BOOST_TEST(wholes(schema::RecordType::subject, std::string(family) + "/" + savings_id) ==
             "Topic:" + std::string(family) + "; ");
  for (char const* version : {"-v1", "-v2"}) {
    BOOST_TEST(wholes(schema::RecordType::summary, family + std::string(version)) ==
               "Topic:" + std::string(family) + "; ");
  }
}

BOOST_AUTO_TEST_CASE(a_keyword_of_the_batch_gains_each_relation_once) {
  say(family, example(), 0).value();
  schema::Keyword given{.term = "tuition",
                        .frequency = 1,
                        .subjects = {"Subject:" + std::string(family) + "/" + savings_id, "Subject:no/such"}};
  auto records = ensured({attachment(family, "m9", follow_up(), 1)});
  records.records.push_back({.record = given});
  engine->write(std::move(records)).value();
  auto const now = engine->snapshot();
  auto const relations = now.relations_from(now.find(schema::RecordType::keyword, "tuition").value());
  BOOST_TEST(relations.size() == 1U);
}

BOOST_AUTO_TEST_CASE(earlier_moments_show_the_records_of_then) {
  say(family, example(), 0).value();
  auto const before = text_at(*engine, 1, "Keyword:529-plan");
  auto const subject_before = text_at(*engine, 1, std::string("Subject:") + family + "/" + savings_id);
  say(family, follow_up(), 1).value();
  BOOST_TEST(text_at(*engine, 1, "Keyword:529-plan") == before);
  BOOST_TEST(text_at(*engine, 1, std::string("Subject:") + family + "/" + savings_id) == subject_before);
  BOOST_TEST(!engine->snapshot().as_of(schema::TxId{1}).find(schema::RecordType::keyword, "tuition").has_value());
}

BOOST_AUTO_TEST_CASE(a_run_of_responses_makes_a_time_range_within_its_topic) {
  say("F", said({about("college-savings", true)}, "one"), 0).value();
  say("F", said({about("college-savings", false), about("budgeting", true)}, "two"), 1).value();
  say("T", said({about("budgeting", true)}, "one"), 2).value();
  BOOST_TEST(warnings(say("F", said({about("budgeting", true)}), 3)).find("subject[1]/@isNew is_new") !=
             std::string::npos);
  BOOST_TEST(warnings(say("F", said({about("college-savings", false), about("grants", false)}, "three"), 4))
                 .find("subject[2]/@isNew is_new") != std::string::npos);
  say("T", said({about("budgeting", false)}, "two"), 5).value();
  BOOST_TEST(ranges("F", "college-savings") == "[0-1][4-4] 3");
  BOOST_TEST(ranges("F", "budgeting") == "[1-3] 2");
  BOOST_TEST(ranges("F", "grants") == "[4-4] 1");
  BOOST_TEST(ranges("T", "budgeting") == "[2-5] 2");
  auto const now = engine->snapshot();
  BOOST_TEST(now.find(schema::RecordType::summary, "F-v3").has_value());
  BOOST_TEST(!now.find(schema::RecordType::summary, "F-v4").has_value());
  BOOST_TEST(now.find(schema::RecordType::summary, "T-v2").has_value());
}

BOOST_AUTO_TEST_CASE(the_same_in_one_batch_after_a_restart_and_response_by_response) {
  std::vector<schema::Record> records;
  for (int minute = 0; minute < 6; ++minute) {
    auto const parts = minute % 2 == 0
                           ? said({about("a", minute == 0, {{"x", 0.5}})}, "s")
                           : said({about("b", minute == 1, {{"x", 0.9}, {"y", 0.7}}), about("a", false)}, "s");
    records.emplace_back(attachment("one", "one" + std::to_string(minute), parts, minute));
    say("two", parts, minute).value();
    if (minute == 3) reopen();
  }
  engine->write(ensured(std::move(records))).value();
  BOOST_TEST(ranges("one", "x") == ranges("two", "x"));
  BOOST_TEST(ranges("one", "x+y") == "[1-1][3-3][5-5] 3");
  BOOST_TEST(ranges("two", "x+y") == "[1-1][3-3][5-5] 3");
  reopen();
  BOOST_TEST(ranges("two", "x") == "[0-5] 6");
}

BOOST_AUTO_TEST_CASE(a_new_name_with_known_keywords_is_the_known_subject) {
  say("t", said({about("savings", true, {{"b", 0.9}, {"a", 0.9}})}), 0).value();
  auto const answer = say("t", said({about("saving", true, {{"a", 0.9}, {"b", 0.9}})}), 1);
  BOOST_TEST(warnings(answer).find("subject[1]/@name subject_alias") != std::string::npos);
  auto const found = record_of<schema::Subject>(*engine, "Subject:t/a+b");
  BOOST_TEST(found.name.value() == "savings");
  BOOST_TEST(found.message_count == 2);
}

BOOST_AUTO_TEST_CASE(a_name_that_met_a_known_id_is_no_name_of_it_later) {
  auto const first = said(
      {about("savings", true, {{"a", 0.9}}), about("saving", true, {{"a", 0.9}}), about("saving", true, {{"b", 0.9}})});
  say("t", first, 0).value();
  say("u", said({first.analysis.subjects[0]}), 1).value();
  say("u", said({first.analysis.subjects[1]}), 2).value();
  say("u", said({first.analysis.subjects[2]}), 3).value();
  for (std::string const topic : {"t", "u"}) {
    BOOST_TEST(record_of<schema::Subject>(*engine, "Subject:" + topic + "/a").name.value() == "savings");
    BOOST_TEST(record_of<schema::Subject>(*engine, "Subject:" + topic + "/b").name.value() == "saving");
  }
}

BOOST_AUTO_TEST_CASE(a_subject_with_a_name_is_not_matched_by_its_id) {
  say("t", said({about("savings", true, {{"plan", 0.9}})}), 0).value();
  say("t", said({about("plan", true, {{"other", 0.9}})}), 1).value();
  BOOST_TEST(record_of<schema::Subject>(*engine, "Subject:t/plan").name.value() == "savings");
  BOOST_TEST(record_of<schema::Subject>(*engine, "Subject:t/other").name.value() == "plan");
}

BOOST_AUTO_TEST_CASE(a_subject_without_a_name_is_matched_by_its_id) {
  schema::Subject nameless{.id = "grants", .topic = "t", .message_count = 7, .last_seen_at = {start}};
  nameless.created_at = schema::EpochMs{start};
  write({nameless}).value();
  say("t", said({about("grants", false, {{"k", 0.9}})}), 1).value();
  auto const found = record_of<schema::Subject>(*engine, "Subject:t/grants");
  BOOST_TEST(found.message_count == 8);
  BOOST_TEST(found.keywords == std::vector<std::string>{"k"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(counts_each_keyword_element_and_each_response_once) {
  say("t", said({about("a", true, {{"k", 0.7}, {" k ", 0.8}}), about("a", true, {{"k", 0.6}})}), 0).value();
  auto const keyword = record_of<schema::Keyword>(*engine, "Keyword:k");
  BOOST_TEST(keyword.frequency == 3);
  BOOST_TEST(keyword.score.value() == 0.8);
  BOOST_TEST(record_of<schema::Subject>(*engine, "Subject:t/k").message_count == 1);
}

BOOST_AUTO_TEST_CASE(a_long_joined_id_becomes_its_digest) {
  std::vector<schema::KeywordPart> keywords;
  std::string joined;
  for (char c = 'a'; c < 'k'; ++c) {
    keywords.push_back({std::string(30, c), 0.9});
    joined += (joined.empty() ? "" : "+") + std::string(30, c);
  }
  say("t", said({about("long", true, keywords)}), 0).value();
  auto const id = "sha256-" + schema::to_hex(schema::sha256(joined));
  BOOST_TEST(record_of<schema::Subject>(*engine, "Subject:t/" + id).keywords.size() == 10U);
}

BOOST_AUTO_TEST_CASE(a_repeated_attachment_derives_nothing_again) {
  auto const given = ensured({attachment("t", "m", said({about("a", true, {{"k", 0.9}})}, "s"))});
  write_batch(given).value();
  BOOST_TEST(outcome(write_batch(given)) == "unchanged 1");
  BOOST_TEST(record_of<schema::Keyword>(*engine, "Keyword:k").frequency == 1);
}

BOOST_AUTO_TEST_CASE(a_keyword_a_client_wrote_grows_and_its_own_words_again_change_nothing) {
  schema::Keyword own{.term = "k", .frequency = 10, .last_seen = {start}};
  own.created_at = schema::EpochMs{start};
  write({own}).value();
  say("t", said({about("a", true, {{"k", 0.9}})}), 1).value();
  BOOST_TEST(record_of<schema::Keyword>(*engine, "Keyword:k").frequency == 11);
  BOOST_TEST(outcome(write({own})) == "unchanged 2");
  own.frequency = 20;
  BOOST_TEST(outcome(write({own})) == "ok 3");
  BOOST_TEST(record_of<schema::Keyword>(*engine, "Keyword:k").frequency == 20);
  BOOST_TEST(text_at(*engine, 1, "Keyword:k").find("\"frequency\":10") != std::string::npos);
  say("t", said({about("a", false, {{"k", 0.95}})}), 2).value();
  reopen();
  BOOST_TEST(record_of<schema::Keyword>(*engine, "Keyword:k").frequency == 21);
}

BOOST_AUTO_TEST_CASE(a_failed_batch_derives_nothing) {
  auto given = ensured({attachment("t", "m", said({about("a", true, {{"k", 0.9}})}, "s")), unit("")});
  std::get<schema::ContextUnit>(given.records[1].record).source.clear();
  BOOST_TEST(!engine->write(std::move(given)).has_value());
  BOOST_TEST(engine->snapshot().vertex_count() == 0U);
  say("t", said({about("a", true, {{"k", 0.9}})}), 1).value();
  BOOST_TEST(record_of<schema::Keyword>(*engine, "Keyword:k").frequency == 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
