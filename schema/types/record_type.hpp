#pragma once
// Record types: their numbers and the fixed facts of each. Made from the rows of catalogue.hpp.

#include "schema/types/record_catalogue.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <span>
#include <string_view>

#include <boost/assert.hpp>

namespace whence::schema {

/// Numbers are stored: never reused, never reordered.
enum class RecordType : std::uint8_t {
#define WHENCE_ENUMERATOR(number, enumerator, Struct, ...) enumerator = number,
  WHENCE_RECORD_TYPES(WHENCE_ENUMERATOR)
#undef WHENCE_ENUMERATOR
};

/// Names of members of one record type, the preferred one first.
class MemberNames {
 public:
  static constexpr std::size_t count_max = 4;

  constexpr MemberNames() = default;
  constexpr MemberNames(std::initializer_list<std::string_view> names) {
    for (std::string_view const name : names) names_[count_++] = name;  // one too many does not compile
  }

  [[nodiscard]] constexpr auto begin() const noexcept { return names_.begin(); }
  [[nodiscard]] constexpr auto end() const noexcept { return names_.begin() + count_; }
  [[nodiscard]] constexpr bool empty() const noexcept { return count_ == 0; }
  constexpr operator std::span<std::string_view const>() const noexcept { return std::span{names_}.first(count_); }

 private:
  std::array<std::string_view, count_max> names_ = {};
  std::size_t count_ = 0;
};

/// The fixed facts of a record type.
struct RecordTypeInfo {
  RecordType type;
  std::string_view name;  ///< its `$type$`

  // For people.
  std::string_view label = {};        ///< "Context unit"
  std::string_view group = {};        ///< for colours and legends: "context", "response", "message", "extracted", ...
  MemberNames label_members = {};     ///< name a record: the first that a record has. Where there is none, the id does
  MemberNames detail_members = {};    ///< describe a record in one line; empty: the label members do
  MemberNames search_members = {};    ///< further members worth searching for text
  std::string_view time_member = {};  ///< the member that holds the record's own time; empty: it has none

  // Identity.
  std::string_view id_prefix = {};    ///< what a given id must start with; empty: nothing
  std::string_view made_prefix = {};  ///< what an id made by the server starts with; empty: the client must name it
  bool has_bare_refs = false;         ///< an id that starts with `made_prefix` is a ref without its type
  bool is_node = true;                ///< has a vertex of its own and is stored (a manifest and a citation are not)

  // Behaviour.
  bool is_prov = false;            ///< comes from a PROV document of others
  bool is_rated = false;           ///< has a score and a number of feedbacks, or is a feedback
  bool has_status = false;         ///< is a source that ratings are passed on to, and has a status
  bool is_impact = false;          ///< listed and counted by impact analysis
  bool is_extracted = false;       ///< extraction derives such records from the XML of responses
  bool deletes_parts = false;      ///< deleting one deletes what is `PART_OF` it, and feedback on it
  bool is_replaceable = false;     ///< a second write under the same id replaces the content; else it is a conflict
  bool edges_equal_links = false;  ///< its stored edges are exactly those of its references (edges/links.hpp)
};

/// Row i describes number i + 1.
inline constexpr auto record_type_table = std::to_array<RecordTypeInfo>({
#define WHENCE_ROW(number, enumerator, Struct, type_name, ...) \
  {.type = RecordType::enumerator, .name = type_name, __VA_ARGS__},
    WHENCE_RECORD_TYPES(WHENCE_ROW)
#undef WHENCE_ROW
});

/// One more than the highest number, for arrays indexed by type.
inline constexpr std::size_t record_type_count = record_type_table.size() + 1;

[[nodiscard]] constexpr std::span<RecordTypeInfo const> record_types() noexcept {
  return record_type_table;
}
[[nodiscard]] constexpr RecordTypeInfo const& info(RecordType type) noexcept {
  auto const index = static_cast<std::size_t>(type) - 1;
  BOOST_ASSERT(index < record_type_table.size());
  return record_type_table[index];
}
[[nodiscard]] constexpr std::string_view name_of(RecordType type) noexcept {
  return info(type).name;
}

/// The type whose `$type$` is `name`; nothing for an unknown name.
[[nodiscard]] std::optional<RecordType> find_record_type(std::string_view name) noexcept;

std::ostream& operator<<(std::ostream& out, RecordType type);

/// A set of record types.
class RecordTypeSet {
 public:
  constexpr RecordTypeSet() = default;
  constexpr void insert(RecordType type) noexcept { bits_ |= std::uint64_t{1} << static_cast<unsigned>(type); }
  [[nodiscard]] constexpr bool contains(RecordType type) const noexcept {
    return ((bits_ >> static_cast<unsigned>(type)) & 1U) != 0;
  }
  [[nodiscard]] constexpr bool empty() const noexcept { return bits_ == 0; }
  friend constexpr bool operator==(RecordTypeSet, RecordTypeSet) = default;

 private:
  static_assert(record_type_count <= 64);

  std::uint64_t bits_ = 0;
};

}  // namespace whence::schema
