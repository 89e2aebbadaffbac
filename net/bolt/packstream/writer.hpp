#pragma once
// Writes PackStream: what the server says, and the values of rows.

#include "net/bolt/packstream/dialect.hpp"
#include "net/bolt/packstream/value.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace whence::net::bolt {

/// Appends values to a text of bytes. The caller writes as many items, entries and fields as it has announced.
class PackWriter {
 public:
  PackWriter(std::string& out, Dialect dialect) noexcept : out_{out}, dialect_{dialect} {}

  void null();
  void boolean(bool value);
  void integer(std::int64_t value);
  void real(double value);
  void text(std::string_view utf8);
  void bytes(std::string_view value);
  void begin_list(std::size_t size);
  void begin_map(std::size_t entries);  ///< then as often `text` and a value
  void begin_structure(std::uint8_t tag, std::uint8_t fields);
  void value(Value const& value);
  void map(Map const& map);

  void date(Date const& value);
  void time(Time const& value);
  void local_time(LocalTime const& value);
  void local_date_time(LocalDateTime const& value);
  /// One in a named zone is written with the offset 0 where moments are not in UTC.
  void date_time(DateTime const& value);
  void duration(Duration const& value);

  /// A node: this, then its properties as one map, then `end_node`. `id` is used for it by clients that know no element
  /// ids.
  void begin_node(std::int64_t id, std::span<std::string const> labels);
  void end_node(std::string_view element_id);

  struct Ends {
    std::int64_t start = 0;
    std::int64_t end = 0;
  };
  struct ElementIds {
    std::string_view own;
    std::string_view start = {};
    std::string_view end = {};
  };
  /// A relationship: this, then its properties as one map, then `end_relationship`.
  void begin_relationship(std::int64_t id, Ends ends, std::string_view type);
  void end_relationship(ElementIds const& ids);

  /// A path is `begin_path`, the list of its nodes, the list of its relationships (each `begin_unbound`, a map,
  /// `end_unbound`) and the list of its steps: for each the number of the relationship from 1, negative where it is
  /// gone against its direction, and of the node from 0.
  void begin_path() { begin_structure('P', 3); }
  void begin_unbound(std::int64_t id, std::string_view type);
  void end_unbound(std::string_view element_id);

 private:
  void put(std::uint64_t value, unsigned bytes);
  void sized(std::uint8_t tiny, std::uint8_t first, std::size_t size);

  std::string& out_;
  Dialect dialect_;
};

}  // namespace whence::net::bolt
