// What answers would lose, which calls would be made again, how two answers differ, and what changed since, rule by
// rule.

#include "queries/impact/citation_check.hpp"
#include "queries/lineage/word_difference.hpp"
#include "schema/base/poll.hpp"
#include "tests/queries/fixture.hpp"
#include "tests/queries/requests.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using queries::QuoteMatch;
using queries::WordOp;
using schema::RecordType;

boost::json::object without(RecordWorld const& world, queries::WithoutParams const& params) {
  return json_of(ask(queries::impact_without, world.view(), params, unlimited()));
}
boost::json::object diff(RecordWorld const& world, std::string_view a, std::string_view b) {
  return json_of(ask(queries::lineage_diff, world.view(), {.a = ref(a), .b = ref(b)}, unlimited()));
}
boost::json::object stale(RecordWorld const& world, std::string_view of) {
  return json_of(ask(queries::lineage_stale, world.view(), {.ref = ref(of)}, unlimited()));
}

schema::ContextUnit saying(schema::ContextUnit unit, std::string content) {
  unit.content = std::move(content);
  return unit;
}
schema::Response answering(std::string id, Uses uses, std::string content) {
  auto made = response(std::move(id), std::move(uses));
  made.content = std::move(content);
  return made;
}

// cu_a alone makes resp_1, and with cu_b resp_2; resp_1 makes cu_made, which with cu_b makes resp_3. resp_4 rests on
// cu_b alone; resp_5 on cu_a, the instruction cu_told and the question cu_asked.
struct Support {
  Support() {
    world.commit({unit("cu_a"), unit("cu_b"), unit("cu_told", "message:system"), unit("cu_asked", "message:user")});
    auto made = unit("cu_made");
    made.updated_by_response_id = "resp_1";
    world.commit({response("resp_1", {"cu_a"}), made, response("resp_2", {"cu_a", "cu_b"})});
    world.commit({response("resp_3", {{"cu_made", 0.25}, {"cu_b", 0.75}}), response("resp_4", {"cu_b"}),
                  response("resp_5", {{"cu_a", 0.5}, {"cu_told", 0.25}, {"cu_asked", 0.25}})});
  }
  RecordWorld world;
};

BOOST_FIXTURE_TEST_SUITE(what_if, Support)

BOOST_AUTO_TEST_CASE(answers_without_another_source_are_lost_the_others_weakened) {
  auto const answer = without(world, {.refs = refs({"cu_a"})});
  BOOST_TEST(refs_of(answer, "answers") == "Response:resp_1 Response:resp_5 Response:resp_2 Response:resp_3");
  std::string told;
  for (auto const& each : answer.at("answers").as_array()) {
    told += text(each.at("effect")) + text(each.at("lost")) + text(each.at("remains")) + " ";
  }
  BOOST_TEST(told == R"("lost"10 "lost"10 "weakened"0.50.5 "weakened"0.250.75 )");
  BOOST_TEST(refs_of(answer, "fallen") == "ContextUnit:cu_made");
  BOOST_TEST(text(answer.at("counts")) == R"({"lost":2,"weakened":2,"untouched":1,"fallen":1,"alternatives":3})");
  BOOST_TEST(refs_of(answer, "alternatives") == "ContextUnit:cu_b ContextUnit:cu_asked ContextUnit:cu_told");
}

BOOST_AUTO_TEST_CASE(alternatives_are_left_out_where_nobody_wants_them) {
  auto const answer = without(world, {.refs = refs({"cu_a"}), .alternatives = false});
  BOOST_TEST(!answer.contains("alternatives"));
  BOOST_TEST(text(answer.at("counts")) == R"({"lost":2,"weakened":2,"untouched":1,"fallen":1})");
}

BOOST_AUTO_TEST_CASE(sources_stand_for_sources_of_their_kind_only) {
  auto const effect = [&](std::string_view taken) {
    auto const answer = without(world, {.refs = refs({taken})});
    return refs_of(answer, "answers") + " " + text(answer.at("answers").as_array().at(0).at("effect"));
  };
  BOOST_TEST(effect("cu_told") == R"(Response:resp_5 "lost")");
  BOOST_TEST(effect("cu_asked") == R"(Response:resp_5 "lost")");
}

