#pragma once
// Signed notes (C2SP signed-note) with Ed25519 (RFC 8032): keys, signing, reading, verifying. Failures of OpenSSL are
// exceptions.

#include "schema/base/error.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace whence::schema::proof {

inline constexpr std::size_t note_bytes_max = 1 << 20;
inline constexpr std::size_t note_signatures_max = 100;

/// Whether `name` may name a key: UTF-8, not empty, without Unicode spaces, control characters and `+`.
[[nodiscard]] bool is_key_name(std::string_view name) noexcept;

/// What a signature is of (C2SP signed-note, "signature types").
enum class SignatureType : std::uint8_t {
  ed25519 = 1,      ///< of the note's text
  cosignature = 4,  ///< of a checkpoint with the time at which a witness saw it (C2SP tlog-cosignature)
};

/// A public key with its name, as those who verify are given it.
struct VerifierKey {
  std::string name;
  SignatureType type = SignatureType::ed25519;
  std::array<std::uint8_t, 32> key = {};

  /// The first four bytes of SHA-256 of the name, a newline, the type and the key.
  [[nodiscard]] std::uint32_t id() const;
  /// `NAME+8 hex digits+base64`.
  [[nodiscard]] std::string text() const;
  /// Reads what `text` writes, and nothing else; other errors are `invalid_params`, also for an id that is not the
  /// key's.
  [[nodiscard]] static Result<VerifierKey> parse(std::string_view text);

  friend bool operator==(VerifierKey const&, VerifierKey const&) = default;
};

/// A signature as a note carries it.
struct NoteSignature {
  std::string name;  ///< of the key
  std::uint32_t key_id = 0;
  std::string bytes = {};  ///< what the type of the key wants; 64 bytes for Ed25519

  friend bool operator==(NoteSignature const&, NoteSignature const&) = default;
};

/// A text with the signatures that came with it, not yet verified.
struct SignedNote {
  std::string text;  ///< ends in a newline
  std::vector<NoteSignature> signatures = {};

  friend bool operator==(SignedNote const&, SignedNote const&) = default;
};

/// The bytes of a note.
[[nodiscard]] std::string format_note(SignedNote const& note);

/// Reads what `format_note` writes, and nothing else: at most `note_bytes_max` bytes of UTF-8 without control
/// characters (below U+0020) but newlines, with 1 to `note_signatures_max` signatures in base64 with padding. Fails
/// with `parse_error`.
[[nodiscard]] Result<SignedNote> parse_note(std::string_view bytes);

/// A signature that holds.
struct VerifiedSignature {
  std::size_t key = 0;                       ///< its place in the keys given
  std::optional<std::uint64_t> time_s = {};  ///< of a cosignature: seconds since 1970 at which the witness saw the tree

  friend bool operator==(VerifiedSignature const&, VerifiedSignature const&) = default;
};

/// The signatures by the keys given, in the note's order; others are ignored. Fails with `forbidden` where there is
/// none, or where one of them does not hold. Of keys with one name and id the first counts.
[[nodiscard]] Result<std::vector<VerifiedSignature>> verify_note(SignedNote const& note,
                                                                 std::span<VerifierKey const> keys);

/// Whether `signature` is that of `message` by the key. Strict (RFC 8032, 5.1.7): S is below the order of the group,
/// the key and R are points in their one form, and the equation holds without the cofactor. OpenSSL alone would take a
/// key in another form.
[[nodiscard]] bool verify_ed25519(std::span<std::uint8_t const, 32> key, std::string_view message,
                                  std::string_view signature);

/// A private key with its name. Its text is a secret: it goes into a file that its owner alone reads.
class SigningKey {
 public:
  /// Of 32 random bytes. Fails with `invalid_params` for what is no name of a key.
  [[nodiscard]] static Result<SigningKey> make(std::string name, std::array<std::uint8_t, 32> const& seed,
                                               SignatureType type = SignatureType::ed25519);

  /// `PRIVATE+KEY+NAME+8 hex digits+base64`, as other programs for signed notes write it.
  [[nodiscard]] std::string text() const;
  /// Reads what `text` writes, and nothing else. The message of the error has nothing of the text.
  [[nodiscard]] static Result<SigningKey> parse(std::string_view text);

  [[nodiscard]] VerifierKey const& verifier() const noexcept { return verifier_; }

  /// The signature of a text that ends in a newline; `time_s` is signed along by a cosignature and else of no effect.
  [[nodiscard]] NoteSignature sign(std::string_view text, std::uint64_t time_s = 0) const;

 private:
  SigningKey(VerifierKey verifier, std::array<std::uint8_t, 32> const& seed);

  VerifierKey verifier_;
  std::array<std::uint8_t, 32> seed_;
};

}  // namespace whence::schema::proof
