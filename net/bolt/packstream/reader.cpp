// Values out of bytes that anybody may have sent.

#include "net/bolt/packstream/reader.hpp"

#include "net/bolt/packstream/tags.hpp"
#include "schema/base/text.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace whence::net::bolt {

namespace {

constexpr std::uint32_t no_size = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t nanos_of_second = 1'000'000'000;
constexpr std::int64_t nanos_of_day = 86'400 * nanos_of_second;
constexpr std::int64_t offset_s_max = 18LL * 3'600;
/// Beyond the years that any client can name, far below what would overflow when an offset is added.
constexpr std::int64_t seconds_max = std::int64_t{1} << 50;
constexpr std::int64_t int_min = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t int_max = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t zone_bytes_max = 64;

bool has_key_twice(Map const& map) {
  std::vector<std::string_view> keys;
  keys.reserve(map.size());
  for (auto const& entry : map) keys.emplace_back(entry.key);
  std::sort(keys.begin(), keys.end());
  return std::adjacent_find(keys.begin(), keys.end()) != keys.end();
}

}  // namespace

template <class T, class Read>
Outcome<T> PackReader::guarded(Read const& read) {
  try {
    if (is_broken_) throw Bad{"nothing is read after a fault"};
    return read();
  } catch (Bad const& bad) {
    is_broken_ = true;
    return Failure{.kind = bad.kind, .message = bad.reason};
  }
}

Outcome<Value> PackReader::read_value() {
  return guarded<Value>([this] { return value(0); });
}

Outcome<Map> PackReader::read_map() {
  return guarded<Map>([this] {
    auto const size = size_of(byte(), pack::tiny_map, pack::map_8);
    if (size == no_size) throw Bad{"a map is expected"};
    return map(size, 1);
  });
}

Outcome<List> PackReader::read_list() {
  return guarded<List>([this] {
    auto const size = size_of(byte(), pack::tiny_list, pack::list_8);
    if (size == no_size) throw Bad{"a list is expected"};
    return list(size, 1);
  });
}

Outcome<std::string> PackReader::read_text() {
  return guarded<std::string>([this] { return text(); });
}

Outcome<std::int64_t> PackReader::read_integer() {
  return guarded<std::int64_t>([this] { return integer(); });
}

Outcome<PackReader::Structure> PackReader::read_structure() {
  return guarded<Structure>([this] {
    auto const first = byte();
    if ((first & 0xF0U) != pack::tiny_structure) throw Bad{"a structure is expected"};
    Structure const head{.tag = byte(), .fields = first & 0x0FU};
    return head;
  });
}

Value PackReader::value(std::uint32_t depth) {
  if (depth > limits_.depth_max) throw Bad{"values are nested too deeply"};
  count(1);
  auto const first = byte();
  if (first < 0x80 || first >= 0xF0) return {std::int64_t{std::bit_cast<std::int8_t>(first)}};
  if (auto const size = size_of(first, pack::tiny_text, pack::text_8); size != no_size) return {text_of(size)};
  if (auto const size = size_of(first, pack::tiny_list, pack::list_8); size != no_size) return {list(size, depth + 1)};
  if (auto const size = size_of(first, pack::tiny_map, pack::map_8); size != no_size) return {map(size, depth + 1)};
  if ((first & 0xF0U) == pack::tiny_structure) return structure(first & 0x0FU, depth + 1);
  switch (first) {
    case pack::null:
      return {};
    case pack::no:
      return {false};
    case pack::yes:
      return {true};
    case pack::real:
      return {std::bit_cast<double>(big_endian(8))};
    case pack::int_8:
      return {std::int64_t{std::bit_cast<std::int8_t>(byte())}};
    case pack::int_16:
      return {std::int64_t{std::bit_cast<std::int16_t>(static_cast<std::uint16_t>(big_endian(2)))}};
    case pack::int_32:
      return {std::int64_t{std::bit_cast<std::int32_t>(static_cast<std::uint32_t>(big_endian(4)))}};
    case pack::int_64:
      return {std::bit_cast<std::int64_t>(big_endian(8))};
    default:
      break;
  }
  auto const size = size_of(first, pack::null, pack::bytes_8);
  if (size == no_size) throw Bad{"a byte that begins no value"};
  if (size > rest_.size()) throw Bad{"bytes end too early"};
  Bytes taken{std::string{rest_.substr(0, size)}};
  rest_.remove_prefix(size);
  return {std::move(taken)};
}