BOOST_AUTO_TEST_CASE(sets_are_looked_for_of_the_first_hundred) {
  std::vector<schema::Record> many;
  many.reserve(120);
  for (int i = 0; i < 120; ++i) many.emplace_back(response("resp_m" + std::to_string(i), {"cu_b"}));
  world.commit(many);
  auto const answer = without(world, {.refs = refs({"cu_b"}), .sets = true});
  int with_sets = 0;
  int incomplete = 0;
  for (auto const& each : answer.at("answers").as_array()) {
    with_sets += each.as_object().contains("sets") ? 1 : 0;
    incomplete += each.as_object().contains("sets_complete") ? 1 : 0;
  }
  BOOST_TEST(with_sets == 100);
  BOOST_TEST(incomplete == 123 - 100);
}

BOOST_AUTO_TEST_CASE(a_share_in_all_answers_is_one_however_many_they_are) {
  auto made = unit("cu_from_b");
  made.derived_from = {"cu_b"};
  world.commit({made});
  for (int answers = 1; answers <= 60; ++answers) {  // 1.0 / 9 added up 9 times is above 1, and so on
    world.commit({response("resp_s" + std::to_string(answers), {"cu_from_b"})});
    auto const answer = without(world, {.refs = refs({"cu_from_b"})});
    auto const& other = answer.at("alternatives").as_array().at(0).as_object();
    BOOST_TEST(text(other.at("ref")) == R"("ContextUnit:cu_b")");
    BOOST_TEST(text(other.at("supports")) == std::to_string(answers));
    BOOST_TEST(text(other.at("share")) == "1");
  }
}

BOOST_AUTO_TEST_CASE(only_edges_that_are_known_so_count) {
  auto told = response("resp_6", {{"cu_b", 1}});
  told.prompt_refs = {"ContextUnit:cu_a"};
  told.prompt_basis = {schema::Basis::place};
  world.commit({told});
  auto const answers = [&](std::optional<std::vector<schema::Basis>> basis) {
    return refs_of(without(world, {.refs = refs({"cu_a"}), .basis = std::move(basis)}), "answers");
  };
  BOOST_TEST(answers({}).find("Response:resp_6") != std::string::npos);
  BOOST_TEST(answers({{schema::Basis::given}}).find("Response:resp_6") == std::string::npos);
  BOOST_TEST(answers({{schema::Basis::place}}) == "Response:resp_6");
}

BOOST_AUTO_TEST_CASE(sets_are_the_least_without_which_an_answer_falls) {
  auto const answer = without(world, {.refs = refs({"cu_b"}), .sets = true});
  BOOST_TEST(refs_of(answer, "answers") == "Response:resp_4 Response:resp_3 Response:resp_2");
  auto const& answers = answer.at("answers").as_array();
  BOOST_TEST(text(answers.at(0).at("sets")) == R"([["ContextUnit:cu_b"]])");
  BOOST_TEST(text(answers.at(1).at("sets")) ==
             R"([["ContextUnit:cu_a","ContextUnit:cu_b"],["ContextUnit:cu_b","ContextUnit:cu_made"]])");
  BOOST_TEST(text(answers.at(2).at("sets")) == R"([["ContextUnit:cu_a","ContextUnit:cu_b"]])");
}

BOOST_AUTO_TEST_CASE(a_deleted_source_is_none_and_an_earlier_moment_has_it) {
  world.remove({"ContextUnit:cu_b"});
  auto const answer = without(world, {.refs = refs({"cu_a"})});
  BOOST_TEST(text(answer.at("counts").at("lost")) == "4");
  auto const before = json_of(ask(queries::impact_without, world.view(3), {.refs = refs({"cu_a"})}, unlimited()));
  BOOST_TEST(text(before.at("counts").at("lost")) == "2");
}

