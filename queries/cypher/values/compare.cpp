// `equals` and `compare` may be unknown, as null is. `order` is total and exact, for ORDER BY and for grouping, and
// `hash_of` agrees with it. A moment compares with a text that says one.
#include "queries/cypher/values/compare.hpp"

#include "queries/cypher/values/components.hpp"
#include "queries/cypher/values/duration.hpp"
#include "queries/cypher/values/moment_parts.hpp"

#include <array>
#include <cmath>
#include <functional>

namespace whence::queries::cypher {
namespace {

template <class T>
int three_way(T const& a, T const& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

/// Exact, since a long double holds every 64-bit integer and every double.
int compare_numbers(Value const& a, Value const& b) {
  auto const wide = [](Value const& value) {
    auto const* integer = value.find_integer();
    return integer != nullptr ? static_cast<long double>(*integer) : static_cast<long double>(*value.find_double());
  };
  if (a.find_integer() != nullptr && b.find_integer() != nullptr)
    return three_way(*a.find_integer(), *b.find_integer());
  return three_way(wide(a), wide(b));
}

/// The places of nodes and relations on a path, one after the other.
int compare_paths(Path const& a, Path const& b) {
  for (std::size_t i = 0; i < a.nodes.size() && i < b.nodes.size(); ++i) {
    if (auto const c = three_way(a.nodes[i].id, b.nodes[i].id); c != 0) return c;
    if (i < a.relations.size() && i < b.relations.size()) {
      if (auto const c = three_way(a.relations[i].id, b.relations[i].id); c != 0) return c;
    }
  }
  return three_way(a.nodes.size(), b.nodes.size());
}

/// Two values of one temporal type, durations aside.
int compare_moments(Value const& a, Value const& b) {
  switch (a.type()) {
    case ValueType::date:
      return three_way(*a.find<Date>(), *b.find<Date>());
    case ValueType::local_time:
      return three_way(*a.find<LocalTime>(), *b.find<LocalTime>());
    case ValueType::time: {
      auto const utc = [](Time const& time) { return time.nanos - time.offset * nanos_per_second; };
      auto const& left = *a.find<Time>();
      auto const& right = *b.find<Time>();
      auto const c = three_way(utc(left), utc(right));
      return c != 0 ? c : three_way(left.nanos, right.nanos);
    }
    case ValueType::local_date_time:
      return three_way(*a.find<LocalDateTime>(), *b.find<LocalDateTime>());
    default: {
      auto const& left = *a.find_date_time();
      auto const& right = *b.find_date_time();
      if (auto const c = three_way(left.seconds, right.seconds); c != 0) return c;
      if (auto const c = three_way(left.nanos, right.nanos); c != 0) return c;
      if (auto const c = three_way(left.offset, right.offset); c != 0) return c;
      return three_way(left.zone, right.zone);
    }
  }
}

/// As instants: the offset in which one is given makes no difference, as it makes none where records are found.
int compare_in_time(Value const& a, Value const& b) {
  auto const* left = a.find_date_time();
  if (left == nullptr) return compare_moments(a, b);
  auto const& right = *b.find_date_time();
  auto const c = three_way(left->seconds, right.seconds);
  return c != 0 ? c : three_way(left->nanos, right.nanos);
}

/// A text as a moment of this type; none where it is no such text. Without an offset it is of UTC.
std::optional<Value> moment_of_text(Value const& text, ValueType type) {
  auto parts = parse_moment(*text.find_text(), type);
  if (!parts || !settle_offset(*parts, nullptr)) return std::nullopt;
  return value_of(*parts, type);
}

/// A moment and a text, in either order.
std::optional<int> compare_with_text(Value const& a, Value const& b) {
  bool const is_left = is_moment(a);
  auto const read = moment_of_text(is_left ? b : a, is_left ? a.type() : b.type());
  if (!read) return std::nullopt;
  return is_left ? compare_in_time(a, *read) : compare_in_time(*read, b);
}

bool are_moment_and_text(Value const& a, Value const& b) {
  return (is_moment(a) && b.find_text() != nullptr) || (a.find_text() != nullptr && is_moment(b));
}

std::optional<bool> equal_lists(List const& a, List const& b) {
  if (a.size() != b.size()) return false;
  bool is_unknown = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    auto const same = equals(a[i], b[i]);
    if (same && !*same) return false;
    is_unknown = is_unknown || !same;
  }
  return is_unknown ? std::nullopt : std::optional{true};
}

std::optional<bool> equal_maps(Map const& a, Map const& b) {
  if (a.size() != b.size()) return false;
  bool is_unknown = false;
  for (auto left = a.begin(), right = b.begin(); left != a.end(); ++left, ++right) {
    if (left->first != right->first) return false;
    auto const same = equals(left->second, right->second);
    if (same && !*same) return false;
    is_unknown = is_unknown || !same;
  }
  return is_unknown ? std::nullopt : std::optional{true};
}

/// The place of a type in the order of ORDER BY.
int rank(ValueType type) {
  constexpr std::array<int, 16> ranks = {
      /*null*/ 99,     /*boolean*/ 12, /*integer*/ 13, /*float*/ 13,     /*text*/ 11, /*list*/ 3,
      /*map*/ 0,       /*node*/ 1,
      /*relation*/ 2,  /*path*/ 4,     /*date*/ 7,     /*local time*/ 9, /*time*/ 8,  /*local date time*/ 6,
      /*date time*/ 5, /*duration*/ 10};
  return ranks[static_cast<std::size_t>(type)];
}

int order_numbers(Value const& a, Value const& b) {
  bool const left = is_nan(a);
  bool const right = is_nan(b);
  if (left || right) return static_cast<int>(left) - static_cast<int>(right);
  return compare_numbers(a, b);
}

int order_lists(List const& a, List const& b) {
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (auto const c = order(a[i], b[i]); c != 0) return c;
  }
  return three_way(a.size(), b.size());
}

int order_maps(Map const& a, Map const& b) {
  auto left = a.begin();
  auto right = b.begin();
  for (; left != a.end() && right != b.end(); ++left, ++right) {
    if (auto const c = left->first.compare(right->first); c != 0) return c < 0 ? -1 : 1;
    if (auto const c = order(left->second, right->second); c != 0) return c;
  }
  return three_way(a.size(), b.size());
}

int order_durations(Duration const& a, Duration const& b) {
  if (auto const c = three_way(average_seconds(a), average_seconds(b)); c != 0) return c;
  if (auto const c = three_way(a.months, b.months); c != 0) return c;
  if (auto const c = three_way(a.days, b.days); c != 0) return c;
  if (auto const c = three_way(a.seconds, b.seconds); c != 0) return c;
  return three_way(a.nanos, b.nanos);
}

std::size_t mix(std::size_t seed, std::size_t value) {
  return (seed ^ value) * 0x9E3779B97F4A7C15ull + (seed >> 29);
}

}  // namespace

