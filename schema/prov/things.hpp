#pragma once
// The entities, activities and agents of one PROV document while it is read.

#include "schema/prov/names.hpp"
#include "schema/records/records.hpp"
#include "schema/types/record_type.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace whence::schema::json {

/// The document itself or one of its bundles.
struct ProvScope {
  std::string_view bundle = {};  ///< its name as written; empty for the document
  std::string bundle_iri = {};
  Namespaces names{};
};

/// The object of a relation: a thing, or a record of ours by its ref.
struct ProvTarget {
  std::optional<std::size_t> thing = {};
  std::string ref = {};
};

/// A relation kept with its subject. Views the parsed document.
struct KeptRelation {
  std::string_view relation;
  std::string_view id;
  std::optional<std::int64_t> place;
  std::vector<ProvTarget> objects;
  std::vector<ProvTarget> further = {};
  bool is_list = false;
  boost::json::object const* attributes;
};

struct ProvThing {
  RecordType kind;
  std::uint32_t scope;
  std::string iri;
  std::string_view qname;
  std::vector<boost::json::object const*> declarations = {};
  bool is_array = false;    ///< declared as an array, or under two names
  bool is_dormant = false;  ///< of our own export: not kept unless something of others speaks of it
  std::vector<KeptRelation> relations = {};
};

/// All things of a document in the order in which they are met. Positions are numbers from 0.
class ProvThings {
 public:
  /// Adds what a section declares. The same thing once more, under another name, gets further attributes.
  ProvThing& declare(RecordType kind, std::uint32_t scope, std::string iri, std::string_view qname);

  /// The thing that an argument means: of `kind` where declared so; else of any kind declared; else only mentioned.
  /// `is_any` prefers no kind.
  [[nodiscard]] std::size_t mention(RecordType kind, std::uint32_t scope, std::string const& iri,
                                    std::string_view qname, bool is_any);

  /// Whether the document declares `iri` in `scope` as anything.
  [[nodiscard]] std::optional<std::size_t> find_declared(std::uint32_t scope, std::string const& iri,
                                                         RecordType preferred) const;

  [[nodiscard]] std::vector<ProvThing>& all() noexcept { return things_; }

  /// The id of each thing, empty for dormant ones. Call when all are known.
  [[nodiscard]] std::vector<std::string> ids(std::deque<ProvScope> const& scopes) const;

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  using Kinds = std::array<std::size_t, 3>;  // positions by kind: entity, activity, agent

  [[nodiscard]] std::size_t& position(RecordType kind, std::uint32_t scope, std::string const& iri);
  [[nodiscard]] Kinds const* find(std::uint32_t scope, std::string const& iri) const;
  [[nodiscard]] bool is_declared(std::size_t thing) const { return !things_[thing].declarations.empty(); }

  std::vector<ProvThing> things_;
  std::unordered_map<std::string, Kinds> places_;  // by IRI and scope
};

/// A blank record of the kind.
[[nodiscard]] Record prov_record(RecordType kind, ProvNode node);

}  // namespace whence::schema::json
