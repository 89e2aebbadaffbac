#pragma once
// Edge types: their numbers, between which records they are, what each carries, and which way influence flows. Made
// from the rows of catalogue.hpp.

#include "schema/types/basis.hpp"
#include "schema/types/edge_catalogue.hpp"
#include "schema/types/record_type.hpp"

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

/// Edges of what something was made from have a variant for each basis but `given`, which the type itself has: of
/// `PROMPTED` the first five from `first` on, of `THROUGH_ACT`, which repeats these, the next five, of
/// `PROV_wasDerivedFrom`, which has no roles, the next three.
namespace basis_variants {
inline constexpr unsigned count = names_of<Basis>.size() - 1;
inline constexpr unsigned count_of_derived = 3;
inline constexpr unsigned first = 46;
inline constexpr unsigned first_of_derived = first + 2 * count;
inline constexpr unsigned last = first_of_derived + count_of_derived - 1;
}  // namespace basis_variants

/// One more than the highest number, for arrays indexed by type.
inline constexpr std::size_t edge_type_count = [] {
  std::size_t highest = basis_variants::last;
#define WHENCE_NUMBER(number, ...) \
  if (highest < number) highest = number;
  WHENCE_OWN_EDGE_TYPES(WHENCE_NUMBER)
  WHENCE_PROV_EDGE_TYPES(WHENCE_NUMBER)
#undef WHENCE_NUMBER
  return highest + 1;
}();

/// The relation variant of `type`, or of what it is a basis variant of; nothing where it has none.
[[nodiscard]] constexpr std::optional<EdgeType> relation_variant_of(EdgeType type) noexcept {
  auto number = static_cast<unsigned>(type);
  if (number >= basis_variants::first_of_derived && number <= basis_variants::last)
    number = static_cast<unsigned>(EdgeType::prov_was_derived_from);
  if (number < relation_variants::first_original || number > relation_variants::last_original) return std::nullopt;
  return static_cast<EdgeType>(number + relation_variants::distance);
}

/// Whether `type` is a relation variant: an edge of it would have closed a cycle of influence.
[[nodiscard]] constexpr bool is_relation_variant(EdgeType type) noexcept {
  auto const number = static_cast<unsigned>(type);
  return number >= relation_variants::first_original + relation_variants::distance &&
         number <= relation_variants::last_original + relation_variants::distance;
}

/// Whether `type` is a basis variant.
[[nodiscard]] constexpr bool is_basis_variant(EdgeType type) noexcept {
  auto const number = static_cast<unsigned>(type);
  return number >= basis_variants::first && number <= basis_variants::last;
}

/// The type that names, filters and counts know: for a variant the type it is a variant of, else `type`.
[[nodiscard]] constexpr EdgeType named_type(EdgeType type) noexcept {
  auto const number = static_cast<unsigned>(type);
  if (is_basis_variant(type)) {
    if (number >= basis_variants::first_of_derived) return EdgeType::prov_was_derived_from;
    return number < basis_variants::first + basis_variants::count ? EdgeType::prompted : EdgeType::through_act;
  }
  return is_relation_variant(type) ? static_cast<EdgeType>(number - relation_variants::distance) : type;
}

/// Whether edges of `type` may have another basis than `given`.
[[nodiscard]] constexpr bool has_basis_variants(EdgeType type) noexcept {
  return type == EdgeType::prompted || type == EdgeType::through_act || type == EdgeType::prov_was_derived_from;
}

/// `type`, which is no variant, for edges with this basis; itself where it has no such variant.
[[nodiscard]] constexpr EdgeType with_basis(EdgeType type, Basis basis) noexcept {
  if (basis == Basis::given || !has_basis_variants(type)) return type;
  auto const offset = static_cast<unsigned>(basis) - 1;
  if (type == EdgeType::prov_was_derived_from)
    return role_of(basis).empty() ? static_cast<EdgeType>(basis_variants::first_of_derived + offset) : type;
  auto const first = basis_variants::first + (type == EdgeType::prompted ? 0 : basis_variants::count);
  return static_cast<EdgeType>(first + offset);
}

/// How an edge of `type` is known: `given` for all but the basis variants.
[[nodiscard]] constexpr Basis basis_of(EdgeType type) noexcept {
  if (!is_basis_variant(type)) return Basis::given;
  // The third group begins where another five would, so that the remainder is right for it, too.
  return static_cast<Basis>((static_cast<unsigned>(type) - basis_variants::first) % basis_variants::count + 1);
}

/// Calls `visit` with each variant of `type`, which is none itself.
template <class Visit>
constexpr void for_each_variant(EdgeType type, Visit const& visit) {
  if (auto const variant = relation_variant_of(type)) visit(*variant);
  if (!has_basis_variants(type)) return;
  auto const count = type == EdgeType::prov_was_derived_from ? basis_variants::count_of_derived : basis_variants::count;
  for (unsigned basis = 1; basis <= count; ++basis) visit(with_basis(type, static_cast<Basis>(basis)));
}

/// Whether the engine adds edges of `type` by itself, around acts and at documents: no record names them.
[[nodiscard]] constexpr bool is_added_by_engine(EdgeType type) noexcept {
  auto const named = named_type(type);
  return named == EdgeType::same_act || named == EdgeType::through_act || named == EdgeType::loaded_from;
}

/// The direction of influence, seen from the stored direction: `along` makes `from` the cause of `to`.
enum class Influence : std::uint8_t { none, along, against };
constexpr std::array<std::string_view, 3> enum_names(Influence) noexcept {
  return {"none", "along", "against"};
}

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
constexpr std::array<std::string_view, 10> enum_names(Carries) noexcept {
  return {"none", "weight", "version", "time", "score", "confidence", "similarity", "rank", "citation", "relation"};
}

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

/// A set of edge types; `all()` where a request names none. A type comes with its variants.
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
    for_each_variant(type, [&](EdgeType variant) { bits_ |= bit(variant); });
  }
  /// Takes out the types of edges of another basis than these. Where `given` is among them, so are both roles.
  constexpr void keep(std::span<Basis const> bases) noexcept {
    for (unsigned number = 0; number < edge_type_count; ++number) {
      auto const basis = basis_of(static_cast<EdgeType>(number));
      bool is_kept = false;
      for (auto const each : bases) is_kept = is_kept || each == basis || each == without_role(basis);
      if (!is_kept) bits_ &= ~bit(static_cast<EdgeType>(number));
    }
  }
  /// Takes out the types of edges of causes with a role.
  constexpr void leave_out_roles() noexcept {
    for (unsigned number = 0; number < edge_type_count; ++number) {
      if (!role_of(basis_of(static_cast<EdgeType>(number))).empty()) bits_ &= ~bit(static_cast<EdgeType>(number));
    }
  }
  [[nodiscard]] constexpr bool contains(EdgeType type) const noexcept { return (bits_ & bit(type)) != 0; }
  [[nodiscard]] constexpr bool is_all() const noexcept { return bits_ == ~std::uint64_t{0}; }
  friend constexpr bool operator==(EdgeTypeSet, EdgeTypeSet) = default;

 private:
  static_assert(edge_type_count < 64);

  static constexpr std::uint64_t bit(EdgeType type) noexcept { return std::uint64_t{1} << static_cast<unsigned>(type); }

  std::uint64_t bits_ = 0;
};

}  // namespace whence::schema
