#include "schema/proof/tlog_proof.hpp"

#include "schema/encoding/base64.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace whence::schema::proof {
namespace {

constexpr std::string_view proof_start = "c2sp.org/tlog-proof@v1\n";
constexpr std::string_view extra_start = "extra ";
constexpr std::string_view index_start = "index ";

Error bad_proof(char const* what) {
  return {.code = Errc::parse_error, .message = std::string{"a tlog-proof "} + what};
}

/// The text before the next newline, which `rest` loses with it; nothing where there is no newline.
std::optional<std::string_view> take_whole_line(std::string_view& rest) {
  auto const end = rest.find('\n');
  if (end == rest.npos) return std::nullopt;
  auto const line = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return line;
}

}  // namespace

std::string format_tlog_proof(TlogProof const& proof) {
  std::string text{proof_start};
  text.append(index_start).append(std::to_string(proof.index)).append("\n");
  for (Digest const& hash : proof.proof) text.append(format_hash(hash)).append("\n");
  return text.append("\n").append(proof.checkpoint);
}

Result<TlogProof> parse_tlog_proof(std::string_view text) {
  if (!text.starts_with(proof_start)) return bad_proof("begins with c2sp.org/tlog-proof@v1");
  text.remove_prefix(proof_start.size());
  auto line = take_whole_line(text);
  if (line && line->starts_with(extra_start)) {
    auto const data = line->substr(extra_start.size());
    auto const bytes = decode_base64(data);
    if (!bytes || encode_base64(*bytes) != data) return bad_proof("has extra data in base64");
    line = take_whole_line(text);
  }
  auto const index =
      line && line->starts_with(index_start) ? parse_size(line->substr(index_start.size())) : std::nullopt;
  if (!index) return bad_proof("has an index, 0 to 2^53 - 1, without leading zeros");
  TlogProof proof{.index = *index};
  for (line = take_whole_line(text); line && !line->empty(); line = take_whole_line(text)) {
    auto const hash = parse_hash(*line);
    if (!hash || proof.proof.size() == proof_hashes_max) {
      return bad_proof("has at most 64 lines of 32 bytes in base64 after its index");
    }
    proof.proof.push_back(*hash);
  }
  if (!line) return bad_proof("has an empty line before its checkpoint");
  proof.checkpoint = text;
  return proof;
}

}  // namespace whence::schema::proof