BOOST_AUTO_TEST_CASE(unknown_refs_are_named) {
  auto const error = queries::impact_without(world.view(), {.refs = refs({"cu_a", "cu_x"})}, unlimited()).error();
  BOOST_TEST(error.code == Errc::not_found);
  BOOST_TEST(error.violations.at(0).path == "/refs/1");
}

BOOST_AUTO_TEST_CASE(two_answers_side_by_side) {
  auto newer = saying(next_version("cu_v2", "cu_v1", 2), "Room 14 is the canteen.");
  world.commit({saying(unit("cu_v1"), "Room 12 is the canteen."), unit("cu_only")});
  world.commit({newer});
  world.commit(
      {answering("resp_old", {{"cu_v1", 0.5}, {"cu_a", 0.25}, {"cu_b", 0.25}}, "Go to room 12."),
       answering("resp_new", {{"cu_b", 0.25}, {"cu_v2", 0.5}, {"cu_a", 0.125}, {"cu_only", 0.125}}, "Go to room 14.")});
  auto const answer = diff(world, "resp_old", "resp_new");
  BOOST_TEST(refs_of(answer, "added") == "ContextUnit:cu_only ContextUnit:cu_v2");
  BOOST_TEST(refs_of(answer, "removed").empty());
  BOOST_TEST(refs_of(answer, "common") == "ContextUnit:cu_a ContextUnit:cu_b ContextUnit:cu_v1");
  BOOST_TEST(text(answer.at("versions")) ==
             R"([{"a":"ContextUnit:cu_v1","b":"ContextUnit:cu_v2","words":{"same":false,"parts":[)"
             R"({"op":"same","text":"Room "},{"op":"removed","text":"12"},{"op":"added","text":"14"},)"
             R"({"op":"same","text":" is the canteen."}]}}])");
  BOOST_TEST(text(answer.at("moved")) == R"([{"ref":"ContextUnit:cu_b","place_a":2,"place_b":1},)"
                                         R"({"ref":"ContextUnit:cu_a","place_a":1,"place_b":2}])");
  BOOST_TEST(text(answer.at("text")) ==
             R"({"same":false,"parts":[{"op":"same","text":"Go to room "},{"op":"removed","text":"12"},)"
             R"({"op":"added","text":"14"},{"op":"same","text":"."}]})");
  auto const same = diff(world, "resp_old", "resp_old");
  BOOST_TEST(text(same.at("text").at("same")) == "true");
  BOOST_TEST(same.at("moved").as_array().empty());
}

BOOST_AUTO_TEST_CASE(sources_with_a_newer_version_are_stale_unless_it_was_used_too) {
  world.commit({next_version("cu_a2", "cu_a", 2)});
  world.commit({response("resp_6", {"cu_a", "cu_a2"})});
  auto const of_answer = stale(world, "resp_1");
  BOOST_TEST(
      text(of_answer.at("sources")) ==
      R"([{"ref":"ContextUnit:cu_a","type":"ContextUnit","id":"cu_a","reasons":["updated"],"newer":"ContextUnit:cu_a2"}])");
  BOOST_TEST(stale(world, "resp_6").at("sources").as_array().empty());
  BOOST_TEST(stale(world, "resp_4").at("sources").as_array().empty());
  BOOST_TEST(refs_of(stale(world, "cu_a"), "answers") ==
             "Response:resp_1 Response:resp_2 Response:resp_3 Response:resp_5");
  BOOST_TEST(refs_of(json_of(ask(queries::lineage_stale, world.view(), {}, unlimited())), "sources") ==
             "ContextUnit:cu_a");
}

