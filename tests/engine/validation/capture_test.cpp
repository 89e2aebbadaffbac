// Units and texts of real calls: ids made from passages, units within responses, blobs, capture mode, flags counted.

#include "schema/records/long_texts.hpp"
#include "schema/types/flags.hpp"
#include "tests/engine/answers.hpp"
#include "tests/engine/batches.hpp"
#include "tests/engine/records.hpp"

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using schema::ContextReference;
using schema::ContextUnit;
using schema::Response;

ContextReference passage(std::string content, double weight, std::string source = "file:notes") {
  ContextReference use{.weight = weight};
  use.content = std::move(content);
  use.source = std::move(source);
  use.type = schema::ContextType::user;
  return use;
}

ContextUnit text_unit(std::string content) {
  auto made = unit("");
  made.content = std::move(content);
  return made;
}

struct CaptureFixture : EngineFixture {
  [[nodiscard]] std::string id_of(std::string_view content) const {
    return schema::unit_id_of(engine->check_context({}).id_key, "file:notes", content);
  }

  /// As answers show it: with its texts.
  template <class T>
  T shown(std::string_view ref) {
    schema::Record record = record_of<T>(*engine, ref);
    schema::put_long_texts(record, engine->records()).value();
    return std::get<T>(record);
  }

  Result<engine::WriteAnswer> capture(std::vector<schema::Record> records) {
    auto given = batch(std::move(records));
    given.mode = schema::Mode::capture;
    return engine->write(std::move(given));
  }
};

BOOST_FIXTURE_TEST_SUITE(capture, CaptureFixture)

BOOST_AUTO_TEST_CASE(a_unit_without_an_id_is_named_by_its_passage) {
  auto const answer = engine->write(batch({text_unit("text")})).value();
  BOOST_TEST(answer.refs.front() == "ContextUnit:" + id_of("text"));
  BOOST_TEST(engine->write(batch({unit("")})).value().refs.front() ==
             "ContextUnit:cu_00000001-0000-4000-8000-000000000000");
}

BOOST_AUTO_TEST_CASE(the_same_passage_is_one_unit_whatever_else_is_said_of_it) {
  engine->write(batch({text_unit("text")})).value();
  auto again = text_unit("text");
  again.timestamp = at_second(60);
  again.type = schema::ContextType::external;
  again.summary = "seen again";
  BOOST_TEST(outcome(engine->write(batch({again}))) == "unchanged 1");
  again.id = id_of("text");
  BOOST_TEST(outcome(engine->write(batch({again}))) == "unchanged 1");
  auto const kept = record_of<ContextUnit>(*engine, "ContextUnit:" + id_of("text"));
  BOOST_TEST((kept.timestamp == noon));
  BOOST_TEST(!kept.summary);
}

BOOST_AUTO_TEST_CASE(the_same_passage_as_another_version_needs_an_id_of_its_own) {
  engine->write(batch({text_unit("text"), next_version("cu_2", id_of("text"), 2)})).value();
  auto back = text_unit("text");
  back.version = 3;
  back.previous_version_id = "cu_2";
  BOOST_TEST(outcome(engine->write(batch({back}))) == "0 /id conflict conflict");
  back.id = "cu_3";
  BOOST_TEST(outcome(engine->write(batch({back}))) == "ok 2");
}

BOOST_AUTO_TEST_CASE(an_id_of_that_form_with_another_passage_is_no_made_one) {
  auto named = text_unit("text");
  named.id = id_of("other");
  engine->write(batch({named})).value();
  named.summary = "changed";
  BOOST_TEST(outcome(engine->write(batch({named}))) == "0 /id conflict conflict");
}

BOOST_AUTO_TEST_CASE(a_unit_without_a_time_has_that_of_its_first_write) {
  auto given = unit("cu_1");
  given.timestamp.reset();
  engine->write(batch({given})).value();
  BOOST_TEST((record_of<ContextUnit>(*engine, "cu_1").timestamp == at_second(3600)));
  clock.set(at_second(7200));
  BOOST_TEST(outcome(engine->write(batch({given}))) == "unchanged 1");
}

