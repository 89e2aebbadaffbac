// Fuzzes the decoder of packed graph rows: whatever it takes must be exactly what the encoder writes for it.

#include "store/graph_row.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::span<std::byte const> const input = std::as_bytes(std::span{data, size});
  std::span<std::byte const> rest = input;
  auto const row = whence::store::decode_row(whence::schema::VertexId{1'000'000}, rest);
  if (!row) return 0;
  std::vector<std::byte> again;
  encode_row(*row, again);
  if (!std::ranges::equal(again, input.first(input.size() - rest.size()))) std::abort();
  return 0;
}
