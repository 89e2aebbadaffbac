// The packed rows: see README.md, "A row" and "A revision row", for the layouts. One spelling per row: the decoder
// refuses every other, so that damage which still decodes is rare even before digests are looked at.

#include "store/rows/row_codec.hpp"

#include "schema/base/limits.hpp"
#include "store/rows/bytes.hpp"

#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>

namespace whence::store {
namespace {

using schema::EdgeType;
using schema::RecordType;
using schema::RevisionKind;
using schema::Time;
using schema::VertexId;

constexpr unsigned type_mask = 0x1f;
constexpr unsigned row_has_time = 0x20;
constexpr unsigned revision_kind_shift = 5;  // the kind is above the type
constexpr unsigned revision_kind_mask = 0x60;
constexpr unsigned revision_has_place = 0x80;
constexpr auto revision_kind_max = static_cast<unsigned>(RevisionKind::update);
constexpr unsigned run_owner_is_from = 0x20;
constexpr unsigned run_has_values = 0x40;
constexpr unsigned run_high_type = 0x80;  // the sixth bit of an edge type's number
constexpr unsigned run_high_type_shift = 2;

// How a value's code is to be read: its low two bits.
constexpr std::uint64_t kind_raw = 0;                // code 0, then the eight bytes of the double
constexpr std::uint64_t kind_whole = 1;              // versions and ranks
constexpr std::uint64_t kind_ten_thousandths = 2;    // weights as people and programs usually round them
constexpr std::uint64_t kind_signed_millionths = 3;  // scores
constexpr double code_magnitude_max = 1e9;           // keeps every scaled value well inside 2^53

constexpr std::uint32_t nano_units[] = {1, 1'000, 1'000'000};  // units a fraction of a second may be counted in

bool is_same_double(double a, double b) noexcept {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

/// The double that a code other than raw represents. Division, not multiplication by a reciprocal: it rounds once,
/// so the result equals the parsed decimal text.
double value_of_code(std::uint64_t code) noexcept {
  std::uint64_t const mantissa = code >> 2;
  switch (code & 3) {
    case kind_whole:
      return static_cast<double>(mantissa);
    case kind_ten_thousandths:
      return static_cast<double>(mantissa) / 1e4;
    default:
      return static_cast<double>(unzigzag(mantissa)) / 1e6;
  }
}

/// The first kind that restores `value` bit for bit; 0 where only the raw form does (among them minus zero).
std::uint64_t code_of_value(double value) noexcept {
  if (!(std::fabs(value) <= code_magnitude_max)) return kind_raw;
  if (value >= 0) {
    std::uint64_t const whole = static_cast<std::uint64_t>(value) << 2 | kind_whole;
    if (is_same_double(value_of_code(whole), value)) return whole;
    std::uint64_t const scaled = static_cast<std::uint64_t>(value * 1e4 + 0.5) << 2 | kind_ten_thousandths;
    if (is_same_double(value_of_code(scaled), value)) return scaled;
  }
  auto const millionths = static_cast<std::int64_t>(value * 1e6 + (value < 0 ? -0.5 : 0.5));
  std::uint64_t const code = zigzag(millionths) << 2 | kind_signed_millionths;
  return is_same_double(value_of_code(code), value) ? code : kind_raw;
}

/// The fraction in its coarsest whole unit, with the unit's place in `nano_units` in the low two bits.
std::uint64_t code_of_nanos(std::uint32_t nanos) noexcept {
  unsigned unit = 2;
  while (nanos % nano_units[unit] != 0) --unit;
  return std::uint64_t{nanos / nano_units[unit]} << 2 | unit;
}

/// Whether edges of `type` have a rank beside their value.
bool has_rank(EdgeType type) noexcept {
  return schema::carried_by(type) == schema::Carries::similarity;
}

unsigned run_head(RowEdge const& edge) noexcept {
  auto const type = static_cast<unsigned>(edge.type);
  return (type & type_mask) | (type & ~type_mask) << run_high_type_shift |
         (edge.owner_is_from ? run_owner_is_from : 0U) | (edge.value ? run_has_values : 0U);
}

/// How many edges from `first` on share its head.
std::size_t run_length(std::span<RowEdge const> edges, std::size_t first) noexcept {
  std::size_t end = first + 1;
  while (end < edges.size() && run_head(edges[end]) == run_head(edges[first])) ++end;
  return end - first;
}

std::size_t count_runs(std::span<RowEdge const> edges) noexcept {
  std::size_t runs = 0;
  for (std::size_t i = 0; i < edges.size(); i += run_length(edges, i)) ++runs;
  return runs;
}

std::byte* write_value(std::byte* at, double value) noexcept {
  assert(!std::isnan(value));
  std::uint64_t const code = code_of_value(value);
  at = write_varint(at, code);
  if (code != kind_raw) return at;
  auto const bits = std::bit_cast<std::uint64_t>(value);
  for (unsigned i = 0; i < 8; ++i) *at++ = static_cast<std::byte>(bits >> (8 * i));
  return at;
}

std::byte* write_edges(std::byte* at, VertexId owner, std::span<RowEdge const> edges) noexcept {
  at = write_varint(at, count_runs(edges));
  for (std::size_t i = 0; i < edges.size();) {
    std::size_t const length = run_length(edges, i);
    *at++ = static_cast<std::byte>(run_head(edges[i]));
    at = write_varint(at, length);
    for (RowEdge const& edge : edges.subspan(i, length)) {
      auto const distance = std::int64_t{schema::number(owner)} - std::int64_t{schema::number(edge.other)};
      at = write_varint(at, zigzag(distance));
      if (edge.value) at = write_value(at, *edge.value);
      if (has_rank(edge.type)) at = write_varint(at, edge.rank);
    }
    i += length;
  }
  return at;
}

/// No edges take more: each as a run of its own, with the longest numbers.
std::size_t edges_bytes_max(std::size_t count) noexcept {
  constexpr std::size_t per_edge = 1 + 4 * varint_bytes_max + 8;
  return varint_bytes_max + count * per_edge;
}

std::size_t row_bytes_max(VertexRow const& row) noexcept {
  return 1 + 3 * varint_bytes_max + row.id.size() + edges_bytes_max(row.edges.size());
}

std::size_t row_bytes_max(RevisionRow const& row) noexcept {
  return 1 + 3 * varint_bytes_max + edges_bytes_max(row.edges.size());
}

/// Reads a record type's number from the low bits of a row's first byte.
bool read_type(unsigned head, RecordType& type) noexcept {
  unsigned const number = head & type_mask;
  type = static_cast<RecordType>(number);
  return number > 0 && number < schema::record_type_count;
}

bool read_time(ByteReader& in, Time& time) noexcept {
  std::uint64_t seconds = 0;
  std::uint64_t fraction = 0;
  if (!in.varint(seconds) || !in.varint(fraction)) return false;
  unsigned const unit = fraction & 3;
  if (unit > 2 || (fraction >> 2) >= nanos_per_second / nano_units[unit]) return false;
  time.seconds = unzigzag(seconds);
  time.nanos = static_cast<std::uint32_t>(fraction >> 2) * nano_units[unit];
  return code_of_nanos(time.nanos) == fraction;
}

bool read_value(ByteReader& in, double& value) noexcept {
  std::uint64_t code = 0;
  if (!in.varint(code)) return false;
  if (code == kind_raw) {
    std::uint64_t bits = 0;
    if (!in.fixed(bits)) return false;
    value = std::bit_cast<double>(bits);
    if (std::isnan(value)) return false;
  } else {
    value = value_of_code(code);
  }
  return code_of_value(value) == code;
}

bool read_run(ByteReader& in, VertexId vertex, std::uint8_t head, std::vector<RowEdge>& edges) {
  unsigned const type = (head & type_mask) | (head & run_high_type) >> run_high_type_shift;
  std::uint64_t length = 0;
  if (type == 0 || type >= schema::edge_type_count) return false;
  if (!in.varint(length) || length == 0 || length > in.left()) return false;  // an edge takes at least a byte
  RowEdge edge{.type = static_cast<EdgeType>(type), .owner_is_from = (head & run_owner_is_from) != 0, .other = vertex};
  for (; length > 0; --length) {
    std::uint64_t distance = 0;
    if (!in.varint(distance) || distance > std::uint64_t{1} << 33) return false;
    std::int64_t const other = std::int64_t{schema::number(vertex)} - unzigzag(distance);
    if (other < 0 || other > std::int64_t{0xffff'ffff}) return false;
    edge.other = VertexId{static_cast<std::uint32_t>(other)};
    if ((head & run_has_values) != 0) {
      double value = 0;
      if (!read_value(in, value)) return false;
      edge.value = value;
    }
    if (has_rank(edge.type)) {
      std::uint64_t rank = 0;
      if (!in.varint(rank) || rank > schema::limits::int32_max) return false;
      edge.rank = static_cast<std::uint32_t>(rank);
    }
    edges.push_back(edge);
  }
  return true;
}

bool read_edges(ByteReader& in, VertexId owner, std::vector<RowEdge>& edges) {
  std::uint64_t runs = 0;
  if (!in.varint(runs)) return false;
  std::uint8_t previous = 0;
  for (; runs > 0; --runs) {
    std::uint8_t head = 0;
    if (!in.fixed(head) || head == previous) return false;  // equal neighbours would have been one run
    if (!read_run(in, owner, head, edges)) return false;
    previous = head;
  }
  return true;
}

}  // namespace

void encode_row(VertexRow const& row, std::vector<std::byte>& out) {
  assert(!row.id.empty() && row.id.size() <= row_id_bytes_max);
  std::size_t const start = out.size();
  out.resize(start + row_bytes_max(row));
  std::byte* at = out.data() + start;
  *at++ = static_cast<std::byte>(static_cast<unsigned>(row.type) | (row.time ? row_has_time : 0U));
  at = write_varint(at, row.id.size());
  std::memcpy(at, row.id.data(), row.id.size());
  at += row.id.size();
  if (row.time) {
    at = write_varint(at, zigzag(row.time->seconds));
    at = write_varint(at, code_of_nanos(row.time->nanos));
  }
  at = write_edges(at, row.vertex, row.edges);
  out.resize(static_cast<std::size_t>(at - out.data()));
}

void encode_row(RevisionRow const& row, std::vector<std::byte>& out) {
  assert(row.revision > 0 && row.revision <= schema::revisions_max);
  std::size_t const start = out.size();
  out.resize(start + row_bytes_max(row));
  std::byte* at = out.data() + start;
  bool const has_place = row.rows_before != all_rows;
  *at++ =
      static_cast<std::byte>(static_cast<unsigned>(row.type) | static_cast<unsigned>(row.kind) << revision_kind_shift |
                             (has_place ? revision_has_place : 0U));
  at = write_varint(at, schema::number(row.vertex));
  at = write_varint(at, row.revision);
  if (has_place) at = write_varint(at, row.rows_before);
  at = write_edges(at, row.vertex, row.edges);
  out.resize(static_cast<std::size_t>(at - out.data()));
}

bool decode_row_into(VertexId vertex, std::span<std::byte const>& bytes, VertexRow& row) {
  ByteReader in{bytes};
  std::uint8_t head = 0;
  std::uint64_t id_bytes = 0;
  std::span<std::byte const> id;
  if (!in.fixed(head) || (head & ~(type_mask | row_has_time)) != 0 || !read_type(head, row.type)) return false;
  if (!in.varint(id_bytes) || id_bytes == 0 || id_bytes > row_id_bytes_max || !in.bytes(id_bytes, id)) return false;
  row.vertex = vertex;
  row.id.assign(reinterpret_cast<char const*>(id.data()), id.size());
  row.time.reset();
  row.edges.clear();
  if ((head & row_has_time) != 0 && !read_time(in, row.time.emplace())) return false;
  if (!read_edges(in, vertex, row.edges)) return false;
  bytes = in.rest();
  return true;
}

bool decode_revision_into(std::span<std::byte const>& bytes, RevisionRow& row) {
  ByteReader in{bytes};
  std::uint8_t head = 0;
  std::uint64_t vertex = 0;
  std::uint64_t revision = 0;
  std::uint64_t rows_before = all_rows;
  if (!in.fixed(head) || !read_type(head, row.type)) return false;
  unsigned const kind = (head & revision_kind_mask) >> revision_kind_shift;
  if (kind > revision_kind_max) return false;
  if (!in.varint(vertex) || vertex > std::uint64_t{0xffff'ffff}) return false;
  if (!in.varint(revision) || revision == 0 || revision > schema::revisions_max) return false;
  if ((head & revision_has_place) != 0 && (!in.varint(rows_before) || rows_before >= all_rows)) return false;
  row.vertex = VertexId{static_cast<std::uint32_t>(vertex)};
  row.revision = static_cast<std::uint32_t>(revision);
  row.kind = static_cast<RevisionKind>(kind);
  row.rows_before = static_cast<std::uint32_t>(rows_before);
  row.edges.clear();
  if (!read_edges(in, row.vertex, row.edges)) return false;
  bytes = in.rest();
  return true;
}

}  // namespace whence::store
