// Acts: a response and the answer of its request have the same ancestors and descendants, whichever is written first
// and whenever their effects come.

#include "graph/snapshot/acts.hpp"
#include "graph/walks/walk.hpp"
#include "tests/engine/histories.hpp"
#include "tests/support/seed.hpp"

#include <map>
#include <random>
#include <set>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using graph::Direction;
using graph::VertexId;
using schema::RecordType;

schema::ContextReference using_ref(std::string ref, double weight) {
  return {.weight = weight, .ref = std::move(ref)};
}

schema::Response answering_response(std::string id, std::string request, Uses uses) {
  auto made = response(std::move(id), std::move(uses));
  made.request_id = std::move(request);
  return made;
}

schema::ContextUnit updated_by(std::string id, std::string response_id) {
  auto made = unit(std::move(id));
  made.updated_by_response_id = std::move(response_id);
  return made;
}

std::set<std::string> reached(graph::Snapshot const& now, std::string const& ref, Direction direction) {
  auto const parsed = schema::parse_ref(ref).value();
  auto const start = now.find(parsed.type, parsed.id).value();
  auto const reach = graph::reach(now, {&start, 1}, direction, {}, schema::NoInterrupt{}).value();
  std::set<std::string> refs;
  for (auto const vertex : reach.vertices) refs.insert(ref_of(now, vertex));
  return refs;
}

/// The records of a request, each with what it needs written before it or with it.
std::vector<schema::Record> request_records() {
  return {query("r"), retrieved("r", chunk("c1"), 0.9), retrieved("r", chunk("c2", "notes"), 0.6)};
}

BOOST_FIXTURE_TEST_SUITE(acts, HistoryFixture)

std::set<std::string> const causes = {"ContextUnit:cu_a", "Document:manual",   "Document:notes",   "PromptContext:r",
                                      "Query:r",          "RetrievedChunk:c1", "RetrievedChunk:c2"};
std::set<std::string> const effects = {"ContextUnit:cu_b", "Response:resp_later", "Response:resp_last"};

/// Each half, and each effect of a half, once before and once after the other half.
BOOST_AUTO_TEST_CASE(both_halves_have_the_same_causes_and_effects_in_any_order) {
  schema::Record const given = answering_response("resp_a", "r", {{"cu_a", 1}});
  schema::Record const answered = answer("r", "Gloves [manual] and [notes].", 0.75);
  schema::Record const later = response("resp_later", Uses{using_ref("Response:resp_a", 1)});
  schema::Record const last = response("resp_last", Uses{using_ref("Answer:r", 0.5), {"cu_b", 0.5}});
  schema::Record const revised = updated_by("cu_b", "resp_a");
  std::vector<std::vector<std::vector<schema::Record>>> const orders = {
      {{given}, {answered}, {later, revised, last}}, {{answered}, {given}, {later, revised, last}},
      {{given, answered}, {later, revised, last}},   {{answered, given, later, revised, last}},
      {{last, later, revised, answered, given}},     {{given, later, revised}, {answered}, {last}},
      {{given}, {revised, later}, {answered, last}}};
  for (auto const& order : orders) {
    HistoryFixture fixture;
    fixture.write({unit("cu_a")}).value();
    fixture.write(request_records()).value();
    for (auto const& records : order) fixture.write(records).value();
    for (bool const is_reopened : {false, true}) {
      if (is_reopened) fixture.reopen();
      auto const now = fixture.engine->snapshot();
      for (std::string const half : {"Response:resp_a", "Answer:r"}) {
        BOOST_TEST(reached(now, half, Direction::ancestors) == causes, boost::test_tools::per_element());
        BOOST_TEST(reached(now, half, Direction::descendants) == effects, boost::test_tools::per_element());
      }
    }
    BOOST_TEST(fixture.engine->verify().value().is_ok);
  }
}

