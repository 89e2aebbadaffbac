// The packed rows. Claim of the property tests: decoding gives back exactly what was encoded, for every row, and
// nothing else decodes. Method: random rows from a printed seed, and every change of every byte of their packed forms.

#include "store/rows/row_codec.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seed.hpp"

#include <bit>
#include <limits>
#include <random>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace whence::store {
namespace {

namespace data = boost::unit_test::data;
using schema::EdgeType;
using schema::RecordType;
using schema::VertexId;

template <class Row>
std::vector<std::byte> packed(Row const& row) {
  std::vector<std::byte> bytes;
  encode_row(row, bytes);
  return bytes;
}

/// The row at the front of `bytes`, which is dropped from there.
std::optional<VertexRow> first_row(VertexId vertex, std::span<std::byte const>& bytes) {
  VertexRow row = blank_row();
  return decode_row_into(vertex, bytes, row) ? std::optional{row} : std::nullopt;
}

std::optional<RevisionRow> first_revision(std::span<std::byte const>& bytes) {
  RevisionRow row = blank_revision_row();
  return decode_revision_into(bytes, row) ? std::optional{row} : std::nullopt;
}

/// The row if `bytes` are exactly one.
std::optional<VertexRow> unpacked(VertexId vertex, std::span<std::byte const> bytes) {
  auto row = first_row(vertex, bytes);
  return bytes.empty() ? row : std::nullopt;
}

/// The same of a revision row.
std::optional<RevisionRow> unpacked_revision(std::span<std::byte const> bytes) {
  auto row = first_revision(bytes);
  return bytes.empty() ? row : std::nullopt;
}

RevisionRow small_revision() {
  return {.vertex = VertexId{300},
          .type = RecordType::keyword,
          .revision = 200,
          .kind = schema::RevisionKind::addition,
          .edges = {{EdgeType::extracted_from, true, VertexId{7}, 0.5}}};
}

VertexRow row_with_value(double value) {
  return {.vertex = VertexId{7},
          .type = RecordType::response,
          .id = "resp_1",
          .edges = {{EdgeType::used_in, false, VertexId{3}, value}}};
}

/// Random rows: mostly usual ones, with every boundary among them.
class RowSource {
 public:
  explicit RowSource(std::uint64_t seed) : random_{seed} {}

