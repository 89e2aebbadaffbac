// Values into bytes, each in its shortest form.

#include "net/bolt/packstream/writer.hpp"

#include "net/bolt/packstream/tags.hpp"

#include <bit>
#include <variant>

namespace whence::net::bolt {

namespace {

/// Writes what a value holds.
struct ValueWriter {
  PackWriter& out;

  void operator()(std::monostate) const { out.null(); }
  void operator()(bool value) const { out.boolean(value); }
  void operator()(std::int64_t value) const { out.integer(value); }
  void operator()(double value) const { out.real(value); }
  void operator()(std::string const& value) const { out.text(value); }
  void operator()(Bytes const& value) const { out.bytes(value.bytes); }
  void operator()(List const& list) const {
    out.begin_list(list.size());
    for (auto const& item : list) out.value(item);
  }
  void operator()(Map const& map) const { out.map(map); }
  void operator()(Date const& value) const { out.date(value); }
  void operator()(Time const& value) const { out.time(value); }
  void operator()(LocalTime const& value) const { out.local_time(value); }
  void operator()(LocalDateTime const& value) const { out.local_date_time(value); }
  void operator()(DateTime const& value) const { out.date_time(value); }
  void operator()(Duration const& value) const { out.duration(value); }
};

}  // namespace

void PackWriter::put(std::uint64_t value, unsigned bytes) {
  while (bytes-- > 0) out_.push_back(std::bit_cast<char>(static_cast<std::uint8_t>(value >> (8 * bytes))));
}

void PackWriter::sized(std::uint8_t tiny, std::uint8_t first, std::size_t size) {
  if (tiny != pack::null && size < 16) return put(tiny | size, 1);
  unsigned const width = size <= 0xFF ? 0 : size <= 0xFFFF ? 1 : 2;
  put(first + width, 1);
  put(size, 1U << width);
}

void PackWriter::null() {
  put(pack::null, 1);
}

void PackWriter::boolean(bool value) {
  put(value ? pack::yes : pack::no, 1);
}

void PackWriter::integer(std::int64_t value) {
  auto const bits = static_cast<std::uint64_t>(value);
  if (value >= -16 && value <= INT8_MAX) return put(bits, 1);
  unsigned const width = value >= INT8_MIN && value <= INT8_MAX     ? 0
                         : value >= INT16_MIN && value <= INT16_MAX ? 1
                         : value >= INT32_MIN && value <= INT32_MAX ? 2
                                                                    : 3;
  put(pack::int_8 + width, 1);
  put(bits, 1U << width);
}

void PackWriter::real(double value) {
  put(pack::real, 1);
  put(std::bit_cast<std::uint64_t>(value), 8);
}

void PackWriter::text(std::string_view utf8) {
  sized(pack::tiny_text, pack::text_8, utf8.size());
  out_.append(utf8);
}

void PackWriter::bytes(std::string_view value) {
  sized(pack::null, pack::bytes_8, value.size());
  out_.append(value);
}

void PackWriter::begin_list(std::size_t size) {
  sized(pack::tiny_list, pack::list_8, size);
}

void PackWriter::begin_map(std::size_t entries) {
  sized(pack::tiny_map, pack::map_8, entries);
}

void PackWriter::begin_structure(std::uint8_t tag, std::uint8_t fields) {
  put(pack::tiny_structure | fields, 1);
  put(tag, 1);
}

void PackWriter::value(Value const& value) {
  std::visit(ValueWriter{*this}, value.data);
}

void PackWriter::map(Map const& map) {
  begin_map(map.size());
  for (auto const& entry : map) {
    text(entry.key);
    value(entry.value);
  }
}

void PackWriter::date(Date const& value) {
  begin_structure(pack::date, 1);
  integer(value.days);
}

void PackWriter::time(Time const& value) {
  begin_structure(pack::time, 2);
  integer(value.nanos);
  integer(value.offset);
}

void PackWriter::local_time(LocalTime const& value) {
  begin_structure(pack::local_time, 1);
  integer(value.nanos);
}

void PackWriter::local_date_time(LocalDateTime const& value) {
  begin_structure(pack::local_date_time, 2);
  integer(value.seconds);
  integer(value.nanos);
}

void PackWriter::date_time(DateTime const& value) {
  bool const is_zoned = !value.zone.empty();
  auto const offset = is_zoned ? 0 : value.offset;
  begin_structure(!dialect_.is_utc ? pack::legacy_date_time : is_zoned ? pack::zoned_date_time : pack::date_time, 3);
  integer(dialect_.is_utc ? value.seconds : value.seconds + offset);
  integer(value.nanos);
  if (is_zoned && dialect_.is_utc) return text(value.zone);
  integer(offset);
}

void PackWriter::duration(Duration const& value) {
  begin_structure(pack::duration, 4);
  integer(value.months);
  integer(value.days);
  integer(value.seconds);
  integer(value.nanos);
}

void PackWriter::begin_node(std::int64_t id, std::span<std::string const> labels) {
  begin_structure(pack::node, dialect_.has_element_ids ? 4 : 3);
  integer(id);
  begin_list(labels.size());
  for (auto const& label : labels) text(label);
}

void PackWriter::end_node(std::string_view element_id) {
  if (dialect_.has_element_ids) text(element_id);
}

void PackWriter::begin_relationship(std::int64_t id, Ends ends, std::string_view type) {
  begin_structure(pack::relationship, dialect_.has_element_ids ? 8 : 5);
  integer(id);
  integer(ends.start);
  integer(ends.end);
  text(type);
}

void PackWriter::end_relationship(ElementIds const& ids) {
  if (!dialect_.has_element_ids) return;
  text(ids.own);
  text(ids.start);
  text(ids.end);
}

void PackWriter::begin_unbound(std::int64_t id, std::string_view type) {
  begin_structure(pack::unbound_relationship, dialect_.has_element_ids ? 4 : 3);
  integer(id);
  text(type);
}

void PackWriter::end_unbound(std::string_view element_id) {
  if (dialect_.has_element_ids) text(element_id);
}

}  // namespace whence::net::bolt
