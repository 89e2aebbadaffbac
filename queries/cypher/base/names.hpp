#pragma once
// The names that the schema of a graph has, and what is said of a name in a query that is none of them.

#include "queries/cypher/base/error.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace whence::queries::cypher {

/// Of a name, or of what is no name: `none`, a comparison that is null; `cut`, relations that a walk does not follow.
enum class NameKind : std::uint8_t { label, relation_type, property, none, cut };

/// The names of a schema. A query may use others, as openCypher has it; what they name is never there.
struct NameCatalog {
  std::vector<std::string_view> labels = {};
  std::vector<std::string_view> relation_types = {};
  std::vector<std::string_view> properties = {};  ///< of nodes and relations

  [[nodiscard]] std::vector<std::string_view> const& of(NameKind kind) const noexcept;
};

/// The first place of a name in a query.
struct NameUse {
  NameKind kind = NameKind::label;
  std::string name = {};
  Place place = {};
};

/// What somebody who asks should know of a query that runs all the same.
struct Notice {
  NameKind kind = NameKind::label;
  std::string message = {};  ///< a sentence, with the name that was probably meant
  Place place = {};
};

inline constexpr std::size_t notices_max = 20;

/// "unknown_label", "unknown_relation_type", "unknown_property", "not_comparable" or "cycle_cut".
[[nodiscard]] std::string_view rule_of(NameKind kind) noexcept;

/// The names that `catalog` lacks, in the order of `uses`, `notices_max` at most. O(uses * names).
[[nodiscard]] std::vector<Notice> notices_of(std::vector<NameUse> const& uses, NameCatalog const& catalog);

}  // namespace whence::queries::cypher
