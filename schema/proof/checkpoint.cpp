// Three lines, and extensions, of which one is known here: the next key of the log. A checkpoint counts only with a
// signature of ed25519 under the name of its own origin.
#include "schema/proof/checkpoint.hpp"

#include "schema/base/limits.hpp"
#include "schema/encoding/base64.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace whence::schema::proof {
namespace {

Error bad_checkpoint(char const* what) {
  return {.code = Errc::parse_error, .message = std::string{"a checkpoint "} + what};
}

constexpr std::string_view key_line = "key ";

/// The first line of `rest`, which loses it and its newline; empty at the end.
std::string_view take_line(std::string_view& rest) {
  auto const line = rest.substr(0, rest.find('\n'));
  rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  return line;
}

}  // namespace

std::optional<std::uint64_t> parse_size(std::string_view text) {
  if (text.empty() || text.size() > 16 || text.find_first_not_of("0123456789") != text.npos) return std::nullopt;
  if (text.size() > 1 && text.front() == '0') return std::nullopt;
  std::uint64_t size = 0;
  std::from_chars(text.data(), text.data() + text.size(), size);
  if (size > static_cast<std::uint64_t>(limits::integer_max)) return std::nullopt;
  return size;
}

std::string format_hash(Digest const& hash) {
  return encode_base64(std::string{hash.bytes.begin(), hash.bytes.end()});
}

std::optional<Digest> parse_hash(std::string_view text) {
  auto const bytes = decode_base64(text);
  Digest hash;
  if (!bytes || bytes->size() != hash.bytes.size()) return std::nullopt;
  std::ranges::transform(*bytes, hash.bytes.begin(), [](char c) { return static_cast<std::uint8_t>(c); });
  if (format_hash(hash) != text) return std::nullopt;  // padding may not be absent
  return hash;
}

std::string format_checkpoint(Checkpoint const& checkpoint) {
  return checkpoint.origin + '\n' + std::to_string(checkpoint.tree.size) + '\n' + format_hash(checkpoint.tree.root) +
         '\n' + checkpoint.extensions;
}

Result<Checkpoint> parse_checkpoint(std::string_view text) {
  if (!text.ends_with('\n') || text.starts_with('\n') || text.find("\n\n") != text.npos) {
    return bad_checkpoint("has lines that are not empty, each with a newline");
  }
  Checkpoint checkpoint{.origin = std::string{take_line(text)}};
  auto const size = parse_size(take_line(text));
  if (!size) return bad_checkpoint("has a size in its second line: 0 to 2^53 - 1, without leading zeros");
  auto const root = parse_hash(take_line(text));
  if (!root) return bad_checkpoint("has a root in its third line: 32 bytes in base64");
  checkpoint.tree = {.size = *size, .root = *root};
  checkpoint.extensions = text;
  return checkpoint;
}

Result<VerifiedCheckpoint> verify_checkpoint(std::string_view note, std::span<VerifierKey const> keys) {
  auto const parsed = parse_note(note);
  if (!parsed) return parsed.error();
  auto signatures = verify_note(*parsed, keys);
  if (!signatures) return signatures.error();
  auto checkpoint = parse_checkpoint(parsed->text);
  if (!checkpoint) return checkpoint.error();
  bool const is_the_logs = std::ranges::any_of(*signatures, [&](VerifiedSignature const& each) {
    return keys[each.key].type == SignatureType::ed25519 && keys[each.key].name == checkpoint->origin;
  });
  if (!is_the_logs) {
    return Error{.code = Errc::forbidden, .message = "no key with the name of the log's origin signed the checkpoint"};
  }
  return VerifiedCheckpoint{.checkpoint = std::move(*checkpoint), .signatures = std::move(*signatures)};
}

std::string format_key_change(Checkpoint checkpoint, VerifierKey const& next) {
  checkpoint.extensions = std::string{key_line} + next.text() + '\n';
  return format_checkpoint(checkpoint);
}

std::optional<VerifierKey> find_next_key(std::string_view note, std::span<VerifierKey const> keys) {
  auto const verified = verify_checkpoint(note, keys);
  if (!verified) return std::nullopt;
  std::string_view rest = verified->checkpoint.extensions;
  if (!rest.starts_with(key_line)) return std::nullopt;
  rest.remove_prefix(key_line.size());
  auto next = VerifierKey::parse(take_line(rest));
  bool const is_the_logs =
      next && rest.empty() && next->type == SignatureType::ed25519 && next->name == verified->checkpoint.origin;
  if (!is_the_logs) return std::nullopt;
  return std::move(*next);
}

}  // namespace whence::schema::proof
