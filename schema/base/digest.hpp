#pragma once
// SHA-256 (FIPS 180-4) of bytes and of streams, HMAC-SHA-256 (RFC 2104), and digests as values. Failures of OpenSSL are
// exceptions.

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace whence::schema {

struct Digest {
  std::array<std::uint8_t, 32> bytes = {};

  friend auto operator<=>(Digest const&, Digest const&) = default;
};

[[nodiscard]] Digest sha256(std::span<std::byte const> bytes);
[[nodiscard]] Digest sha256(std::string_view text);

/// The digest of the parts one after the other.
[[nodiscard]] Digest sha256(std::initializer_list<std::span<std::byte const>> parts);

/// A secret of 32 bytes.
struct SecretKey {
  std::array<std::uint8_t, 32> bytes = {};

  friend bool operator==(SecretKey const&, SecretKey const&) = default;
};

/// A fresh random one.
[[nodiscard]] SecretKey make_secret_key();

/// HMAC-SHA-256. Who has no key can neither compute it nor try a guess of `text` against it.
[[nodiscard]] Digest hmac_sha256(SecretKey const& key, std::string_view text);

/// The digest of bytes that come piece by piece.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256 const&) = delete;
  Sha256& operator=(Sha256 const&) = delete;

  void update(std::string_view bytes);
  /// Of everything so far; nothing may follow.
  [[nodiscard]] Digest finish();

 private:
  struct Context;  // OpenSSL's
  std::unique_ptr<Context> context_;
};

/// 64 lower-case hex digits.
[[nodiscard]] std::string to_hex(Digest const& digest);

/// Reads what `to_hex` writes, and nothing else.
[[nodiscard]] std::optional<Digest> digest_from_hex(std::string_view hex) noexcept;

std::ostream& operator<<(std::ostream& out, Digest const& digest);

}  // namespace whence::schema
