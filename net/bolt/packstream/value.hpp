#pragma once
// The values of PackStream: parameters of a statement, and what messages carry beside rows.

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

/// Days since 1970-01-01.
struct Date {
  std::int64_t days = 0;

  friend bool operator==(Date const&, Date const&) = default;
};

/// A time of day with the offset of its zone from UTC.
struct Time {
  std::int64_t nanos = 0;  ///< since midnight, there
  std::int64_t offset_s = 0;

  friend bool operator==(Time const&, Time const&) = default;
};

/// A time of day somewhere.
struct LocalTime {
  std::int64_t nanos = 0;  ///< since midnight

  friend bool operator==(LocalTime const&, LocalTime const&) = default;
};

/// A date and time somewhere, counted as if it were UTC.
struct LocalDateTime {
  std::int64_t seconds = 0;  ///< since 1970
  std::int64_t nanos = 0;    ///< of the second

  friend bool operator==(LocalDateTime const&, LocalDateTime const&) = default;
};

/// A moment, and the offset in which it is given.
struct DateTime {
  std::int64_t seconds = 0;  ///< since 1970, in UTC
  std::int64_t nanos = 0;    ///< of the second
  std::int64_t offset_s = 0;

  friend bool operator==(DateTime const&, DateTime const&) = default;
};

/// A moment, and the zone in which it is given, such as `Europe/Berlin`.
struct ZonedDateTime {
  std::int64_t seconds = 0;  ///< since 1970, in UTC
  std::int64_t nanos = 0;    ///< of the second
  std::string zone;

  friend bool operator==(ZonedDateTime const&, ZonedDateTime const&) = default;
};

/// A span of time; its parts do not become each other, since months and days differ in length.
struct Duration {
  std::int64_t months = 0;
  std::int64_t days = 0;
  std::int64_t seconds = 0;
  std::int64_t nanos = 0;

  friend bool operator==(Duration const&, Duration const&) = default;
};

/// Nodes, relationships and paths are none of these: they are only ever written (`PackWriter`), and points are refused.
struct Value {
  using Data = std::variant<std::monostate, bool, std::int64_t, double, std::string, Bytes, List, Map, Date, Time,
                            LocalTime, LocalDateTime, DateTime, ZonedDateTime, Duration>;
  Data data = {};

  friend bool operator==(Value const& a, Value const& b);
};

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
