// The recursive definitions of RFC 9162 as loops: each turn goes one level down, so that there are at most 64.
#include "schema/proof/merkle.hpp"

#include <algorithm>
#include <bit>

namespace whence::schema::proof {
namespace {

constexpr std::array leaf_mark{std::byte{0}};
constexpr std::array node_mark{std::byte{1}};

std::span<std::byte const> bytes_of(Digest const& digest) {
  return std::as_bytes(std::span{digest.bytes});
}

/// The largest power of two below `size`, which is at least 2.
std::uint64_t split_of(std::uint64_t size) {
  return std::bit_floor(size - 1);
}

/// The root of the leaves from `begin` on to before `end`, of which there are some. `begin` is a multiple of a power of
/// two that is not below their number, so that they fall into perfect subtrees.
Result<Digest> root_between(std::uint64_t begin, std::uint64_t end, FindNode const& node) {
  std::optional<Digest> right;
  // From the smallest subtree, which is the last, to the largest.
  for (std::uint64_t rest = end - begin; rest != 0; rest &= rest - 1) {
    auto const level = static_cast<unsigned>(std::countr_zero(rest));
    auto const hash = node({.level = level, .index = (begin + rest - (rest & (~rest + 1))) >> level});
    if (!hash) return hash;
    right = right ? node_hash(*hash, *right) : *hash;
  }
  return right.value_or(empty_root());
}

/// Where a proof leads to from a node.
struct Climbed {
  Digest root;
  Digest old_root;  ///< of the tree that ends with the node
};

/// `last` is the last node at the level of `index`. Nothing where the proof is too long or too short.
std::optional<Climbed> climb(std::uint64_t index, std::uint64_t last, Digest const& start,
                             std::span<Digest const> proof) {
  Climbed at{.root = start, .old_root = start};
  for (Digest const& other : proof) {
    if (last == 0) return std::nullopt;
    if ((index & 1U) != 0 || index == last) {
      at = {.root = node_hash(other, at.root), .old_root = node_hash(other, at.old_root)};
      while ((index & 1U) == 0 && index != 0) {
        index >>= 1U;
        last >>= 1U;
      }
    } else {
      at.root = node_hash(at.root, other);
    }
    index >>= 1U;
    last >>= 1U;
  }
  if (last != 0) return std::nullopt;
  return at;
}

Error out_of_range(char const* what) {
  return {.code = Errc::invalid_params, .message = what};
}

}  // namespace

Digest leaf_hash(std::string_view line) {
  return sha256({leaf_mark, std::as_bytes(std::span{line})});
}

Digest node_hash(Digest const& left, Digest const& right) {
  return sha256({node_mark, bytes_of(left), bytes_of(right)});
}

Digest empty_root() {
  return sha256(std::string_view{});
}

std::optional<Frontier> Frontier::restore(std::uint64_t size, std::span<Digest const> subtrees) {
  if (size > size_max || subtrees.size() != static_cast<std::size_t>(std::popcount(size))) return std::nullopt;
  Frontier frontier;
  frontier.size_ = size;
  for (std::uint64_t rest = size; rest != 0; subtrees = subtrees.subspan(1)) {
    auto const largest = std::bit_floor(rest);
    frontier.hashes_[static_cast<std::size_t>(std::countr_zero(largest))] = subtrees.front();
    rest ^= largest;
  }
  return frontier;
}

Digest Frontier::root() const {
  std::optional<Digest> right;
  for (std::uint64_t rest = size_; rest != 0; rest &= rest - 1) {
    Digest const& hash = hashes_[static_cast<std::size_t>(std::countr_zero(rest))];
    right = right ? node_hash(hash, *right) : hash;
  }
  return right.value_or(empty_root());
}

std::vector<Digest> Frontier::subtrees() const {
  std::vector<Digest> subtrees;
  for (std::uint64_t rest = size_; rest != 0; rest ^= std::bit_floor(rest)) {
    subtrees.push_back(hashes_[static_cast<std::size_t>(std::countr_zero(std::bit_floor(rest)))]);
  }
  return subtrees;
}

Result<Digest> root_of(std::uint64_t size, FindNode const& node) {
  return root_between(0, size, node);
}

Result<std::vector<Digest>> inclusion_proof(std::uint64_t index, std::uint64_t size, FindNode const& node) {
  if (index >= size) return out_of_range("the index of a leaf is below the size of the tree");
  std::vector<Digest> proof;
  std::uint64_t begin = 0;
  std::uint64_t end = size;
  while (end - begin > 1) {
    auto const middle = begin + split_of(end - begin);
    bool const is_left = index < middle;
    auto const other = is_left ? root_between(middle, end, node) : root_between(begin, middle, node);
    if (!other) return other.error();
    proof.push_back(*other);
    (is_left ? end : begin) = middle;
  }
  std::ranges::reverse(proof);
  return proof;
}

Result<std::vector<Digest>> consistency_proof(std::uint64_t first, std::uint64_t second, FindNode const& node) {
  if (first == 0 || first > second) return out_of_range("the first size is at least 1 and at most the second");
  std::vector<Digest> proof;
  std::uint64_t begin = 0;
  std::uint64_t end = second;
  while (end != first) {
    auto const middle = begin + split_of(end - begin);
    bool const is_left = first <= middle;
    auto const other = is_left ? root_between(middle, end, node) : root_between(begin, middle, node);
    if (!other) return other.error();
    proof.push_back(*other);
    (is_left ? end : begin) = middle;
  }
  if (begin != 0) {  // else what is left is the first tree, whose root the verifier has
    auto const last = root_between(begin, end, node);
    if (!last) return last.error();
    proof.push_back(*last);
  }
  std::ranges::reverse(proof);
  return proof;
}

bool verify_inclusion(std::uint64_t index, std::uint64_t size, Digest const& leaf, std::span<Digest const> proof,
                      Digest const& root) {
  if (index >= size) return false;
  auto const climbed = climb(index, size - 1, leaf, proof);
  return climbed && climbed->root == root;
}

bool verify_consistency(TreeHead const& first, TreeHead const& second, std::span<Digest const> proof) {
  if (first.size == 0 || first.size > second.size) return false;
  if (first.size == second.size) return proof.empty() && first.root == second.root;
  // Of a perfect first tree its root is where the way up begins, else what the proof begins with.
  Digest start = first.root;
  if (!std::has_single_bit(first.size)) {
    if (proof.empty()) return false;
    start = proof.front();
    proof = proof.subspan(1);
  }
  auto const height = std::countr_one(first.size - 1);
  auto const climbed = climb((first.size - 1) >> height, (second.size - 1) >> height, start, proof);
  return climbed && climbed->old_root == first.root && climbed->root == second.root;
}

}  // namespace whence::schema::proof
