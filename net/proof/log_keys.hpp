#pragma once
// The keys by which a log signs its checkpoints, in a file that its owner alone reads.

#include "schema/base/time.hpp"
#include "schema/proof/signed_note.hpp"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::net {

/// Earlier keys that the file names; the oldest is left out first.
inline constexpr std::size_t earlier_keys_max = 100;

/// A key before the present one.
struct EarlierKey {
  schema::proof::VerifierKey key;
  schema::Time until;                                    ///< it signs up to then
  std::optional<schema::proof::SigningKey> secret = {};  ///< while it signs
};

/// The keys of a log.
///
/// Invariant: only the newest of the earlier keys has its secret.
struct LogKeys {
  schema::proof::SigningKey current;
  std::vector<EarlierKey> earlier = {};  ///< newest first

  /// The earlier key that still signs at `now`; null where there is none.
  [[nodiscard]] EarlierKey const* find_signing(schema::Time now) const noexcept;
  /// Forgets a secret whose time is over. Whether there was one.
  bool drop_expired(schema::Time now);
  /// The text with a signature of each key that signs at `now`.
  [[nodiscard]] std::string sign(std::string text, schema::Time now) const;
  /// The keys after a change to `next`: the present one signs until `until`, the one before it not any more.
  [[nodiscard]] LogKeys changed_to(schema::proof::SigningKey next, schema::Time until) const;
};

/// A new key, called `name`. Throws std::runtime_error where that is no name of a key.
[[nodiscard]] schema::proof::SigningKey fresh_key(std::string const& name);

/// The keys in the file `path`, which is made with a fresh key called `name` where there is none. Throws
/// std::runtime_error where it has none, std::system_error.
[[nodiscard]] LogKeys open_keys(std::filesystem::path const& path, std::string const& name);

/// Makes the file anew. Throws std::system_error.
void write_keys(std::filesystem::path const& path, LogKeys const& keys);

}  // namespace whence::net
