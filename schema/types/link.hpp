#pragma once
// One reference of a record to another, as the edge it becomes.

#include "schema/types/edge_type.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace whence::schema {

/// Where in its record a reference is. Kept in parts, because a path is only wanted where something is wrong.
struct LinkPlace {
  static constexpr std::uint32_t no_item = UINT32_MAX;

  std::string_view member;            ///< "context_units"
  std::uint32_t item = no_item;       ///< place in the list, where the member is one
  std::string_view item_member = {};  ///< "context_unit_id", where the list holds objects

  [[nodiscard]] std::string pointer() const;  ///< as a JSON Pointer
};

/// One reference of a record. Views point into the record.
struct Link {
  EdgeType type;
  RecordType other_type;
  std::string_view given_id;    ///< as written in the record
  bool owner_is_from;           ///< the record is the edge's `from`, the other its `to`
  std::optional<double> value;  ///< weight, version or score; nothing where the edge carries none (or a derived time)
  LinkPlace place;              ///< for errors
  bool is_enforced = true;      ///< false: where the other does not exist, the reference dangles
  std::string made_id = {};     ///< where the other's id is made of several members
  std::uint32_t rank = 0;       ///< beside the value, from 1; 0 where the edge carries none

  [[nodiscard]] std::string_view other_id() const noexcept { return made_id.empty() ? given_id : made_id; }
};

}  // namespace whence::schema