// cu_v1 made its next version alone, which an answer rests on; so did the first summary of a topic. cu_w1 made a unit
// that an answer rests on, and its next version.
BOOST_AUTO_TEST_CASE(of_all_sources_only_those_are_stale_that_answers_rest_on) {
  auto const all = [&] {
    return refs_of(json_of(ask(queries::lineage_stale, world.view(), {}, unlimited())), "sources");
  };
  world.commit({schema::Topic{.id = "t"}, unit("cu_v1"), unit("cu_w1"), unit("cu_unused1")});
  world.commit({schema::Summary{.id = "t-v1", .topic = "t", .content = "First."}});
  auto derived = unit("cu_derived");
  derived.derived_from = {"cu_w1"};
  auto further = unit("cu_further");
  further.derived_from = {"cu_derived"};
  world.commit({next_version("cu_v2", "cu_v1", 2), next_version("cu_unused2", "cu_unused1", 2), derived, further});
  world.commit(
      {next_version("cu_w2", "cu_w1", 2),
       schema::Summary{.id = "t-v2", .topic = "t", .content = "Second.", .version = 2, .previous_version = "t-v1"}});
  BOOST_TEST(all().empty());
  world.commit({response("resp_6", {{"cu_v2", 0.5}, {"cu_further", 0.5}})});
  BOOST_TEST(all() == "ContextUnit:cu_w1");
  world.commit({response("resp_7", {"cu_v1"})});
  BOOST_TEST(all() == "ContextUnit:cu_v1 ContextUnit:cu_w1");
}

BOOST_AUTO_TEST_CASE(deleted_sources_are_stale) {
  world.remove({"ContextUnit:cu_b"});
  auto const answer = stale(world, "resp_4");
  BOOST_TEST(refs_of(answer, "sources") == "ContextUnit:cu_b");
  BOOST_TEST(text(answer.at("sources").as_array().at(0).at("reasons")) == R"(["deleted"])");
}

/// Counts what it is told of, and stops where it was told of so much.
class StopAfter final : public schema::Interrupt {
 public:
  explicit StopAfter(std::uint64_t steps_max) : steps_max_(steps_max) {}
  [[nodiscard]] schema::Stop check(std::uint64_t steps) const noexcept override {
    steps_ += steps;
    most_at_once_ = std::max(most_at_once_, steps);
    return steps_ > steps_max_ ? schema::Stop::timeout : schema::Stop::none;
  }
  [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }
  [[nodiscard]] std::uint64_t most_at_once() const noexcept { return most_at_once_; }

 private:
  std::uint64_t steps_max_;
  std::uint64_t mutable steps_ = 0;
  std::uint64_t mutable most_at_once_ = 0;
};

schema::RetrievedChunk chunk(std::string id, std::string content);