List PackReader::list(std::uint32_t size, std::uint32_t depth) {
  if (depth > limits_.depth_max) throw Bad{"values are nested too deeply"};
  if (size > rest_.size()) throw Bad{"a list ends too early"};
  if (size > limits_.values_max - std::min<std::uint64_t>(values_, limits_.values_max)) throw Bad{"too many values"};
  List result;
  result.reserve(size);
  for (std::uint32_t i = 0; i < size; ++i) result.push_back(value(depth));
  return result;
}

Map PackReader::map(std::uint32_t size, std::uint32_t depth) {
  if (depth > limits_.depth_max) throw Bad{"values are nested too deeply"};
  if (size > rest_.size() / 2) throw Bad{"a map ends too early"};
  if (size > limits_.values_max - std::min<std::uint64_t>(values_, limits_.values_max)) throw Bad{"too many values"};
  Map result;
  result.reserve(size);
  for (std::uint32_t i = 0; i < size; ++i) {
    count(1);
    auto key = text();
    auto held = value(depth);
    result.push_back({.key = std::move(key), .value = std::move(held)});
  }
  if (has_key_twice(result)) throw Bad{"a map has a key twice"};
  return result;
}

Value PackReader::structure(std::uint32_t fields, std::uint32_t depth) {
  if (depth > limits_.depth_max) throw Bad{"values are nested too deeply"};
  auto const tag = byte();
  switch (tag) {
    case pack::node:
    case pack::relationship:
    case pack::unbound_relationship:
    case pack::path:
      throw Bad{"nodes, relationships and paths may not be sent", FailureKind::type_error};
    case pack::point_2d:
    case pack::point_3d:
      throw Bad{"points are not supported", FailureKind::type_error};
    default:
      return temporal(tag, fields);
  }
}

Value PackReader::temporal(std::uint8_t tag, std::uint32_t fields) {
  auto const expect = [fields](std::uint32_t wanted) {
    if (fields != wanted) throw Bad{"a structure has another number of fields"};
  };
  auto const seconds = [this] { return integer(-seconds_max, seconds_max); };
  auto const nanos = [this] { return static_cast<std::int32_t>(integer(0, nanos_of_second - 1)); };
  auto const offset = [this] { return static_cast<std::int32_t>(integer(-offset_s_max, offset_s_max)); };
  auto const day_nanos = [this] { return integer(0, nanos_of_day - 1); };
  bool const is_legacy = tag == pack::legacy_date_time || tag == pack::legacy_zoned_date_time;
  bool const is_utc = tag == pack::date_time || tag == pack::zoned_date_time;
  if ((is_legacy && dialect_.is_utc) || (is_utc && !dialect_.is_utc)) {
    throw Bad{"this form of a moment is not agreed on"};
  }
  switch (tag) {
    case pack::date:
      expect(1);
      return {Date{.days = integer(-seconds_max, seconds_max)}};
    case pack::time: {
      expect(2);
      Time made{.nanos = day_nanos()};
      made.offset = offset();
      return {made};
    }
    case pack::local_time:
      expect(1);
      return {LocalTime{.nanos = day_nanos()}};
    case pack::local_date_time: {
      expect(2);
      LocalDateTime made{.seconds = seconds()};
      made.nanos = nanos();
      return {made};
    }
    case pack::date_time:
    case pack::legacy_date_time: {
      expect(3);
      DateTime made{.seconds = seconds()};
      made.nanos = nanos();
      made.offset = offset();
      if (is_legacy) made.seconds -= made.offset;
      return {std::move(made)};
    }
    case pack::zoned_date_time: {
      expect(3);
      DateTime made{.seconds = seconds()};
      made.nanos = nanos();
      made.zone = text();
      if (made.zone.empty() || made.zone.size() > zone_bytes_max) throw Bad{"a zone's name has 1 to 64 bytes"};
      return {std::move(made)};
    }
    case pack::legacy_zoned_date_time:
      // The moment would depend on the rules of the zone.
      throw Bad{"a date and time in a named zone needs the patch `utc`", FailureKind::type_error};
    case pack::duration: {
      expect(4);
      Duration made{.months = integer(int_min, int_max)};
      made.days = integer(int_min, int_max);
      made.seconds = integer(int_min, int_max);
      made.nanos = static_cast<std::int32_t>(integer(-nanos_of_second + 1, nanos_of_second - 1));
      return {made};
    }
    default:
      throw Bad{"an unknown structure"};
  }
}

