#pragma once
// Described structs to and from JSON, driven by their field tables: records, and the params of every method.

#include "schema/base/error.hpp"
#include "schema/json/writer.hpp"
#include "schema/records/check.hpp"
#include "schema/records/records.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace whence::schema::json {

/// Names the type of a record among its members.
inline constexpr std::string_view type_member = "$type$";

/// Where a record comes from: a client, or a copy of what was recorded elsewhere (`Presence::copied`).
enum class Source : std::uint8_t { client, copy };

/// Reads one element of `records`. Never fails: faults go to `violations` (rules "type", "required",
/// "unknown_field", "server_field", "duplicate_member", "format", "integer", "enum", "id", "manifest_size",
/// "manifest_invalid", "manifest_mismatch", and "record_type" for no object or an
/// unknown `$type$`). `duplicates` are the pointers of the parsed document that lie within this element, relative to
/// it.
[[nodiscard]] IncomingRecord decode_record(boost::json::value const& element,
                                           std::vector<std::string> const& duplicates = {},
                                           Source source = Source::client);

/// Writes a record in its wire form: `$type$` first, members in the order of the field table, absent ones left out.
void write_record(Writer& out, Record const& record);
/// Writes `$type$` and those of the members that `is_wanted` wants into the object that is open. `is_blank`: the member
/// is as in a record of which nothing is known.
void write_wanted_members(Writer& out, Record const& record,
                          std::function<bool(std::string_view name, bool is_blank)> const& is_wanted);
[[nodiscard]] std::string to_text(Record const& record);
/// Calls `visit` with the name of each member that `write_record` writes after `$type$`, in its order.
void for_each_name(Record const& record, std::function<void(std::string_view)> const& visit);

}  // namespace whence::schema::json