  VertexRow row() {
    VertexRow row{.vertex = VertexId{static_cast<std::uint32_t>(pick(4'000'000'000))},
                  .type = static_cast<RecordType>(1 + pick(schema::record_type_count - 1)),
                  .id = std::string(1 + pick(pick(100) == 0 ? row_id_bytes_max : 300), 'x')};
    if (pick(2) == 0) row.time = {static_cast<std::int64_t>(random_()) >> pick(64), nanos()};
    for (std::size_t left = pick(30); left > 0; --left) row.edges.push_back(edge(row.vertex));
    return row;
  }

  RevisionRow revision() {
    RevisionRow row{.vertex = VertexId{static_cast<std::uint32_t>(random_() >> pick(64))},
                    .type = static_cast<RecordType>(1 + pick(schema::record_type_count - 1)),
                    .revision = static_cast<std::uint32_t>(1 + (pick(schema::revisions_max) >> pick(24))),
                    .kind = static_cast<schema::RevisionKind>(pick(3))};
    for (std::size_t left = pick(10); left > 0; --left) row.edges.push_back(edge(row.vertex));
    if (pick(2) == 0) row.rows_before = static_cast<std::uint32_t>(pick(all_rows) >> pick(32));
    return row;
  }

  std::uint64_t pick(std::uint64_t below) { return random_() % below; }

 private:
  std::uint32_t nanos() {
    static constexpr std::uint32_t units[] = {1, 1'000, 1'000'000, 1'000'000'000};
    auto const value = static_cast<std::uint32_t>(pick(1'000'000'000));
    return value / units[pick(4)] * units[pick(3)] % 1'000'000'000;
  }

  RowEdge edge(VertexId owner) {
    std::uint32_t const near = schema::number(owner) - static_cast<std::uint32_t>(pick(100'000));
    RowEdge edge{.type = static_cast<EdgeType>(1 + pick(2) * pick(schema::edge_type_count - 1)),
                 .owner_is_from = pick(4) == 0,
                 .other = VertexId{pick(8) == 0 ? static_cast<std::uint32_t>(random_()) : near}};
    if (pick(4) != 0) edge.value = value();
    if (edge.type == EdgeType::retrieved_for) edge.rank = static_cast<std::uint32_t>(pick(2'147'483'648) >> pick(32));
    return edge;
  }

  double value() {
    switch (pick(4)) {
      case 0:
        return static_cast<double>(pick(10'001)) / 10'000;
      case 1:
        return static_cast<double>(pick(200)) / 100 - 1;
      case 2:
        return static_cast<double>(pick(1'000));
      default:
        break;
    }
    auto const any = std::bit_cast<double>(random_());
    return any == any ? any : 0.5;
  }

  std::mt19937_64 random_;
};

BOOST_AUTO_TEST_CASE(rows_come_back_as_they_were) {
  std::uint64_t const seed = whence::test::seed_from_environment();
  BOOST_TEST_MESSAGE("WHENCE_TEST_SEED=" << seed);
  RowSource source{seed};
  for (int i = 0; i < 20'000; ++i) {
    VertexRow const row = source.row();
    auto const back = unpacked(row.vertex, packed(row));
    BOOST_TEST_REQUIRE((back && *back == row), "row " << i << " of seed " << seed);
  }
}

BOOST_AUTO_TEST_CASE(revision_rows_come_back_as_they_were) {
  std::uint64_t const seed = whence::test::seed_from_environment();
  BOOST_TEST_MESSAGE("WHENCE_TEST_SEED=" << seed);
  RowSource source{seed};
  for (int i = 0; i < 20'000; ++i) {
    RevisionRow const row = source.revision();
    auto const back = unpacked_revision(packed(row));
    BOOST_TEST_REQUIRE((back && *back == row), "row " << i << " of seed " << seed);
  }
}

BOOST_AUTO_TEST_CASE(a_revision_row_has_one_spelling) {
  std::uint64_t const seed = whence::test::seed_from_environment();
  BOOST_TEST_MESSAGE("WHENCE_TEST_SEED=" << seed);
  RowSource source{seed};
  for (int i = 0; i < 1000; ++i) {
    std::vector<std::byte> bytes = packed(source.revision());
    for (std::byte& byte : bytes) {
      std::byte const before = std::exchange(byte, byte ^ static_cast<std::byte>(1 + source.pick(255)));
      auto const other = unpacked_revision(bytes);
      if (other) BOOST_TEST_REQUIRE((packed(*other) == bytes), "row " << i << " of seed " << seed);
      byte = before;
    }
  }
}

BOOST_AUTO_TEST_CASE(a_revision_takes_few_bytes) {
  BOOST_TEST(packed(small_revision()).size() == 1U + 2U + 2U + 1U + 2U + 2U + 3U);
}

/// A revision row with its bytes spoiled from `at` on.
struct BadRevision {
  char const* name;
  std::vector<std::uint8_t> bytes;
};

std::ostream& operator<<(std::ostream& out, BadRevision const& bad) {
  return out << bad.name;
}

// Well formed would be {0x28, 5, 1, 0}: an addition to the keyword 5, revision 1, without edges.
std::vector<BadRevision> const bad_revisions{{"an unknown kind", {0x68, 5, 1, 0}},
                                             {"a place and nothing after it", {0xa8, 5, 1, 0}},
                                             {"a place after all rows", {0xa8, 5, 1, 0xff, 0xff, 0xff, 0xff, 0x0f, 0}},
                                             {"a long form of the place", {0xa8, 5, 1, 0x81, 0, 0}},
                                             {"no type", {0x20, 5, 1, 0}},
                                             {"an unknown type", {0x3f, 5, 1, 0}},
                                             {"revision 0", {0x28, 5, 0, 0}},
                                             {"a long form of the revision", {0x28, 5, 0x81, 0, 0}},
                                             {"a long form of the vertex", {0x28, 0x85, 0, 1, 0}},
                                             {"a revision past 24 bits", {0x28, 5, 0x80, 0x80, 0x80, 8, 0}},
                                             {"a vertex past 32 bits", {0x28, 0x80, 0x80, 0x80, 0x80, 0x10, 1, 0}},
                                             {"more runs than bytes", {0x28, 5, 1, 0xff, 0xff, 0xff, 0xff, 0x0f}},
                                             {"more edges than bytes", {0x28, 5, 1, 1, 0x27, 0xff, 0xff, 0xff, 0x0f}},
                                             {"an edge to before the first", {0x28, 5, 1, 1, 0x27, 1, 12}},
                                             {"nothing", {}}};

BOOST_DATA_TEST_CASE(refuses_bad_revisions, data::make(bad_revisions), bad) {
  BOOST_TEST(!unpacked_revision(std::as_bytes(std::span{bad.bytes})).has_value());
}

BOOST_AUTO_TEST_CASE(takes_the_highest_revision_of_the_highest_vertex) {
  RevisionRow row = small_revision();
  row.vertex = VertexId{0xffff'ffff};
  row.revision = schema::revisions_max;
  BOOST_TEST((unpacked_revision(packed(row)) == row));
  std::vector<std::uint8_t> const good{0x28, 5, 1, 0};
  BOOST_TEST(unpacked_revision(std::as_bytes(std::span{good})).has_value());
}

VertexRow retrieval_of(std::uint32_t rank, std::optional<double> similarity) {
  return {.vertex = VertexId{7},
          .type = RecordType::retrieved_chunk,
          .id = "c",
          .edges = {{EdgeType::retrieved_for, true, VertexId{3}, similarity, rank}}};
}

constexpr std::uint32_t ranks[] = {0, 1, 10, 127, 128, 16'384, 2'147'483'647};

BOOST_DATA_TEST_CASE(ranks_come_back, data::make(ranks), rank) {
  for (auto const& row : {retrieval_of(rank, 0.87), retrieval_of(rank, {}), retrieval_of(rank, 0)}) {
    BOOST_TEST((unpacked(VertexId{7}, packed(row)) == row));
  }
}

BOOST_AUTO_TEST_CASE(edges_of_one_run_have_a_rank_each) {
  auto row = retrieval_of(3, 0.5);
  row.edges.push_back({EdgeType::retrieved_for, true, VertexId{4}, 0.25, 1});
  row.edges.push_back({EdgeType::part_of, true, VertexId{2}});
  row.edges.push_back({EdgeType::retrieved_for, true, VertexId{5}, 0.75, 2'000'000});
  BOOST_TEST((unpacked(VertexId{7}, packed(row)) == row));
}

BOOST_AUTO_TEST_CASE(a_rank_takes_no_room_in_other_edges) {
  auto row = retrieval_of(1, 0.5);
  auto const with_rank = packed(row).size();
  row.edges[0].type = EdgeType::used_in;
  row.edges[0].rank = 0;
  BOOST_TEST(packed(row).size() + 1 == with_rank);
}

BOOST_AUTO_TEST_CASE(refuses_ranks_that_are_too_high_or_spelled_long) {
  auto const good = packed(retrieval_of(1, 0.5));
  for (std::vector<std::uint8_t> const& rank : std::vector<std::vector<std::uint8_t>>{
           {0x80, 0x80, 0x80, 0x80, 8}, {0x81, 0}, {}}) {  // 2^31, a longer form of 1, none
    auto bytes = good;
    bytes.pop_back();
    for (auto const each : rank) bytes.push_back(std::byte{each});
    BOOST_TEST(!unpacked(VertexId{7}, bytes).has_value());
  }
  BOOST_TEST(unpacked(VertexId{7}, good).has_value());
}

constexpr std::size_t id_sizes[] = {1, 127, 128, 255, 256, 1020, 16383, 16384, row_id_bytes_max};

BOOST_DATA_TEST_CASE(ids_of_every_length_come_back, data::make(id_sizes), size) {
  VertexRow const row{.vertex = VertexId{7}, .type = RecordType::subject, .id = std::string(size, 'i')};
  BOOST_TEST((unpacked(VertexId{7}, packed(row)) == row));
}

BOOST_AUTO_TEST_CASE(refuses_ids_of_no_length_and_of_too_much) {
  std::vector<std::uint8_t> bytes{8, 0, 0};
  BOOST_TEST(!unpacked(VertexId{7}, std::as_bytes(std::span{bytes})).has_value());
  bytes = {8, 0x81, 0, 'i', 0};  // a longer form of 1
  BOOST_TEST(!unpacked(VertexId{7}, std::as_bytes(std::span{bytes})).has_value());
  bytes = {8, 0x80, 0x80, 4};  // 65,536
  bytes.resize(4 + row_id_bytes_max + 1, 'i');
  bytes.push_back(0);
  BOOST_TEST(!unpacked(VertexId{7}, std::as_bytes(std::span{bytes})).has_value());
}

BOOST_AUTO_TEST_CASE(a_row_has_one_spelling) {
  std::uint64_t const seed = whence::test::seed_from_environment();
  BOOST_TEST_MESSAGE("WHENCE_TEST_SEED=" << seed);
  RowSource source{seed};
  for (int i = 0; i < (whence::test::is_sanitized ? 30 : 300); ++i) {
    VertexRow const row = source.row();
    std::vector<std::byte> bytes = packed(row);
    for (std::byte& byte : bytes) {
      std::byte const before = std::exchange(byte, byte ^ static_cast<std::byte>(1 + source.pick(255)));
      auto const other = unpacked(row.vertex, bytes);
      if (other) BOOST_TEST_REQUIRE((packed(*other) == bytes), "row " << i << " of seed " << seed);
      byte = before;
    }
  }
}

BOOST_AUTO_TEST_CASE(noise_does_not_hurt_the_decoders) {
  std::uint64_t const seed = whence::test::seed_from_environment();
  BOOST_TEST_MESSAGE("WHENCE_TEST_SEED=" << seed);
  RowSource source{seed};
  for (int i = 0; i < 50'000; ++i) {
    std::vector<std::byte> bytes(source.pick(64));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(source.pick(source.pick(2) == 0 ? 8 : 256));
    std::span<std::byte const> rest{bytes};
    auto const row = first_row(VertexId{100}, rest);
    if (row) BOOST_TEST_REQUIRE((packed(*row).size() == bytes.size() - rest.size()), "seed " << seed);
    rest = bytes;
    auto const revision = first_revision(rest);
    if (revision) BOOST_TEST_REQUIRE((packed(*revision).size() == bytes.size() - rest.size()), "seed " << seed);
  }
}

constexpr double values[] = {0.0,
                             -0.0,
                             1.0,
                             0.0001,
                             0.9999,
                             0.1 + 0.2,
                             1.0 / 3,
                             -1.0,
                             -0.75,
                             0.000001,
                             2.0,
                             2147483647.0,
                             1e9,
                             1e9 + 1,
                             1e300,
                             5e-324,
                             -1e-7,
                             std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::max(),
                             -std::numeric_limits<double>::infinity()};

BOOST_DATA_TEST_CASE(values_come_back_bit_for_bit, data::make(values), value) {
  auto const back = unpacked(VertexId{7}, packed(row_with_value(value)));
  BOOST_TEST_REQUIRE(back.has_value());
  BOOST_TEST(std::bit_cast<std::uint64_t>(back->edges[0].value.value()) == std::bit_cast<std::uint64_t>(value));
}

BOOST_AUTO_TEST_CASE(a_used_unit_takes_about_five_bytes) {
  VertexRow row{.vertex = VertexId{1'000'000}, .type = RecordType::response, .id = "resp_1"};
  std::size_t const without = packed(row).size();
  for (std::uint32_t i = 0; i < 20; ++i)
    row.edges.push_back({EdgeType::used_in, false, VertexId{900'000 - 37'000 * i}, 0.0371 + 0.0011 * i});
  for (RowEdge& edge : row.edges) edge.value = static_cast<double>(static_cast<int>(*edge.value * 10'000)) / 10'000;
  BOOST_TEST(packed(row).size() - without <= 20U * 5U + 2U);
}

BOOST_AUTO_TEST_CASE(refuses_what_is_not_a_number) {
  std::vector<std::byte> bytes = packed(row_with_value(std::numeric_limits<double>::infinity()));
  bytes.back() = std::byte{0x7f};
  bytes[bytes.size() - 2] = std::byte{0xff};
  BOOST_TEST(!unpacked(VertexId{7}, bytes).has_value());
}

BOOST_AUTO_TEST_CASE(refuses_every_cut) {
  std::vector<std::byte> const bytes = packed(row_with_value(1.0 / 3));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    BOOST_TEST(!unpacked(VertexId{7}, std::span{bytes}.first(size)).has_value());
  }
  std::vector<std::byte> const revision = packed(small_revision());
  for (std::size_t size = 0; size < revision.size(); ++size) {
    BOOST_TEST(!unpacked_revision(std::span{revision}.first(size)).has_value());
  }
}

BOOST_AUTO_TEST_CASE(rows_follow_each_other_without_gaps) {
  VertexRow const row = row_with_value(0.5);
  std::vector<std::byte> bytes = packed(row);
  encode_row(row, bytes);
  std::span<std::byte const> rest{bytes};
  BOOST_TEST((first_row(VertexId{7}, rest).value() == row));
  BOOST_TEST((first_row(VertexId{7}, rest).value() == row));
  BOOST_TEST(rest.empty());
}

}  // namespace
}  // namespace whence::store
