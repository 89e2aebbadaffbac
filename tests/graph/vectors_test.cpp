// Claim: a search gives what sorting all visible embeddings by similarity and id gives, to the last bit, whatever was
// deleted, rolled back or added since, and while the writer goes on. Method: small worlds by hand; random worlds with
// many ties against an oracle that sorts everything; one writer beside readers, meant to be run under ThreadSanitizer.
#include "graph/embeddings/vectors.hpp"

#include "graph/embeddings/rows.hpp"
#include "schema/base/limits.hpp"
#include "tests/graph/world.hpp"
#include "tests/support/seed.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <ostream>
#include <random>
#include <string>
#include <thread>

#include <boost/test/unit_test.hpp>

namespace whence::graph {

std::ostream& operator<<(std::ostream& out, Match const& match) {
  return out << match.vertex << " " << match.similarity;
}

}  // namespace whence::graph

namespace whence::test {

using graph::Match;
using graph::Vectors;
using schema::number;

namespace {

constexpr std::size_t dimension = 384;
constexpr std::string_view model = "all-MiniLM-L6-v2";

using Vector = std::vector<float>;
using Ids = std::vector<std::string>;

Vector axis(std::size_t at, float length = 1) {
  Vector vector(dimension);
  vector[at] = length;
  return vector;
}

Vector sum(Vector a, Vector const& b) {
  std::transform(a.begin(), a.end(), b.begin(), a.begin(), std::plus{});
  return a;
}

Vector random_vector(std::mt19937_64& random, std::size_t length = dimension) {
  std::normal_distribution<float> normal;
  Vector vector(length);
  for (float& each : vector) each = normal(random);
  return vector;
}

/// Four axes at most, each -1, 1 or 2 long: ties, opposites and right angles abound.
Vector random_simple_vector(std::mt19937_64& random) {
  Vector vector = axis(random() % 4);
  for (std::size_t i = 0; i < 4; ++i) vector[i] += std::array{-1.0F, 0.0F, 1.0F, 2.0F}[random() % 4];
  if (std::all_of(vector.begin(), vector.end(), [](float each) { return each == 0; })) vector[5] = 1;
  return vector;
}

/// In the order of additions that is promised.
double naive_product(Vector const& a, Vector const& b) {
  std::array<double, 16> lanes{};
  for (std::size_t i = 0; i < a.size(); ++i) lanes[i % 16] += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  for (std::size_t half = 8; half != 0; half /= 2) {
    for (std::size_t lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
  }
  return lanes[0];
}

double naive_similarity(Vector const& a, Vector const& b) {
  return std::clamp(naive_product(a, b) / std::sqrt(naive_product(a, a) * naive_product(b, b)), 0.0, 1.0);
}

/// A world whose chunks have embeddings, one transaction each.
struct Chunks : World {
  Vectors vectors = {};

  VertexId chunk(std::string_view id, Vector const& vector) {
    begin();
    auto const v = graph.add_vertex(RecordType::retrieved_chunk, id, {});
    vectors.append(v, TxId{tx}, vector, model);
    vectors.publish();
    end();
    return v;
  }
  VertexId bare_chunk(std::string_view id) { return vertex(RecordType::retrieved_chunk, id); }
  void embed(VertexId v, Vector const& vector) {
    begin();
    vectors.append(v, TxId{tx}, vector, model);
    vectors.publish();
    end();
  }

  [[nodiscard]] std::vector<Match> nearest(graph::Nearest asked) const {
    if (asked.model.empty()) asked.model = model;
    return vectors.nearest(asked, schema::NoInterrupt{}).value();
  }
  [[nodiscard]] Ids ids(graph::Nearest const& asked) const {
    Ids ids;
    for (auto const& match : nearest(asked)) ids.emplace_back(asked.snapshot.id(match.vertex));
    return ids;
  }
};

void check_ids(Ids const& found, Ids const& expected) {
  BOOST_TEST(found == expected, boost::test_tools::per_element());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(vectors)

BOOST_AUTO_TEST_CASE(finds_the_most_similar_first) {
  Chunks chunks;
  chunks.chunk("far", axis(1));
  chunks.chunk("near", sum(axis(0, 3), axis(1, 4)));
  chunks.chunk("same", axis(0, 7));
  auto const found = chunks.nearest({chunks.now(), axis(0), 3});
  std::vector<Match> const expected{{VertexId{2}, 1.0}, {VertexId{1}, 0.6}, {VertexId{0}, 0.0}};
  BOOST_TEST(found == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(clamps_negative_cosines_to_a_zero_without_sign) {
  Chunks chunks;
  chunks.chunk("opposite", axis(0, -1));
  chunks.chunk("almost right angle", sum(axis(0, -0.0F), axis(1, 1)));
  for (auto const& match : chunks.nearest({chunks.now(), axis(0), 2})) {
    BOOST_TEST(match.similarity == 0.0);
    BOOST_TEST(!std::signbit(match.similarity));
  }
}

BOOST_AUTO_TEST_CASE(orders_equal_similarities_by_the_bytes_of_ids) {
  Chunks chunks;
  for (auto const* id : {"b", "\xc3\xa9", "a", "ab", "B"}) chunks.chunk(id, axis(0, 3));
  for (auto const* id : {"0b", "0a"}) chunks.chunk(id, axis(0, -1));
  chunks.chunk("0", axis(9));
  check_ids(chunks.ids({chunks.now(), axis(0), 9}), {"B", "a", "ab", "b", "\xc3\xa9", "0", "0a", "0b"});
  check_ids(chunks.ids({chunks.now(), axis(0), 2}), {"B", "a"});
  check_ids(chunks.ids({chunks.now(), axis(0, -1), 4}), {"0a", "0b", "0", "B"});
}

BOOST_AUTO_TEST_CASE(gives_exactly_one_for_a_vector_itself_at_any_length) {
  auto const seed = whence::test::seed_from_environment();
  std::mt19937_64 random{seed};
  BOOST_TEST_CONTEXT("WHENCE_TEST_SEED=" << seed) {
    for (float const length : {1.0F, 0x1p+120F, 0x1p-120F, std::numeric_limits<float>::denorm_min()}) {
      auto vector = length < 0x1p-126F ? axis(383) : random_vector(random);
      for (float& each : vector) each *= length;
      Chunks chunks;
      chunks.chunk("it", vector);
      BOOST_TEST(chunks.nearest({chunks.now(), vector, 1}).at(0).similarity == 1.0);
    }
  }
}

BOOST_AUTO_TEST_CASE(gives_all_there_are_where_more_are_asked_for) {
  Chunks chunks;
  BOOST_TEST(chunks.nearest({chunks.now(), axis(0), 5}).empty());
  chunks.chunk("a", axis(0));
  chunks.chunk("b", axis(0));
  check_ids(chunks.ids({chunks.now(), axis(0), 5}), {"a", "b"});
  BOOST_TEST(chunks.ids({chunks.now(), axis(0), std::numeric_limits<std::size_t>::max()}).size() == 2);
  BOOST_TEST(chunks.nearest({chunks.now(), axis(0), 0}).empty());
}

BOOST_AUTO_TEST_CASE(looks_only_among_the_given_vertices) {
  Chunks chunks;
  auto const a = chunks.chunk("a", axis(0));
  chunks.chunk("b", axis(0));
  auto const c = chunks.chunk("c", sum(axis(0), axis(1)));
  auto const bare = chunks.bare_chunk("bare");
  auto const earlier = chunks.now();
  auto const later = chunks.chunk("later", axis(0));
  std::vector<VertexId> const among{bare, c, later, a, c, VertexId{12345678}};
  check_ids(chunks.ids({chunks.now(), axis(0), 9, among}), {"a", "later", "c"});
  check_ids(chunks.ids({earlier, axis(0), 9, among}), {"a", "c"});
  check_ids(chunks.ids({earlier, axis(0), 1, among}), {"a"});
  check_ids(chunks.ids({earlier, axis(0), 9, std::span<VertexId const>{}}), {});
}

BOOST_AUTO_TEST_CASE(leaves_out_what_is_deleted_from_then_on) {
  Chunks chunks;
  auto const first = chunks.chunk("a", axis(0));
  chunks.chunk("b", axis(0));
  auto const before = chunks.now();
  chunks.hide(first);
  check_ids(chunks.ids({chunks.now(), axis(0), 1}), {"b"});
  check_ids(chunks.ids({chunks.now(), axis(0), 9, {{&first, 1}}}), {});
  check_ids(chunks.ids({before, axis(0), 1}), {"a"});
  check_ids(chunks.ids({chunks.now().as_of(before.tx()), axis(0), 9}), {"a", "b"});
  auto const again = chunks.chunk("a", axis(1));
  check_ids(chunks.ids({chunks.now(), axis(0), 9}), {"b", "a"});
  BOOST_TEST(chunks.nearest({chunks.now(), axis(1), 1}).at(0).vertex == again);
}

BOOST_AUTO_TEST_CASE(shows_an_embedding_from_its_own_transaction_on) {
  Chunks chunks;
  auto const late = chunks.bare_chunk("late");
  chunks.chunk("early", axis(1));
  auto const before = chunks.now();
  chunks.embed(late, axis(0));
  check_ids(chunks.ids({chunks.now(), axis(0), 9}), {"late", "early"});
  check_ids(chunks.ids({before, axis(0), 9}), {"early"});
  check_ids(chunks.ids({before, axis(0), 9, {{&late, 1}}}), {});
}

BOOST_AUTO_TEST_CASE(shows_nothing_before_it_is_published) {
  Chunks chunks;
  auto const v = chunks.bare_chunk("a");
  chunks.begin();
  chunks.vectors.append(v, TxId{chunks.tx}, axis(0), model);
  chunks.end();
  check_ids(chunks.ids({chunks.now(), axis(0), 9}), {});
  check_ids(chunks.ids({chunks.now(), axis(0), 9, {{&v, 1}}}), {});
  BOOST_TEST(chunks.vectors.size() == 0);
  chunks.vectors.publish();
  check_ids(chunks.ids({chunks.now(), axis(0), 9}), {"a"});
  BOOST_TEST(chunks.vectors.size() == 1);
}

BOOST_AUTO_TEST_CASE(forgets_what_is_rolled_back) {
  Chunks chunks;
  chunks.chunk("kept", axis(0));
  chunks.begin();
  for (auto const* id : {"x", "y"}) {
    chunks.vectors.append(chunks.graph.add_vertex(RecordType::retrieved_chunk, id, {}), TxId{chunks.tx}, axis(0),
                          model);
  }
  chunks.vectors.rollback();
  chunks.graph.rollback();
  --chunks.tx;
  // The numbers of x and y go to a chunk without embedding and to one whose row was that of x.
  auto const bare = chunks.bare_chunk("bare");
  auto const other = chunks.chunk("other", axis(0));
  std::array const both{bare, other};
  check_ids(chunks.ids({chunks.now(), axis(0), 9}), {"kept", "other"});
  check_ids(chunks.ids({chunks.now(), axis(0), 9, both}), {"other"});
  BOOST_TEST(chunks.vectors.size() == 2);
}

BOOST_AUTO_TEST_CASE(says_how_much_memory_it_takes) {
  Chunks chunks;
  BOOST_TEST(chunks.vectors.bytes() == 0);
  chunks.chunk("a", axis(0));
  chunks.chunk("b", axis(0));
  BOOST_TEST(chunks.vectors.bytes() == 2 * (384 * 4 + 8 + 4 + 8 + 8));
}

BOOST_AUTO_TEST_CASE(stops_where_the_interrupt_says_so) {
  Chunks chunks;
  std::vector<VertexId> all;
  chunks.begin();
  for (int i = 0; i < 5000; ++i) {
    all.push_back(chunks.graph.add_vertex(RecordType::retrieved_chunk, std::to_string(i), {}));
    chunks.vectors.append(all.back(), TxId{1}, axis(0), model);
  }
  chunks.vectors.publish();
  chunks.end();
  StopAtOnce const stop{schema::Stop::cancelled};
  for (auto const& among : {std::optional<std::span<VertexId const>>{}, {all}, {std::span{all}.first(3000)}}) {
    auto const found = chunks.vectors.nearest({chunks.now(), axis(0), 1, among, model}, stop);
    BOOST_REQUIRE(!found);
    BOOST_TEST((found.error().code == Errc::cancelled));
  }
}

BOOST_AUTO_TEST_CASE(products_have_the_same_bits_however_they_are_computed) {
  auto const seed = whence::test::seed_from_environment();
  std::mt19937_64 random{seed};
  for (std::size_t const length : {1, 15, 16, 17, 384, 1000, 1536, 8192}) {
    graph::impl::Rows rows{length};
    std::vector<Vector> same;
    for (std::uint32_t row = 0; row < 64; ++row) {
      auto vector = random_vector(random, length);
      // Sizes far apart, so that sums in another order would differ.
      for (float& each : vector) each = std::ldexp(each, static_cast<int>(random() % 200) - 120);
      rows.write(row, vector);
      same.push_back(vector);
    }
    auto const asked = graph::impl::padded_copy<double>(same[0]);
    std::vector<double> plain(same.size());
    std::vector<double> fastest(same.size());
    graph::impl::dot_products(rows[0], same.size(), rows.length(), asked.get(), plain.data());
    graph::impl::fastest_dot_products()(rows[0], same.size(), rows.length(), asked.get(), fastest.data());
    BOOST_TEST_CONTEXT("WHENCE_TEST_SEED=" << seed << " length " << length) {
      for (std::size_t i = 0; i < same.size(); ++i) {
        BOOST_TEST(plain[i] == naive_product(same[i], same[0]));
        BOOST_TEST(fastest[i] == plain[i]);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(searches_the_embeddings_of_one_model_and_dimension) {
  Chunks chunks;
  std::map<std::string, VertexId> made;
  auto const add = [&](std::string const& id, Vector const& vector, std::string_view of_model) {
    chunks.begin();
    made[id] = chunks.graph.add_vertex(RecordType::retrieved_chunk, id, {});
    chunks.vectors.append(made[id], TxId{chunks.tx}, vector, of_model);
    chunks.vectors.publish();
    chunks.end();
  };
  add("a", {1, 2}, "small");
  add("b", axis(0), "small");
  add("c", axis(0), "other");
  auto const before = chunks.now();
  add("d", {2, 4}, "small");
  Vector const two{1, 2};
  check_ids(chunks.ids({chunks.now(), two, 9, {}, "small"}), {"a", "d"});
  check_ids(chunks.ids({before, two, 9, {}, "small"}), {"a"});
  check_ids(chunks.ids({chunks.now(), axis(0), 9, {}, "small"}), {"b"});
  check_ids(chunks.ids({chunks.now(), axis(0), 9, {}, "other"}), {"c"});
  check_ids(chunks.ids({chunks.now(), two, 9, {}, "other"}), {});
  check_ids(chunks.ids({chunks.now(), two, 9, {}, "unknown"}), {});
  std::vector<VertexId> const all{made["a"], made["b"], made["c"], made["d"]};
  check_ids(chunks.ids({chunks.now(), axis(0), 9, all, "other"}), {"c"});
  using Sizes = std::vector<std::size_t>;
  BOOST_TEST((chunks.vectors.dimensions(chunks.now(), "small") == Sizes{2, dimension}));
  BOOST_TEST((chunks.vectors.dimensions(chunks.now().as_of(TxId{1}), "small") == Sizes{2}));
  BOOST_TEST((chunks.vectors.dimensions(chunks.now(), "unknown") == Sizes{}));
  BOOST_TEST(chunks.vectors.size() == 4);
}

BOOST_AUTO_TEST_CASE(forgets_the_rows_of_a_model_that_was_new_when_rolled_back) {
  Chunks chunks;
  auto const v = chunks.bare_chunk("a");
  chunks.vectors.append(v, TxId{chunks.tx}, axis(0), "gone");
  chunks.vectors.rollback();
  BOOST_TEST(chunks.vectors.dimensions(chunks.now(), "gone").empty());
  check_ids(chunks.ids({chunks.now(), axis(0), 9, {{&v, 1}}, "gone"}), {});
  chunks.embed(v, axis(1));
  check_ids(chunks.ids({chunks.now(), axis(0), 9}), {"a"});
}

BOOST_AUTO_TEST_CASE(has_room_for_a_thousand_spaces) {
  Chunks chunks;
  Vector const one{1};
  chunks.begin();
  for (std::size_t i = 0; i < schema::limits::embedding_spaces_max; ++i) {
    auto const id = std::to_string(i);
    BOOST_TEST_REQUIRE(chunks.vectors.has_room({{id, 1}, {id, 1}}));
    chunks.vectors.append(chunks.graph.add_vertex(RecordType::retrieved_chunk, id, {}), TxId{chunks.tx}, one, id);
  }
  chunks.vectors.publish();
  chunks.end();
  BOOST_TEST(chunks.vectors.has_room({{"7", 1}}));
  BOOST_TEST(!chunks.vectors.has_room({{"7", 1}, {"7", 2}}));
  check_ids(chunks.ids({chunks.now(), one, 9, {}, "999"}), {"999"});
}

namespace {

/// Sorts everything.
class VectorsOracle {
 public:
  struct Entry {
    VertexId vertex;
    std::string id;
    std::uint64_t from;
    std::uint64_t until;  ///< the transaction that deleted it
    Vector vector;
  };

  std::vector<Entry> entries = {};

  [[nodiscard]] std::vector<Match> nearest(graph::Nearest const& asked) const {
    auto const tx = number(asked.snapshot.tx());
    Vector const vector{asked.vector.begin(), asked.vector.end()};
    std::vector<std::pair<Match, std::string>> all;
    for (auto const& each : entries) {
      if (each.from > tx || each.until <= tx) continue;
      if (asked.among && std::count(asked.among->begin(), asked.among->end(), each.vertex) == 0) continue;
      all.push_back({{each.vertex, naive_similarity(each.vector, vector)}, each.id});
    }
    std::sort(all.begin(), all.end(), [](auto const& a, auto const& b) {
      return a.first.similarity != b.first.similarity ? a.first.similarity > b.first.similarity : a.second < b.second;
    });
    std::vector<Match> matches;
    for (std::size_t i = 0; i < std::min(asked.count, all.size()); ++i) matches.push_back(all[i].first);
    return matches;
  }
};

/// A random history: chunks of all kinds with and without embeddings, deleted, embedded later, rolled back.
struct RandomChunks {
  std::mt19937_64 random;
  Chunks chunks = {};
  VectorsOracle oracle = {};
  std::vector<VertexId> bare = {};
  std::vector<Vector> known = {};

  [[nodiscard]] Vector draw_vector() {
    switch (random() % 3) {
      case 0:
        return random_vector(random);
      case 1:
        if (!known.empty()) return known[random() % known.size()];
        [[fallthrough]];
      default:
        return random_simple_vector(random);
    }
  }
  void step() {
    auto const tx = chunks.tx + 1;
    auto const id = std::to_string(random());
    switch (random() % 8) {
      case 0:
        bare.push_back(chunks.bare_chunk(id));
        break;
      case 1:
        if (!bare.empty()) embed_bare(tx);
        break;
      case 2:
        if (!oracle.entries.empty()) hide_one(tx);
        break;
      case 3:
        append_and_take_back();
        break;
      default:
        known.push_back(draw_vector());
        oracle.entries.push_back({chunks.chunk(id, known.back()), id, tx, UINT64_MAX, known.back()});
    }
  }
  void embed_bare(std::uint64_t tx) {
    auto const v = bare.back();
    bare.pop_back();
    known.push_back(draw_vector());
    chunks.embed(v, known.back());
    oracle.entries.push_back({v, std::string{chunks.now().id(v)}, tx, UINT64_MAX, known.back()});
  }
  void hide_one(std::uint64_t tx) {
    auto& entry = oracle.entries[random() % oracle.entries.size()];
    if (entry.until != UINT64_MAX) return;
    chunks.hide(entry.vertex);
    entry.until = tx;
  }
  void append_and_take_back() {
    chunks.begin();
    for (int i = 0; i < 3; ++i) {
      auto const v = chunks.graph.add_vertex(RecordType::retrieved_chunk, "gone" + std::to_string(i), {});
      chunks.vectors.append(v, TxId{chunks.tx}, draw_vector(), model);
    }
    chunks.vectors.rollback();
    chunks.graph.rollback();
    --chunks.tx;
  }
  void compare() {
    auto const asked = draw_vector();
    auto const snapshot = chunks.now().as_of(TxId{chunks.tx - (random() % 2) * (random() % (chunks.tx + 1))});
    std::vector<VertexId> some;
    for (auto i = random() % 60; i > 0; --i) some.push_back(VertexId{static_cast<std::uint32_t>(random() % 500)});
    std::size_t const count = random() % 2 == 0 ? random() % 12 : random() % 600;
    for (auto const& among : {std::optional<std::span<VertexId const>>{}, {some}}) {
      graph::Nearest const question{snapshot, asked, count, among};
      auto const found = chunks.nearest(question);
      auto const expected = oracle.nearest(question);
      BOOST_TEST(found == expected, boost::test_tools::per_element());
    }
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(equals_brute_force_over_random_histories) {
  auto const first = whence::test::seed_from_environment();
  for (auto seed = first; seed < first + 10; ++seed) {
    BOOST_TEST_CONTEXT("WHENCE_TEST_SEED=" << seed) {
      RandomChunks history{.random = std::mt19937_64{seed}};
      for (int i = 0; i < 400; ++i) {
        history.step();
        if (i % 10 == 0) history.compare();
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(equals_brute_force_over_ten_thousand_vectors) {
  auto const seed = whence::test::seed_from_environment();
  std::mt19937_64 random{seed};
  Chunks chunks;
  VectorsOracle oracle;
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    auto const vector = i % 100 == 99 ? oracle.entries[i - 50].vector : random_vector(random);
    auto const id = std::to_string(random());
    oracle.entries.push_back({chunks.chunk(id, vector), id, i + 1, UINT64_MAX, vector});
  }
  BOOST_TEST_CONTEXT("WHENCE_TEST_SEED=" << seed) {
    for (int i = 0; i < 10; ++i) {
      auto const asked = i % 2 == 0 ? random_vector(random) : oracle.entries[random() % 10'000].vector;
      auto const snapshot = chunks.now().as_of(TxId{10'000 - random() % 5'000});
      graph::Nearest const question{snapshot, asked, 10};
      auto const found = chunks.nearest(question);
      auto const expected = oracle.nearest(question);
      BOOST_TEST(found == expected, boost::test_tools::per_element());
    }
  }
}

namespace {

constexpr std::uint64_t tx_count = 1500;

// Transaction n adds chunk n - 1 with a vector drawn from the seed n; every third attempt is taken back first, with
// vectors of other seeds. So at n the vector of m is found in chunk m - 1 where m <= n, and is nobody's otherwise.

Vector vector_of(std::uint64_t seed) {
  std::mt19937_64 random{seed};
  return random_vector(random);
}

void append_vectors(Chunks& chunks, std::uint64_t first_seed_of, int count) {
  for (int i = 0; i < count; ++i) {
    auto const id = std::to_string(first_seed_of) + "." + std::to_string(i);
    auto const v = chunks.graph.add_vertex(RecordType::retrieved_chunk, id, {});
    chunks.vectors.append(v, TxId{chunks.tx}, vector_of(first_seed_of + static_cast<std::uint64_t>(i)), model);
  }
}

bool is_found(std::vector<Match> const& found, std::uint64_t m) {
  return found.size() == 1 && found[0] == Match{VertexId{static_cast<std::uint32_t>(m - 1)}, 1.0};
}

bool is_sound(Chunks const& chunks, Snapshot const& snapshot, std::mt19937_64& random) {
  auto const n = number(snapshot.tx());
  auto const m = 1 + random() % (n + 2);
  auto const vector = vector_of(m);
  std::array const some{VertexId{static_cast<std::uint32_t>(n + 1)}, VertexId{static_cast<std::uint32_t>(m - 1)}};
  auto const all_found = chunks.nearest({snapshot, vector, 1});
  auto const some_found = chunks.nearest({snapshot, vector, 1, some});
  if (m <= n) return is_found(all_found, m) && is_found(some_found, m);
  return some_found.empty() && all_found.size() == std::min<std::size_t>(1, n) && !is_found(all_found, m);
}

}  // namespace

BOOST_AUTO_TEST_CASE(readers_find_whole_transactions_while_the_writer_appends) {
  Chunks chunks;
  std::atomic<bool> is_done = false;
  std::atomic<int> failures = 0;
  std::vector<std::thread> readers;
  for (std::uint64_t i = 0; i < 2; ++i) {
    readers.emplace_back([&, i] {
      std::mt19937_64 random{i};
      do {
        auto const now = chunks.graph.snapshot();
        if (!is_sound(chunks, now, random)) ++failures;
        if (!is_sound(chunks, now.as_of(TxId{number(now.tx()) / 2}), random)) ++failures;
      } while (!is_done.load());
    });
  }
  while (chunks.tx < tx_count) {
    chunks.begin();
    if (chunks.tx % 3 == 0) {
      append_vectors(chunks, 1'000'000 + chunks.tx, 3);
      chunks.vectors.rollback();
      chunks.graph.rollback();
      --chunks.tx;
      chunks.begin();
    }
    append_vectors(chunks, chunks.tx, 1);
    chunks.vectors.publish();
    chunks.end();
  }
  is_done = true;
  for (auto& reader : readers) reader.join();
  BOOST_TEST(failures == 0);
  BOOST_TEST(chunks.vectors.size() == tx_count);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace whence::test
