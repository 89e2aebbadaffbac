// Writing and taking apart the blocks of the `graph` table.

#include "store/impl/graph_block.hpp"

#include "store/impl/row_decoder.hpp"

#include <algorithm>

namespace whence::store {
namespace {

constexpr std::size_t word_bytes = 8;
constexpr std::size_t row_bytes_min = 4;  // head, id length, one byte of id, number of runs
constexpr std::uint32_t nanos_per_second = 1'000'000'000;

}  // namespace

void put_block_head(BlockHead const& head, Bytes& out) {
  put_fixed(out, static_cast<std::uint64_t>(head.at.seconds));
  put_fixed(out, head.at.nanos);
  put_fixed(out, head.first_vertex);
  put_fixed(out, head.row_count);
  put_fixed(out, static_cast<std::uint32_t>(head.deprecated.size()));
  for (schema::VertexId const vertex : head.deprecated) put_fixed(out, schema::number(vertex));
}

void pad_to_words(Bytes& out, std::size_t start) {
  std::size_t const size = out.size() - start;
  out.resize(start + (size + word_bytes - 1) / word_bytes * word_bytes);
}

bool BlockReader::start(std::span<std::byte const> block) {
  ByteReader in{block};
  std::uint64_t seconds = 0;
  std::uint32_t deprecated = 0;
  if (block.size() % word_bytes != 0 || !in.fixed(seconds) || !in.fixed(head_.at.nanos)) return false;
  if (!in.fixed(head_.first_vertex) || !in.fixed(head_.row_count) || !in.fixed(deprecated)) return false;
  if (head_.at.nanos >= nanos_per_second || deprecated > in.left() / sizeof deprecated) return false;
  head_.at.seconds = static_cast<std::int64_t>(seconds);
  head_.deprecated.resize(deprecated);
  for (schema::VertexId& vertex : head_.deprecated) {
    std::uint32_t number = 0;
    if (!in.fixed(number)) return false;
    vertex = schema::VertexId{number};
  }
  if (head_.row_count > in.left() / row_bytes_min) return false;  // bounds what callers reserve
  if (std::uint64_t{head_.first_vertex} + head_.row_count > std::uint64_t{0xffff'ffff}) return false;
  rest_ = in.rest();
  next_vertex_ = head_.first_vertex;
  return true;
}

bool BlockReader::next(VertexRow& row, std::span<std::byte const>& row_bytes) {
  std::span<std::byte const> const before = rest_;
  if (!decode_row_into(schema::VertexId{next_vertex_}, rest_, row)) return false;
  row_bytes = before.first(before.size() - rest_.size());
  ++next_vertex_;
  return true;
}

bool BlockReader::is_at_end() const noexcept {
  auto const is_zero = [](std::byte byte) { return byte == std::byte{0}; };
  return rest_.size() < word_bytes && std::all_of(rest_.begin(), rest_.end(), is_zero);
}

}  // namespace whence::store
