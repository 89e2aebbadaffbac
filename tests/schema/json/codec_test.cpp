// The wire form of records: what is refused before any rule is asked, and that what is written reads back the same.
#include "schema/wire/codec.hpp"

#include "schema/json/json.hpp"
#include "schema/wire/record_object.hpp"
#include "tests/schema/json/wire.hpp"
#include "tests/support/random_records.hpp"
#include "tests/support/seed.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::schema::test {
namespace {

namespace data = boost::unit_test::data;

struct Unusable {
  std::string name;
  std::string text;
  std::string path;
};
std::ostream& operator<<(std::ostream& out, Unusable const& each) {
  return out << each.name;
}

std::vector<Unusable> const unusable = {
    {"number", "1", ""},
    {"array", "[]", ""},
    {"null", "null", ""},
    {"no_type", R"({"id":"cu_1"})", "/$type$"},
    {"type_no_text", R"({"$type$":1})", "/$type$"},
    {"type_unknown", R"({"$type$":"Unit"})", "/$type$"},
};
BOOST_DATA_TEST_CASE(refuses_what_is_no_record, data::make(unusable), each) {
  auto const incoming = validate(each.text);
  BOOST_TEST(!incoming.is_usable);
  BOOST_TEST_REQUIRE(incoming.violations.size() == 1U);
  BOOST_TEST(incoming.violations.front().rule == "record_type");
  BOOST_TEST(incoming.violations.front().path == each.path);
}

BOOST_AUTO_TEST_CASE(records_all_types_of_the_table) {
  for (RecordTypeInfo const& row : record_types()) {
    auto const incoming = validate(R"({"$type$":")" + std::string{row.name} + "\"}");
    BOOST_TEST_CONTEXT(row.name) {
      BOOST_TEST_REQUIRE(incoming.is_usable);
      BOOST_TEST(type_of(incoming.record) == row.type);
    }
  }
}

BOOST_AUTO_TEST_CASE(refuses_members_that_stand_twice) {
  std::string const top = R"({"$type$":"Topic","name":"a","name":"b"})";
  std::string const nested = R"({"$type$":"Topic","attributes":{"x":[1,{"y/z":1,"y/z":2}]}})";
  BOOST_TEST(verdict(top) == "duplicate_member /name");
  BOOST_TEST(verdict(nested) == "duplicate_member /attributes/x/1/y~1z");
}

BOOST_AUTO_TEST_CASE(keeps_times_as_instants) {
  auto const incoming = validate(changed(feedback, "/timestamp", "\"2025-10-09T18:15:00.250+02:00\""));
  BOOST_TEST_REQUIRE(incoming.violations.empty());
  auto const text = json::to_text(incoming.record);
  BOOST_TEST(text.find(R"("timestamp":"2025-10-09T16:15:00.25Z")") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(gives_equal_attributes_equal_text) {
  std::string const spelling = R"({"b":1.0,"a":{"d":1e15,"c":[2,1]}})";
  auto const incoming = validate(changed(topic, "/attributes", spelling));
  BOOST_TEST(std::get<Topic>(incoming.record).attributes->json == R"({"a":{"c":[2,1],"d":1000000000000000},"b":1})");
}

BOOST_AUTO_TEST_CASE(writes_type_first_and_leaves_absent_members_out) {
  auto const incoming = validate(R"({"id":"m","text":null,"topicId":"t","$type$":"Message"})");
  BOOST_TEST(json::to_text(incoming.record) == R"({"$type$":"Message","id":"m","topicId":"t"})");
}

// Claim: writing a record and reading it back gives the same record. Method: random records of every type.
BOOST_AUTO_TEST_CASE(reads_back_what_it_writes) {
  RandomRecords random{whence::test::seed_from_environment()};
  for (int i = 0; i < 3000; ++i) {
    Record const record = random.next();
    auto const text = json::to_text(record);
    BOOST_TEST_CONTEXT("seed " << random.seed() << " round " << i << " text " << text) {
      auto const document = json::parse(text).value();
      auto const incoming = json::decode_record(document.value, document.duplicates);
      for (auto const& violation : incoming.violations) BOOST_TEST_ERROR(violation);
      BOOST_TEST((incoming.record == record));
      BOOST_TEST((boost::json::value(json::to_object(record).value()) == document.value));  // integers as integers
    }
  }
}

}  // namespace
}  // namespace whence::schema::test