bool is_nan(Value const& value) noexcept {
  auto const* number = value.find_double();
  return number != nullptr && std::isnan(*number);
}

bool is_moment(Value const& value) noexcept {
  return value.type() >= ValueType::date && value.type() <= ValueType::date_time;
}

std::optional<bool> equals(Value const& a, Value const& b) {
  if (a.is_null() || b.is_null()) return std::nullopt;
  if (a.is_number() && b.is_number()) return !is_nan(a) && !is_nan(b) && compare_numbers(a, b) == 0;
  if (are_moment_and_text(a, b)) {
    auto const c = compare_with_text(a, b);
    return c ? std::optional{*c == 0} : std::nullopt;
  }
  if (a.type() != b.type()) return false;
  switch (a.type()) {
    case ValueType::list:
      return equal_lists(*a.find_list(), *b.find_list());
    case ValueType::map:
      return equal_maps(*a.find_map(), *b.find_map());
    default:
      return (is_moment(a) ? compare_in_time(a, b) : order(a, b)) == 0;
  }
}

std::optional<int> compare(Value const& a, Value const& b) {
  if (a.is_null() || b.is_null()) return std::nullopt;
  if (a.is_number() && b.is_number()) return is_nan(a) || is_nan(b) ? 0 : compare_numbers(a, b);
  if (are_moment_and_text(a, b)) return compare_with_text(a, b);
  if (a.type() != b.type()) return std::nullopt;
  switch (a.type()) {
    case ValueType::text:
    case ValueType::boolean:
      return order(a, b);
    case ValueType::list: {
      auto const& left = *a.find_list();
      auto const& right = *b.find_list();
      for (std::size_t i = 0; i < left.size() && i < right.size(); ++i) {
        auto const c = compare(left[i], right[i]);
        if (!c || *c != 0) return c;
      }
      return three_way(left.size(), right.size());
    }
    default:
      if (is_moment(a)) return compare_in_time(a, b);
      return std::nullopt;
  }
}

