// What a bundle says of records: every type under its own ref. The rest of bundles is tested beside the other verifiers
// (tests/verify).
#include "schema/proof/bundle.hpp"

#include "schema/json/json.hpp"
#include "schema/json/writer.hpp"
#include "schema/records/records.hpp"
#include "schema/types/ref.hpp"
#include "schema/wire/codec.hpp"
#include "tests/support/random_records.hpp"
#include "tests/support/seed.hpp"

#include <set>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using namespace schema;
using namespace schema::proof;

BOOST_AUTO_TEST_SUITE(bundles)

/// A bundle of a log whose one event writes `record` under `ref`.
std::string bundle_of(std::string const& ref, std::string const& record, SigningKey const& key) {
  ShownRecord const shown{.salt = {}, .json = record};
  std::string line;
  json::Writer out{line};
  out.begin_object().member("tx", 1).member("at", "2025-10-11T12:00:00Z").member("op", "put");
  out.member("ref", std::string_view{ref});
  out.member("commitment", std::string_view{to_hex(commitment_of(shown.salt, record))}).end_object();
  SignedNote note{.text = format_checkpoint({.origin = key.verifier().name, .tree = {1, leaf_hash(line)}})};
  note.signatures = {key.sign(note.text)};
  return format_bundle({.about = ref, .checkpoint = format_note(note), .events = {{.line = line, .record = shown}}});
}

BOOST_AUTO_TEST_CASE(every_type_is_known_by_its_ref_and_by_no_other) {
  auto const key = SigningKey::make("whence/test", {}).value();
  std::vector<VerifierKey> const keys = {key.verifier()};
  schema::test::RandomRecords random{seed_from_environment()};
  std::set<RecordType> seen;
  BOOST_TEST_CONTEXT("seed " << random.seed()) {
    for (int turn = 0; turn < 1500; ++turn) {
      auto const record = random.next();
      auto const type = type_of(record);
      if (!info(type).is_node) continue;
      auto const id = node_id_of(record);
      auto const text = json::to_text(record);
      BOOST_TEST_CONTEXT(name_of(type) << ' ' << text) {
        auto const good = verify_bundle(bundle_of(format_ref(type, id), text, key), keys);
        BOOST_TEST_REQUIRE(good.is_verified());
        BOOST_TEST(good.records == 1U);
        BOOST_TEST(good.keys.size() == 1U);
        auto const other = type == RecordType::topic ? RecordType::message : RecordType::topic;
        auto const bad_type = verify_bundle(bundle_of(format_ref(other, id), text, key), keys);
        BOOST_TEST_REQUIRE(bad_type.failures.size() == 1U);
        BOOST_TEST(bad_type.failures.front().rule == "identity");
      }
      seen.insert(type);
    }
  }
  std::set<RecordType> nodes;
  for (auto const& each : record_types()) {
    if (each.is_node) nodes.insert(each.type);
  }
  BOOST_TEST((seen == nodes));
}

BOOST_AUTO_TEST_CASE(failures_are_bounded) {
  auto const key = SigningKey::make("whence/test", {}).value();
  std::vector<VerifierKey> const keys = {key.verifier()};
  auto text = bundle_of("Topic:t", R"({"$type$":"Topic","id":"t"})", key);
  std::string many = "\"events\":[";
  for (int i = 0; i < 1000; ++i) many += "1,";
  text.replace(text.find("\"events\":["), 10, many);
  auto const report = verify_bundle(text, keys);
  BOOST_TEST(report.failures.size() == bundle_failures_max);
  BOOST_TEST(report.failures.front().path == "/events/0");
}

BOOST_AUTO_TEST_CASE(a_bundle_beyond_its_bounds_is_not_read) {
  std::string const large(bundle_bytes_max + 1, ' ');
  BOOST_TEST(verify_bundle(large, {}).failures.front().rule == "size");
  std::string const many(bundle_marks_max + 1, '[');
  BOOST_TEST(verify_bundle(many, {}).failures.front().rule == "json");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
