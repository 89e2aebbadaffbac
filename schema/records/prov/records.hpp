#pragma once
// Records of what PROV documents of others say and Whence has no record type for: entities, activities and agents, each
// with the relations it is the subject of. Names, values and arguments are kept as written, so that the document can be
// written back.

#include "schema/base/free_json.hpp"
#include "schema/types/record_type.hpp"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace whence::schema {

/// A relation, kept with its subject: the record that its first argument names.
struct ProvRelation {
  std::string relation = {};           ///< its name in PROV-JSON: "wasDerivedFrom"
  std::optional<std::string> id = {};  ///< as written; one that begins "_:" names nothing outside its document
  std::optional<std::int64_t> place =
      {};                                 ///< in the array that the id mapped to, from 0; absent where it was an object
  std::optional<std::string> other = {};  ///< ref of the object; absent where the relation has none
  std::optional<std::vector<std::string>> others = {};  ///< refs, where the object is a list (members of a collection)
  /// Refs of what further arguments name and that influenced the subject: the starter or ender, the plan, the activity
  /// of a derivation.
  std::optional<std::vector<std::string>> further = {};
  ProvAttributes attributes = {};  ///< arguments and all, as they came

  friend bool operator==(ProvRelation const&, ProvRelation const&) = default;
};

/// The members that the three kinds of things share.
struct ProvNode {
  std::string id = {};     ///< `prov_id` of the thing's IRI and bundle (schema/records/prov/relations.hpp)
  std::string qname = {};  ///< its name as written
  std::optional<ProvAttributes> attributes = {};            ///< absent where nothing declares it
  std::optional<std::string> bundle = {};                   ///< name of the bundle it is in, as written
  std::optional<std::string> bundle_iri = {};               ///< the same in full
  std::optional<PrefixMap> prefixes = {};                   ///< those that the names of this record use
  std::optional<bool> is_declared = {};                     ///< false where relations only mention it, else absent
  std::optional<std::vector<ProvRelation>> relations = {};  ///< those it is the subject of; the list only grows

  friend bool operator==(ProvNode const&, ProvNode const&) = default;
};

/// PROV-DM 5.1.1: a thing with some fixed aspects.
struct ProvEntity : ProvNode {
  static constexpr RecordType record_type = RecordType::prov_entity;
  friend bool operator==(ProvEntity const&, ProvEntity const&) = default;
};

/// PROV-DM 5.1.2: something that happens over time and acts upon or with entities.
struct ProvActivity : ProvNode {
  static constexpr RecordType record_type = RecordType::prov_activity;
  friend bool operator==(ProvActivity const&, ProvActivity const&) = default;
};

/// PROV-DM 5.3.1: someone or something responsible for an activity or an entity.
struct ProvAgent : ProvNode {
  static constexpr RecordType record_type = RecordType::prov_agent;
  friend bool operator==(ProvAgent const&, ProvAgent const&) = default;
};

}  // namespace whence::schema
