// Notes as text, and Ed25519 by OpenSSL's EVP interface.
#include "schema/proof/signed_note.hpp"

#include "schema/base/digest.hpp"
#include "schema/base/text.hpp"
#include "schema/encoding/base64.hpp"
#include "schema/encoding/hex.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include <openssl/evp.h>

namespace whence::schema::proof {
namespace {

constexpr std::string_view signature_start = "\u2014 ";
constexpr std::string_view private_start = "PRIVATE+KEY+";
constexpr std::size_t ed25519_bytes = 64;
constexpr std::size_t time_bytes = 8;

struct KeyDeleter {
  void operator()(EVP_PKEY* key) const noexcept { EVP_PKEY_free(key); }
  void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
};
using Key = std::unique_ptr<EVP_PKEY, KeyDeleter>;
using KeyContext = std::unique_ptr<EVP_MD_CTX, KeyDeleter>;

void demand(bool is_fine, char const* call) {
  if (!is_fine) throw std::runtime_error(std::string{"OpenSSL: "} + call + " failed");
}

unsigned char const* octets(std::string_view bytes) {
  return reinterpret_cast<unsigned char const*>(bytes.data());
}

Key private_key(std::array<std::uint8_t, 32> const& seed) {
  Key key{EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, seed.data(), seed.size())};
  demand(key != nullptr, "EVP_PKEY_new_raw_private_key");
  return key;
}

Error bad_key(char const* what) {
  return {.code = Errc::invalid_params, .message = what};
}

Error bad_note(char const* what) {
  return {.code = Errc::parse_error, .message = std::string{"a signed note "} + what};
}

/// What `encode_base64` writes, and nothing else.
std::optional<std::string> decode_exactly(std::string_view text) {
  auto bytes = decode_base64(text);
  if (bytes && encode_base64(*bytes) != text) return std::nullopt;
  return bytes;
}

std::string big_endian(std::uint64_t number, std::size_t bytes) {
  std::string text;
  for (std::size_t i = bytes; i-- > 0;) text.push_back(static_cast<char>(number >> (8 * i)));
  return text;
}

std::uint64_t from_big_endian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (char const c : bytes) number = number << 8U | static_cast<unsigned char>(c);
  return number;
}

std::string hex_of(std::uint32_t id) {
  std::array<std::uint8_t, 4> bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(id >> (24 - 8 * i));
  return to_hex(bytes);
}

/// What a key of `type` signs.
std::string signed_bytes(SignatureType type, std::string_view text, std::uint64_t time_s) {
  if (type == SignatureType::ed25519) return std::string{text};
  return "cosignature/v1\ntime " + std::to_string(time_s) + '\n' + std::string{text};
}

/// `NAME+8 hex digits+base64` of a type and 32 bytes, of which the digits are `id`.
std::string format_key(VerifierKey const& verifier, std::array<std::uint8_t, 32> const& bytes) {
  std::string body(1, static_cast<char>(verifier.type));
  body.append(bytes.begin(), bytes.end());
  return verifier.name + '+' + hex_of(verifier.id()) + '+' + encode_base64(body);
}

struct KeyText {
  std::string_view name;
  std::string_view id;
  SignatureType type;
  std::array<std::uint8_t, 32> bytes;
};

/// The parts of a key's text; whether the id is right is not asked.
std::optional<KeyText> parse_key(std::string_view text) {
  auto const first = text.find('+');
  auto const second = first == text.npos ? text.npos : text.find('+', first + 1);
  if (second == text.npos || !is_key_name(text.substr(0, first))) return std::nullopt;
  auto const body = decode_exactly(text.substr(second + 1));
  if (!body || body->size() != 33) return std::nullopt;
  auto const type = static_cast<SignatureType>(body->front());
  if (type != SignatureType::ed25519 && type != SignatureType::cosignature) return std::nullopt;
  KeyText key{
      .name = text.substr(0, first), .id = text.substr(first + 1, second - first - 1), .type = type, .bytes = {}};
  std::ranges::transform(body->begin() + 1, body->end(), key.bytes.begin(),
                         [](char c) { return static_cast<std::uint8_t>(c); });
  return key;
}

