// Nodes that begin anew under their ids, so that a cause of telemetry can be taken back.

#include "tests/engine/answers.hpp"
#include "tests/engine/batches.hpp"
#include "tests/engine/records.hpp"

#include <string>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

/// A response of telemetry.
schema::Response told(std::string const& id, std::vector<std::string> const& causes) {
  auto made = response(id, Uses{});
  made.prompt_refs = causes;
  return made;
}

struct RenewalFixture : EngineFixture {
  RenewalFixture() {
    grow({unit("cu_1"), unit("cu_2"), told("resp_1", {"cu_1", "cu_2"}), told("resp_2", {"Response:resp_1"})}, {})
        .value();
  }

  Result<engine::WriteAnswer> grow(std::vector<schema::Record> records, std::vector<std::string> const& renews) {
    auto given = batch(std::move(records));
    given.mode = schema::Mode::capture;
    given.grows_captured = true;
    for (auto const& ref : renews) given.renews.push_back(schema::parse_ref(ref).value());
    return engine->write(std::move(given));
  }

  /// The causes of each response.
  [[nodiscard]] std::string causes(std::uint64_t tx = 0) const {
    auto const snapshot = tx == 0 ? engine->snapshot() : engine->snapshot().as_of(schema::TxId{tx});
    std::string text;
    for (auto const* const id : {"resp_1", "resp_2"}) {
      text += std::string(id) + ":";
      for (auto const vertex : snapshot.causes(snapshot.find(schema::RecordType::response, id).value()).vertices) {
        text += " " + std::string(snapshot.id(vertex));
      }
      text += "; ";
    }
    return text;
  }

  static constexpr auto before = "resp_1: cu_1 cu_2; resp_2: resp_1; ";
  static constexpr auto after = "resp_1: cu_1; resp_2: resp_1; ";
};

BOOST_FIXTURE_TEST_SUITE(renewal, RenewalFixture)

BOOST_AUTO_TEST_CASE(a_cause_is_taken_back_and_what_names_the_node_names_the_new_one) {
  BOOST_TEST(causes() == before);
  BOOST_TEST(outcome(grow({told("resp_1", {"cu_1"}), told("resp_2", {"Response:resp_1"})}, {"resp_1"})) == "ok 2");
  BOOST_TEST(causes() == after);
  BOOST_TEST(causes(1) == before);
  reopen();
  BOOST_TEST(causes() == after);
  BOOST_TEST(causes(1) == before);
  BOOST_TEST(engine->verify().value().problems.empty());
}

BOOST_AUTO_TEST_CASE(nothing_is_written_where_something_would_lose_its_edge) {
  BOOST_TEST(outcome(grow({told("resp_1", {"cu_1"})}, {"resp_1"})) == "- /renews precondition renewed");
  BOOST_TEST(causes() == before);
}

BOOST_AUTO_TEST_CASE(a_rating_of_it_can_begin_anew_too) {
  write({feedback("fb_1", "resp_1", 0.5)}).value();
  auto const records = [] {
    return std::vector<schema::Record>{told("resp_1", {"cu_1"}), told("resp_2", {"Response:resp_1"}),
                                       feedback("fb_1", "resp_1", 0.5)};
  };
  BOOST_TEST(outcome(grow(records(), {"resp_1", "FeedbackRecord:fb_1"})) == "ok 3");
  auto const snapshot = engine->snapshot();
  auto const answer = snapshot.find(schema::RecordType::response, "resp_1").value();
  BOOST_TEST(snapshot.relations_to(answer).size() == 1U);
}

BOOST_AUTO_TEST_CASE(what_is_held_stays_and_keeps_its_edges) {
  engine::WriteBatch hold;
  hold.step = engine::HoldSetting{{.refs = {{"Response:resp_1"}}, .reason = "asked for", .timestamp = noon}};
  engine->write(std::move(hold)).value();
  grow({told("resp_1", {"cu_1"}), told("resp_2", {"Response:resp_1"})}, {"resp_1"}).value();
  BOOST_TEST(causes() == before);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
