#pragma once
// The relations of W3C PROV: their arguments and their edge types (PROV-DM 5, PROV-JSON 3).

#include "schema/records/prov/records.hpp"
#include "schema/types/edge_type.hpp"
#include "schema/types/record_type.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace whence::schema {

/// One relation. A thing that the document mentions only as an argument is taken to be of the argument's type.
struct ProvRelationInfo {
  EdgeType edge;
  std::string_view name;     ///< section of PROV-JSON: "wasDerivedFrom"
  std::string_view subject;  ///< first argument: "prov:generatedEntity"
  RecordType subject_type;
  std::string_view object;  ///< second argument: "prov:usedEntity"
  RecordType object_type;
  std::string_view further = {};  ///< an argument that influenced the subject as well: "prov:starter"; empty: none
  RecordType further_type = {};
  bool has_any_ends = false;  ///< its arguments may be of any type
};

[[nodiscard]] std::span<ProvRelationInfo const> prov_relations() noexcept;
[[nodiscard]] ProvRelationInfo const* find_prov_relation(std::string_view name) noexcept;

[[nodiscard]] constexpr bool is_prov(RecordType type) noexcept {
  return info(type).is_prov;
}

/// The relation that an edge of `node` to `other` states, the one that its value, `number`, means; null where the
/// record has none. O(relations).
[[nodiscard]] ProvRelation const* find_relation(ProvNode const& node, EdgeType type, std::string_view other,
                                                double number);

/// The id of a record for the thing `iri`: the IRI itself, followed by `#bundle=` and `bundle_iri` where that is not
/// empty; where that is no id (longer than 255 bytes, or with control characters) `sha256-` and the digest of its
/// UTF-8.
[[nodiscard]] std::string prov_id(std::string_view iri, std::string_view bundle_iri = {});

/// What the ids of the activities begin with that only a server writes: of a proposal to purge something, and of the
/// record of an erasure.
inline constexpr std::string_view proposal_prefix = "urn:whence:proposal:";
inline constexpr std::string_view erasure_prefix = "urn:whence:erasure:";

/// The ref that an IRI in our own namespaces names: "urn:whence:Subject:t/a%2Bb" is Subject:t/a+b. Nothing for
/// other IRIs and for types that are no nodes or PROV's own.
[[nodiscard]] std::optional<std::string> ref_of_iri(std::string_view iri);

}  // namespace whence::schema