BOOST_AUTO_TEST_CASE(many_short_walks_end_with_the_request_too) {
  std::vector<schema::Record> many{schema::Document{.document_name = "faq"}};
  for (int i = 0; i < 500; ++i) {  // each has another text than the last, and so is stale
    auto each = chunk("c" + std::to_string(i), "text " + std::to_string(i));
    each.metadata.document_name = "faq";
    many.emplace_back(std::move(each));
  }
  world.commit(many);
  StopAfter const unbounded(1'000'000'000);
  auto const whole = queries::lineage_stale(world.view(), {.ref = ref("Document:faq")}, {unbounded, 1'000'000});
  BOOST_TEST(whole.value().sources.size() == 499);
  BOOST_TEST(unbounded.steps() > 499 * 64);
  StopAfter const soon(unbounded.steps() / 2);
  auto const cut = queries::lineage_stale(world.view(), {.ref = ref("Document:faq")}, {soon, 1'000'000});
  BOOST_TEST(cut.error().code == Errc::deadline_exceeded);
}

BOOST_AUTO_TEST_CASE(a_long_chain_is_looked_at_in_pieces) {
  std::vector<schema::Record> chain{unit("cu_c0")};
  for (int i = 1; i <= 20'000; ++i) {
    auto each = unit("cu_c" + std::to_string(i));
    each.derived_from = {"cu_c" + std::to_string(i - 1)};
    chain.emplace_back(std::move(each));
  }
  chain.emplace_back(response("resp_far", {"cu_c20000"}));
  world.commit(chain);
  constexpr std::uint64_t piece_max = 30'000;  // an effect's causes were counted as a whole: 40,001
  auto least = piece_max;
  // What another thread helped with is counted when this one has a core again, so a busy machine may hide the pieces.
  for (int i = 0; i < 50 && least >= piece_max; ++i) {
    StopAfter const watched(1'000'000'000);
    auto const answer = queries::impact_without(world.view(), {.refs = refs({"cu_c0"})}, {watched, 1'000'000});
    BOOST_TEST(answer.value().answers.size() == 1);
    least = watched.most_at_once();
  }
  BOOST_TEST(least < piece_max);
}

schema::RetrievedChunk chunk(std::string id, std::string content) {
  return {.chunk_id = std::move(id), .content = std::move(content), .metadata = {"faq", 3, {}, 0}};
}

BOOST_AUTO_TEST_CASE(a_chunk_with_a_later_one_at_its_place_has_changed_and_its_quotes_are_checked) {
  schema::Document document{.document_name = "faq"};
  world.commit(
      {document, chunk("old", "Bills are due on June 30."), schema::Query{.request_id = "q", .question = "When?"}});
  auto found = chunk("old", "Bills are due on June 30.");
  found.request_id = "q";
  found.similarity_score = 0.5;
  schema::Answer answer{.request_id = "q", .answer = "On June 30 [faq].", .confidence = 0.5};
  answer.citations = {{.document_name = "faq", .excerpt = "due on June 30", .chunk_id = "old"},
                      {.document_name = "faq", .excerpt = "Due  on june 30...", .chunk_id = "old"},
                      {.document_name = "faq", .excerpt = "Bills are paid on June 30", .chunk_id = "old"},
                      {.document_name = "faq", .excerpt = "nothing of the sort", .chunk_id = "old"}};
  world.commit(
      {schema::PromptContext{.request_id = "q", .question = "When?", .retrieved_chunks = {{.chunk_id = "old"}}},
       answer});
  world.commit({chunk("new", "Bills are due on June 29.")});
  auto const of_answer = stale(world, "Answer:q");
  BOOST_TEST(
      text(of_answer.at("sources")) ==
      R"([{"ref":"RetrievedChunk:old","type":"RetrievedChunk","id":"old","reasons":["changed"],"newer":"RetrievedChunk:new"}])");
  std::string told;
  for (auto const& each : of_answer.at("citations").as_array()) {
    told += text(each.at("then").at("match")) + text(each.at("now").at("match")) + " ";
  }
  BOOST_TEST(told == R"("exact""altered" "folded""altered" "altered""altered" "not_found""not_found" )");
  BOOST_TEST(refs_of(stale(world, "Document:faq"), "answers") == "Answer:q");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_CASE(words_that_differ_are_as_few_as_can_be_and_both_texts_come_back) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    auto const words = [&] {
      std::string made;
      for (unsigned i = 0; i < random() % 12; ++i) made += std::string(1, static_cast<char>('a' + random() % 3)) + " ";
      return made;
    };
    auto const before = words();
    auto const after = words();
    auto const difference = queries::word_difference(before, after);
    std::string first;
    std::string second;
    std::size_t edits = 0;
    for (auto const& part : difference.parts) {
      if (part.op != WordOp::added) first += part.text;
      if (part.op != WordOp::removed) second += part.text;
      if (part.op != WordOp::same) edits += part.text.size();  // a piece is a character here
    }
    BOOST_TEST(first == before);
    BOOST_TEST(second == after);
    std::vector<std::vector<std::size_t>> longest(before.size() + 1, std::vector<std::size_t>(after.size() + 1));
    for (std::size_t i = 1; i <= before.size(); ++i) {
      for (std::size_t k = 1; k <= after.size(); ++k) {
        longest[i][k] =
            before[i - 1] == after[k - 1] ? longest[i - 1][k - 1] + 1 : std::max(longest[i - 1][k], longest[i][k - 1]);
      }
    }
    BOOST_TEST(edits == before.size() + after.size() - 2 * longest[before.size()][after.size()]);
  }
}

BOOST_AUTO_TEST_CASE(texts_that_differ_too_much_are_compared_coarsely) {
  std::string before = "same ";
  std::string after = "same ";
  for (int i = 0; i < 2'000; ++i) {
    before += "a" + std::to_string(i) + " ";
    after += "b" + std::to_string(i) + " ";
  }
  auto const difference = queries::word_difference(before, after);
  BOOST_TEST(difference.is_coarse);
  BOOST_TEST(difference.parts.front().text == "same ");
}

BOOST_AUTO_TEST_CASE(quotes_say_how_much_of_them_is_altered) {
  auto const check = queries::check_quote("the bill is due in June", "They say: the bill was due in June, at noon.");
  BOOST_TEST((check.match == QuoteMatch::altered));
  BOOST_TEST(check.altered == 1.0 / 6);
  BOOST_TEST((queries::check_quote("no word of it", "something else").match == QuoteMatch::not_found));
  BOOST_TEST(queries::check_quote("no word of it", "something else").altered == 1);
}

boost::json::object plan(RecordWorld const& world, queries::ReplayPlanParams const& params) {
  return json_of(ask(queries::impact_replay_plan, world.view(), params, unlimited()));
}

/// "id@stage: input=state ..." of each call.
std::string told(boost::json::object const& answer) {
  std::string all;
  for (auto const& each : answer.at("calls").as_array()) {
    auto const& call = each.as_object();
    all += std::string(call.at("id").as_string()) + "@" + text(call.at("stage")) + ":";
    for (auto const& input : call.at("inputs").as_array()) {
      auto const ref = std::string(input.at("ref").as_string());
      all += " " + ref.substr(ref.find(':') + 1) + "=" + std::string(input.at("state").as_string());
      if (auto const* const newer = input.as_object().if_contains("newer")) {
        auto const name = std::string(newer->as_string());
        all += ">" + name.substr(name.find(':') + 1);
      }
    }
    all += "\n";
  }
  return all;
}

// cu_a alone makes resp_z, with cu_b resp_2. resp_z makes cu_made; with cu_b that makes resp_3, which makes resp_1.
// cu_copy is a newer version of cu_a and used in resp_4. resp_5 rests on cu_b alone.
struct Chain {
  Chain() {
    world.commit({unit("cu_a"), unit("cu_b"), unit("cu_asked", "message:user")});
    auto made = unit("cu_made");
    made.updated_by_response_id = "resp_z";
    auto first = response("resp_z", {{"cu_a", 0.5}, {"cu_asked", 0.5}});
    first.usage = schema::Usage{100, 20};
    first.cost = 0.25;
    world.commit({first, made, response("resp_2", {"cu_a", "cu_b"}), next_version("cu_copy", "cu_a", 2)});
    auto third = response("resp_3", {{"cu_made", 0.25}, {"cu_b", 0.75}});
    third.usage = schema::Usage{{}, 7};
    auto last = response("resp_1", {"cu_b"});
    last.prompt_refs = {"Response:resp_3"};
    world.commit({third, response("resp_4", {"cu_copy", "cu_b"}), response("resp_5", {"cu_b"})});
    world.commit({last});
  }
  RecordWorld world;
};

BOOST_FIXTURE_TEST_SUITE(replay_plan, Chain)

BOOST_AUTO_TEST_CASE(calls_come_after_those_they_need_with_what_is_left) {
  BOOST_TEST(told(plan(world, {.refs = refs({"cu_a"})})) ==
             "resp_2@1: cu_a=left_out>cu_copy cu_b=kept\n"
             "resp_4@1: cu_copy=left_out cu_b=kept\n"
             "resp_z@1: cu_a=left_out>cu_copy cu_asked=kept\n"
             "resp_3@2: cu_made=changed cu_b=kept\n"
             "resp_1@3: cu_b=kept resp_3=again\n");
}

BOOST_AUTO_TEST_CASE(the_newest_version_stands_in_the_place_of_what_was_mended) {
  world.commit({next_version("cu_third", "cu_copy", 3), response("resp_6", {"cu_third"})});
  auto const answer = plan(world, {.refs = refs({"cu_a"}), .mended = true});
  BOOST_TEST(told(answer) ==
             "resp_2@1: cu_a=mended>cu_third cu_b=kept\n"
             "resp_4@1: cu_copy=mended>cu_third cu_b=kept\n"
             "resp_z@1: cu_a=mended>cu_third cu_asked=kept\n"
             "resp_3@2: cu_made=changed cu_b=kept\n"
             "resp_1@3: cu_b=kept resp_3=again\n");
  for (auto const& call : answer.at("calls").as_array()) BOOST_TEST(text(call.at("effect")) == "\"mended\"");
}

BOOST_AUTO_TEST_CASE(what_is_taken_away_itself_stands_in_no_place) {
  BOOST_TEST(told(plan(world, {.refs = refs({"cu_a", "cu_copy"}), .mended = true})) ==
             "resp_2@1: cu_a=left_out cu_b=kept\n"
             "resp_4@1: cu_copy=left_out cu_b=kept\n"
             "resp_z@1: cu_a=left_out cu_asked=kept\n"
             "resp_3@2: cu_made=changed cu_b=kept\n"
             "resp_1@3: cu_b=kept resp_3=again\n");
}

BOOST_AUTO_TEST_CASE(versions_between_are_replaced_beside_a_document_too) {
  auto const at = [](std::string id, std::string content) {
    return schema::RetrievedChunk{
        .chunk_id = std::move(id), .content = std::move(content), .metadata = {"faq", 1, {}, 0}};
  };
  world.commit({next_version("cu_third", "cu_copy", 3), document("faq"), at("first", "Open until 22:00.")});
  world.commit({at("second", "Open until 18:00.")});
  auto const answer = plan(world, {.refs = refs({"cu_a", "Document:faq"}), .mended = true});
  BOOST_TEST(told(answer).find("resp_4@1: cu_copy=mended>cu_third cu_b=kept\n") != std::string::npos);
  std::string depths;
  for (auto const& call : answer.at("calls").as_array()) {
    if (call.at("id") == "resp_4") depths += text(call.at("depth"));
  }
  BOOST_TEST(depths == "2");
}

BOOST_AUTO_TEST_CASE(what_was_not_mended_is_left_out_beside_what_was) {
  auto const answer = plan(world, {.refs = refs({"cu_a", "cu_b"}), .mended = true});
  BOOST_TEST(told(answer) ==
             "resp_2@1: cu_a=mended>cu_copy cu_b=left_out\n"
             "resp_4@1: cu_copy=kept cu_b=left_out\n"
             "resp_5@1: cu_b=left_out\n"
             "resp_z@1: cu_a=mended>cu_copy cu_asked=kept\n"
             "resp_3@2: cu_made=changed cu_b=left_out\n"
             "resp_1@3: cu_b=left_out resp_3=again\n");
  std::string effects;
  for (auto const& call : answer.at("calls").as_array()) effects += text(call.at("effect"));
  BOOST_TEST(effects == R"("weakened""weakened""lost""mended""weakened""weakened")");
}

BOOST_AUTO_TEST_CASE(a_document_that_was_loaded_anew_is_mended_chunk_by_chunk) {
  auto const at = [](std::string id, std::int64_t place, std::string content) {
    return schema::RetrievedChunk{
        .chunk_id = std::move(id), .content = std::move(content), .metadata = {"faq", 1, {}, place}};
  };
  world.commit({document("faq"), at("first", 0, "Open until 22:00."), at("second", 1, "Closed on Mondays.")});
  auto one = response("resp_6", {});
  one.prompt_refs = {"RetrievedChunk:first", "RetrievedChunk:second"};
  auto other = response("resp_7", {});
  other.prompt_refs = {"RetrievedChunk:second"};
  world.commit({one, other});
  world.commit({at("first2", 0, "Open until 18:00."), at("second2", 1, "Closed on Mondays.")});
  BOOST_TEST(told(plan(world, {.refs = refs({"Document:faq"}), .mended = true})) ==
             "resp_6@1: first=mended>first2 second=kept\n");
  BOOST_TEST(told(plan(world, {.refs = refs({"RetrievedChunk:first", "RetrievedChunk:second"}), .mended = true})) ==
             "resp_6@1: first=mended>first2 second=left_out\n"
             "resp_7@1: second=left_out\n");
}

BOOST_AUTO_TEST_CASE(tokens_and_cost_are_what_was_given_and_counted) {
  auto const answer = plan(world, {.refs = refs({"cu_a"})});
  BOOST_TEST(text(answer.at("counts")) ==
             R"({"calls":5,"stages":3,"with_input_tokens":1,"input_tokens":100,"with_output_tokens":2,)"
             R"("output_tokens":27,"with_cost":1,"cost":0.25})");
  auto const& first = answer.at("calls").as_array().at(2).as_object();
  BOOST_TEST(text(first.at("input_tokens")) == "100");
  BOOST_TEST(text(first.at("cost")) == "0.25");
  BOOST_TEST(!answer.at("calls").as_array().at(0).as_object().contains("cost"));
  auto const none = plan(world, {.refs = refs({"resp_3"})});
  BOOST_TEST(text(none.at("counts")) ==
             R"({"calls":1,"stages":1,"with_input_tokens":0,"with_output_tokens":0,"with_cost":0})");
}

BOOST_AUTO_TEST_CASE(kinds_and_effects_are_those_of_what_if) {
  auto const answer = plan(world, {.refs = refs({"cu_asked"})});
  auto const& call = answer.at("calls").as_array().at(0).as_object();
  BOOST_TEST(text(call.at("effect")) == "\"lost\"");
  BOOST_TEST(text(call.at("inputs")) == R"([{"ref":"ContextUnit:cu_a","kind":"evidence","state":"kept"},)"
                                        R"({"ref":"ContextUnit:cu_asked","kind":"question","state":"left_out"}])");
}

BOOST_AUTO_TEST_CASE(an_earlier_moment_has_its_own_plan) {
  auto const before = json_of(ask(queries::impact_replay_plan, world.view(2), {.refs = refs({"cu_a"})}, unlimited()));
  BOOST_TEST(text(before.at("counts").at("calls")) == "2");
}

BOOST_AUTO_TEST_CASE(a_cause_in_a_role_is_left_out_of_calls_too) {
  auto told_so = response("resp_6", {"cu_b"});
  told_so.prompt_refs = {"ContextUnit:cu_asked"};
  told_so.prompt_basis = {schema::Basis::question};
  auto both = response("resp_7", {"cu_b"});
  both.prompt_refs = {"ContextUnit:cu_told", "ContextUnit:cu_style"};
  both.prompt_basis = {schema::Basis::instruction, schema::Basis::instruction};
  world.commit({unit("cu_told", "message:system"), unit("cu_style", "message:system"), told_so, both});
  auto const answer = plan(world, {.refs = refs({"cu_told"})});
  BOOST_TEST(told(answer) == "resp_7@1: cu_b=kept cu_told=left_out cu_style=kept\n");
  auto const& call = answer.at("calls").as_array().at(0).as_object();
  BOOST_TEST(text(call.at("effect")) == "\"weakened\"");
  BOOST_TEST(text(call.at("lost")) == "0");
}

BOOST_AUTO_TEST_CASE(a_prompt_is_its_question_and_its_chunks) {
  world.commit({document("doc"), document("doc2"), query("req_1"),
                retrieval(chunk("c1", "doc", vector_of(1)), "req_1", 2, 0.5),
                retrieval(chunk("c2", "doc2", vector_of(0, 1)), "req_1", 1, 0.75)});
  world.commit({prompt("req_1", {"c2", "c1"}), answer("req_1", "Nitrile.", {})});
  auto const found = plan(world, {.refs = refs({"RetrievedChunk:c1"})});
  BOOST_TEST(told(found) == "req_1@1: req_1=kept c2=kept c1=left_out\n");
  world.commit({retrieval(chunk("c3", "doc", vector_of(1, 1)), "req_1", 3, 0.25)});
  BOOST_TEST(told(plan(world, {.refs = refs({"RetrievedChunk:c3"})})).empty());
}

BOOST_AUTO_TEST_CASE(unknown_refs_are_named) {
  auto const error = queries::impact_replay_plan(world.view(), {.refs = refs({"cu_x"})}, unlimited()).error();
  BOOST_TEST(error.violations.at(0).path == "/refs/0");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
