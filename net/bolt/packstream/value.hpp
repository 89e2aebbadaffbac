#pragma once
// The values of PackStream: parameters of a statement, and what messages carry beside rows.

#include "queries/cypher/values/temporal.hpp"

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace whence::net::bolt {

struct Value;

/// A template, so that it is only complete once `Value` is, which holds it.
template <class T>
struct EntryOf {
  std::string key;
  T value;

  friend bool operator==(EntryOf const&, EntryOf const&) = default;
};

using Entry = EntryOf<Value>;
using List = std::vector<Value>;
/// In the order in which its entries came; each key once.
using Map = std::vector<Entry>;

/// Bytes that are no text.
struct Bytes {
  std::string bytes;

  friend bool operator==(Bytes const&, Bytes const&) = default;
};

// A DateTime that was read in a named zone has the offset 0: the zone's rules are not known here.
using queries::cypher::Date;
using queries::cypher::DateTime;
using queries::cypher::Duration;
using queries::cypher::LocalDateTime;
using queries::cypher::LocalTime;
using queries::cypher::Time;

/// Nodes, relationships and paths are none of these: they are only ever written (`PackWriter`), and points are refused.
struct Value {
  using Data = std::variant<std::monostate, bool, std::int64_t, double, std::string, Bytes, List, Map, Date, Time,
                            LocalTime, LocalDateTime, DateTime, Duration>;
  Data data = {};

  friend bool operator==(Value const& a, Value const& b);
};

[[nodiscard]] inline Entry entry_of(std::string_view key, Value::Data data) {
  return {.key = std::string{key}, .value = {std::move(data)}};
}

/// The value of `key`; null where there is none.
[[nodiscard]] Value const* find(Map const& map, std::string_view key) noexcept;
/// The same where it is of that kind.
template <class T>
[[nodiscard]] T const* find_as(Map const& map, std::string_view key) noexcept {
  auto const* const found = find(map, key);
  return found == nullptr ? nullptr : std::get_if<T>(&found->data);
}

/// As JSON where JSON has it; for tests and logs.
std::ostream& operator<<(std::ostream& out, Value const& value);

}  // namespace whence::net::bolt
