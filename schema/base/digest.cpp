// SHA-256 by OpenSSL's EVP interface. Failures of the library (out of memory, no provider) are exceptions.
#include "schema/base/digest.hpp"

#include "schema/encoding/hex.hpp"

#include <algorithm>
#include <ostream>
#include <stdexcept>

#include <openssl/evp.h>
#include <openssl/rand.h>

namespace whence::schema {
namespace {

struct MdDeleter {
  void operator()(EVP_MD* algorithm) const noexcept { EVP_MD_free(algorithm); }
  void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
};

void require(bool is_fine, char const* call) {
  if (!is_fine) throw std::runtime_error(std::string{"OpenSSL: "} + call + " failed");
}

/// Fetched once: looking the algorithm up costs more than hashing a record.
EVP_MD const* algorithm() {
  static std::unique_ptr<EVP_MD, MdDeleter> const fetched{EVP_MD_fetch(nullptr, "SHA256", nullptr)};
  require(fetched != nullptr, "EVP_MD_fetch");
  return fetched.get();
}

}  // namespace

Digest sha256(std::span<std::byte const> bytes) {
  return sha256({bytes});
}

Digest sha256(std::string_view text) {
  return sha256(std::as_bytes(std::span{text}));
}

Digest sha256(std::initializer_list<std::span<std::byte const>> parts) {
  thread_local std::unique_ptr<EVP_MD_CTX, MdDeleter> const context{EVP_MD_CTX_new()};
  require(context != nullptr, "EVP_MD_CTX_new");
  require(EVP_DigestInit_ex2(context.get(), algorithm(), nullptr) == 1, "EVP_DigestInit_ex2");
  for (auto const part : parts) {
    require(EVP_DigestUpdate(context.get(), part.data(), part.size()) == 1, "EVP_DigestUpdate");
  }
  Digest result;
  require(EVP_DigestFinal_ex(context.get(), result.bytes.data(), nullptr) == 1, "EVP_DigestFinal_ex");
  return result;
}

SecretKey make_secret_key() {
  SecretKey key;
  require(RAND_bytes(key.bytes.data(), static_cast<int>(key.bytes.size())) == 1, "RAND_bytes");
  return key;
}

Digest hmac_sha256(SecretKey const& key, std::string_view text) {
  constexpr std::size_t block_bytes = 64;
  std::array<std::uint8_t, block_bytes> inner = {};
  std::ranges::copy(key.bytes, inner.begin());
  auto outer = inner;
  for (auto& byte : inner) byte ^= 0x36;
  for (auto& byte : outer) byte ^= 0x5c;
  auto const digest = sha256({std::as_bytes(std::span{inner}), std::as_bytes(std::span{text})});
  return sha256({std::as_bytes(std::span{outer}), std::as_bytes(std::span{digest.bytes})});
}

struct Sha256::Context {
  std::unique_ptr<EVP_MD_CTX, MdDeleter> value{EVP_MD_CTX_new()};
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  require(context_->value != nullptr, "EVP_MD_CTX_new");
  require(EVP_DigestInit_ex2(context_->value.get(), algorithm(), nullptr) == 1, "EVP_DigestInit_ex2");
}

Sha256::~Sha256() = default;

void Sha256::update(std::string_view bytes) {
  require(EVP_DigestUpdate(context_->value.get(), bytes.data(), bytes.size()) == 1, "EVP_DigestUpdate");
}

Digest Sha256::finish() {
  Digest result;
  require(EVP_DigestFinal_ex(context_->value.get(), result.bytes.data(), nullptr) == 1, "EVP_DigestFinal_ex");
  return result;
}

std::string to_hex(Digest const& digest) {
  return to_hex(std::span<std::uint8_t const>{digest.bytes});
}

std::optional<Digest> digest_from_hex(std::string_view hex) noexcept {
  Digest digest;
  if (hex.size() != 2 * digest.bytes.size() || !is_lower_hex(hex)) return std::nullopt;
  for (std::size_t i = 0; i < digest.bytes.size(); ++i) {
    digest.bytes[i] = static_cast<std::uint8_t>(hex_value(hex[2 * i]) * 16 + hex_value(hex[2 * i + 1]));
  }
  return digest;
}

std::ostream& operator<<(std::ostream& out, Digest const& digest) {
  return out << to_hex(digest);
}

}  // namespace whence::schema
