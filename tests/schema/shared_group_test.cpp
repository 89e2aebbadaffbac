// A group as other nodes get it: comes back as it was, and nothing else is taken for one.

#include "schema/stored/shared_group.hpp"

#include <algorithm>
#include <string>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using schema::stored::SharedGroup;
using schema::stored::Words;

/// One of everything.
struct GroupSample {
  Words entry{1, 2, 3};
  Words block{4};
  Words content{5, 6};
  std::string blob = "a text that is kept apart";
  std::string answer = "an answer";
  SharedGroup group{.epoch = {1, 2, 3},
                    .base = schema::TxId{7},
                    .previous = schema::sha256("before"),
                    .transactions = {{schema::stored::bytes_of(entry), schema::stored::bytes_of(block)}},
                    .contents = {{11, schema::stored::bytes_of(content)}},
                    .revised = {{12, schema::stored::bytes_of(content)}},
                    .gone = {13, 14},
                    .removed_blobs = {schema::sha256("gone")},
                    .blobs = {std::as_bytes(std::span{blob})},
                    .answers = {{schema::sha256("key"), std::as_bytes(std::span{answer})}}};
};

BOOST_AUTO_TEST_SUITE(shared_group)

BOOST_AUTO_TEST_CASE(a_group_comes_back_as_it_was) {
  GroupSample const sample;
  auto const words = schema::stored::encode(sample.group);
  bool is_visited = false;
  auto const read = schema::stored::decode_shared_group(schema::stored::bytes_of(words), [&](SharedGroup const& group) {
    is_visited = true;
    BOOST_CHECK(group.epoch == sample.group.epoch);
    BOOST_CHECK(group.base == sample.group.base && group.head() == schema::TxId{8});
    BOOST_CHECK(group.previous == sample.group.previous);
    BOOST_CHECK(std::ranges::equal(group.transactions.at(0).entry, sample.group.transactions[0].entry));
    BOOST_CHECK(std::ranges::equal(group.transactions.at(0).block, sample.group.transactions[0].block));
    BOOST_CHECK(group.contents.at(0).key == 11 && group.revised.at(0).key == 12);
    BOOST_CHECK(std::ranges::equal(group.revised.at(0).words, sample.group.revised[0].words));
    BOOST_CHECK(group.gone == sample.group.gone && group.removed_blobs == sample.group.removed_blobs);
    BOOST_CHECK(std::ranges::equal(group.blobs.at(0), sample.group.blobs[0]));
    BOOST_CHECK(group.answers.at(0).key == schema::sha256("key"));
    return Result<void>{};
  });
  BOOST_CHECK(read.has_value());
  BOOST_TEST(is_visited);
}

BOOST_AUTO_TEST_CASE(every_flipped_bit_and_every_shorter_text_is_refused) {
  auto const words = schema::stored::encode(GroupSample{}.group);
  auto const all = schema::stored::bytes_of(words);
  auto const visit = [](SharedGroup const&) -> Result<void> { return {}; };
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::vector<std::byte> changed(all.begin(), all.end());
    changed[i] ^= std::byte{1} << (i % 8);
    BOOST_TEST_CONTEXT("byte " << i) {
      BOOST_CHECK(!schema::stored::decode_shared_group(changed, visit));
    }
    BOOST_TEST_CONTEXT("length " << i) {
      BOOST_CHECK(!schema::stored::decode_shared_group(all.first(i), visit));
    }
  }
}

BOOST_AUTO_TEST_CASE(what_the_visitor_refuses_is_refused) {
  auto const words = schema::stored::encode(SharedGroup{});
  auto const read =
      schema::stored::decode_shared_group(schema::stored::bytes_of(words), [](SharedGroup const&) -> Result<void> {
        return Error{Errc::conflict, "no"};
      });
  BOOST_REQUIRE(!read);
  BOOST_CHECK(read.error().code == Errc::conflict);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
