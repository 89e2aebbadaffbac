#pragma once
// The fields of records that are kept in columns in memory, so that nodes are found by them without reading records.

#include "schema/records/records.hpp"
#include "schema/types/record_type.hpp"

#include <span>
#include <string>
#include <string_view>

namespace whence::schema {

/// One text of a record, by the name that queries have for it.
struct IndexedField {
  RecordType type;
  std::string_view name;
  std::string const* (*text)(Record const& record);  ///< null where the record has none
};

/// All of them; those of one type follow one another. There is no other list.
[[nodiscard]] std::span<IndexedField const> indexed_fields() noexcept;

/// The row of a field; null where it is not indexed.
[[nodiscard]] IndexedField const* find_indexed_field(RecordType type, std::string_view name) noexcept;

}  // namespace whence::schema
