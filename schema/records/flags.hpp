#pragma once
// Flags: what capture mode notes on a record that it takes although it breaks a rule of the contract. The server sets
// them, in the member `flags`; clients read and search them.

#include "schema/base/fields.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::schema {

/// The flags of a record, each once; absent where there is none.
using Flags = std::optional<std::vector<std::string>>;

namespace flag {
inline constexpr std::string_view low_confidence = "low_confidence";
inline constexpr std::string_view members_dropped = "members_dropped";
inline constexpr std::string_view unknown_members = "unknown_members";
inline constexpr std::string_view unsupported = "unsupported";
}  // namespace flag

// Of the member, in field tables.
inline constexpr std::string_view flags_doc = "What capture mode noted about it.";
inline constexpr Rule flags_rule = {.length_min = 1, .length_max = 100, .items_max = 100};

/// All of them in byte order.
inline constexpr std::array all_flags = {flag::low_confidence, flag::members_dropped, flag::unknown_members,
                                         flag::unsupported};

/// Adds `name` where it is not there yet.
inline void add_flag(Flags& flags, std::string_view name) {
  auto& names = flags ? *flags : flags.emplace();
  if (std::ranges::find(names, name) == names.end()) names.emplace(std::ranges::lower_bound(names, name), name);
}

[[nodiscard]] inline bool has_flag(Flags const& flags, std::string_view name) {
  return flags && std::ranges::find(*flags, name) != flags->end();
}

}  // namespace whence::schema
