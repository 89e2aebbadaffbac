#pragma once
// The edge table: which edge types there are, between which records, what each carries, and which way influence flows.
// Code, errors, lineage and documentation read it from here.

#include "schema/records/record_type.hpp"

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
  // Relations of PROV documents of others. First those that PROV counts as influence.
  prov_was_generated_by = 17,
  prov_used = 18,
  prov_was_informed_by = 19,
  prov_was_started_by = 20,
  prov_was_ended_by = 21,
  prov_was_invalidated_by = 22,
  prov_was_derived_from = 23,
  prov_was_attributed_to = 24,
  prov_was_associated_with = 25,
  prov_acted_on_behalf_of = 26,
  prov_was_influenced_by = 27,
  prov_specialization_of = 28,
  prov_alternate_of = 29,
  prov_had_member = 30,
  prov_mention_of = 31,
  // 32 to 42 are those of 17 to 27 that would have closed a cycle of influence: they have none.
};

inline constexpr std::size_t edge_type_count = 43;

namespace impl {
inline constexpr unsigned first_with_relation_variant = 17;
inline constexpr unsigned last_with_relation_variant = 27;
inline constexpr unsigned relation_variant_distance = 15;
}  // namespace impl

/// The type of the same name without influence, for a relation that would close a cycle; nothing where there is none.
[[nodiscard]] constexpr std::optional<EdgeType> relation_variant_of(EdgeType type) noexcept {
  auto const number = static_cast<unsigned>(type);
  if (number < impl::first_with_relation_variant || number > impl::last_with_relation_variant) return std::nullopt;
  return static_cast<EdgeType>(number + impl::relation_variant_distance);
}

/// The type that is meant by the name of `type`: of a twin the one that it is the twin of, else itself.
[[nodiscard]] constexpr EdgeType named_type(EdgeType type) noexcept {
  auto const number = static_cast<unsigned>(type);
  bool const is_relation_variant = number >= impl::first_with_relation_variant + impl::relation_variant_distance;
  return is_relation_variant ? static_cast<EdgeType>(number - impl::relation_variant_distance) : type;
}

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
  relation,    ///< place in the list of the record's relations, from 0: what it says is kept there
};

/// One row: an edge type between two record types.
struct EdgeRule {
  EdgeType type;
  RecordType from;
  RecordType to;
  Carries carries;
  Influence influence;
};

/// Without twins, which no request names.
[[nodiscard]] std::span<EdgeRule const> edge_rules() noexcept;

[[nodiscard]] std::string_view name_of(EdgeType type) noexcept;  ///< "USED_IN"; a twin's is that of its type
[[nodiscard]] std::optional<EdgeType> find_edge_type(std::string_view name) noexcept;
[[nodiscard]] Carries carried_by(EdgeType type) noexcept;

/// Influence of an edge of `type` drawn from a `from` record. Every drawable pair has a row; others answer `none`.
[[nodiscard]] Influence influence_of(EdgeType type, RecordType from) noexcept;

std::ostream& operator<<(std::ostream& out, EdgeType type);
std::ostream& operator<<(std::ostream& out, Influence influence);
std::ostream& operator<<(std::ostream& out, Carries carries);

/// A set of edge types; `all()` where a request names none. A type comes with its twin.
class EdgeTypeSet {
 public:
  constexpr EdgeTypeSet() = default;
  [[nodiscard]] static constexpr EdgeTypeSet all() noexcept {
    EdgeTypeSet set;
    set.bits_ = ~std::uint64_t{0};
    return set;
  }
  constexpr void insert(EdgeType type) noexcept {
    bits_ |= bit(type);
    if (auto const twin = relation_variant_of(type)) bits_ |= bit(*twin);
  }
  [[nodiscard]] constexpr bool contains(EdgeType type) const noexcept { return (bits_ & bit(type)) != 0; }
  [[nodiscard]] constexpr bool is_all() const noexcept { return bits_ == ~std::uint64_t{0}; }
  friend constexpr bool operator==(EdgeTypeSet, EdgeTypeSet) = default;

 private:
  static constexpr std::uint64_t bit(EdgeType type) noexcept { return std::uint64_t{1} << static_cast<unsigned>(type); }

  std::uint64_t bits_ = 0;
};

}  // namespace whence::schema
