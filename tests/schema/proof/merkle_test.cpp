// The tree of a log against the recursive definitions of RFC 9162 (sections 2.1.1, 2.1.3, 2.1.4), written out plainly,
// for every size to 64, index and pair of sizes; against published values; and against proofs that are not the right
// ones.
#include "schema/proof/merkle.hpp"

#include "tests/support/seed.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using namespace schema;
using namespace schema::proof;

BOOST_AUTO_TEST_SUITE(merkle)

constexpr std::size_t size_max = 64;

std::string unhex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(std::string{hex.substr(i, 2)}, nullptr, 16)));
  }
  return bytes;
}

/// The largest power of two below `size`.
std::size_t split(std::size_t size) {
  std::size_t k = 1;
  while (2 * k < size) k *= 2;
  return k;
}

using Leaves = std::vector<Digest>;

Digest naive_root(Leaves const& leaves, std::size_t begin, std::size_t end) {
  if (begin == end) return sha256(std::string_view{});
  if (end - begin == 1) return leaves[begin];
  auto const k = begin + split(end - begin);
  return node_hash(naive_root(leaves, begin, k), naive_root(leaves, k, end));
}

std::vector<Digest> naive_path(Leaves const& leaves, std::size_t m, std::size_t begin, std::size_t end) {
  if (end - begin == 1) return {};
  auto const k = begin + split(end - begin);
  bool const is_left = m < k;
  auto path = is_left ? naive_path(leaves, m, begin, k) : naive_path(leaves, m, k, end);
  path.push_back(is_left ? naive_root(leaves, k, end) : naive_root(leaves, begin, k));
  return path;
}

std::vector<Digest> naive_subproof(Leaves const& leaves, std::size_t m, std::size_t begin, std::size_t end,
                                   bool is_known) {
  if (m == end) return is_known ? std::vector<Digest>{} : std::vector<Digest>{naive_root(leaves, begin, end)};
  auto const k = begin + split(end - begin);
  bool const is_left = m <= k;
  auto path = is_left ? naive_subproof(leaves, m, begin, k, is_known) : naive_subproof(leaves, m, k, end, false);
  path.push_back(is_left ? naive_root(leaves, k, end) : naive_root(leaves, begin, k));
  return path;
}

Leaves const& leaves() {
  static Leaves const made = [] {
    Leaves list;
    for (std::size_t i = 0; i < size_max; ++i) list.push_back(leaf_hash("leaf " + std::to_string(i)));
    return list;
  }();
  return made;
}

/// Of complete subtrees, and no others.
FindNode node_in(std::size_t size) {
  return [size](Subtree subtree) -> Result<Digest> {
    auto const begin = subtree.index << subtree.level;
    auto const end = (subtree.index + 1) << subtree.level;
    BOOST_TEST_REQUIRE(end <= size);
    return naive_root(leaves(), begin, end);
  };
}

