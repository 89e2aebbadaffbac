// The bytes of the head record, and making epochs.

#include "store/lmdb/head.hpp"

#include "schema/encoding/hex.hpp"

#include <algorithm>
#include <random>

namespace whence::store {
namespace {

constexpr std::uint64_t mark_text = 0x4543'4e45'4857;  // "WHENCE", little-endian; the version follows in two bytes
constexpr unsigned mark_text_bits = 48;

}  // namespace

Bytes encode(Head const& head) {
  Bytes out;
  put_fixed(out, mark_text | std::uint64_t{head.format} << mark_text_bits);
  put_bytes(out, std::as_bytes(std::span{head.epoch}));
  put_fixed(out, schema::number(head.tx));
  put_bytes(out, std::as_bytes(std::span{head.leaf.bytes}));
  put_fixed(out, head.vertices);
  put_fixed(out, head.edges);
  put_fixed(out, head.kept_answers);
  put_fixed(out, head.revisions);
  put_fixed(out, head.blobs);
  put_fixed(out, schema::number(head.purged_in));
  put_fixed(out, head.written_in);
  schema::Digest const sum = schema::sha256(out);
  put_bytes(out, std::as_bytes(std::span{sum.bytes}));
  return out;
}

std::optional<unsigned> find_format_version(std::span<std::byte const> bytes) {
  ByteReader in{bytes};
  std::uint64_t mark = 0;
  if (!in.fixed(mark) || (mark & ((std::uint64_t{1} << mark_text_bits) - 1)) != mark_text) return std::nullopt;
  return static_cast<unsigned>(mark >> mark_text_bits);
}

std::optional<Head> decode_head(std::span<std::byte const> bytes) {
  ByteReader in{bytes};
  Head head;
  std::uint64_t mark = 0;
  std::uint64_t tx = 0;
  std::uint64_t purged_in = 0;
  std::span<std::byte const> epoch;
  std::span<std::byte const> leaf;
  std::optional<unsigned> const format = find_format_version(bytes);
  if (!format || *format < format_version_oldest || *format > format_version) return std::nullopt;
  head.format = *format;
  if (!in.fixed(mark) || !in.bytes(head.epoch.size(), epoch)) return std::nullopt;
  if (!in.fixed(tx) || !in.bytes(head.leaf.bytes.size(), leaf)) return std::nullopt;
  if (!in.fixed(head.vertices) || !in.fixed(head.edges)) return std::nullopt;
  if (!in.fixed(head.kept_answers) || !in.fixed(head.revisions) || !in.fixed(head.blobs)) return std::nullopt;
  if (!in.fixed(purged_in) || !in.fixed(head.written_in)) return std::nullopt;
  head.tx = schema::TxId{tx};
  head.purged_in = schema::TxId{purged_in};
  std::ranges::transform(epoch, head.epoch.begin(), [](std::byte b) { return static_cast<std::uint8_t>(b); });
  std::ranges::transform(leaf, head.leaf.bytes.begin(), [](std::byte b) { return static_cast<std::uint8_t>(b); });
  if (!std::ranges::equal(encode(head), bytes)) return std::nullopt;  // the checksum, and nothing behind it
  return head;
}

Epoch make_epoch() {
  std::random_device entropy;
  Epoch epoch;
  for (std::uint8_t& byte : epoch) byte = static_cast<std::uint8_t>(entropy());
  epoch[6] = static_cast<std::uint8_t>((epoch[6] & 0x0f) | 0x40);  // RFC 4122: version 4
  epoch[8] = static_cast<std::uint8_t>((epoch[8] & 0x3f) | 0x80);  // and its variant
  return epoch;
}

std::string to_text(Epoch const& epoch) {
  return schema::uuid_text(epoch);
}

}  // namespace whence::store
