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
inline constexpr std::string_view low_confidence = "low_confidence";      ///< the text of an answer that is kept
inline constexpr std::string_view many_units = "many_units";              ///< more than 50
inline constexpr std::string_view members_dropped = "members_dropped";    ///< unknown ones, for which was no room
inline constexpr std::string_view no_citations = "no_citations";          ///< of an answer
inline constexpr std::string_view no_units = "no_units";                  ///< of a response
inline constexpr std::string_view scaled_weights = "scaled_weights";      ///< that did not sum to 1
inline constexpr std::string_view unknown_members = "unknown_members";    ///< now in `attributes`
inline constexpr std::string_view unknown_source = "unknown_source";      ///< represents one that was only named
inline constexpr std::string_view unsupported = "unsupported";            ///< a citation that does not hold
inline constexpr std::string_view weights_left_out = "weights_left_out";  ///< by the client
}  // namespace flag

// Of the member, in field tables.
inline constexpr std::string_view flags_doc = "What capture mode noted about it.";
inline constexpr Rule flags_rule = {.length_min = 1, .length_max = 100, .items_max = 100};

/// All of them in byte order.
inline constexpr std::array all_flags = {
    flag::low_confidence, flag::many_units,      flag::members_dropped, flag::no_citations, flag::no_units,
    flag::scaled_weights, flag::unknown_members, flag::unknown_source,  flag::unsupported,  flag::weights_left_out};

/// Adds `name` where it is not there yet.
inline void add_flag(Flags& flags, std::string_view name) {
  auto& names = flags ? *flags : flags.emplace();
  if (std::ranges::find(names, name) == names.end()) names.emplace(std::ranges::lower_bound(names, name), name);
}

/// Takes `name` away. A record without flags has no member for them.
inline void drop_flag(Flags& flags, std::string_view name) {
  if (!flags) return;
  std::erase(*flags, name);
  if (flags->empty()) flags.reset();
}

[[nodiscard]] inline bool has_flag(Flags const& flags, std::string_view name) {
  return flags && std::ranges::find(*flags, name) != flags->end();
}

}  // namespace whence::schema
