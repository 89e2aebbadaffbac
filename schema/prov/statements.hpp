#pragma once
// The inverse of reading a PROV-JSON document: the statements of the records of others, as they were written.

#include "schema/records/records.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace whence::schema::json {

/// One entry of a section of PROV-JSON. Views its record.
struct ProvStatement {
  std::string_view bundle = {};   ///< name of the bundle it is in; empty for the document itself
  std::string_view section = {};  ///< "entity", "used", ...
  /// Its name there; empty for a relation without a name of its own, to which the writer gives any. Several statements
  /// of one section may have one name: where `place` is given, and where documents use one name for several things.
  /// They go into one array.
  std::string_view key = {};
  std::optional<std::int64_t> place = {};  ///< in the array that the name mapped to, from 0
  /// PROV-JSON: an object, or for things an array of objects where the name mapped to one.
  std::string_view attributes = {};
};

/// Null for records of other types.
[[nodiscard]] ProvNode const* prov_node_of(Record const& record) noexcept;

/// Calls `visit` for what declares the thing, if anything does, and for each of its relations. `record` must be a
/// ProvEntity, ProvActivity or ProvAgent. All names use the prefixes of the record, that of the bundle its own
/// (`prov_bundle_prefix`).
void for_each_prov_statement(Record const& record, std::function<void(ProvStatement const&)> const& visit);

/// The prefix that the name of the record's bundle uses, and its IRI in the document itself: inside the bundle the
/// prefix may have another. "default" where the name has none. Nothing where the record is in no bundle, or none
/// declares the prefix.
[[nodiscard]] std::optional<std::pair<std::string, std::string>> prov_bundle_prefix(ProvNode const& node);

}  // namespace whence::schema::json
