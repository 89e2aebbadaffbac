#pragma once
// The record types of all seeds, named once. Each has its struct in records.hpp and its rules in record_fields.hpp.

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string_view>

namespace whence::schema {

/// Numbers are stored: never reused, never reordered.
enum class RecordType : std::uint8_t {
  context_unit = 1,
  response = 2,
  feedback_record = 3,
  lineage_manifest = 4,
  topic = 5,
  message = 6,
  xml_message_attachment = 7,
  keyword = 8,
  subject = 9,
  summary = 10,
  system_prompt_template = 11,
  discussion = 12,
  discussion_round = 13,
  summary_entry = 14,
  document = 15,
  retrieved_chunk = 16,
  query = 17,
  embedding_vector = 18,
  prompt_context = 19,
  answer = 20,
  citation = 21,
  prov_entity = 22,
  prov_activity = 23,
  prov_agent = 24,
};

inline constexpr std::size_t record_type_count = 25;  ///< one more than the highest number, for arrays indexed by type

/// What is fixed about a record type.
struct RecordTypeInfo {
  RecordType type;
  std::string_view name;         ///< its `$type$`
  std::string_view id_prefix;    ///< what a given id must start with; empty: nothing
  std::string_view made_prefix;  ///< what an id made by the server starts with; empty: the client must name it
  bool is_node;                  ///< has a vertex of its own (a manifest and a citation have none)
  bool is_impact;                ///< listed and counted by impact analysis
  bool takes_parts_along;        ///< deleting one deletes what is `PART_OF` it
};

[[nodiscard]] std::span<RecordTypeInfo const> record_types() noexcept;
[[nodiscard]] RecordTypeInfo const& info(RecordType type) noexcept;
[[nodiscard]] inline std::string_view name_of(RecordType type) noexcept {
  return info(type).name;
}

/// The type named `$type$`, any seed's; nothing for an unknown name.
[[nodiscard]] std::optional<RecordType> find_record_type(std::string_view name) noexcept;

std::ostream& operator<<(std::ostream& out, RecordType type);

/// A set of record types.
class RecordTypeSet {
 public:
  constexpr RecordTypeSet() = default;
  constexpr void insert(RecordType type) noexcept { bits_ |= std::uint32_t{1} << static_cast<unsigned>(type); }
  [[nodiscard]] constexpr bool contains(RecordType type) const noexcept {
    return ((bits_ >> static_cast<unsigned>(type)) & 1U) != 0;
  }
  [[nodiscard]] constexpr bool empty() const noexcept { return bits_ == 0; }
  friend constexpr bool operator==(RecordTypeSet, RecordTypeSet) = default;

 private:
  std::uint32_t bits_ = 0;
};

}  // namespace whence::schema
