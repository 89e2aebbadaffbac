// Fuzzes the decoders of packed rows, of vertices and of revisions: whatever they take must be exactly what the encoder
// writes for it.

#include "store/rows/row_codec.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

namespace {

/// Ends the program unless `row`, which was read from the front of `input` up to `rest`, is written as it was read.
template <class Row>
void round_trip(Row const& row, std::span<std::byte const> input, std::span<std::byte const> rest) {
  std::vector<std::byte> again;
  encode_row(row, again);
  if (!std::ranges::equal(again, input.first(input.size() - rest.size()))) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::span<std::byte const> const input = std::as_bytes(std::span{data, size});
  std::span<std::byte const> rest = input;
  auto row = whence::store::blank_row();
  if (whence::store::decode_row_into(whence::schema::VertexId{1'000'000}, rest, row)) round_trip(row, input, rest);
  rest = input;
  auto revision = whence::store::blank_revision_row();
  if (whence::store::decode_revision_into(rest, revision)) round_trip(revision, input, rest);
  return 0;
}
