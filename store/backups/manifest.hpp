#pragma once
// What a backup set has: the text of its file `manifest`.

#include "schema/base/digest.hpp"
#include "schema/base/error.hpp"
#include "schema/base/ids.hpp"
#include "schema/base/time.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace whence::store {

/// The copy of the whole store with which a set begins.
struct BaseEntry {
  schema::TxId tx = schema::TxId{0};
  schema::Digest leaf = {};  ///< of the entry `tx`
  schema::Time at = {};      ///< when that was committed; the epoch of time where there is none
  std::uint64_t bytes = 0;
  schema::Digest sha256 = {};  ///< of its data file
};

/// A file with the transactions `from` to `to`.
struct SegmentEntry {
  schema::TxId from = schema::TxId{0};
  schema::TxId to = schema::TxId{0};
  schema::Time first = {};   ///< when `from` was committed
  schema::Time last = {};    ///< when `to` was
  std::uint64_t purged = 0;  ///< vertices whose contents its transactions purged
  schema::Digest leaf = {};  ///< of the entry `to`
  std::uint64_t bytes = 0;
  schema::Digest sha256 = {};

  /// The name of its file.
  [[nodiscard]] std::string name() const;
};

/// A set: a base, and segments that follow it without a gap.
struct Manifest {
  std::string epoch = {};     ///< of the store, as text
  schema::Time created = {};  ///< when the base was made
  schema::Time updated = {};  ///< when the last backup was made
  BaseEntry base = {};
  std::vector<SegmentEntry> segments = {};

  [[nodiscard]] schema::TxId last() const noexcept { return segments.empty() ? base.tx : segments.back().to; }
  [[nodiscard]] schema::Digest leaf() const noexcept { return segments.empty() ? base.leaf : segments.back().leaf; }
  /// When the last transaction was committed.
  [[nodiscard]] schema::Time last_at() const noexcept { return segments.empty() ? base.at : segments.back().last; }
};

inline constexpr char const* manifest_name = "manifest";
inline constexpr char const* base_name = "base";  ///< the directory of the copy, in that of its set
/// A set has no more; a new base begins then.
inline constexpr std::size_t segments_max = 100'000;

/// Lines of text, the last of which is the SHA-256 of those before.
[[nodiscard]] std::string to_text(Manifest const& manifest);

/// Fails with `corrupt`, naming the line and what is wrong with it, on anything that `to_text` does not write, on
/// segments that do not follow each other among them.
[[nodiscard]] Result<Manifest> parse_manifest(std::string_view text);

/// Reads the manifest of the set in `directory`, which is no link: fails as `parse_manifest`, naming the file, and with
/// `not_found`. Throws std::system_error.
[[nodiscard]] Result<Manifest> read_manifest(std::filesystem::path const& directory);

/// Writes it, in place of an older one, whole or not at all. Throws std::system_error.
void write_manifest(std::filesystem::path const& directory, Manifest const& manifest);

}  // namespace whence::store
