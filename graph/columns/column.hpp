#pragma once
// Columns of one record type: codes by the place of a vertex among all of its type, and what the codes mean.

#include "graph/columns/dictionary.hpp"
#include "graph/columns/id_order.hpp"
#include "graph/storage/chunked.hpp"
#include "schema/records/indexed_fields.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <deque>
#include <optional>
#include <shared_mutex>
#include <string_view>

namespace whence::graph::impl {

/// What a row holds of a value.
namespace code {
inline constexpr std::uint32_t by_record = 0;                     ///< only the record says it
inline constexpr std::uint32_t none = 1;                          ///< the record has none
inline constexpr std::uint32_t first = 2;                         ///< numbers of the dictionary begin here
inline constexpr std::uint32_t hashed = std::uint32_t{1} << 31U;  ///< with 31 bits of the value's hash

[[nodiscard]] constexpr bool is_hashed(std::uint32_t code) noexcept {
  return (code & hashed) != 0;
}
[[nodiscard]] constexpr std::uint32_t of_hash(std::uint64_t hash) noexcept {
  return hashed | static_cast<std::uint32_t>(hash >> 33U);
}
}  // namespace code

/// What a row holds of a number: the bits of a double, or of a NaN, which no record has.
namespace number_bits {
inline constexpr std::uint64_t by_record = ~std::uint64_t{0};  ///< only the record says it
inline constexpr std::uint64_t none = ~std::uint64_t{1};       ///< the record has none

[[nodiscard]] inline std::uint64_t of(std::optional<double> number) noexcept {
  return number ? std::bit_cast<std::uint64_t>(*number) : none;
}
}  // namespace number_bits

/// One field, of texts with codes or of numbers. Invariants: 1. what a row has is written before the row is published,
/// and changes once at most, to `by_record`. 2. a number of the dictionary is given to another text only when no row
/// has it any more, so that rows published before never get it. 3. the dictionary changes under the mutex, held alone;
/// readers share it.
struct Column {
  explicit Column(schema::IndexedField const& described) : field{&described} {}

  schema::IndexedField const* field;
  [[nodiscard]] bool is_of_numbers() const noexcept { return field->number != nullptr; }

  ChunkedArray<std::atomic<std::uint32_t>> codes;    ///< of texts
  ChunkedArray<std::atomic<std::uint64_t>> numbers;  ///< of numbers
  mutable std::shared_mutex mutex;
  Dictionary dictionary;
  std::atomic<std::uint32_t> hashed_rows = 0;
};

/// All indexed fields of one type.
struct TypeColumns {
  std::atomic<std::uint32_t> rows = 0;  ///< published
  std::deque<Column> columns;           ///< of a fixed number
  IdOrder by_id;

  [[nodiscard]] Column const* find(std::string_view field) const noexcept {
    auto const found = std::ranges::find_if(columns, [&](Column const& each) { return each.field->name == field; });
    return found == columns.end() ? nullptr : &*found;
  }
};

}  // namespace whence::graph::impl