std::optional<NoteSignature> parse_signature(std::string_view line) {
  if (!line.starts_with(signature_start)) return std::nullopt;
  line.remove_prefix(signature_start.size());
  auto const space = line.find(' ');
  if (space == line.npos || !is_key_name(line.substr(0, space))) return std::nullopt;
  auto const bytes = decode_exactly(line.substr(space + 1));
  if (!bytes || bytes->size() < 5) return std::nullopt;
  return NoteSignature{.name = std::string{line.substr(0, space)},
                       .key_id = static_cast<std::uint32_t>(from_big_endian(std::string_view{*bytes}.substr(0, 4))),
                       .bytes = bytes->substr(4)};
}

/// Whether the bytes are how RFC 8032 (5.1.2) writes a point: y below p = 2^255 - 19, and no sign where x is 0, that is
/// where y is 1 or p - 1.
bool is_canonical(std::span<std::uint8_t const, 32> key) {
  bool const has_sign = (key[31] & 0x80U) != 0;
  bool const is_top = (key[31] & 0x7FU) == 0x7F;
  auto const middle = key.subspan<1, 30>();
  if (is_top && std::ranges::all_of(middle, [](std::uint8_t each) { return each == 0xFF; })) {
    return key[0] < 0xEC || (key[0] == 0xEC && !has_sign);
  }
  bool const is_one =
      key[0] == 1 && (key[31] & 0x7FU) == 0 && std::ranges::all_of(middle, [](std::uint8_t each) { return each == 0; });
  return !(is_one && has_sign);
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20;
}

/// The signature, where it holds.
std::optional<VerifiedSignature> verify_one(NoteSignature const& signature, VerifierKey const& key,
                                            std::string_view text) {
  std::string_view bytes = signature.bytes;
  VerifiedSignature verified;
  if (key.type == SignatureType::cosignature) {
    if (bytes.size() != time_bytes + ed25519_bytes) return std::nullopt;
    verified.time_s = from_big_endian(bytes.substr(0, time_bytes));
    bytes.remove_prefix(time_bytes);
  }
  if (!verify_ed25519(key.key, signed_bytes(key.type, text, verified.time_s.value_or(0)), bytes)) return std::nullopt;
  return verified;
}

}  // namespace

bool is_key_name(std::string_view name) noexcept {
  // U+0085, U+00A0, U+1680, U+2000..200A, U+2028, U+2029, U+202F, U+205F, U+3000 as UTF-8.
  static constexpr std::string_view spaces[] = {"\u0085", "\u00A0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003",
                                                "\u2004", "\u2005", "\u2006", "\u2007", "\u2008", "\u2009", "\u200A",
                                                "\u2028", "\u2029", "\u202F", "\u205F", "\u3000"};
  if (name.empty() || !is_utf8(name)) return false;
  if (std::ranges::any_of(name, [](char c) { return is_control(c) || c == ' ' || c == '+'; })) return false;
  return std::ranges::none_of(spaces, [&](std::string_view space) { return name.find(space) != name.npos; });
}

std::uint32_t VerifierKey::id() const {
  std::string bytes = name + '\n' + static_cast<char>(type);
  bytes.append(key.begin(), key.end());
  auto const digest = sha256(std::string_view{bytes});
  std::uint32_t id = 0;
  for (std::size_t i = 0; i < 4; ++i) id = id << 8U | digest.bytes[i];
  return id;
}

std::string VerifierKey::text() const {
  return format_key(*this, key);
}

Result<VerifierKey> VerifierKey::parse(std::string_view text) {
  auto const parts = parse_key(text);
  if (!parts) return bad_key("a verifier key is NAME+8 hex digits+base64 of a type (1 or 4) and 32 bytes");
  VerifierKey key{.name = std::string{parts->name}, .type = parts->type, .key = parts->bytes};
  if (parts->id != hex_of(key.id())) return bad_key("the 8 hex digits of the verifier key are not those of its bytes");
  return key;
}

std::string format_note(SignedNote const& note) {
  std::string bytes = note.text + '\n';
  for (NoteSignature const& each : note.signatures) {
    bytes.append(signature_start).append(each.name).append(" ");
    bytes.append(encode_base64(big_endian(each.key_id, 4) + each.bytes)).append("\n");
  }
  return bytes;
}