BOOST_AUTO_TEST_CASE(units_within_responses_are_written_with_them) {
  auto first = response("resp_1", {passage("one", 0.75), passage("two", 0.25)});
  auto second = response("resp_2", {passage("one", 1)});
  second.timestamp = at_second(60);
  BOOST_TEST(outcome(engine->write(batch({first, second}))) == "ok 1");
  BOOST_TEST(engine->snapshot().vertex_count(schema::RecordType::context_unit) == 2);
  auto const one = record_of<ContextUnit>(*engine, "ContextUnit:" + id_of("one"));
  BOOST_TEST((one.timestamp == noon));
  BOOST_TEST(one.content.value() == "one");
  BOOST_TEST(one.version == 1);
  auto const known = engine->snapshot();
  auto const vertex = known.find(schema::RecordType::context_unit, id_of("one")).value();
  BOOST_TEST(known.effects(vertex).size() == 2);
  BOOST_TEST(outcome(engine->write(batch({first}))) == "unchanged 1");
}

BOOST_AUTO_TEST_CASE(a_unit_within_a_response_must_not_differ_from_the_known_one_of_its_id) {
  engine->write(batch({unit("cu_1")})).value();
  auto use = passage("text", 1);
  use.context_unit_id = "cu_1";
  use.summary = "s";
  BOOST_TEST(outcome(engine->write(batch({response("resp_1", {use})}))) ==
             "0 /context_units/0/content conflict conflict\n0 /context_units/0/summary conflict conflict");
  use.context_unit_id = "cu_2";
  BOOST_TEST(outcome(engine->write(batch({response("resp_1", {use})}))) == "ok 2");
  BOOST_TEST(outcome(engine->write(batch({response("resp_2", {use})}))) == "ok 3");
}

BOOST_AUTO_TEST_CASE(a_unit_within_a_response_may_be_given_beside_it) {
  auto use = passage("text", 1);
  BOOST_TEST(outcome(engine->write(batch({response("resp_1", {use}), text_unit("text")}))) == "ok 1");
  BOOST_TEST(engine->snapshot().vertex_count(schema::RecordType::context_unit) == 1);
}

BOOST_AUTO_TEST_CASE(long_texts_are_blobs_and_come_back) {
  std::string const said(5000, 'x');
  std::string const told(6000, 'y');
  auto given = response("resp_1", {passage(said, 1)});
  given.content = said;
  given.prompt = told;
  engine->write(batch({given})).value();
  reopen();
  auto const stored = record_of<Response>(*engine, "resp_1");
  BOOST_TEST(!stored.content);
  BOOST_TEST((stored.content_blob == schema::sha256(said)));
  BOOST_TEST(shown<Response>("resp_1").content.value() == said);
  BOOST_TEST(shown<Response>("resp_1").prompt.value() == told);
  BOOST_TEST(shown<ContextUnit>("ContextUnit:" + id_of(said)).content.value() == said);
  BOOST_TEST(outcome(engine->write(batch({given}))) == "unchanged 1");
  given.content = std::string(5000, 'z');
  BOOST_TEST(outcome(engine->write(batch({given}))) == "0 /id conflict conflict");
}

BOOST_AUTO_TEST_CASE(a_key_is_bound_to_the_passages_too) {
  auto given = batch({response("resp_1", {passage("one", 1)})});
  given.idempotency_key = "k";
  engine->write(given).value();
  BOOST_TEST(outcome(engine->write(given)) == "ok 1");
  given.records = batch({response("resp_1", {passage("two", 1)})}).records;
  BOOST_TEST(outcome(engine->write(given)) == "- /idempotency_key conflict idempotency_key");
}

