#pragma once
// A function of the language: its name, its arguments, and what it computes. All are in table.cpp.

#include "queries/cypher/state/state.hpp"
#include "queries/cypher/values/value.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace whence::queries::cypher {

/// A set of value types, one bit each.
using TypeMask = std::uint32_t;
constexpr TypeMask mask_of(ValueType type) {
  return TypeMask{1} << static_cast<unsigned>(type);
}
constexpr TypeMask any_type = 0xFFFF;
constexpr TypeMask number_type = mask_of(ValueType::integer) | mask_of(ValueType::floating);

/// A call at work. Failures go to `state`.
struct FunctionCall {
  RunState& state;
  std::span<Value const> arguments;
  Place place;
  std::string_view name;  ///< the function's
};

/// What an aggregation computes; `none`: the function is none.
enum class Aggregation : std::uint8_t {
  none,
  count,
  sum,
  avg,
  min,
  max,
  collect,
  st_dev,
  st_dev_p,
  percentile_cont,
  percentile_disc
};

struct Function {
  std::string_view name;
  std::uint8_t least_arguments = 0;
  std::uint8_t most_arguments = 0;  ///< 255: any number
  TypeMask first = any_type;        ///< what the first argument may be, besides null: checked before the query runs
  TypeMask result = any_type;
  Value (*call)(FunctionCall const& call) = nullptr;
  Aggregation aggregation = Aggregation::none;
  bool is_constant = true;  ///< the same arguments give the same value in one run
};

}  // namespace whence::queries::cypher
