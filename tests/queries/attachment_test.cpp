// Questions about attachments and the records extracted from them, over an engine that wrote it all.

#include "tests/engine/batches.hpp"
#include "tests/queries/fixture.hpp"
#include "tests/support/fixtures.hpp"

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

/// Two topics: in `t` a query (minute 0) and two responses (minutes 1 and 2) of `resp_1` and `resp_2`, in `u` a
/// response (minute 1) longer than what is kept inline. `cu_1` is in both responses, `cu_2` in the second.
struct ConversationFixture : EngineFixture {
  std::vector<std::string> hashes;

  ConversationFixture() {
    auto query = attachment("t", "m0", schema::QueryParts{.user_message = "How?", .context = {.topic_id = "t"}});
    auto first = attachment("t", "m1", said({about("a", true, {{"k", 0.9}})}, " one "), 1);
    first.response_id = "resp_1";
    auto second = attachment("t", "m2", said({about("a", false, {{"k", 0.8}, {"l", 0.7}})}, "two"), 2);
    second.response_id = "resp_2";
    auto parts = said({about("b", true)});
    parts.response = std::string(2000, 'x');
    auto const third = attachment("u", "m3", parts, 1);
    auto given = batch({unit("cu_1"), unit("cu_2"), response("resp_1", {"cu_1"}), response("resp_2", {"cu_1", "cu_2"}),
                        query, first, second, third});
    given.ensure = true;
    for (auto const& each : engine->write(std::move(given)).value().refs) {
      hashes.push_back(each.substr(each.find(':') + 1));
    }
    hashes.erase(hashes.begin(), hashes.begin() + 4);
  }

  void remove(std::string_view name) {
    engine::WriteBatch given;
    given.deletes.push_back(ref(name));
    given.force = true;
    engine->write(std::move(given)).value();
  }

  [[nodiscard]] queries::View view() const { return {engine->snapshot(), &engine->records()}; }

  boost::json::object list(queries::AttachmentListParams const& params) const {
    return json_of(ask(queries::attachment_list, view(), params, unlimited()));
  }

  /// The places in `hashes` of the listed attachments, in order.
  std::string listed(queries::AttachmentListParams const& params) const {
    std::string text;
    auto const answer = list(params);
    for (auto const& record : answer.at("records").as_array()) {
      auto const place = std::ranges::find(hashes, std::string(record.at("hash").as_string())) - hashes.begin();
      text += std::to_string(place);
    }
    return text;
  }
};

BOOST_FIXTURE_TEST_SUITE(attachment_queries, ConversationFixture)

BOOST_AUTO_TEST_CASE(get_gives_record_text_and_response) {
  auto const got = json_of(ask(queries::attachment_get, view(), {.hash = hashes[1]}, unlimited()));
  BOOST_TEST(std::string(got.at("responseId").as_string()) == "resp_1");
  BOOST_TEST(got.at("xml").as_string() == got.at("record").at("xmlContent").as_string());
  BOOST_TEST(!got.at("record").as_object().contains("responseId"));
  auto const long_one = json_of(ask(queries::attachment_get, view(), {.hash = hashes[3]}, unlimited()));
  BOOST_TEST(long_one.at("xml").as_string().size() ==
             2000U + static_cast<std::size_t>(long_one.at("record").at("size").as_int64()) - 2000U);
  BOOST_TEST(long_one.at("record").as_object().contains("xmlBlob"));
}

BOOST_AUTO_TEST_CASE(list_finds_by_message_topic_and_format_in_order_of_creation) {
  BOOST_TEST(listed({}) == "0132");
  BOOST_TEST(listed({.topic_id = "t"}) == "012");
  BOOST_TEST(listed({.topic_id = "t", .format = schema::XmlFormat::llm_response}) == "12");
  BOOST_TEST(listed({.message_id = "m3"}) == "3");
  BOOST_TEST(listed({.message_id = "m3", .topic_id = "t"}) == "");
  BOOST_TEST(listed({.orphans = true}) == "");
}

BOOST_AUTO_TEST_CASE(list_counts_and_sums_all_matches) {
  auto const counted = list({.topic_id = "u", .count_only = true});
  BOOST_TEST(!counted.contains("records"));
  BOOST_TEST(counted.at("count").to_number<int>() == 1);
  BOOST_TEST(counted.at("total_size").to_number<int>() > 2000);
}