BOOST_AUTO_TEST_CASE(edges_of_one_half_are_repeated_with_their_weights_unless_the_other_has_them) {
  write({unit("cu_a"), unit("cu_b")}).value();
  write(request_records()).value();
  write({answering_response("resp_a", "r", {{"cu_a", 0.25}, using_ref("RetrievedChunk:c1", 0.75)})}).value();
  write({answer("r", "Gloves [manual].", 0.75)}).value();
  std::vector<std::string> of_acts;
  for (auto const& line : edge_lines(engine->snapshot())) {
    if (line.find("_ACT ") != std::string::npos) of_acts.push_back(line);
  }
  BOOST_TEST(of_acts == (std::vector<std::string>{"ContextUnit:cu_a THROUGH_ACT Answer:r 0.250000",
                                                  "PromptContext:r THROUGH_ACT Response:resp_a 1.000000",
                                                  "Response:resp_a SAME_ACT Answer:r"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_response_that_uses_the_answer_of_its_own_request_is_a_cycle) {
  write(request_records()).value();
  auto const own = answering_response("resp_a", "r", {using_ref("Answer:r", 1)});
  BOOST_TEST(outcome(write({own, answer("r", "Gloves [manual].", 0.75)})) == "1 /request_id cycle cycle");
  write({answer("r", "Gloves [manual].", 0.75)}).value();
  BOOST_TEST(outcome(write({own})) == "0 /request_id cycle cycle");
}

BOOST_AUTO_TEST_CASE(an_act_that_would_be_its_own_ancestor_over_known_records_is_a_cycle) {
  write(request_records()).value();
  write({answer("r", "Gloves [manual].", 0.75)}).value();
  write({response("resp_b", Uses{using_ref("Answer:r", 1)}), updated_by("cu_b", "resp_b")}).value();
  BOOST_TEST(outcome(write({answering_response("resp_a", "r", {{"cu_b", 1}})})) == "0 /request_id cycle cycle");
  BOOST_TEST(outcome(write({derived("cu_c", {"cu_b"}), answering_response("resp_a", "r", {{"cu_c", 1}})})) ==
             "1 /request_id cycle cycle");
}

BOOST_AUTO_TEST_CASE(two_acts_that_use_each_other_are_a_cycle) {
  write({query("q"), retrieved("q", chunk("c1"), 0.9)}).value();
  write(request_records()).value();
  auto const text = "Gloves [manual].";
  BOOST_TEST(outcome(write({answering_response("resp_a", "r", {using_ref("Answer:q", 1)}), answer("r", text),
                            answering_response("resp_b", "q", {using_ref("Answer:r", 1)}), answer("q", text)})) ==
             "1 /request_id cycle cycle\n"
             "3 /request_id cycle cycle");
}

BOOST_AUTO_TEST_CASE(the_last_response_of_a_request_is_one_act_with_its_answer) {
  write({unit("cu_a")}).value();
  write(request_records()).value();
  write({answering_response("resp_a", "r", {{"cu_a", 1}})}).value();
  write({answering_response("resp_b", "r", {using_ref("Response:resp_a", 1)})}).value();
  write({answer("r", "Gloves [manual].", 0.75)}).value();
  auto const now = engine->snapshot();
  auto const made = now.find(RecordType::answer, "r").value();
  BOOST_CHECK(graph::other_half(now, made) == now.find(RecordType::response, "resp_b"));
  BOOST_TEST(warnings(write({answering_response("resp_c", "r", {{"cu_a", 1}})})) == "0 /request_id same_act");
}

/// Halves deleted and written again, dry runs, refusals, several requests in one batch.
BOOST_AUTO_TEST_CASE(a_history_of_acts_gives_the_same_in_every_way) {
  auto const given = answering_response("resp_a", "r", {{"cu_a", 1}});
  auto const other = answering_response("resp_b", "r", {{"cu_a", 1}});
  auto const answered = answer("r", "Gloves [manual].", 0.75);
  std::vector<engine::WriteBatch> const history = {
      batch({unit("cu_a")}),
      batch(request_records()),
      batch({given}),
      batch({other}),
      dry(batch({answered})),
      batch({answered}),
      batch({updated_by("cu_b", "resp_b"), response("resp_last", Uses{using_ref("Answer:r", 1)})}),
      removing({"Answer:r"}),
      batch({answered}),
      removing({"Response:resp_b"}),
      batch({answering_response("resp_c", "r", {{"cu_b", 1}})}),
      batch({answering_response("resp_d", "r", {{"cu_a", 1}})}),
      removing({"Answer:r", "Response:resp_d"}),
      batch({answered}),
      step_batch(engine::AnswerText{.request_id = "r", .answer = "Gloves [manual]."}),
      batch({query("q"), retrieved("q", chunk("c2", "notes"), 0.6), answer("q", "Hats [notes].", 0.6),
             answering_response("resp_q", "q", {using_ref("Answer:r", 0.5), using_ref("Document:notes", 0.5)})}),
      removing({"Response:resp_a"}),
      batch({answering_response("resp_e", "r", {using_ref("Answer:q", 1)})})};
  auto const played = check_in_every_way(history);
  BOOST_TEST(played.outcomes.back() == "0 /request_id cycle cycle");
}

/// The ancestors of each vertex over edges that records name, where reaching one half is reaching both.
std::map<VertexId, std::set<VertexId>> naive_ancestors(graph::Snapshot const& now) {
  std::map<VertexId, std::set<VertexId>> found;
  for (std::uint32_t i = 0; i < now.vertex_count(); ++i) {
    std::set<VertexId> seen;
    std::vector<VertexId> waiting;
    auto const take = [&](VertexId vertex) {
      for (auto const each : {std::optional{vertex}, graph::other_half(now, vertex)}) {
        if (each && seen.insert(*each).second) waiting.push_back(*each);
      }
    };
    take(VertexId{i});
    auto const own = seen;
    while (!waiting.empty()) {
      auto const vertex = waiting.back();
      waiting.pop_back();
      auto const all = now.causes(vertex);
      for (std::size_t k = 0; k < all.size(); ++k) {
        if (now.type(all.edges[k]) != schema::EdgeType::through_act) take(all.vertices[k]);
      }
    }
    for (auto const vertex : own) seen.erase(vertex);
    found.emplace(VertexId{i}, std::move(seen));
  }
  return found;
}

// Claim: the graph's walks give what contracting each act to one vertex gives. Method: random histories.
BOOST_AUTO_TEST_CASE(random_histories_equal_contracted_acts) {
  auto const seed = seed_from_environment();
  std::mt19937_64 random(seed);
  auto const below = [&](std::size_t count) { return static_cast<std::size_t>(random() % count); };
  for (int round = 0; round < 6; ++round) {
    HistoryFixture fixture;
    std::vector<std::string> sources = {"cu_0"};
    fixture.write({unit("cu_0")}).value();
    for (int r = 0; r < 8; ++r) {
      fixture
          .write({query("r" + std::to_string(r)),
                  retrieved("r" + std::to_string(r), chunk("c" + std::to_string(below(4))), 0.9)})
          .value();
    }
    int accepted = 0;
    for (int step = 0; step < 60; ++step) {
      auto const number = std::to_string(step);
      std::vector<schema::Record> records;
      for (std::size_t k = 1 + below(3); k > 0; --k) {
        auto const id = number + "_" + std::to_string(k);
        auto const request = "r" + std::to_string(below(8));
        switch (below(3)) {
          case 0: {
            auto const& source = sources[below(sources.size())];
            auto made = response("resp_" + id, Uses{using_ref(source, 1)});
            if (below(3) > 0) made.request_id = request;
            records.emplace_back(made);
            sources.push_back("resp_" + id);
            break;
          }
          case 1:
            records.emplace_back(answer(request, "Gloves [manual].", 0.9));
            sources.push_back("Answer:" + request);
            break;
          default: {
            auto made = unit("cu_" + id);
            auto const& source = sources[below(sources.size())];
            if (source.starts_with("resp_")) made.updated_by_response_id = source;
            records.emplace_back(made);
            sources.push_back("cu_" + id);
          }
        }
      }
      accepted += fixture.write(records) ? 1 : 0;
    }
    BOOST_TEST(accepted > 10);
    auto const now = fixture.engine->snapshot();
    auto const expected = naive_ancestors(now);
    for (auto const& [vertex, ancestors] : expected) {
      auto const reach = graph::reach(now, {&vertex, 1}, Direction::ancestors, {}, schema::NoInterrupt{}).value();
      std::set<VertexId> const found(reach.vertices.begin(), reach.vertices.end());
      BOOST_TEST((found == ancestors), "seed " << seed << " " << ref_of(now, vertex));
    }
    BOOST_TEST(fixture.engine->verify().value().is_ok);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
