// What must stay: by the least age of its type, and by the query of a hold; and which backups still have what went.

#include "engine/writer/foresight.hpp"
#include "graph/removal/retention_min.hpp"
#include "tests/engine/answers.hpp"
#include "tests/engine/batches.hpp"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using schema::RecordType;

engine::WriteBatch purging(std::vector<schema::NodeRef> refs, bool cascades = false) {
  engine::WriteBatch result;
  result.step = engine::ContentRemoval{.is_purge = true, .refs = std::move(refs), .cascades = cascades};
  return result;
}

schema::NodeRef answer_ref(std::string id) {
  return {RecordType::response, std::move(id)};
}

/// Answers may go when they are two hours old.
struct MinimumFixture : EngineFixture {
  MinimumFixture() {
    config.retention_min.kept_for[static_cast<std::size_t>(RecordType::response)] = std::chrono::hours{2};
    reopen();
    write({unit("cu_a"), response("resp_a", {"cu_a"})}).value();
  }

  /// By the writer, and where it is asked before.
  std::string outcome_of(engine::WriteBatch batch) {
    auto const foreseen = engine::foresee_removal(
        engine->prepare(dry(batch)),
        {.known = engine->snapshot(), .store = engine->records(), .now = clock.now(), .config = engine->config()});
    auto const done = write_batch(std::move(batch));
    return outcome(foreseen).substr(0, 2) == outcome(done).substr(0, 2) ? outcome(done) : "foreseen as another";
  }
};

/// A query is the agent of answers here: how conditions are written is no part of the engine.
struct QueryFixture : EngineFixture {
  QueryFixture() {
    config.read_held_query = [](std::string_view text) -> Result<graph::HeldQuery> {
      if (text == "broken") return Error{.code = Errc::invalid_params, .message = "broken"};
      return graph::HeldQuery{.type = RecordType::response,
                              .matches = [agent = std::string{text}](graph::Snapshot const&, schema::VertexId,
                                                                     schema::Record const& record) {
                                return std::get<schema::Response>(record).agent == agent;
                              }};
    };
    reopen();
    write({unit("cu_a"), response("resp_a", {"cu_a"})}).value();
  }

  std::string hold(std::string query) {
    engine::WriteBatch batch;
    batch.step = engine::HoldSetting{.given = {.query = std::move(query), .reason = "case"}};
    return write_batch(std::move(batch)).value().refs.front();
  }

  schema::Response by(std::string const& agent, std::string id) {
    auto made = response(std::move(id), {"cu_a"});
    made.agent = agent;
    return made;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(least_age, MinimumFixture)

BOOST_AUTO_TEST_CASE(nothing_younger_is_deleted_or_purged) {
  BOOST_TEST(outcome_of(removing({"Response:resp_a"})) == "- /refs precondition retention_min");
  BOOST_TEST(outcome_of(purging({answer_ref("resp_a")})) == "- /refs precondition retention_min");
  BOOST_TEST(outcome_of(purging({{RecordType::context_unit, "cu_a"}}, true)) == "- /refs precondition retention_min");
  clock.set(at_second(7201));
  BOOST_TEST(outcome_of(purging({answer_ref("resp_a")})) == "ok 2");
}

BOOST_AUTO_TEST_CASE(the_refusal_names_the_rule_what_is_too_young_and_until_when) {
  auto const refused = write_batch(purging({answer_ref("resp_a")}));
  auto const message = refused.error().violations.front().message;
  auto const time = engine->snapshot().time(engine->snapshot().find(RecordType::response, "resp_a").value()).value();
  BOOST_TEST(message ==
             "is younger than --retention-min Response=2h lets go; too young are Response 1, the last until " +
                 schema::format_rfc3339(schema::plus_seconds(time, 7200)));
}

BOOST_AUTO_TEST_CASE(other_types_go_and_what_is_gone_has_nothing_to_keep) {
  write({unit("cu_b")}).value();
  BOOST_TEST(outcome_of(purging({{RecordType::context_unit, "cu_b"}})) == "ok 3");
  clock.set(at_second(7201));
  BOOST_TEST(outcome_of(purging({answer_ref("resp_a")})) == "ok 4");
  clock.set(at_second(3600));
  BOOST_TEST(outcome_of(removing({"Response:resp_a"})).substr(0, 2) == "ok");
}

BOOST_AUTO_TEST_CASE(what_expires_passes_over_the_young) {
  auto const known = engine->snapshot();
  engine::WriteBatch expiring;
  expiring.step = engine::ContentRemoval{
      .old = {known.find(RecordType::response, "resp_a").value(), known.find(RecordType::context_unit, "cu_a").value()},
      .found_at = known.tx()};
  BOOST_TEST(write_batch(std::move(expiring)).value().removal.gone == (std::vector<std::string>{"ContextUnit:cu_a"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(held_by_query, QueryFixture)

BOOST_AUTO_TEST_CASE(a_query_holds_what_matches_when_it_would_go) {
  write({by("other", "resp_free")}).value();
  auto const hold_ref = hold(response("resp_x", {"cu_a"}).agent);
  write({by("other", "resp_too"), response("resp_late", {"cu_a"})}).value();
  for (auto const* const id : {"resp_a", "resp_late"}) {
    auto const refused = write_batch(purging({answer_ref(id)}));
    BOOST_TEST(outcome(refused) == "- /refs precondition held");
    BOOST_TEST(refused.error().violations.front().message.find(hold_ref) != std::string::npos);
    BOOST_TEST(outcome(write_batch(removing({std::string{"Response:"} + id}))) == "- /refs precondition held");
  }
  BOOST_TEST(outcome(write_batch(purging({answer_ref("resp_free"), answer_ref("resp_too")}))) == "ok 5");
  reopen();
  BOOST_TEST(outcome(write_batch(purging({answer_ref("resp_late")}))) == "- /refs precondition held");
  engine::WriteBatch clearing;
  clearing.step = engine::HoldClearing{.id = hold_ref.substr(hold_ref.find(':') + 1), .reason = "over"};
  write_batch(std::move(clearing)).value();
  BOOST_TEST(outcome(write_batch(purging({answer_ref("resp_late")}))) == "ok 7");
}

BOOST_AUTO_TEST_CASE(a_query_that_cannot_be_read_lets_nothing_go) {
  hold("broken");
  BOOST_TEST(outcome(write_batch(purging({answer_ref("resp_a")}))) == "precondition");
  config.read_held_query = {};
  reopen();
  BOOST_TEST(outcome(write_batch(removing({"Response:resp_a"}))) == "precondition");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(older_backups, EngineFixture)

BOOST_AUTO_TEST_CASE(backups_are_named_with_what_was_there_when_they_were_made) {
  auto const place = [&](std::string const& name) { return directory.path() / name; };
  write({unit("cu_a")}).value();
  BOOST_REQUIRE(engine->backup(place("before")).has_value());
  write({response("resp_a", {"cu_a"})}).value();
  BOOST_REQUIRE(engine->backup(place("one")).has_value());
  write({response("resp_b", {"cu_a"})}).value();
  BOOST_REQUIRE(engine->backup(place("two")).has_value());
  std::filesystem::remove_all(place("one"));
  std::string named;
  for (auto const& each : engine->older_backups({"Response:resp_a", "Response:resp_b", "Response:resp_b"})) {
    named += std::filesystem::path{each.path}.filename().string() + (each.was_looked_at ? "" : "?");
    for (auto const& [type, count] : each.counts) named += " " + std::string{type} + " " + std::to_string(count);
    named += "\n";
  }
  BOOST_TEST(named == "one? Response 1\ntwo Response 2\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace whence::test