BOOST_AUTO_TEST_CASE(list_averages_sizes_and_measures_markup) {
  auto const all = list({.count_only = true});
  auto const number = [&](boost::json::object const& from, char const* name) {
    return from.at(name).to_number<double>();
  };
  double const total = number(all, "total_size");
  BOOST_TEST(number(all, "average_size") == total / 4);
  double const query = number(list({.format = schema::XmlFormat::llm_query, .count_only = true}), "total_size");
  auto const& averages = all.at("average_sizes").as_object();
  BOOST_TEST(number(averages, "llm-query") == query);
  BOOST_TEST(number(averages, "llm-response") == (total - query) / 3);
  BOOST_TEST(number(all, "xml_overhead") == number(all, "markup_bytes") / total);
  // <llmQuery><userMessage>How?</userMessage><context topicId="t" messageCount="0"/></llmQuery>
  auto const one = list({.format = schema::XmlFormat::llm_query, .count_only = true});
  BOOST_TEST(number(one, "total_size") - number(one, "markup_bytes") == 6);
  auto const none = list({.message_id = "m3", .topic_id = "t", .count_only = true});
  BOOST_TEST(!none.contains("average_size"));  // of nothing there is no average
  BOOST_TEST(none.at("average_sizes").as_object().empty());
  BOOST_TEST(!none.contains("xml_overhead"));
  BOOST_TEST(!list({}).contains("xml_overhead"));
}

BOOST_AUTO_TEST_CASE(context_gathers_what_the_next_query_states) {
  auto const context = [&](char const* topic) {
    return text(json_of(ask(queries::xml_context, view(), {.topic_id = topic}, unlimited())).at("context"));
  };
  BOOST_TEST(context("t") == R"({"topicId":"t","messageCount":3,"activeSubjects":["a"],"recentKeywords":["k","l"]})");
  BOOST_TEST(context("u") == R"({"topicId":"u","messageCount":1,"activeSubjects":["b"],"recentKeywords":[]})");
  auto later = attachment("t", "m4", said({about("z", true, {{"m", 0.9}}), about("c, d", true)}), 5);
  engine->write(ensured({later})).value();
  BOOST_TEST(context("t") ==
             R"({"topicId":"t","messageCount":4,"activeSubjects":["z","a"],"recentKeywords":["m","k","l"]})");
  schema::Subject archived{.id = "put+aside", .topic = "t", .name = "aside", .keywords = {"k"}, .archived = true};
  archived.last_seen_at = schema::EpochMs{1};
  engine->write(batch({archived})).value();
  BOOST_TEST(context("t").find("aside") == std::string::npos);
  auto const error = queries::xml_context(view(), {.topic_id = "none"}, unlimited()).error();
  BOOST_TEST(error.code == Errc::not_found);
  BOOST_TEST(error.violations.at(0).path == "/topicId");
}

BOOST_AUTO_TEST_CASE(context_holds_no_more_than_a_document_may) {
  for (int i = 0; i < 9; ++i) {
    std::vector<schema::SubjectPart> subjects;
    subjects.reserve(3);
    for (int j = 0; j < 3; ++j) {
      std::vector<schema::KeywordPart> keywords;
      keywords.reserve(4);
      for (int k = 0; k < 4; ++k) keywords.push_back({"k" + std::to_string(100 * i + 10 * j + k), 0.9});
      subjects.push_back(about("s" + std::to_string(10 * i + j), true, keywords));
    }
    engine->write(ensured({attachment("w", "w" + std::to_string(i), said(subjects), i)})).value();
  }
  auto const found = queries::xml_context(view(), {.topic_id = "w"}, unlimited()).value();
  BOOST_TEST(found.context.active_subjects.size() == 20U);
  BOOST_TEST(found.context.recent_keywords.size() == 50U);
  BOOST_TEST(found.context.active_subjects.front() == "s80");
  BOOST_TEST(schema::xml::write(schema::QueryParts{.user_message = "u", .context = found.context}).has_value());
}

BOOST_AUTO_TEST_CASE(list_knows_the_orphans_of_a_deleted_topic) {
  remove("Topic:t");
  BOOST_TEST(listed({.orphans = true}) == "012");
  BOOST_TEST(listed({.topic_id = "t"}) == "012");
  BOOST_TEST(listed({.message_id = "m1", .orphans = true}) == "1");
  BOOST_TEST(listed({.message_id = "m3", .orphans = true}) == "");
}

BOOST_AUTO_TEST_CASE(list_refuses_unknown_topics_and_is_empty_where_there_are_none) {
  BOOST_CHECK(queries::attachment_list(view(), {.topic_id = "nowhere"}, unlimited()).error().code == Errc::not_found);
  engine->write(batch({topic("empty"), message("silent", "empty")})).value();
  BOOST_TEST(listed({.message_id = "silent"}) == "");
  BOOST_TEST(listed({.topic_id = "empty"}) == "");
}

