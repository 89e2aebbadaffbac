#pragma once
// One PROV-JSON document (W3C member submission of 2013-04-24) as records to be written in one batch.
//
// What our own export wrote becomes the records it was made from; everything else becomes ProvEntity, ProvActivity and
// ProvAgent records, each with the relations it is the subject of, as they came (schema/prov/statements.hpp
// writes them back).
//
// Names: prefixes of a bundle take precedence over those of the document; a name whose prefix is not declared is its
// own IRI. In the document itself an IRI is the id, in a bundle `IRI#bundle=BUNDLE`. What relations only mention gets a
// record as well, of the type that the argument has, unless the document declares the thing as something else.

#include "schema/base/error.hpp"
#include "schema/prov/standing.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace whence::schema::json {

/// The contents of a document.
struct ProvCounts {
  std::size_t own = 0;       ///< our own records in it
  std::size_t entities = 0;  ///< declared or mentioned, as all three
  std::size_t activities = 0;
  std::size_t agents = 0;
  std::size_t mentioned = 0;  ///< of these three, those that nothing declares
  std::size_t relations = 0;  ///< kept with their subjects
  std::size_t implied = 0;    ///< relations that our own records imply
  std::size_t bundles = 0;

  friend bool operator==(ProvCounts const&, ProvCounts const&) = default;
};

struct ProvImport {
  std::vector<std::string> records = {};  ///< each as JSON text in the wire form, in the document's order
  /// Rules "prov_no_subject" (a relation lacks its first argument, and is kept with its second), "prov_no_object" (it
  /// lacks its second, and all others that would make an edge), "prov_subject" (a
  /// relation of others says something about a record of ours: it is kept with a ProvEntity
  /// that represents that record), "prov_bundle" (an empty bundle is not kept), "prov_gone" (a
  /// node of ours whose content was gone is not kept, nor are ratings of it) and "server_field" (an activity that
  /// the server of another store wrote, of an erasure or a proposal, is not kept). Paths lead into the document.
  std::vector<Violation> warnings = {};
  ProvCounts counts = {};
  /// Refs of records without which others of ours could not be read, though they were deleted: they are among
  /// `records`, with nothing that anybody said, and are to be deleted again.
  std::vector<std::string> deleted = {};
  /// How many of `records`, the last ones, are documents that were loaded from things which are among the others: they
  /// gain the edges where they are written after these.
  std::size_t loaded = 0;
  std::vector<ProvStanding> standings = {};
};

/// Reads a whole document. Fails with `invalid_record`, each violation with its JSON Pointer in the document and a
/// rule: "invalid_json", "duplicate_member", "prov_section" (an unknown member of the document or a bundle),
/// "prov_record" (no object, nor an array of such), "prov_value", "prov_argument" (of a relation: no name, or several),
/// "prov_name" (empty or too long), "prov_prefix", "prov_bundle", "prov_id" (two things come to one id), "required" (a
/// relation without subject and object), "size" (attributes), "whence_record" (what our export wrote does not read).
/// Fails with `limit_exceeded` where it comes to more than `limits::prov_records_max` records. O(size of the text).
[[nodiscard]] Result<ProvImport> read_prov_json(std::string_view text);

}  // namespace whence::schema::json
