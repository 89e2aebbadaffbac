#pragma once
// The edge table: which edge types there are, between which records, what each carries, and which way influence flows.
// Code, errors, lineage and documentation read it from here.

#include "schema/record_type.hpp"

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string_view>

namespace whence::schema {

/// Numbers are stored: never reused, never reordered.
enum class EdgeType : std::uint8_t {
  used_in = 1,
  derived_from = 2,
  updated_by = 3,
  evaluates = 4,
  prompted = 5,
  rendered_as = 6,
  extracted_from = 7,
  revision_of = 8,
  part_of = 9,
  follows = 10,
  summarizes = 11,
  embeds = 12,
  retrieved_for = 13,
  included_in = 14,
  generated_from = 15,
  cites = 16,
};

inline constexpr std::size_t edge_type_count = 17;

/// Which way influence flows, seen from the drawn direction: `along` makes `from` the cause of `to`.
enum class Influence : std::uint8_t { none, along, against };

/// What an edge of a type carries in its one number; `none` edges carry nothing.
enum class Carries : std::uint8_t {
  none,
  weight,      ///< share of contribution, 0..1; multiplies along paths
  version,     ///< the newer version's number; absent on a declared source
  time,        ///< the time of the `from` record, shown as `timestamp`
  score,       ///< feedback, -1..1
  confidence,  ///< extraction certainty, 0..1
  similarity,  ///< 0..1
  rank,        ///< from 1
  citation,    ///< page, section, excerpt, kept in the record
};

/// One row: an edge type between two record types.
struct EdgeRule {
  EdgeType type;
  RecordType from;
  RecordType to;
  Carries carries;
  Influence influence;
};

[[nodiscard]] std::span<EdgeRule const> edge_rules() noexcept;

[[nodiscard]] std::string_view name_of(EdgeType type) noexcept;  ///< "USED_IN"
[[nodiscard]] std::optional<EdgeType> find_edge_type(std::string_view name) noexcept;
[[nodiscard]] Carries carried_by(EdgeType type) noexcept;

/// Influence of an edge of `type` drawn from a `from` record. Every drawable pair has a row; others answer `none`.
[[nodiscard]] Influence influence_of(EdgeType type, RecordType from) noexcept;

std::ostream& operator<<(std::ostream& out, EdgeType type);
std::ostream& operator<<(std::ostream& out, Influence influence);
std::ostream& operator<<(std::ostream& out, Carries carries);

/// A set of edge types; `all()` where a request names none.
class EdgeTypeSet {
 public:
  constexpr EdgeTypeSet() = default;
  [[nodiscard]] static constexpr EdgeTypeSet all() noexcept {
    EdgeTypeSet set;
    set.bits_ = ~std::uint32_t{0};
    return set;
  }
  constexpr void insert(EdgeType type) noexcept { bits_ |= std::uint32_t{1} << static_cast<unsigned>(type); }
  [[nodiscard]] constexpr bool contains(EdgeType type) const noexcept {
    return ((bits_ >> static_cast<unsigned>(type)) & 1U) != 0;
  }
  [[nodiscard]] constexpr bool is_all() const noexcept { return bits_ == ~std::uint32_t{0}; }
  friend constexpr bool operator==(EdgeTypeSet, EdgeTypeSet) = default;

 private:
  std::uint32_t bits_ = 0;
};

}  // namespace whence::schema