BOOST_AUTO_TEST_CASE(trace_leads_from_a_keyword_to_the_context_units) {
  auto const traced = json_of(ask(queries::trace, view(), {.ref = ref("Keyword:k")}, unlimited()));
  auto const nodes = refs_of(traced);
  BOOST_TEST(nodes.find("XMLMessageAttachment:" + hashes[1]) != std::string::npos);
  BOOST_TEST(nodes.find("XMLMessageAttachment:" + hashes[2]) != std::string::npos);
  BOOST_TEST(nodes.find("Response:resp_1 Response:resp_2 ContextUnit:cu_1 ContextUnit:cu_2") != std::string::npos);
  BOOST_TEST(traced.at("edges").as_array().size() == 7U);
  BOOST_TEST(traced.at("dangling").as_array().empty());
}

BOOST_AUTO_TEST_CASE(trace_names_the_attachment_that_is_gone) {
  auto const before = engine->snapshot();
  remove("Message:m1");
  auto const traced = json_of(ask(queries::trace, view(), {.ref = ref("Keyword:k")}, unlimited()));
  BOOST_TEST(text(traced.at("dangling")) == "[\"XMLMessageAttachment:" + hashes[1] + "\"]");
  BOOST_TEST(refs_of(traced).find(hashes[1]) == std::string::npos);
  BOOST_TEST(refs_of(traced).find("resp_1") == std::string::npos);
  auto const then = json_of(ask(queries::trace, {before, &engine->records()}, {.ref = ref("Keyword:k")}, unlimited()));
  BOOST_TEST(then.at("dangling").as_array().empty());
}

BOOST_AUTO_TEST_CASE(trace_of_another_node_leads_to_all_that_it_was_made_from) {
  auto const traced = json_of(ask(queries::trace, view(), {.ref = ref("resp_1")}, unlimited()));
  auto const ancestors = json_of(ask(queries::lineage_ancestors, view(), {.ref = ref("resp_1")}, unlimited()));
  BOOST_TEST(refs_of(traced) == refs_of(ancestors));
  BOOST_TEST(refs_of(traced).find("ContextUnit:cu_1") != std::string::npos);
  BOOST_TEST(!traced.at("edges").as_array().empty());
  auto const source = json_of(ask(queries::trace, view(), {.ref = ref("cu_1")}, unlimited()));
  BOOST_TEST(source.at("nodes").as_array().empty());
  auto const cut = queries::trace(view(), {.ref = ref("resp_2")}, {unlimited().interrupt, 1}).value();
  BOOST_CHECK(cut.incomplete == queries::Incomplete::nodes);
}

BOOST_AUTO_TEST_CASE(a_summary_accumulates_its_increments) {
  auto const latest = json_of(ask(queries::summary_get, view(), {.topic = "t"}, unlimited()));
  BOOST_TEST(latest.at("summary").at("content").as_string() == "one\ntwo");
  BOOST_TEST(latest.at("summary").at("increment").as_string() == "two");
  auto const first = json_of(ask(queries::summary_get, view(), {.topic = "t", .version = 1}, unlimited()));
  BOOST_TEST(first.at("summary").at("content").as_string() == "one");
  BOOST_CHECK(queries::summary_get(view(), {.topic = "t", .version = 3}, unlimited()).error().code == Errc::not_found);
  BOOST_CHECK(queries::summary_get(view(), {.topic = "u"}, unlimited()).error().code == Errc::not_found);
}

BOOST_AUTO_TEST_CASE(a_client_s_summary_starts_afresh) {
  engine->write(batch({schema::Summary{.id = "t-v3", .topic = "t", .content = "All anew.", .version = 3}})).value();
  engine->write(batch({attachment("t", "m1", said({}), 9)})).error();
  auto given = batch({attachment("t", "m9", said({}, "nine"), 9)});
  given.ensure = true;
  engine->write(std::move(given)).value();
  auto const latest = json_of(ask(queries::summary_get, view(), {.topic = "t"}, unlimited()));
  BOOST_TEST(latest.at("summary").at("version").to_number<int>() == 4);
  BOOST_TEST(latest.at("summary").at("content").as_string() == "All anew.\nnine");
}

BOOST_AUTO_TEST_CASE(a_summary_keeps_the_text_and_the_number_of_deleted_versions) {
  remove("Summary:t-v2");
  auto given = batch({attachment("t", "m9", said({}, "nine"), 9)});
  given.ensure = true;
  engine->write(std::move(given)).value();
  auto const latest = json_of(ask(queries::summary_get, view(), {.topic = "t"}, unlimited()));
  BOOST_TEST(latest.at("summary").at("content").as_string() == "one\ntwo\nnine");
  auto const versions = json_of(ask(queries::versions_list, view(), {.ref = ref("Summary:t-v3")}, unlimited()));
  BOOST_TEST(versions.at("versions").at(0).at("version").to_number<int>() == 1);
  BOOST_TEST(versions.at("versions").at(1).at("version").to_number<int>() == 3);
  BOOST_TEST(versions.at("versions").at(1).at("dangling").as_bool());
}

