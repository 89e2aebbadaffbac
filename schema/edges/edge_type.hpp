#pragma once
// Edge types: their numbers, between which records they are, what each carries, and which way influence flows. Made
// from the rows of catalogue.hpp.

#include "schema/edges/catalogue.hpp"
#include "schema/records/record_type.hpp"

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string_view>

namespace whence::schema {

/// Numbers are stored: never reused, never reordered. Numbers of relation variants have no enumerator.
enum class EdgeType : std::uint8_t {
#define WHENCE_ENUMERATOR(number, enumerator, ...) enumerator = number,
  WHENCE_OWN_EDGE_TYPES(WHENCE_ENUMERATOR) WHENCE_PROV_EDGE_TYPES(WHENCE_ENUMERATOR)
#undef WHENCE_ENUMERATOR
};

/// A PROV relation with influence has a relation variant: the type of the same name without influence, for a relation
/// that would close a cycle of influence. Its number is that of the relation plus `distance`.
namespace relation_variants {
inline constexpr unsigned first_original = 17;
inline constexpr unsigned last_original = 27;
inline constexpr unsigned distance = 15;
}  // namespace relation_variants

/// One more than the highest number, for arrays indexed by type.
inline constexpr std::size_t edge_type_count = [] {
  std::size_t highest = relation_variants::last_original + relation_variants::distance;
#define WHENCE_NUMBER(number, ...) \
  if (highest < number) highest = number;
  WHENCE_OWN_EDGE_TYPES(WHENCE_NUMBER)
  WHENCE_PROV_EDGE_TYPES(WHENCE_NUMBER)
#undef WHENCE_NUMBER
  return highest + 1;
}();

/// The relation variant of `type`; nothing where it has none.
[[nodiscard]] constexpr std::optional<EdgeType> relation_variant_of(EdgeType type) noexcept {
  auto const number = static_cast<unsigned>(type);
  if (number < relation_variants::first_original || number > relation_variants::last_original) return std::nullopt;
  return static_cast<EdgeType>(number + relation_variants::distance);
}

/// Whether `type` is a relation variant: an edge of it would have closed a cycle of influence.
[[nodiscard]] constexpr bool is_relation_variant(EdgeType type) noexcept {
  auto const number = static_cast<unsigned>(type);
  return number >= relation_variants::first_original + relation_variants::distance &&
         number <= relation_variants::last_original + relation_variants::distance;
}

/// The type that names, filters and counts know: for a relation variant the type it is a variant of, else `type`.
[[nodiscard]] constexpr EdgeType named_type(EdgeType type) noexcept {
  auto const number = static_cast<unsigned>(type);
  return is_relation_variant(type) ? static_cast<EdgeType>(number - relation_variants::distance) : type;
}

/// Whether the engine adds edges of `type` by itself, around acts and at documents: no record names them.
[[nodiscard]] constexpr bool is_added_by_engine(EdgeType type) noexcept {
  return type == EdgeType::same_act || type == EdgeType::through_act || type == EdgeType::loaded_from;
}

/// The direction of influence, seen from the stored direction: `along` makes `from` the cause of `to`.
enum class Influence : std::uint8_t { none, along, against };

/// The meaning of the one number that an edge of a type carries; `none` edges carry nothing.
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
  relation,    ///< which of the record's relations of its type and end, from 0: what it says is kept there
};

/// One row: an edge type between two record types.
struct EdgeRule {
  EdgeType type;
  RecordType from;
  RecordType to;
  Carries carries;
  Influence influence;
};

/// All rows, in the order of the catalogue. Relation variants have none: no request names them.
[[nodiscard]] std::span<EdgeRule const> edge_rules() noexcept;

[[nodiscard]] std::string_view name_of(EdgeType type) noexcept;  ///< "USED_IN"; a variant has its type's
[[nodiscard]] std::optional<EdgeType> find_edge_type(std::string_view name) noexcept;
[[nodiscard]] Carries carried_by(EdgeType type) noexcept;

/// Influence of an edge of `type` whose stored direction starts at a `from` record; `none` for pairs without a row.
[[nodiscard]] Influence influence_of(EdgeType type, RecordType from) noexcept;

std::ostream& operator<<(std::ostream& out, EdgeType type);
std::ostream& operator<<(std::ostream& out, Influence influence);
std::ostream& operator<<(std::ostream& out, Carries carries);

/// A set of edge types; `all()` where a request names none. A type comes with its relation variant.
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
    if (auto const variant = relation_variant_of(type)) bits_ |= bit(*variant);
  }
  [[nodiscard]] constexpr bool contains(EdgeType type) const noexcept { return (bits_ & bit(type)) != 0; }
  [[nodiscard]] constexpr bool is_all() const noexcept { return bits_ == ~std::uint64_t{0}; }
  friend constexpr bool operator==(EdgeTypeSet, EdgeTypeSet) = default;

 private:
  static_assert(edge_type_count <= 64);

  static constexpr std::uint64_t bit(EdgeType type) noexcept { return std::uint64_t{1} << static_cast<unsigned>(type); }

  std::uint64_t bits_ = 0;
};

}  // namespace whence::schema
