#pragma once
// A group of transactions as the nodes of a replicated log hand it to each other (shared_group.capnp).

#include "schema/base/digest.hpp"
#include "schema/base/error.hpp"
#include "schema/base/ids.hpp"
#include "schema/stored/codec.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace whence::schema::stored {

/// What a group puts into a store's tables. Views: of the writer's storage, or of the bytes that were decoded.
struct SharedGroup {
  using Bytes = std::span<std::byte const>;
  struct Transaction {
    Bytes entry;  ///< whole words
    Bytes block;  ///< whole words
  };
  struct Content {
    std::uint64_t key;
    Bytes words;  ///< whole words
  };
  struct Answer {
    Digest key;
    Bytes value;
  };

  std::array<std::uint8_t, 16> epoch = {};
  TxId base = TxId{0};   ///< the head before the group
  Digest previous = {};  ///< leaf hash of the entry `base`
  std::vector<Transaction> transactions = {};
  std::vector<Content> contents = {};
  std::vector<Content> revised = {};
  std::vector<std::uint64_t> gone = {};
  std::vector<Digest> removed_blobs = {};
  std::vector<Bytes> blobs = {};
  std::vector<Answer> answers = {};

  /// The head after the group.
  [[nodiscard]] TxId head() const noexcept { return TxId{number(base) + transactions.size()}; }
};

/// The canonical words, and behind them their SHA-256: no hash of the log covers blobs and answers. O(group).
[[nodiscard]] Words encode(SharedGroup const& group);

/// Calls `visit` with the group of `bytes`, whose views hold until it returns, and returns what `visit` does. Fails
/// with `corrupt` on anything that `encode` did not write. Never reads out of bounds. O(size of `bytes`).
[[nodiscard]] Result<void> decode_shared_group(std::span<std::byte const> bytes,
                                               std::function<Result<void>(SharedGroup const&)> const& visit);

}  // namespace whence::schema::stored
