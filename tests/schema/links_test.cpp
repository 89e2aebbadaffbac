// The edges of each record, and what all records have in common.
#include "schema/records/links.hpp"

#include "schema/records/record_reader.hpp"
#include "tests/schema/json/wire.hpp"
#include "tests/support/random_records.hpp"
#include "tests/support/seed.hpp"

#include <algorithm>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::schema::test {
namespace {

namespace data = boost::unit_test::data;

std::string shown_links(Record const& record) {
  std::string text;
  for (Link const& link : links_of(record)) {
    text.append(text.empty() ? "" : "; ").append(name_of(link.type)).append(link.owner_is_from ? " > " : " < ");
    text.append(link.other_id()).append(" " + link.place.pointer());
    if (link.value) text.append(" " + std::to_string(*link.value).substr(0, 3));
    if (link.rank != 0) text.append(" #" + std::to_string(link.rank));
    if (!link.is_enforced) text.append(" ?");
  }
  return text;
}

BOOST_AUTO_TEST_CASE(links_each_record) {
  BOOST_TEST(shown_links(validate(unit).record) ==
             "DERIVED_FROM > cu_1 /previous_version_id 2.0; UPDATED_BY > resp_1 /updated_by_response_id; "
             "DERIVED_FROM > cu_7 /derived_from/0; DERIVED_FROM > cu_8 /derived_from/1");
  BOOST_TEST(
      shown_links(validate(response).record) ==
      "USED_IN < cu_1 /context_units/0/context_unit_id 0.6; USED_IN < cu_2 /context_units/1/context_unit_id 0.4");
  BOOST_TEST(shown_links(validate(feedback).record) == "EVALUATES > resp_1 /response_id 0.5; OF_PERSON > u /user_id ?");
  BOOST_TEST(shown_links(validate(message).record) == "PART_OF > t /topicId");
  BOOST_TEST(shown_links(validate(topic).record) == "");
}

struct LinkCase {
  std::string name;
  std::string record;
  std::string edges;  ///< with a question mark after a link that may dangle
};
std::ostream& operator<<(std::ostream& out, LinkCase const& each) {
  return out << each.name;
}

std::string const embedding = changed(embedding_without_vector, "/vector", list_of(384, "0.5"));
std::string const slashes = changed(changed(round, "/userId", "\"a/b\""), "/discussionId", "\"c%d\"");
std::string const prompted =
    changed(changed(response, "/context_units", uses(1)), "/prompt_refs",
            R"(["SummaryEntry:user-1/disc-1/1","DiscussionRound:user-1/disc-1/2","DiscussionRound:a%2Fb/c%25d/3"])");

std::vector<LinkCase> const link_cases = {
    {"discussion", std::string{discussion}, ""},
    {"round", std::string{round}, "PART_OF > user-1/disc-1 /discussionId; FOLLOWS > user-1/disc-1/1 /roundNumber ?"},
    {"round_with_escapes", slashes, "PART_OF > a%2Fb/c%25d /discussionId; FOLLOWS > a%2Fb/c%25d/1 /roundNumber ?"},
    {"first_round", changed(round, "/roundNumber", "1"), "PART_OF > user-1/disc-1 /discussionId"},
    {"summary", std::string{summary_entry},
     "SUMMARIZES > user-1/disc-1/1 /replacesRounds/0 ?; SUMMARIZES > user-1/disc-1/2 /replacesRounds/1 ?"},
    {"prompted_response", prompted,
     "USED_IN < cu_0 /context_units/0/context_unit_id 1.0; PROMPTED < user-1/disc-1/1 /prompt_refs/0; "
     "PROMPTED < user-1/disc-1/2 /prompt_refs/1; PROMPTED < a%2Fb/c%25d/3 /prompt_refs/2"},
    {"response_of_other_sources",
     changed(
         response, "/context_units",
         R"([{"ref":"RetrievedChunk:c","weight":0.25},{"ref":"Document:a:b","weight":0.25},{"ref":"cu_1","weight":0},)"
         R"({"ref":"resp_0","weight":0.25},{"ref":"Message:m","weight":0.25},{"ref":"Answer:q","weight":0}])"),
     "USED_IN < c /context_units/0/ref 0.2; USED_IN < a:b /context_units/1/ref 0.2; "
     "USED_IN < cu_1 /context_units/2/context_unit_id 0.0; USED_IN < resp_0 /context_units/3/ref 0.2; "
     "USED_IN < m /context_units/4/ref 0.2; USED_IN < q /context_units/5/ref 0.0"},
    {"response_asked_again", changed(response, "/replay_of", R"("Answer:req_1")"),
     "USED_IN < cu_1 /context_units/0/context_unit_id 0.6; USED_IN < cu_2 /context_units/1/context_unit_id 0.4; "
     "REPLAY_OF > req_1 /replay_of"},
    {"response_for_a_person", changed(response, "/person", R"("anna")"),
     "USED_IN < cu_1 /context_units/0/context_unit_id 0.6; USED_IN < cu_2 /context_units/1/context_unit_id 0.4; "
     "OF_PERSON > anna /person ?"},
    {"response_of_a_session", changed(response, "/conversation", R"("chat-7")"),
     "USED_IN < cu_1 /context_units/0/context_unit_id 0.6; USED_IN < cu_2 /context_units/1/context_unit_id 0.4; "
     "OF_SESSION > chat-7 /conversation ?"},
    {"decision", std::string{decision}, "DECIDES > req_1 /subject"},
    {"decision_by_a_bare_id", changed(decision, "/subject", R"("resp_1")"), "DECIDES > resp_1 /subject"},
    {"document", std::string{source_document}, ""},
    {"chunk", std::string{chunk}, "PART_OF > safety_manual.pdf /metadata/document_name"},
    {"retrieval", std::string{retrieval},
     "PART_OF > safety_manual.pdf /metadata/document_name; RETRIEVED_FOR > req_1 /request_id 0.8 #1"},
    {"retrieval_without_rank", changed(retrieval, "-/rank", ""),
     "PART_OF > safety_manual.pdf /metadata/document_name; RETRIEVED_FOR > req_1 /request_id 0.8"},
    {"query", std::string{query}, ""},
    {"embedding", embedding, "EMBEDS > req_1 /request_id; INCLUDED_IN > req_1 /request_id ?"},
    {"prompt", std::string{prompt},
     "INCLUDED_IN < req_1 /request_id; INCLUDED_IN < req_1 /request_id ?; "
     "INCLUDED_IN < chunk_5 /retrieved_chunks/0/chunk_id 1.0 ?; "
     "INCLUDED_IN < chunk_6 /retrieved_chunks/1/chunk_id 2.0 ?"},
    {"answer", std::string{answer}, "GENERATED_FROM > req_1 /request_id ?; CITES > chunk_5 /citations/0/chunk_id ?"},
    {"answer_citing_twice",
     changed(
         answer, "/citations",
         R"([{"document_name":"d","excerpt":"","chunk_id":"c"},{"document_name":"d","excerpt":""},)"
         R"({"document_name":"d","excerpt":"x","chunk_id":"c"},{"document_name":"d","excerpt":"","chunk_id":"b"}])"),
     "GENERATED_FROM > req_1 /request_id ?; CITES > c /citations/0/chunk_id ?; CITES > b /citations/3/chunk_id ?"},
    {"answer_that_claims_little_confidence", changed(answer, "/confidence", "0.25"),
     "GENERATED_FROM > req_1 /request_id ?; CITES > chunk_5 /citations/0/chunk_id ?"},
    {"answer_withheld",
     changed(changed(changed(answer, "/answer", "null"), "/citations", "[]"), "/message", "\"Not found.\""),
     "GENERATED_FROM > req_1 /request_id ?"},
    {"citation", std::string{citation}, ""},
};
BOOST_DATA_TEST_CASE(links_discussions_and_answers, data::make(link_cases), each) {
  BOOST_TEST(shown_links(validate(each.record).record) == each.edges);
}

BOOST_AUTO_TEST_CASE(links_what_was_extracted_to_what_it_belongs_to) {
  BOOST_TEST(shown_links(Keyword{.term = "k", .subjects = {"Subject:t/a", "no ref", "Subject:a%2Fb/c"}}) ==
             "PART_OF > t/a /subjects/0 ?; PART_OF > a%2Fb/c /subjects/2 ?");
  BOOST_TEST(shown_links(Subject{.id = "s", .topic = "t", .source_xml_hash = "aa"}) ==
             "PART_OF > t /topic ?; EXTRACTED_FROM > aa /sourceXmlHash ?");
  BOOST_TEST(shown_links(Summary{.id = "t-v2", .topic = "t", .version = 2, .previous_version = "t-v1"}) ==
             "PART_OF > t /topic ?; REVISION_OF > t-v1 /previousVersion 2.0 ?");
}

BOOST_AUTO_TEST_CASE(draws_a_prompt_from_query_embedding_and_chunks) {
  auto const record = validate(prompt).record;
  std::vector<RecordType> others;
  for (Link const& link : links_of(record)) others.push_back(link.other_type);
  BOOST_TEST(others == (std::vector{RecordType::query, RecordType::embedding_vector, RecordType::retrieved_chunk,
                                    RecordType::retrieved_chunk}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(draws_one_edge_to_a_source_that_is_the_previous_version) {
  auto const record = validate(changed(unit, "/derived_from/0", "\"cu_1\"")).record;
  BOOST_TEST(shown_links(record) ==
             "DERIVED_FROM > cu_1 /previous_version_id 2.0; UPDATED_BY > resp_1 /updated_by_response_id; "
             "DERIVED_FROM > cu_8 /derived_from/1");
}

// Claim: every edge that a record can bring has a row in the edge table. Method: random records of every type.
BOOST_AUTO_TEST_CASE(draws_only_edges_of_the_table) {
  RandomRecords random{whence::test::seed_from_environment()};
  for (int i = 0; i < 500; ++i) {
    Record const record = random.next();
    for (Link const& link : links_of(record)) {
      RecordType const from = link.owner_is_from ? type_of(record) : link.other_type;
      RecordType const to = link.owner_is_from ? link.other_type : type_of(record);
      bool const has_row = std::ranges::any_of(edge_rules(), [&](EdgeRule const& rule) {
        return rule.type == named_type(link.type) && rule.from == from && rule.to == to;
      });
      BOOST_TEST(has_row, "seed " << random.seed() << ": " << link.type << " from " << from << " to " << to);
    }
  }
}

BOOST_AUTO_TEST_CASE(knows_parts_of_a_discussion_by_its_key) {
  BOOST_TEST(node_id_of(Discussion{.user_id = "user-1", .discussion_id = "disc-1"}) == "user-1/disc-1");
  BOOST_TEST(node_id_of(Discussion{.user_id = "/", .discussion_id = "%"}) == "%2F/%25");
  BOOST_TEST(node_id_of(DiscussionRound{.user_id = "u", .discussion_id = "d", .round_number = 12}) == "u/d/12");
  BOOST_TEST(node_id_of(DiscussionRound{.user_id = "a/b", .discussion_id = "%2F"}) == "a%2Fb/%252F/1");
  BOOST_TEST(node_id_of(SummaryEntry{.user_id = "u", .discussion_id = "d", .round_number = 3}) == "u/d/3");
}

BOOST_AUTO_TEST_CASE(knows_all_of_a_request_by_its_id) {
  BOOST_TEST(node_id_of(Query{.request_id = "req/1"}) == "req/1");
  BOOST_TEST(node_id_of(EmbeddingVector{.request_id = "req/1"}) == "req/1");
  BOOST_TEST(node_id_of(PromptContext{.request_id = "req/1"}) == "req/1");
  BOOST_TEST(node_id_of(Answer{.request_id = "req/1"}) == "req/1");
  BOOST_TEST(node_id_of(Citation{.request_id = "req/1"}) == "req/1");
  BOOST_TEST(node_id_of(Citation{}) == "");
}

BOOST_AUTO_TEST_CASE(escapes_only_ids_of_several_parts) {
  BOOST_TEST(node_id_of(Subject{.id = "a/b", .topic = "t%"}) == "t%25/a%2Fb");
  BOOST_TEST(node_id_of(SystemPromptTemplate{.model_id = "org/model", .version = 2}) == "org%2Fmodel/2");
  BOOST_TEST(node_id_of(Document{.document_name = "a/b%2F.pdf"}) == "a/b%2F.pdf");
  BOOST_TEST(node_id_of(RetrievedChunk{.chunk_id = "c/1%"}) == "c/1%");
}

// Claim: the id of a record says the members it is made of. Method: random records of every type, named anew by their
// ids.
BOOST_AUTO_TEST_CASE(takes_ids_apart_into_their_members) {
  RandomRecords random{whence::test::seed_from_environment()};
  for (int i = 0; i < 2000; ++i) {
    Record const given = random.next();
    auto const id = node_id_of(given);
    Record named = blank_record(type_of(given)).value();
    set_node_id(named, id);
    BOOST_TEST(node_id_of(named) == id, "seed " << random.seed() << ": " << type_of(given) << " " << id);
    Record same = given;
    set_node_id(same, id);
    bool const is_round = std::holds_alternative<DiscussionRound>(same);  // it gets its speakers named too
    if (!is_round) BOOST_TEST((same == given), "seed " << random.seed() << ": " << type_of(given) << " " << id);
  }
}

BOOST_AUTO_TEST_CASE(names_the_speakers_of_a_round_with_its_id) {
  Record record = DiscussionRound{.analyzer_response = ConversationMessage{.content = "a"},
                                  .solver_response = ConversationMessage{.content = "s"}};
  set_node_id(record, "u/d/3");
  auto const& named = std::get<DiscussionRound>(record);
  BOOST_TEST(named.analyzer_response->persona.value() == "Analyzer AI");
  BOOST_TEST(named.solver_response->turn.value() == 8);
  BOOST_TEST(!named.moderator_response.has_value());
}

BOOST_AUTO_TEST_CASE(completes_a_record_with_what_the_graph_holds) {
  Record record = Response{};
  complete(record, "resp_9", {{"cu_1", 1.0}});
  BOOST_TEST(node_id_of(record) == "resp_9");
  BOOST_TEST(std::get<Response>(record).context_units.size() == 1U);
}

}  // namespace
}  // namespace whence::schema::test
