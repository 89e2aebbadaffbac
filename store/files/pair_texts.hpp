#pragma once
// The values of paired files: their names, their paths and their texts.

#include "schema/base/digest.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace whence::store {

/// Which pair, by ids as the client gave them: 1 to 255 bytes of UTF-8.
struct PairName {
  std::string folder;  ///< the user
  std::string name;    ///< the discussion
};

/// Where a pair is: paths relative to the configured folder, `/` between folder and file.
struct PairPaths {
  std::string json;
  std::string markdown;

  friend bool operator==(PairPaths const&, PairPaths const&) = default;
};

struct PairTexts {
  std::string json;
  std::string markdown;
  bool is_edited = false;  ///< holds what somebody edited: what `FoundPair::written` says of JSON stays

  friend bool operator==(PairTexts const&, PairTexts const&) = default;
};

/// The digests of both texts.
struct PairDigests {
  schema::Digest json;
  schema::Digest markdown;
};

/// The texts on disk; nothing where a file is missing.
struct FoundPair {
  std::optional<std::string> json;
  std::optional<std::string> markdown;
  /// What was written last; nothing where this process does not know it.
  std::optional<PairDigests> written = {};

  /// The texts alone.
  friend bool operator==(FoundPair const& one, FoundPair const& other) {
    return one.json == other.json && one.markdown == other.markdown;
  }
};

/// Longest text of one file, written or read.
inline constexpr std::size_t paired_file_bytes_max = std::size_t{256} << 20;

}  // namespace whence::store
