// A content as it is kept: what it commits to, and who can tell.

#include "schema/stored/sealed.hpp"

#include "schema/json/json.hpp"
#include "schema/wire/codec.hpp"
#include "tests/support/random_records.hpp"
#include "tests/support/seed.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>

#include <boost/test/unit_test.hpp>

namespace whence::schema {
namespace {

using stored::Salt;

std::span<std::byte const> bytes_of(stored::Sealed const& sealed) {
  return std::as_bytes(std::span{sealed.words});
}

Digest opened(stored::Opening const& opening) {
  return sha256({std::as_bytes(std::span{opening.salt.bytes}), std::as_bytes(std::span{opening.text})});
}

BOOST_AUTO_TEST_SUITE(sealed)

BOOST_AUTO_TEST_CASE(an_opening_of_any_record_has_its_commitment) {
  test::RandomRecords records(whence::test::seed_from_environment());
  for (int i = 0; i < 2000; ++i) {
    auto const record = records.next();
    auto const type = type_of(record);
    if (!info(type).is_node) continue;
    auto const sealed = stored::seal(record, stored::fresh_salt());
    auto const opening = stored::open(type, bytes_of(sealed));
    BOOST_TEST_REQUIRE(opening.has_value());
    BOOST_TEST((opened(*opening) == sealed.commitment));
    BOOST_TEST((stored::commitment_of(type, bytes_of(sealed)).value() == sealed.commitment));
    auto const kept = stored::unseal(type, bytes_of(sealed));
    BOOST_TEST_REQUIRE(kept.has_value());
    BOOST_TEST((stored::encode(*kept) == stored::encode(record)));
  }
}

BOOST_AUTO_TEST_CASE(the_text_says_nothing_that_the_row_says) {
  test::RandomRecords records(whence::test::seed_from_environment());
  for (int i = 0; i < 500; ++i) {
    auto record = records.next();
    auto const type = type_of(record);
    if (!info(type).is_node) continue;
    auto const text = stored::open(type, bytes_of(stored::seal(record, stored::fresh_salt()))).value().text;
    auto const members = json::parse(text).value().value.as_object();
    BOOST_TEST(members.at(json::type_member).as_string() == name_of(type));
    for (auto const& member : members) {
      if (!member.value().is_string() || member.key() == "role") continue;
      BOOST_TEST_CONTEXT(text) {
        BOOST_TEST((member.value().as_string() != node_id_of(record) || node_id_of(record).size() < 2));
      }
    }
    BOOST_TEST(!members.contains("context_units"));
  }
}

BOOST_AUTO_TEST_CASE(a_long_text_is_said_by_its_digest_and_what_nobody_gave_is_not_said) {
  Response response{.id = "resp_1", .agent = "a"};
  response.content_blob = sha256(std::string_view{"a long text"});
  auto const of = [](Record const& record, RevisionKind kind) {
    auto const sealed = stored::seal(record, stored::fresh_salt(), kind);
    auto const opening = stored::open(type_of(record), bytes_of(sealed), kind).value();
    BOOST_TEST((opened(opening) == sealed.commitment));
    return opening.text;
  };
  BOOST_TEST(
      of(response, RevisionKind::whole).ends_with("\"content_sha256\":\"" + to_hex(*response.content_blob) + "\"}"));
  Record const chunk{RetrievedChunk{.chunk_id = "c"}};
  BOOST_TEST(of(chunk, RevisionKind::addition) == R"({"$type$":"RetrievedChunk"})");
  BOOST_TEST(of(chunk, RevisionKind::whole).find("\"content\":\"\"") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(equal_records_have_other_commitments) {
  Record const record{Topic{.id = "t", .name = "yes"}};
  std::set<Digest> commitments;
  for (int i = 0; i < 200; ++i) commitments.insert(stored::seal(record, stored::fresh_salt()).commitment);
  BOOST_TEST(commitments.size() == 200U);
}

BOOST_AUTO_TEST_CASE(every_byte_of_a_content_is_committed_to) {
  auto const sealed = stored::seal(Record{Topic{.id = "t", .name = "weather in Bern"}}, stored::fresh_salt());
  auto const bytes = bytes_of(sealed);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::vector<std::byte> altered(bytes.begin(), bytes.end());
    altered[i] ^= std::byte{1};
    auto const commitment = stored::commitment_of(RecordType::topic, altered);
    BOOST_TEST((!commitment || *commitment != sealed.commitment));
  }
}

BOOST_AUTO_TEST_CASE(what_is_too_short_is_corrupt) {
  auto const sealed = stored::seal(Record{Topic{.id = "t"}}, Salt{});
  BOOST_TEST((stored::unseal(RecordType::topic, bytes_of(sealed).first(sizeof(Salt))).error().code == Errc::corrupt));
  BOOST_TEST((stored::open(RecordType::topic, {}).error().code == Errc::corrupt));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::schema
