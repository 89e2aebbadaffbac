#pragma once
// The validation of a record on its own: bounds of each member from its field table, and the checks that join members
// (weights sum to 1, a manifest agrees with itself). What needs the state of the store is checked in engine/validation.

#include "schema/base/error.hpp"
#include "schema/checks/check_context.hpp"
#include "schema/records/records.hpp"

#include <string>
#include <vector>

namespace whence::schema {

/// A member that the record type does not have, as it was given.
struct UnknownMember {
  std::string path;  ///< JSON Pointer, as in its violation
  std::string json;  ///< its value
};

/// A record as it came in: the value, and what was already wrong with its text. Members whose text was unusable have
/// their default here and a violation there.
struct IncomingRecord {
  Record record;
  std::vector<Violation> violations = {};   ///< `index` is not set
  std::vector<UnknownMember> unknown = {};  ///< each has a violation, rule "unknown_field"
  /// Members of a Discussion that are null in its text: they are cleared, what is left out stays as it is.
  std::vector<std::string> cleared = {};
  bool has_made_id = false;  ///< a unit whose id is made from its source and its text
  bool is_usable = true;     ///< false: not even a record (no object, unknown `$type$`); `record` is meaningless
};

/// Brings what clients may leave out or write in several ways into one form (a question without white space around it,
/// the personas and turns of a round, an answer without text says that nothing was found). Then appends a violation for
/// every rule that `incoming.record` breaks, unless one for the same path is there. Rules of single members: "length",
/// "range", "id", "prefix", "items", "utf8", "size"; of times: "future"; of several members: those that the rules.hpp
/// of the record's folder names. O(size of the record).
void check(IncomingRecord& incoming, CheckContext const& context);

}  // namespace whence::schema
