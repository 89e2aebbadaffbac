#include "queries/cypher/values/value.hpp"

#include <array>

namespace whence::queries::cypher {
namespace {

constexpr std::array<std::string_view, 16> type_names = {
    "Null", "Boolean", "Integer", "Float", "String", "List", "Map", "Node", "Relationship", "Path",
    "Date", "LocalTime", "Time", "LocalDateTime", "DateTime", "Duration"};

}  // namespace

std::string_view name_of(ValueType type) noexcept { return type_names[static_cast<std::size_t>(type)]; }

Value::Value(List value) : data_(std::make_shared<List const>(std::move(value))) {}
Value::Value(Map value) : data_(std::make_shared<Map const>(std::move(value))) {}

std::size_t bytes_of(Value const& value) noexcept {
  std::size_t bytes = sizeof(Value);
  if (auto const* text = value.find_text()) bytes += text->size();
  if (auto const* path = value.find_path()) bytes += (path->nodes.size() + path->relations.size()) * sizeof(Node);
  if (auto const* list = value.find_list()) {
    for (auto const& each : *list) bytes += bytes_of(each);
  }
  if (auto const* map = value.find_map()) {
    for (auto const& each : *map) bytes += 48 + each.first.size() + bytes_of(each.second);
  }
  return bytes;
}

}  // namespace whence::queries::cypher