BOOST_AUTO_TEST_CASE(a_derived_record_shows_that_its_source_is_gone) {
  remove("Message:m1");
  auto const got =
      json_of(ask(queries::node_get, view(),
                  {.refs = refs({"Keyword:k", "Keyword:l"}), .include = {queries::Include::record}}, unlimited()));
  auto const& nodes = got.at("nodes").as_array();
  BOOST_TEST(nodes[0].at("record").at("dangling").as_bool());
  BOOST_TEST(!nodes[1].at("record").as_object().contains("dangling"));
}

BOOST_AUTO_TEST_CASE(impact_of_a_unit_runs_through_the_attachments) {
  auto const impact = json_of(ask(queries::impact_analyze, view(), {.refs = refs({"cu_2"})}, unlimited()));
  BOOST_TEST(text(impact.at("counts").at("by_type")) ==
             R"({"Response":1,"XMLMessageAttachment":1,"Keyword":2,"Subject":1,"Summary":1})");
}

BOOST_AUTO_TEST_CASE(deleted_nodes_are_named_so) {
  remove("cu_2");
  auto const error = queries::node_get(view(), {.ref = ref("cu_2")}, unlimited()).error();
  BOOST_CHECK(error.code == Errc::not_found);
  BOOST_TEST(error.violations.front().rule == "deleted");
  BOOST_TEST(refs_of(json_of(ask(queries::lineage_ancestors, view(), {.ref = ref("resp_2")}, unlimited()))) ==
             "ContextUnit:cu_1");
}

BOOST_AUTO_TEST_CASE(history_shows_each_revision) {
  auto const history = json_of(ask(queries::history_get, view(), {.ref = ref("Keyword:k")}, unlimited()));
  BOOST_TEST(history.at("events").as_array().size() == 1U);
  auto given = batch({attachment("u", "m9", said({about("b", false, {{"k", 0.9}})}), 9)});
  given.ensure = true;
  engine->write(std::move(given)).value();
  auto const longer = json_of(ask(queries::history_get, view(), {.ref = ref("Keyword:k")}, unlimited()));
  auto const& events = longer.at("events").as_array();
  BOOST_TEST(events.size() == 2U);
  BOOST_TEST(events[1].at("op").as_string() == "version");
}

BOOST_AUTO_TEST_CASE(templates_are_listed_by_version_and_the_active_one_found) {
  engine
      ->write(batch({schema::SystemPromptTemplate{.model_id = "gpt", .prompt_text = "a", .version = 1},
                     schema::SystemPromptTemplate{.model_id = "gpt", .prompt_text = "b", .version = 2},
                     schema::SystemPromptTemplate{.model_id = "other", .prompt_text = "c", .version = 1}}))
      .value();
  auto const active = json_of(ask(queries::template_active, view(), {.model_id = "gpt"}, unlimited()));
  BOOST_TEST(active.at("template").at("version").to_number<int>() == 2);
  auto const all = json_of(ask(queries::template_list, view(), {}, unlimited()));
  BOOST_TEST(all.at("templates").as_array().size() == 3U);
  auto const of_model = json_of(ask(queries::template_list, view(), {.model_id = "gpt"}, unlimited()));
  BOOST_TEST(of_model.at("templates").as_array().size() == 2U);
  BOOST_CHECK(queries::template_active(view(), {.model_id = "none"}, unlimited()).error().code == Errc::not_found);
}

BOOST_AUTO_TEST_CASE(fields_of_derived_records_are_searchable) {
  auto const found = [&](schema::RecordType type, std::string field, queries::Condition::Op op, std::string operand) {
    return json_of(
        ask(queries::node_find, view(), {.type = type, .where = {{field, op, {operand}}}, .order = {}}, unlimited()));
  };
  using Op = queries::Condition::Op;
  BOOST_TEST(refs_of(found(schema::RecordType::keyword, "frequency", Op::gte, "2")) == "Keyword:k");
  BOOST_TEST(refs_of(found(schema::RecordType::keyword, "score", Op::lt, "0.8")) == "Keyword:l");
  BOOST_TEST(refs_of(found(schema::RecordType::subject, "archived", Op::eq, "false")) == "Subject:t/k Subject:u/b");
  BOOST_TEST(refs_of(found(schema::RecordType::subject, "topic", Op::eq, "\"u\"")) == "Subject:u/b");
  BOOST_TEST(refs_of(found(schema::RecordType::keyword, "lastSeen", Op::gt, "1728234627890")) == "Keyword:k Keyword:l");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