BOOST_AUTO_TEST_CASE(a_response_without_units_is_taken_in_capture_mode_only) {
  BOOST_TEST(outcome(engine->write(batch({response("resp_1", {})}))) == "0 /context_units invalid_record items");
  BOOST_TEST(outcome(capture({response("resp_1", {})})) == "ok 1");
  BOOST_TEST(record_of<Response>(*engine, "resp_1").flags.value().front() == schema::flag::no_units);
}

BOOST_AUTO_TEST_CASE(the_mode_of_the_engine_holds_for_batches_that_name_none) {
  config.mode = schema::Mode::capture;
  reopen();
  BOOST_TEST(outcome(engine->write(batch({response("resp_1", {})}))) == "ok 1");
  auto strict = batch({response("resp_2", {})});
  strict.mode = schema::Mode::strict;
  BOOST_TEST(outcome(engine->write(strict)) == "0 /context_units invalid_record items");
}

BOOST_AUTO_TEST_CASE(ten_thousand_units_are_recorded) {
  Response large = response("resp_1", {});
  for (int i = 0; i < 10'000; ++i) large.context_units.push_back(passage("passage " + std::to_string(i), 1));
  BOOST_TEST(outcome(capture({large})) == "ok 1");
  auto const stored = record_of<Response>(*engine, "resp_1");
  BOOST_TEST(stored.context_units.size() == 10'000);
  BOOST_TEST(stored.context_units.front().weight == 1e-4, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(outcome(capture({large})) == "unchanged 1");
}

BOOST_AUTO_TEST_CASE(what_was_captured_may_be_repeated_in_strict_mode) {
  capture({unit("cu_1"), unit("cu_2"), response("resp_1", {{"cu_1", 3}, {"cu_2", 1}})}).value();
  BOOST_TEST(record_of<Response>(*engine, "resp_1").given_weights.value().front() == 3);
  BOOST_TEST(outcome(engine->write(batch({response("resp_1", {{"cu_1", 0.75}, {"cu_2", 0.25}})}))) == "unchanged 1");
}

BOOST_AUTO_TEST_CASE(flags_of_what_is_durable_are_counted) {
  capture({response("resp_1", {}), response("resp_2", {})}).value();
  (void)engine->write(dry(batch({response("resp_3", {})})));
  auto const& counts = engine->metrics().flags.by_flag;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    BOOST_TEST(counts[i] == (schema::all_flags[i] == schema::flag::no_units ? 2 : 0));
  }
}

BOOST_AUTO_TEST_CASE(feedback_is_deleted_with_its_response) {
  engine->write(batch({unit("cu_1"), response("resp_1", {"cu_1"}), feedback("fb_1", "resp_1", 1)})).value();
  auto const answer = engine->write(removing({"Response:resp_1"})).value();
  BOOST_REQUIRE(answer.removal.deleted.size() == 2);
  BOOST_TEST(answer.removal.deleted[1] == "FeedbackRecord:fb_1");
}

BOOST_AUTO_TEST_CASE(a_unit_that_responses_use_is_not_deleted_unless_forced) {
  engine->write(batch({unit("cu_1"), unit("cu_2")})).value();
  for (auto const* id : {"resp_1", "resp_2", "resp_3", "resp_4"}) {
    engine->write(batch({response(id, {"cu_1", "cu_2"})})).value();
  }
  auto const refused = engine->write(removing({"cu_1"}));
  BOOST_TEST(outcome(refused) == "0 /refs/0 precondition in_use");
  BOOST_TEST(refused.error().violations.front().message ==
             "is used by 4 responses: Response:resp_1, Response:resp_2, Response:resp_3, ...; `force` deletes it all "
             "the same");
  BOOST_TEST(outcome(engine->write(removing({"cu_1", "resp_1", "resp_2", "resp_3", "resp_4"}))) == "ok 6");
  engine->write(batch({response("resp_5", {"cu_2"})})).value();
  auto forced = removing({"cu_2"});
  forced.force = true;
  BOOST_TEST(outcome(engine->write(forced)) == "ok 8");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
