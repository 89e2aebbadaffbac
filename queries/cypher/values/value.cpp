#include "queries/cypher/values/value.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace whence::queries::cypher {
namespace {

constexpr std::array<std::string_view, 16> type_names = {
    "Null",         "Boolean", "Integer", "Float",     "String", "List",          "Map",      "Node",
    "Relationship", "Path",    "Date",    "LocalTime", "Time",   "LocalDateTime", "DateTime", "Duration"};

/// A sum that stays at the largest number instead of wrapping.
std::uint64_t sum_of(std::uint64_t a, std::uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

}  // namespace

std::string_view name_of(ValueType type) noexcept {
  return type_names[static_cast<std::size_t>(type)];
}

Value::Value(List value) {
  auto made = std::make_shared<Sized<List>>();
  for (auto const& each : value) {
    made->depth = std::max(made->depth, depth_of(each) + 1);
    made->bytes = sum_of(made->bytes, bytes_of(each));
  }
  made->value = std::move(value);
  data_ = std::shared_ptr<Sized<List> const>{std::move(made)};
}

Value::Value(Map value) {
  constexpr std::uint64_t entry_bytes = 48;
  auto made = std::make_shared<Sized<Map>>();
  for (auto const& entry : value) {
    made->depth = std::max(made->depth, depth_of(entry.second) + 1);
    made->bytes = sum_of(made->bytes, entry_bytes + entry.first.size() + bytes_of(entry.second));
  }
  made->value = std::move(value);
  data_ = std::shared_ptr<Sized<Map> const>{std::move(made)};
}

std::uint64_t bytes_of(Value const& value) noexcept {
  if (auto const* list = std::get_if<Value::Shared<Sized<List>>>(&value.data_))
    return sum_of(sizeof(Value), (*list)->bytes);
  if (auto const* map = std::get_if<Value::Shared<Sized<Map>>>(&value.data_))
    return sum_of(sizeof(Value), (*map)->bytes);
  if (auto const* text = value.find_text()) return sizeof(Value) + text->size();
  if (auto const* path = value.find_path()) {
    return sizeof(Value) + path->nodes.size() * sizeof(Node) + path->relations.size() * sizeof(Relation);
  }
  return sizeof(Value);
}

std::optional<std::int64_t> whole_number(Value const& value) noexcept {
  if (auto const* integer = value.find_integer()) return *integer;
  constexpr double whole_max = 9'007'199'254'740'992;  // 2^53
  auto const* number = value.find_double();
  if (number == nullptr || !(std::abs(*number) <= whole_max) || std::trunc(*number) != *number) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

std::uint32_t depth_of(Value const& value) noexcept {
  if (auto const* list = std::get_if<Value::Shared<Sized<List>>>(&value.data_)) return (*list)->depth;
  if (auto const* map = std::get_if<Value::Shared<Sized<Map>>>(&value.data_)) return (*map)->depth;
  return 0;
}

}  // namespace whence::queries::cypher
