#pragma once
// Our own export in a PROV document: its records, and the statements around them that these records imply.

#include "schema/base/report.hpp"
#include "schema/prov/names.hpp"
#include "schema/prov/standing.hpp"
#include "schema/records/prov/relations.hpp"
#include "schema/types/record_type.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace whence::schema::json {

/// The records of ours that one document holds, in its order.
class OwnRecords {
 public:
  /// One relation, its ends as IRIs.
  struct Seen {
    ProvRelationInfo const& relation;
    Namespaces const& names;
    boost::json::object const& attributes;
    std::string const& subject;
    std::string const& object;  ///< empty: none
  };

  /// Takes an entity whose type is one of ours and that carries its record; its position in the list, or nothing for
  /// other entities. Reports "whence_record" and "duplicate_member" where the record is none.
  std::optional<std::size_t> take(std::string const& iri, boost::json::object const& attributes,
                                  Namespaces const& names, Path const& at, Report& report);

  /// The ref of the record that `iri` names; null for others.
  [[nodiscard]] std::string const* find(std::string const& iri) const;

  /// Whether `iri` names a node of ours whose content is gone, or its activity.
  [[nodiscard]] bool is_of_gone(std::string const& iri) const;

  /// Whether an activity or agent is one that our export writes beside its records.
  [[nodiscard]] bool is_beside(RecordType kind, std::string const& iri) const;

  /// Whether the records imply the relation, or it is about a node whose content is gone. What only the relation says
  /// goes into the records.
  [[nodiscard]] bool take_relation(Seen const& seen);

  [[nodiscard]] std::size_t size() const noexcept { return records_.size(); }

  /// Leaves `request_id` out of the responses of a request whose Answer the document joins with none of them, since a
  /// write would make the last one act with it. A warning for each ("prov_act"). After all relations, before `text`.
  [[nodiscard]] std::vector<Violation> part_acts();

  /// Leaves out what cannot be without a node whose content is gone: ratings of it. A warning for each ("prov_gone").
  /// After all records.
  [[nodiscard]] std::vector<Violation> drop_ratings_of_gone();

  /// Records in place of those whose content is gone, of which others that are there are parts: their ids alone. After
  /// `drop_ratings_of_gone`.
  [[nodiscard]] std::vector<std::string> wholes_of_gone() const;

  /// Whether the record at a position is left out.
  [[nodiscard]] bool is_dropped(std::size_t position) const;

  /// Whether the record at a position is a document that was loaded from things of others.
  [[nodiscard]] bool is_loaded(std::size_t position) const;

  /// Whether the record at a position is the response of an act.
  [[nodiscard]] bool is_of_act(std::size_t position) const;

  /// The record at a position as JSON text.
  [[nodiscard]] std::string text(std::size_t position) const;

  /// Stand-ins for deleted records that those taken cannot be without: ref and text. Not for those that are there.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> stand_ins() const;

  /// Retrievals, which are edges once written: records besides those taken.
  [[nodiscard]] std::vector<std::string> retrievals() const;

  /// What the document says of the ratings and the status of the records.
  [[nodiscard]] std::vector<ProvStanding> const& standings() const noexcept { return standings_; }

 private:
  struct Own {
    RecordType type;
    std::string ref;
    boost::json::object record;
    std::string needed = {};             ///< the ref of a deleted record
    std::vector<std::string> line = {};  ///< refs of the versions before that, up to one that is there
    bool is_of_act = false;
    bool is_loaded = false;
    bool is_dropped = false;
    std::string path = {};  ///< of responses and ratings
  };
  struct Retrieval {
    std::size_t chunk;
    std::string request_id;
    boost::json::value similarity;
    boost::json::value rank;
  };

  void note_standing(std::string const& ref, boost::json::object const& attributes, Namespaces const& names,
                     Path const& at);
  [[nodiscard]] Own* own(std::string const& iri);
  [[nodiscard]] Own* response_of(std::string const& activity_iri);
  void note(std::string_view edge, Seen const& seen);
  [[nodiscard]] std::unordered_set<std::string> gone_refs() const;

  std::vector<Own> records_;
  std::unordered_map<std::string, std::size_t> by_iri_;
  std::vector<Retrieval> retrievals_;
  std::vector<ProvStanding> standings_;
  std::unordered_set<std::string> gone_;  // IRIs
};

}  // namespace whence::schema::json
