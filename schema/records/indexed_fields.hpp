#pragma once
// The fields of records that are kept in columns in memory, so that nodes are found by them without reading records.

#include "schema/records/records.hpp"
#include "schema/types/record_type.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace whence::schema {

/// One value of a record, by the name that queries have for it: a text, several texts, or a number.
struct IndexedField {
  /// Nothing where the record has none. What has to be made is made in `room`, which outlives the view.
  using Text = std::optional<std::string_view> (*)(Record const& record, std::string& room);
  using Number = std::optional<double> (*)(Record const& record);

  RecordType type;
  std::string_view name;
  Text text = nullptr;      ///< null of a number
  Number number = nullptr;  ///< null of a text; otherwise never NaN
  bool is_list = false;     ///< `text` has several, a line feed behind each
  /// The member whose value `number` is: of real numbers or of integers; nothing where it is made of several.
  enum class Member : std::uint8_t { none, real, integer } member = Member::none;
};

/// Calls `visit` with each text of a list, as `IndexedField::text` has them, until it returns true. Whether it did.
template <class Visit>
bool any_in_list(std::string_view list, Visit&& visit) {
  for (std::size_t end = 0; !list.empty(); list.remove_prefix(end + 1)) {
    end = list.find('\n');
    if (visit(list.substr(0, end))) return true;
  }
  return false;
}

/// All of them; those of one type follow one another. There is no other list.
[[nodiscard]] std::span<IndexedField const> indexed_fields() noexcept;

/// How large an answer was: the tokens of its prompt and its output as far as they are known, else `token_count`.
[[nodiscard]] std::optional<double> tokens_of_response(Record const& record);

/// The row of a field; null where it is not indexed.
[[nodiscard]] IndexedField const* find_indexed_field(RecordType type, std::string_view name) noexcept;

}  // namespace whence::schema