// The leaves and the roots of their first trees are those of `testonly/constants.go` of transparency-dev/merkle.
BOOST_AUTO_TEST_CASE(roots_are_the_published_ones) {
  constexpr std::string_view inputs[] = {
      "", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"};
  constexpr std::string_view roots[] = {"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                                        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
                                        "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
                                        "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
                                        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
                                        "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
                                        "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
                                        "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
                                        "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"};
  Frontier frontier;
  for (std::size_t i = 0; i < std::size(inputs); ++i) {
    BOOST_TEST(to_hex(frontier.root()) == roots[i]);
    frontier.append(leaf_hash(unhex(inputs[i])));
  }
  BOOST_TEST(to_hex(frontier.root()) == roots[std::size(inputs)]);
}

// `rfc6962/rfc6962_test.go` of transparency-dev/merkle.
BOOST_AUTO_TEST_CASE(a_leaf_hashes_as_published) {
  BOOST_TEST(to_hex(leaf_hash("L123456")) == "395aa064aa4c29f7010acfe3f25db9485bbd4b91897b6ad7ad547639252b4d56");
}

BOOST_AUTO_TEST_CASE(appending_gives_the_roots_and_subtrees_of_the_definition) {
  Frontier frontier;
  std::map<Subtree, Digest> seen;
  for (std::size_t size = 0; size <= size_max; ++size) {
    BOOST_TEST_CONTEXT("size " << size) {
      BOOST_TEST(frontier.size() == size);
      BOOST_TEST(frontier.root() == naive_root(leaves(), 0, size));
      BOOST_TEST(root_of(size, node_in(size)).value() == frontier.root());
      auto const again = Frontier::restore(size, frontier.subtrees());
      BOOST_TEST_REQUIRE(again.has_value());
      BOOST_TEST(again->root() == frontier.root());
      if (size < size_max) {
        frontier.append(leaves()[size], [&](Subtree subtree, Digest const& hash) { seen.emplace(subtree, hash); });
      }
    }
  }
  std::size_t complete = 0;
  for (unsigned level = 0; level <= 6; ++level) complete += size_max >> level;
  BOOST_TEST(seen.size() == complete);
  for (auto const& each : seen) BOOST_TEST(node_in(size_max)(each.first).value() == each.second);
}

BOOST_AUTO_TEST_CASE(a_frontier_needs_a_hash_for_each_bit_of_its_size) {
  std::vector<Digest> const two(2);
  BOOST_TEST(Frontier::restore(3, two).has_value());
  BOOST_TEST(!Frontier::restore(4, two).has_value());
  BOOST_TEST(!Frontier::restore(7, two).has_value());
  std::vector<Digest> const all(64);
  BOOST_TEST(!Frontier::restore(~std::uint64_t{0}, all).has_value());
}

BOOST_AUTO_TEST_CASE(inclusion_proofs_are_those_of_the_definition_and_verify_at_their_place_alone) {
  for (std::size_t size = 1; size <= size_max; ++size) {
    auto const root = naive_root(leaves(), 0, size);
    for (std::size_t index = 0; index < size; ++index) {
      auto const proof = inclusion_proof(index, size, node_in(size)).value();
      BOOST_TEST_REQUIRE((proof == naive_path(leaves(), index, 0, size)));
      BOOST_TEST_REQUIRE(verify_inclusion(index, size, leaves()[index], proof, root));
      for (std::size_t other = 0; other < size; ++other) {
        if (other != index) BOOST_TEST_REQUIRE(!verify_inclusion(other, size, leaves()[index], proof, root));
      }
    }
    BOOST_TEST(inclusion_proof(size, size, node_in(size)).error().code == Errc::invalid_params);
  }
}

BOOST_AUTO_TEST_CASE(consistency_proofs_are_those_of_the_definition_and_verify) {
  for (std::size_t second = 1; second <= size_max; ++second) {
    for (std::size_t first = 1; first <= second; ++first) {
      auto const proof = consistency_proof(first, second, node_in(second)).value();
      BOOST_TEST_REQUIRE((proof == naive_subproof(leaves(), first, 0, second, true)));
      TreeHead const old{first, naive_root(leaves(), 0, first)};
      TreeHead const now{second, naive_root(leaves(), 0, second)};
      BOOST_TEST_REQUIRE(verify_consistency(old, now, proof));
      if (first < second) {
        BOOST_TEST_REQUIRE(!verify_consistency({first, now.root}, now, proof));
        BOOST_TEST_REQUIRE(!verify_consistency(old, {second, old.root}, proof));
        BOOST_TEST_REQUIRE(!verify_consistency({first + 1, old.root}, now, proof));
        BOOST_TEST_REQUIRE(!verify_consistency(now, old, proof));
      }
    }
    BOOST_TEST(consistency_proof(0, second, node_in(second)).error().code == Errc::invalid_params);
    BOOST_TEST(consistency_proof(second + 1, second, node_in(second)).error().code == Errc::invalid_params);
  }
}

BOOST_AUTO_TEST_CASE(proofs_that_were_tampered_with_do_not_verify) {
  auto const seed = seed_from_environment();
  BOOST_TEST_CONTEXT("seed " << seed) {
    std::mt19937_64 random(seed);
    auto const flip = [&](Digest& hash) { hash.bytes[random() % 32] ^= static_cast<std::uint8_t>(1U << random() % 8); };
    auto const spoil = [&](std::vector<Digest> proof) {
      auto const at = proof.empty() ? 0 : random() % proof.size();
      switch (random() % 5) {
        case 0:
          if (!proof.empty()) flip(proof[at]);
          break;
        case 1:
          if (!proof.empty()) proof.erase(proof.begin() + static_cast<std::ptrdiff_t>(at));
          break;
        case 2:
          proof.insert(proof.begin() + static_cast<std::ptrdiff_t>(at), leaves()[random() % size_max]);
          break;
        case 3:
          if (!proof.empty()) std::swap(proof[at], proof[random() % proof.size()]);
          break;
        default:
          proof.resize(65 + random() % 100);
      }
      return proof;
    };
    for (int turn = 0; turn < 5000; ++turn) {
      std::size_t const size = 1 + random() % size_max;
      std::size_t const index = random() % size;
      TreeHead const now{size, naive_root(leaves(), 0, size)};
      auto const path = naive_path(leaves(), index, 0, size);
      auto const spoilt = spoil(path);
      BOOST_TEST_REQUIRE(verify_inclusion(index, size, leaves()[index], spoilt, now.root) == (spoilt == path));
      TreeHead const old{index + 1, naive_root(leaves(), 0, index + 1)};
      auto const between = naive_subproof(leaves(), index + 1, 0, size, true);
      auto const broken = spoil(between);
      BOOST_TEST_REQUIRE(verify_consistency(old, now, broken) == (broken == between));
    }
  }
}

BOOST_AUTO_TEST_CASE(any_numbers_are_answered) {
  constexpr auto top = ~std::uint64_t{0};
  std::vector<Digest> const proof(64);
  BOOST_TEST(!verify_inclusion(top, top, {}, proof, {}));
  BOOST_TEST(!verify_inclusion(top - 1, top, {}, proof, {}));
  BOOST_TEST(!verify_inclusion(0, top, {}, proof, {}));
  BOOST_TEST(!verify_consistency({top - 1, {}}, {top, {}}, proof));
  BOOST_TEST(!verify_consistency({std::uint64_t{1} << 63U, {}}, {top, {}}, proof));
  BOOST_TEST(!verify_consistency({0, empty_root()}, {1, leaves()[0]}, {}));
  BOOST_TEST(verify_consistency({top, leaves()[0]}, {top, leaves()[0]}, {}));
  auto const any = [](Subtree) -> Result<Digest> { return Digest{}; };
  BOOST_TEST(inclusion_proof(0, top, any).value().size() == 64U);
  BOOST_TEST(consistency_proof(1, top, any).value().size() == 64U);
  auto const none = [](Subtree) -> Result<Digest> { return Error{.code = Errc::corrupt}; };
  BOOST_TEST(inclusion_proof(0, 2, none).error().code == Errc::corrupt);
  BOOST_TEST(consistency_proof(1, 2, none).error().code == Errc::corrupt);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
