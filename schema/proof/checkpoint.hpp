#pragma once
// Checkpoints (C2SP tlog-checkpoint): the text of a signed note that says how large a log's tree is, and its root.

#include "schema/base/error.hpp"
#include "schema/proof/merkle.hpp"
#include "schema/proof/signed_note.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace whence::schema::proof {

/// What a log says of its tree.
struct Checkpoint {
  std::string origin;  ///< which log it is; the name of its keys
  TreeHead tree = {};
  std::string extensions = {};  ///< further lines, each with its newline: signed, and of no meaning here

  friend bool operator==(Checkpoint const&, Checkpoint const&) = default;
};

/// The text that is signed: origin, size and root, each with its newline.
[[nodiscard]] std::string format_checkpoint(Checkpoint const& checkpoint);

/// Reads what `format_checkpoint` writes, and nothing else, with sizes up to 2^53 - 1 and no empty line. Fails with
/// `parse_error`.
[[nodiscard]] Result<Checkpoint> parse_checkpoint(std::string_view text);

/// The size of a tree, or an index: decimal digits without leading zeros, at most 2^53 - 1.
[[nodiscard]] std::optional<std::uint64_t> parse_size(std::string_view text);

/// A root in base64 with padding, as checkpoints and proofs write hashes.
[[nodiscard]] std::string format_hash(Digest const& hash);
/// Reads what `format_hash` writes, and nothing else.
[[nodiscard]] std::optional<Digest> parse_hash(std::string_view text);

/// A checkpoint that its log signed.
struct VerifiedCheckpoint {
  Checkpoint checkpoint;
  std::vector<VerifiedSignature> signatures = {};  ///< of all keys that were given
};

/// Reads and verifies a checkpoint. Fails with `parse_error` where it is none, and with `forbidden` where a signature
/// by a key that was given does not hold, or none of these keys is the log's: of type Ed25519 with the origin as its
/// name.
[[nodiscard]] Result<VerifiedCheckpoint> verify_checkpoint(std::string_view note, std::span<VerifierKey const> keys);

/// The text by which a log's key hands over to `next`: the checkpoint with a line `key VKEY`.
[[nodiscard]] std::string format_key_change(Checkpoint checkpoint, VerifierKey const& next);

/// The key to which one of `keys` hands over in `note`: a checkpoint that `verify_checkpoint` takes, whose one further
/// line is `key VKEY`, of an Ed25519 key with the origin as its name.
[[nodiscard]] std::optional<VerifierKey> find_next_key(std::string_view note, std::span<VerifierKey const> keys);

}  // namespace whence::schema::proof
