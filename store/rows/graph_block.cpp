// Writing and taking apart the blocks of the `graph` table.

#include "store/rows/graph_block.hpp"

#include "store/rows/row_codec.hpp"

#include <algorithm>

namespace whence::store {
namespace {

constexpr std::size_t block_word_bytes = 8;
constexpr std::size_t row_bytes_min = 4;         // head, id length, one byte of id, number of runs
constexpr std::size_t revision_bytes_min = 4;    // head, vertex, number, number of runs
constexpr std::uint32_t has_gone = 0x8000'0000;  // on the number of deprecated: two more lists follow

void put_list(Bytes& out, std::vector<schema::VertexId> const& vertices) {
  for (schema::VertexId const vertex : vertices) put_fixed(out, schema::number(vertex));
}

/// Reads `count` vertices, each of which must be below `end`.
bool read_list(ByteReader& in, std::uint32_t count, std::uint32_t end, std::vector<schema::VertexId>& vertices) {
  if (count > in.left() / sizeof count) return false;
  vertices.resize(count);
  for (schema::VertexId& vertex : vertices) {
    std::uint32_t number = 0;
    if (!in.fixed(number) || number >= end) return false;
    vertex = schema::VertexId{number};
  }
  return true;
}

}  // namespace

void put_block_head(BlockHead const& head, Bytes& out) {
  put_fixed(out, static_cast<std::uint64_t>(head.at.seconds));
  put_fixed(out, head.at.nanos);
  put_fixed(out, head.first_vertex);
  put_fixed(out, head.row_count);
  put_fixed(out, head.revision_count);
  put_fixed(out, static_cast<std::uint32_t>(head.hidden.size()));
  bool const lists_gone = !head.expired.empty() || !head.purged.empty();
  put_fixed(out, static_cast<std::uint32_t>(head.deprecated.size()) | (lists_gone ? has_gone : 0));
  if (lists_gone) {
    put_fixed(out, static_cast<std::uint32_t>(head.expired.size()));
    put_fixed(out, static_cast<std::uint32_t>(head.purged.size()));
  }
  put_list(out, head.hidden);
  put_list(out, head.deprecated);
  put_list(out, head.expired);
  put_list(out, head.purged);
}

void pad_to_words(Bytes& out, std::size_t start) {
  std::size_t const size = out.size() - start;
  out.resize(start + (size + block_word_bytes - 1) / block_word_bytes * block_word_bytes);
}

bool BlockReader::start(std::span<std::byte const> block) {
  ByteReader in{block};
  std::uint64_t seconds = 0;
  std::uint32_t hidden = 0;
  std::uint32_t deprecated = 0;
  std::uint32_t expired = 0;
  std::uint32_t purged = 0;
  if (block.size() % block_word_bytes != 0 || !in.fixed(seconds) || !in.fixed(head_.at.nanos)) return false;
  if (!in.fixed(head_.first_vertex) || !in.fixed(head_.row_count) || !in.fixed(head_.revision_count)) return false;
  if (!in.fixed(hidden) || !in.fixed(deprecated) || head_.at.nanos >= nanos_per_second) return false;
  if ((deprecated & has_gone) != 0) {
    deprecated &= ~has_gone;
    if (!in.fixed(expired) || !in.fixed(purged) || (expired == 0 && purged == 0)) return false;
  }
  if (std::uint64_t{head_.first_vertex} + head_.row_count > std::uint64_t{0xffff'ffff}) return false;
  head_.at.seconds = static_cast<std::int64_t>(seconds);
  if (!read_list(in, hidden, head_.vertices_after(), head_.hidden)) return false;
  if (!read_list(in, deprecated, head_.vertices_after(), head_.deprecated)) return false;
  if (!read_list(in, expired, head_.vertices_after(), head_.expired)) return false;
  if (!read_list(in, purged, head_.vertices_after(), head_.purged)) return false;
  std::uint64_t const least =
      std::uint64_t{head_.row_count} * row_bytes_min + std::uint64_t{head_.revision_count} * revision_bytes_min;
  if (least > in.left()) return false;  // bounds what callers reserve
  rest_ = in.rest();
  next_vertex_ = head_.first_vertex;
  return true;
}

bool BlockReader::next(VertexRow& row) {
  if (!decode_row_into(schema::VertexId{next_vertex_}, rest_, row)) return false;
  ++next_vertex_;
  return true;
}

bool BlockReader::next(RevisionRow& row) {
  return decode_revision_into(rest_, row) && schema::number(row.vertex) < head_.vertices_after();
}

bool BlockReader::is_at_end() const noexcept {
  auto const is_zero = [](std::byte byte) { return byte == std::byte{0}; };
  return rest_.size() < block_word_bytes && std::all_of(rest_.begin(), rest_.end(), is_zero);
}

}  // namespace whence::store
