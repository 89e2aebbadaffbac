// Deletion: deleted nodes, remaining nodes, and the view of earlier moments.

#include "tests/engine/answers.hpp"
#include "tests/engine/batches.hpp"
#include "tests/engine/records.hpp"

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

struct RemovalFixture : EngineFixture {
  Result<engine::WriteAnswer> remove(std::vector<std::string> const& refs) { return engine->write(removing(refs)); }

  static std::string joined(std::vector<std::string> const& refs) {
    std::string text;
    for (auto const& ref : refs) text += (text.empty() ? "" : " ") + ref;
    return text;
  }

  /// A topic `t` with one response's attachment in message `m`; its ref.
  std::string converse() {
    auto const given = ensured({attachment("t", "m", said({about("a", true, {{"k", 0.9}})}, "s"))});
    return engine->write(given).value().refs.front();
  }

  bool has(std::string_view ref) {
    auto const parsed = schema::parse_ref(ref).value();
    return engine->snapshot().find(parsed.type, parsed.id).has_value();
  }
};

BOOST_FIXTURE_TEST_SUITE(removal, RemovalFixture)

BOOST_AUTO_TEST_CASE(a_message_is_deleted_with_its_attachment_and_without_derived_records) {
  auto const ref = converse();
  auto const answer = remove({"Message:m"}).value();
  BOOST_TEST(joined(answer.removal.deleted) == "Message:m " + ref);
  BOOST_TEST(joined(answer.removal.dangling) == "Subject:t/k Keyword:k Summary:t-v1");
  BOOST_TEST(joined(answer.removal.orphaned) == "");
  BOOST_TEST(!has(ref));
  BOOST_TEST(has("Keyword:k"));
  BOOST_TEST(engine->snapshot().as_of(schema::TxId{1}).find(schema::RecordType::message, "m").has_value());
}

BOOST_AUTO_TEST_CASE(a_topic_leaves_its_attachments_as_orphans) {
  auto const ref = converse();
  auto const answer = remove({"Topic:t"}).value();
  BOOST_TEST(joined(answer.removal.deleted) == "Topic:t");
  BOOST_TEST(joined(answer.removal.orphaned) == ref);
  BOOST_TEST(has(ref));
  BOOST_TEST(has("Message:m"));
}

BOOST_AUTO_TEST_CASE(unknown_or_deleted_nodes_are_named_and_nothing_is_deleted) {
  converse();
  remove({"Keyword:k"}).value();
  BOOST_TEST(outcome(remove({"Topic:t", "Keyword:k", "Keyword:nobody"})) ==
             "1 /refs/1 not_found deleted\n2 /refs/2 not_found unknown_reference");
  BOOST_TEST(has("Topic:t"));
}

BOOST_AUTO_TEST_CASE(survives_a_restart) {
  auto const ref = converse();
  remove({ref}).value();
  reopen();
  BOOST_TEST(!has(ref));
  BOOST_TEST(has("Subject:t/k"));
  BOOST_TEST(engine->verify().value().problems.empty());
}

BOOST_AUTO_TEST_CASE(a_reference_to_a_deleted_node_is_unknown) {
  write({unit("cu_1")}).value();
  remove({"cu_1"}).value();
  BOOST_TEST(outcome(write({response("resp_1", {"cu_1"})})) ==
             "0 /context_units/0/context_unit_id invalid_record unknown_reference");
}

BOOST_AUTO_TEST_CASE(a_deleted_id_can_be_written_anew) {
  write({unit("cu_1", "first")}).value();
  remove({"cu_1"}).value();
  BOOST_TEST(outcome(write({unit("cu_1", "second")})) == "ok 3");
  BOOST_TEST(record_of<schema::ContextUnit>(*engine, "cu_1").source == "second");
  BOOST_TEST(text_at(*engine, 1, "cu_1").find("first") != std::string::npos);
  reopen();
  BOOST_TEST(record_of<schema::ContextUnit>(*engine, "cu_1").source == "second");
}

BOOST_AUTO_TEST_CASE(a_message_whose_attachment_is_deleted_takes_another) {
  auto const first = converse();
  remove({first}).value();
  auto const written = engine->write(batch({attachment("t", "m", said({about("a", false, {{"k", 0.9}})}), 1)}));
  BOOST_TEST(outcome(written) == "ok 3");
  BOOST_TEST(record_of<schema::Keyword>(*engine, "Keyword:k").frequency == 2);
}

BOOST_AUTO_TEST_CASE(a_response_still_names_the_units_it_used) {
  write({unit("cu_1"), unit("cu_2"), response("resp_1", {"cu_1", "cu_2"})}).value();
  auto forced = removing({"cu_1"});
  forced.force = true;
  engine->write(forced).value();
  BOOST_TEST(record_of<schema::Response>(*engine, "resp_1").context_units.size() == 2U);
  BOOST_TEST(outcome(write({response("resp_1", {"cu_1", "cu_2"})})) == "unchanged 2");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