int order(Value const& a, Value const& b) {
  if (auto const c = three_way(rank(a.type()), rank(b.type())); c != 0) return c;
  switch (a.type()) {
    case ValueType::null:
      return 0;
    case ValueType::boolean:
      return three_way(*a.find_bool(), *b.find_bool());
    case ValueType::integer:
    case ValueType::floating:
      return order_numbers(a, b);
    case ValueType::text: {
      auto const c = a.find_text()->compare(*b.find_text());
      return c < 0 ? -1 : c > 0 ? 1 : 0;
    }
    case ValueType::list:
      return order_lists(*a.find_list(), *b.find_list());
    case ValueType::map:
      return order_maps(*a.find_map(), *b.find_map());
    case ValueType::node:
      return three_way(a.find_node()->id, b.find_node()->id);
    case ValueType::relation:
      return three_way(a.find_relation()->id, b.find_relation()->id);
    case ValueType::path:
      return compare_paths(*a.find_path(), *b.find_path());
    case ValueType::duration:
      return order_durations(*a.find_duration(), *b.find_duration());
    default:
      return compare_moments(a, b);
  }
}

bool is_same(Value const& a, Value const& b) {
  return order(a, b) == 0;
}

std::size_t hash_of(Value const& value) {
  auto const seed = static_cast<std::size_t>(rank(value.type()));
  switch (value.type()) {
    case ValueType::null:
      return seed;
    case ValueType::boolean:
      return mix(seed, *value.find_bool() ? 1 : 2);
    case ValueType::integer:
    case ValueType::floating: {
      // An integer and the double that equals it hash alike.
      auto const number = value.number();
      return is_nan(value) ? seed : mix(seed, std::hash<double>{}(number == 0 ? 0.0 : number));
    }
    case ValueType::text:
      return mix(seed, std::hash<std::string>{}(*value.find_text()));
    case ValueType::list: {
      auto hash = seed;
      for (auto const& each : *value.find_list()) hash = mix(hash, hash_of(each));
      return hash;
    }
    case ValueType::map: {
      auto hash = seed;
      for (auto const& each : *value.find_map())
        hash = mix(mix(hash, std::hash<std::string>{}(each.first)), hash_of(each.second));
      return hash;
    }
    case ValueType::node:
      return mix(seed, value.find_node()->id);
    case ValueType::relation:
      return mix(seed, value.find_relation()->id);
    case ValueType::path: {
      auto hash = seed;
      for (auto const& each : value.find_path()->nodes) hash = mix(hash, each.id);
      for (auto const& each : value.find_path()->relations) hash = mix(hash, each.id);
      return hash;
    }
    default:
      return mix(seed, std::hash<std::string>{}(temporal_text(value)));
  }
}

bool SameRow::operator()(std::vector<Value> const& a, std::vector<Value> const& b) const {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!is_same(a[i], b[i])) return false;
  }
  return true;
}

std::size_t RowHash::operator()(std::vector<Value> const& row) const {
  std::size_t hash = row.size();
  for (auto const& value : row) hash = mix(hash, hash_of(value));
  return hash;
}

}  // namespace whence::queries::cypher