std::int64_t PackReader::integer() {
  count(1);
  auto const first = byte();
  if (first < 0x80 || first >= 0xF0) return std::bit_cast<std::int8_t>(first);
  switch (first) {
    case pack::int_8:
      return std::bit_cast<std::int8_t>(byte());
    case pack::int_16:
      return std::bit_cast<std::int16_t>(static_cast<std::uint16_t>(big_endian(2)));
    case pack::int_32:
      return std::bit_cast<std::int32_t>(static_cast<std::uint32_t>(big_endian(4)));
    case pack::int_64:
      return std::bit_cast<std::int64_t>(big_endian(8));
    default:
      throw Bad{"an integer is expected"};
  }
}

std::int64_t PackReader::integer(std::int64_t low, std::int64_t high) {
  auto const read = integer();
  if (read < low || read > high) throw Bad{"a number of a date or time is out of range"};
  return read;
}

std::string PackReader::text() {
  auto const size = size_of(byte(), pack::tiny_text, pack::text_8);
  if (size == no_size) throw Bad{"a text is expected"};
  return text_of(size);
}

std::string PackReader::text_of(std::uint32_t size) {
  if (size > rest_.size()) throw Bad{"a text ends too early"};
  auto const taken = rest_.substr(0, size);
  if (!schema::is_utf8(taken)) throw Bad{"a text is not UTF-8"};
  rest_.remove_prefix(size);
  return std::string{taken};
}

std::uint8_t PackReader::byte() {
  return static_cast<std::uint8_t>(big_endian(1));
}

std::uint64_t PackReader::big_endian(unsigned bytes) {
  if (rest_.size() < bytes) throw Bad{"the message ends within a value"};
  std::uint64_t read = 0;
  for (auto const c : rest_.substr(0, bytes)) read = read << 8U | static_cast<std::uint8_t>(c);
  rest_.remove_prefix(bytes);
  return read;
}

/// The size that follows `first`, where it begins a value of the kind whose tiny form is `tiny` and whose form with a
/// size of 1 byte is `sized`; those with 2 and 4 bytes are the next. Bytes have no tiny form: `tiny` is null for them.
std::uint32_t PackReader::size_of(std::uint8_t first, std::uint8_t tiny, std::uint8_t sized) {
  if (tiny != pack::null && (first & 0xF0U) == tiny) return first & 0x0FU;
  if (first < sized || first > sized + 2) return no_size;
  auto const size = big_endian(1U << (first - sized));
  if (size > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max()))
    throw Bad{"a size beyond 2147483647"};
  return static_cast<std::uint32_t>(size);
}

void PackReader::count(std::uint64_t values) {
  values_ += values;
  if (values_ > limits_.values_max) throw Bad{"too many values"};
}

}  // namespace whence::net::bolt
