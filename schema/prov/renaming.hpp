#pragma once
// Other prefixes for the names in what PROV-JSON says: where two documents use one prefix with two meanings.

#include <map>
#include <string>
#include <string_view>

namespace whence::schema::json {

/// The new names of prefixes; "default" is the old one of names without a prefix.
using RenamedPrefixes = std::map<std::string, std::string>;

[[nodiscard]] std::string renamed_name(std::string_view name, RenamedPrefixes const& prefixes);

/// Attributes, or a list of such, with the names in them renamed: those of attributes, types, qualified names and
/// arguments. The vocabulary's own names stay: its prefix may not be taken. As they are where nothing is renamed.
[[nodiscard]] std::string renamed_attributes(std::string_view attributes, RenamedPrefixes const& prefixes);

}  // namespace whence::schema::json
