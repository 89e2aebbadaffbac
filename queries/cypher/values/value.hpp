#pragma once
// One value of the language: null, scalars, lists, maps, graph entities, paths, temporal values.

#include "queries/cypher/values/temporal.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace whence::queries::cypher {

class PropertyGraph;
class Value;

using List = std::vector<Value>;
using Map = std::map<std::string, Value, std::less<>>;

/// A node of a graph. Two are equal when their ids are, so that one node of two moments equals itself.
struct Node {
  PropertyGraph const* graph = nullptr;  ///< outlives the value
  std::uint64_t id = 0;
};

/// A relation between two nodes of a graph, whose ids are below 2^32.
struct Relation {
  PropertyGraph const* graph = nullptr;  ///< outlives the value
  std::uint64_t id = 0;
  std::uint32_t from = 0;
  std::uint32_t to = 0;

  [[nodiscard]] std::uint64_t other_end(std::uint64_t node) const noexcept { return from == node ? to : from; }
};

/// Nodes and the relations between them: always one node more than relations.
struct Path {
  std::vector<Node> nodes = {};
  std::vector<Relation> relations = {};
};

/// A list or a map with what bounds it: how deep values nest in it, and about how many bytes it takes, parts that are
/// shared counted each time. Both are known without looking into it, since sharing makes small values look huge.
template <class T>
struct Sized {
  T value;
  std::uint32_t depth = 1;
  std::uint64_t bytes = 0;
};

/// The alternatives, in the order of `Value`'s variant.
enum class ValueType : std::uint8_t {
  null,
  boolean,
  integer,
  floating,
  text,
  list,
  map,
  node,
  relation,
  path,
  date,
  local_time,
  time,
  local_date_time,
  date_time,
  duration,
};

/// The name that messages use: "Integer", "List", ...
std::string_view name_of(ValueType type) noexcept;

/// A cheap copy: texts, lists, maps and paths are shared and immutable. 32 bytes.
class Value {
 public:
  template <class T>
  using Shared = std::shared_ptr<T const>;
  using Data = std::variant<std::monostate, bool, std::int64_t, double, Shared<std::string>, Shared<Sized<List>>,
                            Shared<Sized<Map>>, Node, Relation, Shared<Path>, Date, LocalTime, Time, LocalDateTime,
                            Shared<DateTime>, Shared<Duration>>;

  Value() = default;
  Value(bool value) : data_(value) {}          // NOLINT: a value is meant to be made from what it holds
  Value(std::int64_t value) : data_(value) {}  // NOLINT
  Value(double value) : data_(value) {}        // NOLINT
  Value(std::string value) : data_(std::make_shared<std::string const>(std::move(value))) {}  // NOLINT
  Value(char const* value) : Value(std::string{value}) {}                                     // NOLINT
  Value(List value);                                                                          // NOLINT
  Value(Map value);                                                                           // NOLINT
  Value(Node value) : data_(value) {}                                                         // NOLINT
  Value(Relation value) : data_(value) {}                                                     // NOLINT
  Value(Path value) : data_(std::make_shared<Path const>(std::move(value))) {}                // NOLINT
  Value(Date value) : data_(value) {}                                                         // NOLINT
  Value(LocalTime value) : data_(value) {}                                                    // NOLINT
  Value(Time value) : data_(value) {}                                                         // NOLINT
  Value(LocalDateTime value) : data_(value) {}                                                // NOLINT
  Value(DateTime value) : data_(std::make_shared<DateTime const>(std::move(value))) {}        // NOLINT
  Value(Duration value) : data_(std::make_shared<Duration const>(value)) {}                   // NOLINT

  [[nodiscard]] ValueType type() const noexcept { return static_cast<ValueType>(data_.index()); }
  [[nodiscard]] bool is_null() const noexcept { return data_.index() == 0; }
  [[nodiscard]] bool is_number() const noexcept { return data_.index() == 2 || data_.index() == 3; }

  /// The value as one of its alternatives, or null. The pointers die with the value.
  [[nodiscard]] bool const* find_bool() const noexcept { return std::get_if<bool>(&data_); }
  [[nodiscard]] std::int64_t const* find_integer() const noexcept { return std::get_if<std::int64_t>(&data_); }
  [[nodiscard]] double const* find_double() const noexcept { return std::get_if<double>(&data_); }
  [[nodiscard]] std::string const* find_text() const noexcept { return find_shared<std::string>(); }
  [[nodiscard]] List const* find_list() const noexcept { return find_sized<List>(); }
  [[nodiscard]] Map const* find_map() const noexcept { return find_sized<Map>(); }
  [[nodiscard]] Node const* find_node() const noexcept { return std::get_if<Node>(&data_); }
  [[nodiscard]] Relation const* find_relation() const noexcept { return std::get_if<Relation>(&data_); }
  [[nodiscard]] Path const* find_path() const noexcept { return find_shared<Path>(); }
  [[nodiscard]] DateTime const* find_date_time() const noexcept { return find_shared<DateTime>(); }
  [[nodiscard]] Duration const* find_duration() const noexcept { return find_shared<Duration>(); }
  template <class T>
  [[nodiscard]] T const* find() const noexcept {
    return std::get_if<T>(&data_);
  }

  /// A number as a double; only for numbers.
  [[nodiscard]] double number() const noexcept {
    auto const* integer = find_integer();
    return integer != nullptr ? static_cast<double>(*integer) : *find_double();
  }

 private:
  template <class T>
  [[nodiscard]] T const* find_shared() const noexcept {
    auto const* shared = std::get_if<Shared<T>>(&data_);
    return shared != nullptr ? shared->get() : nullptr;
  }

  template <class T>
  [[nodiscard]] T const* find_sized() const noexcept {
    auto const* shared = std::get_if<Shared<Sized<T>>>(&data_);
    return shared != nullptr ? &(*shared)->value : nullptr;
  }

  friend std::uint64_t bytes_of(Value const& value) noexcept;
  friend std::uint32_t depth_of(Value const& value) noexcept;

  Data data_;
};

/// About how much memory a value takes, shared parts counted each time. O(1).
std::uint64_t bytes_of(Value const& value) noexcept;
/// The number where it is whole: clients whose numbers are all floats (JavaScript's) mean an integer by it. None beyond
/// 2^53, where floats leave integers out, and for other values.
std::optional<std::int64_t> whole_number(Value const& value) noexcept;
/// How deep lists and maps nest in it; 0 for other values. O(1).
std::uint32_t depth_of(Value const& value) noexcept;

}  // namespace whence::queries::cypher
