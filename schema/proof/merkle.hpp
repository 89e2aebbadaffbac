#pragma once
// The Merkle tree of a log (RFC 6962, section 2.1; RFC 9162, section 2.1): its hashes, appending, proofs and their
// verification. Pure functions of hashes: where they are kept is the caller's business.

#include "schema/base/digest.hpp"
#include "schema/base/error.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace whence::schema::proof {

/// SHA-256 of a byte 0 and the leaf's bytes.
[[nodiscard]] Digest leaf_hash(std::string_view line);

/// SHA-256 of a byte 1 and both hashes.
[[nodiscard]] Digest node_hash(Digest const& left, Digest const& right);

/// The root of the tree without leaves: SHA-256 of nothing.
[[nodiscard]] Digest empty_root();

/// A perfect subtree: the 2^level leaves from index * 2^level on. Level 0 are the leaves.
struct Subtree {
  unsigned level = 0;  ///< at most 63
  std::uint64_t index = 0;

  friend auto operator<=>(Subtree const&, Subtree const&) = default;
};

/// More hashes than any proof has: one side of the tree for each bit of a size.
inline constexpr std::size_t proof_hashes_max = 64;

/// What appending needs of a tree: the hashes of the perfect subtrees that it falls into, the largest first, one for
/// each bit that is set in its size. One thread at a time.
class Frontier {
 public:
  Frontier() = default;

  /// So that each level has its place. No life is long enough to append as many leaves.
  static constexpr std::uint64_t size_max = (std::uint64_t{1} << 63U) - 1;

  /// The frontier of a tree of `size` leaves, at most `size_max`, whose perfect subtrees have these hashes, the largest
  /// first; nothing where their number is not that of the bits set in `size`, or `size` is larger.
  [[nodiscard]] static std::optional<Frontier> restore(std::uint64_t size, std::span<Digest const> subtrees);

  /// Appends a leaf. Calls `visit(Subtree, Digest const&)` for each subtree that is complete by it: the leaf, then
  /// those that it ends, the smallest first. Amortised one hash for each leaf.
  template <class Visit>
  void append(Digest const& leaf, Visit const& visit) {
    Digest hash = leaf;
    Subtree subtree{.level = 0, .index = size_};
    visit(subtree, static_cast<Digest const&>(hash));
    for (; (subtree.index & 1U) != 0; subtree.index >>= 1U) {
      hash = node_hash(hashes_[subtree.level], hash);
      ++subtree.level;
      visit(Subtree{.level = subtree.level, .index = subtree.index >> 1U}, static_cast<Digest const&>(hash));
    }
    hashes_[subtree.level] = hash;
    ++size_;
  }
  void append(Digest const& leaf) {
    append(leaf, [](Subtree, Digest const&) {});
  }

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  /// At most 63 hashes are made.
  [[nodiscard]] Digest root() const;
  /// The largest first.
  [[nodiscard]] std::vector<Digest> subtrees() const;

 private:
  std::uint64_t size_ = 0;
  std::array<Digest, 64> hashes_ = {};  ///< by level; those of the bits of `size_` hold
};

/// Gives the hash of a perfect subtree that is within the tree.
using FindNode = std::function<Result<Digest>(Subtree)>;

/// The root of the first `size` leaves. At most 64 calls of `node`, whose errors it returns.
[[nodiscard]] Result<Digest> root_of(std::uint64_t size, FindNode const& node);

/// The hashes that lead from leaf `index` to the root of the first `size` leaves, from the bottom up (RFC 9162, 2.1.3).
/// Fails with `invalid_params` where `index` is not below `size`, and with the errors of `node`, which is called at
/// most 128 times.
[[nodiscard]] Result<std::vector<Digest>> inclusion_proof(std::uint64_t index, std::uint64_t size,
                                                          FindNode const& node);

/// The hashes that show that the first `first` leaves of the tree of `second` are the tree of `first` (RFC
/// 9162, 2.1.4); none where `first` is 0 or `second`. Fails with `invalid_params` where `first` is above `second`, and
/// with the errors of `node`, which is called at most 128 times.
[[nodiscard]] Result<std::vector<Digest>> consistency_proof(std::uint64_t first, std::uint64_t second,
                                                            FindNode const& node);

/// Whether `proof` leads from the leaf's hash at `index` to `root`. Any input is fine; at most 128 hashes are made.
[[nodiscard]] bool verify_inclusion(std::uint64_t index, std::uint64_t size, Digest const& leaf,
                                    std::span<Digest const> proof, Digest const& root);

/// A tree as a checkpoint says it.
struct TreeHead {
  std::uint64_t size = 0;
  Digest root = {};

  friend bool operator==(TreeHead const&, TreeHead const&) = default;
};

/// Whether `proof` shows that the second tree begins with the first. Any input is fine; at most 128 hashes are made. Of
/// an empty tree there is nothing to show.
[[nodiscard]] bool verify_consistency(TreeHead const& first, TreeHead const& second, std::span<Digest const> proof);

}  // namespace whence::schema::proof
