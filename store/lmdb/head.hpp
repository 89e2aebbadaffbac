#pragma once
// The head: the one record of the `meta` table, which identifies the store and the end of its log.

#include "schema/base/digest.hpp"
#include "schema/base/ids.hpp"
#include "store/rows/bytes.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace whence::store {

inline constexpr std::uint64_t head_key = 0;  ///< of `meta`; dictionaries have the numbers above it

using Epoch = std::array<std::uint8_t, 16>;

/// The format of every byte of a store; README.md has its history. New stores have the last; those from the oldest on
/// are read and written in their own.
inline constexpr unsigned format_version = 4;
inline constexpr unsigned format_version_oldest = 4;

/// Written again in every commit, under its own checksum: without it the last log entry would be covered by no hash,
/// and without LMDB's number in it a damaged root pointer in the newer meta page could lead to the whole and consistent
/// state of an earlier commit, where every hash holds. LMDB's copies count from 1 again, so a backup writes its head
/// anew.
struct Head {
  unsigned format = format_version;
  Epoch epoch = {};
  schema::TxId tx = schema::TxId{0};
  schema::Digest leaf = {};  ///< leaf hash of entry `tx`; while the log is empty, its key of made ids
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;
  std::uint64_t kept_answers = 0;
  std::uint64_t revisions = 0;
  std::uint64_t blobs = 0;
  /// The last transaction that purged something since the file was written anew; 0: none. Dictionaries and the rests of
  /// pages may have bytes of what was purged.
  schema::TxId purged_in = schema::TxId{0};
  /// LMDB's number of the transaction that wrote this; set by `write_head`. 0 in the journal.
  std::uint64_t written_in = 0;

  friend bool operator==(Head const&, Head const&) = default;
};

[[nodiscard]] Bytes encode(Head const& head);

/// The format version in the head `bytes`: every format begins with its mark. Nothing where there is no mark.
[[nodiscard]] std::optional<unsigned> find_format_version(std::span<std::byte const> bytes);

/// Nothing where the bytes are no head of a format known here or the checksum does not hold.
[[nodiscard]] std::optional<Head> decode_head(std::span<std::byte const> bytes);

/// A fresh random epoch (UUID version 4).
[[nodiscard]] Epoch make_epoch();

/// The epoch as UUID text.
[[nodiscard]] std::string to_text(Epoch const& epoch);

}  // namespace whence::store
