// One id, one content: records that are known already, or given twice.

#include "tests/engine/answers.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

BOOST_FIXTURE_TEST_SUITE(identity, EngineFixture)

struct Pair {
  char const* name;
  schema::Record first;
  schema::Record other;  ///< same id, other content
};
std::ostream& operator<<(std::ostream& out, Pair const& pair) {
  return out << pair.name;
}

template <class Record, class Change>
Pair pair(char const* name, Record record, Change change) {
  auto other = record;
  change(other);
  return {name, record, other};
}

std::vector<Pair> pairs() {
  return {
      pair("unit", unit("cu_x"), [](auto& each) { each.source = "web"; }),
      pair("unit_attributes", unit("cu_x"), [](auto& each) { each.attributes = schema::Attributes{"{\"a\":1}"}; }),
      pair("response", response("resp_x", {"cu_a"}), [](auto& each) { each.model = "other"; }),
      pair("response_uses", response("resp_x", {"cu_a", "cu_b"}),
           [](auto& each) { std::swap(each.context_units[0], each.context_units[1]); }),
      pair("feedback", feedback("fb_x", "resp_a", 0.5), [](auto& each) { each.score = 0.25; }),
      pair("topic", topic("t"), [](auto& each) { each.name = "T"; }),
      pair("message", message("m", "topic"), [](auto& each) { each.text = "hello"; }),
  };
}

std::vector<schema::Record> world() {
  return {unit("cu_a"), unit("cu_b"), response("resp_a", {"cu_a"}), topic("topic")};
}

BOOST_DATA_TEST_CASE_F(EngineFixture, same_content_again_is_unchanged, boost::unit_test::data::make(pairs())) {
  write(world()).value();
  BOOST_TEST(outcome(write({sample.first})) == "ok 2");
  BOOST_TEST(outcome(write({sample.first})) == "unchanged 2");
  reopen();
  BOOST_TEST(outcome(write({sample.first})) == "unchanged 2");
}

BOOST_DATA_TEST_CASE_F(EngineFixture, other_content_under_a_known_id_is_a_conflict,
                       boost::unit_test::data::make(pairs())) {
  write(world()).value();
  write({sample.first}).value();
  BOOST_TEST(outcome(write({sample.other})) == "0 /id conflict conflict");
}

BOOST_DATA_TEST_CASE_F(EngineFixture, same_content_twice_in_a_batch_is_taken_once,
                       boost::unit_test::data::make(pairs())) {
  write(world()).value();
  auto const answer = write({sample.first, sample.first});
  BOOST_TEST(outcome(answer) == "ok 2");
  BOOST_REQUIRE(answer->refs.size() == 2);
  BOOST_TEST(answer->refs[0] == answer->refs[1]);
  BOOST_TEST(engine->snapshot().vertex_count() == 5);
}

BOOST_DATA_TEST_CASE_F(EngineFixture, other_content_in_the_same_batch_names_the_later_record,
                       boost::unit_test::data::make(pairs())) {
  write(world()).value();
  BOOST_TEST(outcome(write({sample.first, topic("between"), sample.other})) == "2 /id conflict conflict");
}

BOOST_AUTO_TEST_CASE(one_new_record_beside_known_ones_takes_a_transaction) {
  write({unit("cu_a")}).value();
  auto const answer = write({unit("cu_a"), unit("cu_b")});
  BOOST_TEST(outcome(answer) == "ok 2");
  BOOST_TEST(answer->refs[0] == "ContextUnit:cu_a");
  BOOST_TEST(answer->refs[1] == "ContextUnit:cu_b");
}

BOOST_AUTO_TEST_CASE(ids_are_made_with_their_prefix_where_none_is_given) {
  write({unit("cu_a"), response("resp_a", {"cu_a"}), topic("t")}).value();
  auto const answer = write({unit(""), response("", {"cu_a"}), feedback("", "resp_a", 0), topic(""), message("", "t")});
  auto const uuid = [](int n) { return "0000000" + std::to_string(n) + "-0000-4000-8000-000000000000"; };
  std::vector<std::string> const expected = {"ContextUnit:cu_" + uuid(1), "Response:resp_" + uuid(2),
                                             "FeedbackRecord:fb_" + uuid(3), "Topic:topic_" + uuid(4),
                                             "Message:msg_" + uuid(5)};
  BOOST_TEST(answer.value().refs == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(equal_ids_of_different_types_are_different_records) {
  BOOST_TEST(outcome(write({topic("x"), message("x", "x"), topic("topic")})) == "ok 1");
}

BOOST_AUTO_TEST_CASE(random_ids_are_uuids_of_version_4) {
  engine::RandomIds random;
  auto const first = random.uuid();
  BOOST_TEST(first.size() == 36);
  BOOST_TEST(first[14] == '4');
  BOOST_TEST(std::string("89ab").find(first[19]) != std::string::npos);
  BOOST_TEST(first != random.uuid());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
