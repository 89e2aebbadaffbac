// Fuzzes what reads notes, checkpoints, tiles' paths, keys and bundles. Besides not crashing: what is read is written
// as the same bytes, and nothing is verified, since no input is signed by the key.
#include "schema/proof/bundle.hpp"
#include "schema/proof/tile.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

void demand(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace whence::schema::proof;
  std::string_view const text{reinterpret_cast<char const*>(data), size};
  static std::vector<VerifierKey> const keys = {SigningKey::make("a", {}).value().verifier()};
  if (auto const note = parse_note(text)) {
    demand(format_note(*note) == text);
    demand(!verify_note(*note, keys));
  }
  if (auto const checkpoint = parse_checkpoint(text)) demand(format_checkpoint(*checkpoint) == text);
  if (auto const tile = parse_tile(text)) demand(format_tile(*tile) == text);
  if (auto const key = VerifierKey::parse(text)) demand(key->text() == text);
  if (auto const key = SigningKey::parse(text)) demand(key->text() == text);
  demand(!verify_bundle(text, keys).is_verified());
  return 0;
}
