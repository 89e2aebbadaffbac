// Discussions and retrieval on the wire: reads of them, and the errors of wrong params.

#include "tests/net/session/session_fixture.hpp"

#include <string>

#include <boost/json/serialize.hpp>

namespace whence::test {
namespace {

std::string const one_axis = [] {
  std::string text = "[1";
  for (int i = 1; i < 384; ++i) text += ",0";
  return text + "]";
}();

schema::DiscussionRound round(std::int64_t number) {
  auto const said = [](char const* content) { return schema::ConversationMessage{.content = content}; };
  return {.user_id = "u",
          .discussion_id = "d",
          .round_number = number,
          .timestamp = schema::EpochMs{number},
          .analyzer_response = said("a"),
          .solver_response = said("b"),
          .moderator_response = said("c")};
}

schema::RetrievedChunk chunk(std::string id, float first) {
  std::vector<float> embedding(384, 0);
  embedding[0] = first;
  embedding[1] = 1;
  return {.chunk_id = std::move(id),
          .content = "text",
          .metadata = {.document_name = "a.pdf"},
          .embedding = std::move(embedding)};
}

/// Discussion `u/d` with a round in each of transactions 1 and 2.
struct DiscussionFixture : SessionFixture {
  DiscussionFixture() {
    put({schema::Discussion{.user_id = "u", .discussion_id = "d", .topic = "T"}, round(1)});
    put({round(2)});
  }
};

std::string const asked = R"({"userId":"u","discussionId":"d")";

BOOST_FIXTURE_TEST_CASE(a_discussion_is_read_as_context_prompt_and_tokens, DiscussionFixture) {
  json::value const context = result("discussion.context", asked + "}");
  BOOST_TEST(context.at("tx").as_int64() == 2);
  BOOST_TEST(context.at("complete").as_bool());
  BOOST_TEST(context.at("rounds").as_array().size() == 2U);
  json::value const prompt = result("discussion.prompt", asked + R"(,"files":[{"name":"n","content":"f"}]})");
  BOOST_TEST(prompt.at("prompt").as_string().ends_with("## Files\n\n### n\n\nf\n"));
  BOOST_TEST(prompt.at("refs") == context.at("refs"));
  json::value const tokens = result("discussion.tokens", asked + "}");
  BOOST_TEST(tokens.at("total") == context.at("tokens"));
  BOOST_TEST(tokens.at("parts").at("overhead").as_int64() == 150);
}

BOOST_FIXTURE_TEST_CASE(a_discussion_is_read_as_it_was, DiscussionFixture) {
  BOOST_TEST(result("discussion.context", asked + R"(,"as_of":1})").at("rounds").as_array().size() == 1U);
  BOOST_TEST(error_code("discussion.context", asked + R"(,"as_of":0})") == -32020);
}

BOOST_FIXTURE_TEST_CASE(answers_are_given_and_wrong_ones_refused, DiscussionFixture) {
  auto const given = [&](std::string const& params) { return result("discussion.answer", asked + params); };
  BOOST_TEST(json::serialize(given(R"(,"roundNumber":2,"userAnswers":["yes"]})")) ==
             R"({"tx":3,"ref":"DiscussionRound:u/d/2","roundNumber":2})");
  BOOST_TEST(given(R"(,"roundNumber":2,"userAnswers":["yes"]})").at("unchanged").as_bool());
  BOOST_TEST(result("discussion.context", asked + "}").at("rounds").at(1).at("userAnswers").at(0).as_string() == "yes");
  auto const wrong = [&](std::string const& params) {
    json::value const error = call("discussion.answer", asked + params).at("error");
    return json::serialize(error.at("code")) + " " + std::string(error.at("data").at("path").as_string());
  };
  BOOST_TEST(wrong(R"(,"roundNumber":2})") == "-32602 /userAnswers");
  BOOST_TEST(wrong(R"(,"userAnswers":[]})") == "-32602 /roundNumber");
  BOOST_TEST(wrong(R"(,"roundNumber":2,"userAnswers":"yes"})") == "-32602 /userAnswers");
  BOOST_TEST(wrong(R"(,"roundNumber":2,"userAnswers":[1]})") == "-32602 /userAnswers/0");
  BOOST_TEST(wrong(R"(,"roundNumber":2,"questions":["Which?"]})") == "-32602 /questions");
  BOOST_TEST(wrong(R"(,"roundNumber":1,"userAnswers":[]})") == "-32042 /roundNumber");
}

BOOST_FIXTURE_TEST_CASE(wrong_params_of_discussions_are_reported_by_path, DiscussionFixture) {
  auto const path = [&](std::string const& params) {
    json::value const error = call("discussion.prompt", params).at("error");
    return json::serialize(error.at("code")) + " " + std::string(error.at("data").at("path").as_string());
  };
  BOOST_TEST(path(R"({"userId":"u"})") == "-32602 /discussionId");
  BOOST_TEST(path(R"({"userId":"u","discussionId":"e"})") == "-32020 /discussionId");
  BOOST_TEST(path(asked + R"(,"persona":"Solver"})") == "-32602 /persona");
  BOOST_TEST(path(asked + R"(,"files":[{"name":"n"}]})") == "-32602 /files/0/content");
  BOOST_TEST(path(asked + R"(,"files":[{"name":"n","content":"c","size":1}]})") == "-32602 /files/0/size");
  BOOST_TEST(path(asked + R"(,"file":[]})") == "-32602 /file");
  BOOST_TEST(!call("discussion.prompt", asked + R"(,"persona":"Solver AI"})").as_object().contains("error"));
}

BOOST_FIXTURE_TEST_CASE(wrong_params_of_a_retrieval_are_reported_by_path, SessionFixture) {
  auto const wrong = [&](std::string const& params) {
    json::value const error = call("rag.retrieve", params).at("error");
    std::string const rule(error.at("data").at("rule").as_string());
    return json::serialize(error.at("code")) + " " + rule + " " + std::string(error.at("data").at("path").as_string());
  };
  std::string const vector = R"({"vector":)" + one_axis;
  BOOST_TEST(wrong("{}") == "-32602 required /vector");
  BOOST_TEST(wrong(R"({"vector":[1]})") == "-32602 items /vector");
  BOOST_TEST(wrong(R"({"vector":["x")" + one_axis.substr(2) + "}") == "-32602 type /vector/0");
  BOOST_TEST(wrong(R"({"vector":[1e300)" + one_axis.substr(2) + "}") == "-32602 range /vector/0");
  BOOST_TEST(wrong(R"({"vector":[0)" + one_axis.substr(2) + "}") == "-32602 zero_vector /vector");
  BOOST_TEST(wrong(vector + R"(,"filters":{"max_results":0}})") == "-32602 range /filters/max_results");
  BOOST_TEST(wrong(vector + R"(,"filters":{"max_results":11}})") == "-32602 range /filters/max_results");
  BOOST_TEST(wrong(vector + R"(,"filters":{"page":1}})") == "-32602 unknown_field /filters/page");
  BOOST_TEST(wrong(vector + R"(,"record":true})") == "-32602 required /question");
  BOOST_TEST(wrong(vector + R"(,"question":"ab"})") == "-32602 length /question");
}

BOOST_FIXTURE_TEST_CASE(chunks_are_retrieved_and_filtered_by_their_document, SessionFixture) {
  put({schema::Document{.document_name = "a.pdf"}, chunk("near", 5), chunk("far", 1)});
  json::value const found = result("rag.retrieve", R"({"vector":)" + one_axis + "}");
  BOOST_REQUIRE(found.at("chunks").as_array().size() == 2U);
  BOOST_TEST(found.at("chunks").at(0).at("chunk_id").as_string() == "near");
  BOOST_TEST(found.at("chunks").at(1).at("rank").as_int64() == 2);
  BOOST_TEST(!found.at("chunks").at(0).as_object().contains("embedding"));
  json::value const other = result("rag.retrieve", R"({"filters":{"source":"b.pdf"},"vector":)" + one_axis + "}");
  BOOST_TEST(other.at("chunks").as_array().empty());
  BOOST_TEST(result("rag.retrieve", R"({"as_of":0,"vector":)" + one_axis + "}").at("chunks").as_array().empty());
}

BOOST_FIXTURE_TEST_CASE(a_request_is_read_with_null_for_parts_not_recorded, SessionFixture) {
  put({schema::Query{.request_id = "r", .question = "What?"}});
  json::value const got = result("rag.get", R"({"request_id":"r"})");
  BOOST_TEST(got.at("query").at("question").as_string() == "What?");
  BOOST_TEST(got.at("answer").is_null());
  BOOST_TEST(got.at("retrieved_chunks").as_array().empty());
  BOOST_TEST(error_code("rag.get", R"({"request_id":"s"})") == -32020);
}

}  // namespace
}  // namespace whence::test
