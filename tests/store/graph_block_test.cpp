// Blocks of the `graph` table. Claim: a block comes back as it was written, and hostile bytes are refused before
// anything is reserved for what they promise. Method: hand-made heads at their bounds, and every change of every byte
// of a block.

#include "store/rows/graph_block.hpp"

#include "store/rows/row_codec.hpp"

#include <ostream>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::store {
namespace {

namespace data = boost::unit_test::data;
using schema::RecordType;
using schema::VertexId;

VertexRow const block_row{.vertex = VertexId{5}, .type = RecordType::topic, .id = "t"};
RevisionRow const block_revision{
    .vertex = VertexId{3}, .type = RecordType::topic, .revision = 2, .kind = schema::RevisionKind::update};

BlockHead good_head() {
  return {.at = {.seconds = -1, .nanos = 999'999'999},
          .first_vertex = 5,
          .row_count = 1,
          .revision_count = 1,
          .hidden = {VertexId{5}, VertexId{0}},
          .deprecated = {VertexId{4}}};
}

Bytes block_of(BlockHead const& head) {
  Bytes bytes;
  put_block_head(head, bytes);
  encode_row(block_row, bytes);
  encode_row(block_revision, bytes);
  pad_to_words(bytes, 0);
  return bytes;
}

/// Whether the whole block reads. What it reserves is bounded by its size.
bool reads(std::span<std::byte const> bytes) {
  BlockReader reader;
  VertexRow next = blank_row();
  RevisionRow next_revision = blank_revision_row();
  if (!reader.start(bytes)) return false;
  BOOST_TEST_REQUIRE(reader.head().row_count <= bytes.size());
  BOOST_TEST_REQUIRE(reader.head().revision_count <= bytes.size());
  for (std::uint32_t i = 0; i < reader.head().row_count; ++i) {
    if (!reader.next(next)) return false;
  }
  for (std::uint32_t i = 0; i < reader.head().revision_count; ++i) {
    if (!reader.next(next_revision)) return false;
  }
  return reader.is_at_end();
}

BOOST_AUTO_TEST_CASE(a_block_comes_back) {
  Bytes const bytes = block_of(good_head());
  BlockReader reader;
  VertexRow next = blank_row();
  RevisionRow next_revision = blank_revision_row();
  BOOST_TEST_REQUIRE(reader.start(bytes));
  BOOST_TEST((reader.head().hidden == good_head().hidden));
  BOOST_TEST((reader.head().deprecated == good_head().deprecated));
  BOOST_TEST((reader.head().at == good_head().at));
  BOOST_TEST_REQUIRE(reader.next(next));
  BOOST_TEST((next == block_row));
  BOOST_TEST_REQUIRE(reader.next(next_revision));
  BOOST_TEST((next_revision == block_revision));
  BOOST_TEST(reader.is_at_end());
}

struct BadHead {
  char const* name;
  void (*spoil)(BlockHead&);
};

std::ostream& operator<<(std::ostream& out, BadHead const& bad) {
  return out << bad.name;
}

std::vector<BadHead> const bad_heads{
    {"a row too many", [](BlockHead& head) { ++head.row_count; }},
    {"a row too few", [](BlockHead& head) { --head.row_count; }},
    {"a revision too many", [](BlockHead& head) { ++head.revision_count; }},
    {"a revision too few", [](BlockHead& head) { --head.revision_count; }},
    {"rows without end", [](BlockHead& head) { head.row_count = 0xffff'fff0; }},
    {"revisions without end", [](BlockHead& head) { head.revision_count = 0xffff'ffff; }},
    {"vertices past 32 bits", [](BlockHead& head) { head.first_vertex = 0xffff'ffff; }},
    {"a second of more than a second", [](BlockHead& head) { head.at.nanos = 1'000'000'000; }},
    {"a deletion of what is not there", [](BlockHead& head) { head.hidden[0] = VertexId{6}; }},
    {"a deprecation of what is not there", [](BlockHead& head) { head.deprecated[0] = VertexId{6}; }},
    {"a revision of what is not there", [](BlockHead& head) {
       head.first_vertex = 2;
       head.hidden.clear();
       head.deprecated.clear();
     }}};

BOOST_DATA_TEST_CASE(refuses_bad_heads, data::make(bad_heads), bad) {
  BlockHead head = good_head();
  BOOST_TEST(reads(block_of(head)));
  bad.spoil(head);
  BOOST_TEST(!reads(block_of(head)));
}

BOOST_AUTO_TEST_CASE(changed_bytes_do_not_hurt) {
  Bytes const good = block_of(good_head());
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (unsigned value = 0; value < 256; ++value) {
      Bytes bytes = good;
      bytes[at] = static_cast<std::byte>(value);
      (void)reads(bytes);
    }
  }
}

BOOST_AUTO_TEST_CASE(refuses_every_cut_and_every_tail) {
  Bytes bytes = block_of(good_head());
  for (std::size_t size = 0; size < bytes.size(); ++size) BOOST_TEST(!reads(std::span{bytes}.first(size)));
  bytes.resize(bytes.size() + 8);
  BOOST_TEST(!reads(bytes));
}

}  // namespace
}  // namespace whence::store
