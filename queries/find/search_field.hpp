#pragma once
// The fields that node.find can search: the scalar members of a record and its lists of texts by their wire names, and
// values that the server computes for it.

#include "graph/snapshot/snapshot.hpp"
#include "schema/base/time.hpp"
#include "schema/records/records.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace whence::queries {

/// The kind of a field's values, and so the form of its operands on the wire.
enum class ValueKind : std::uint8_t {
  text,  ///< string, compared by bytes
  number,
  flag,      ///< true or false, compared as 1 and 0
  time,      ///< RFC 3339 string, compared as an instant
  epoch_ms,  ///< integer milliseconds, compared as an instant
};

/// A field's value. Text views the record or the graph.
using Value = std::variant<std::string_view, double, schema::Time>;

/// One searchable field of a record type: read in one of these ways, from the graph or from the record.
struct SearchField {
  std::string_view name;
  ValueKind kind;
  std::optional<Value> (*from_graph)(graph::Snapshot const&, graph::VertexId) = nullptr;
  std::optional<Value> (*from_record)(schema::Record const&) = nullptr;
  /// Of a list of texts, instead of the above: null where the record has none.
  std::vector<std::string> const* (*list_from_record)(schema::Record const&) = nullptr;
  /// Several texts, made from the record: a condition holds where it holds for one of them. No order follows it.
  std::vector<std::string> (*texts_from_record)(schema::Record const&) = nullptr;
};

/// The field called `name`; null where `type` has no such field. Objects, `attributes` and lists of other things than
/// texts are not searchable.
[[nodiscard]] SearchField const* find_search_field(schema::RecordType type, std::string_view name);

/// Whether `field`, of `type`, is a text or a list of texts of `schema::indexed_fields`.
[[nodiscard]] bool is_in_column(schema::RecordType type, SearchField const& field) noexcept;

/// The names of all fields of a type.
[[nodiscard]] std::vector<std::string_view> search_field_names(schema::RecordType type);

}  // namespace whence::queries