Result<SignedNote> parse_note(std::string_view bytes) {
  if (bytes.size() > note_bytes_max) return bad_note("has at most 1 MiB");
  if (!is_utf8(bytes)) return bad_note("is UTF-8");
  if (std::ranges::any_of(bytes, [](char c) { return is_control(c) && c != '\n'; })) {
    return bad_note("has no control characters but newlines");
  }
  auto const blank = bytes.rfind("\n\n");
  if (blank == bytes.npos || !bytes.ends_with('\n')) return bad_note("is a text, an empty line and signatures");
  SignedNote note{.text = std::string{bytes.substr(0, blank + 1)}};
  auto rest = bytes.substr(blank + 2);
  while (!rest.empty()) {
    auto const line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(line.size() + 1);
    auto signature = parse_signature(line);
    if (!signature) return bad_note("has lines of an em dash, a name and base64 after its text");
    if (note.signatures.size() == note_signatures_max) return bad_note("has at most 100 signatures");
    note.signatures.push_back(std::move(*signature));
  }
  if (note.signatures.empty()) return bad_note("has a signature");
  return note;
}

Result<std::vector<VerifiedSignature>> verify_note(SignedNote const& note, std::span<VerifierKey const> keys) {
  std::vector<VerifiedSignature> found;
  for (NoteSignature const& signature : note.signatures) {
    auto const key = std::ranges::find_if(
        keys, [&](VerifierKey const& each) { return each.name == signature.name && each.id() == signature.key_id; });
    if (key == keys.end()) continue;
    auto verified = verify_one(signature, *key, note.text);
    if (!verified) return Error{.code = Errc::forbidden, .message = "the signature of " + key->name + " does not hold"};
    verified->key = static_cast<std::size_t>(key - keys.begin());
    found.push_back(*verified);
  }
  if (found.empty()) return Error{.code = Errc::forbidden, .message = "no key that was given signed the note"};
  return found;
}

bool verify_ed25519(std::span<std::uint8_t const, 32> key, std::string_view message, std::string_view signature) {
  if (signature.size() != ed25519_bytes || !is_canonical(key)) return false;
  Key const parsed{EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, key.data(), key.size())};
  KeyContext const context{EVP_MD_CTX_new()};
  if (parsed == nullptr) return false;
  demand(context != nullptr, "EVP_MD_CTX_new");
  demand(EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, parsed.get()) == 1, "EVP_DigestVerifyInit");
  return EVP_DigestVerify(context.get(), octets(signature), signature.size(), octets(message), message.size()) == 1;
}

SigningKey::SigningKey(VerifierKey verifier, std::array<std::uint8_t, 32> const& seed)
    : verifier_(std::move(verifier)), seed_(seed) {}

Result<SigningKey> SigningKey::make(std::string name, std::array<std::uint8_t, 32> const& seed, SignatureType type) {
  if (!is_key_name(name)) return bad_key("the name of a key has no spaces, control characters and +, and is not empty");
  VerifierKey verifier{.name = std::move(name), .type = type};
  std::size_t size = verifier.key.size();
  demand(EVP_PKEY_get_raw_public_key(private_key(seed).get(), verifier.key.data(), &size) == 1,
         "EVP_PKEY_get_raw_public_key");
  return SigningKey{std::move(verifier), seed};
}

std::string SigningKey::text() const {
  return std::string{private_start} + format_key(verifier_, seed_);
}

Result<SigningKey> SigningKey::parse(std::string_view text) {
  auto const parts = text.starts_with(private_start) ? parse_key(text.substr(private_start.size())) : std::nullopt;
  if (!parts) {
    return bad_key("a private key is PRIVATE+KEY+NAME+8 hex digits+base64 of a type (1 or 4) and 32 bytes");
  }
  auto key = make(std::string{parts->name}, parts->bytes, parts->type);
  if (key && parts->id != hex_of(key->verifier_.id())) {
    return bad_key("the 8 hex digits of the private key are not those of its bytes");
  }
  return key;
}

NoteSignature SigningKey::sign(std::string_view text, std::uint64_t time_s) const {
  bool const is_cosignature = verifier_.type == SignatureType::cosignature;
  auto const message = signed_bytes(verifier_.type, text, time_s);
  auto const key = private_key(seed_);
  KeyContext const context{EVP_MD_CTX_new()};
  demand(context != nullptr, "EVP_MD_CTX_new");
  demand(EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1, "EVP_DigestSignInit");
  std::array<unsigned char, ed25519_bytes> bytes;
  std::size_t size = bytes.size();
  demand(EVP_DigestSign(context.get(), bytes.data(), &size, octets(message), message.size()) == 1, "EVP_DigestSign");
  NoteSignature signature{.name = verifier_.name, .key_id = verifier_.id(), .bytes = {}};
  if (is_cosignature) signature.bytes = big_endian(time_s, time_bytes);
  signature.bytes.append(bytes.begin(), bytes.end());
  return signature;
}

}  // namespace whence::schema::proof
