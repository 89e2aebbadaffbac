// The catalogue's rows, checked while compiling, and the lookup by name.
#include "schema/types/record_type.hpp"

#include <algorithm>
#include <ostream>

namespace whence::schema {
namespace {

consteval bool is_in_order() {
  for (std::size_t i = 0; i < record_type_table.size(); ++i) {
    if (static_cast<std::size_t>(record_type_table[i].type) != i + 1) return false;
  }
  return true;
}
static_assert(is_in_order(), "the rows of the catalogue are numbered from 1 without gaps");

consteval bool all_have_labels() {
  return std::ranges::none_of(record_type_table,
                              [](RecordTypeInfo const& row) { return row.label.empty() || row.group.empty(); });
}
static_assert(all_have_labels(), "a row of the catalogue lacks its label or its group");

}  // namespace

std::optional<RecordType> find_record_type(std::string_view name) noexcept {
  auto const* const row = std::ranges::find(record_type_table, name, &RecordTypeInfo::name);
  if (row == record_type_table.end()) return std::nullopt;
  return row->type;
}

std::ostream& operator<<(std::ostream& out, RecordType type) {
  return out << name_of(type);
}

}  // namespace whence::schema
