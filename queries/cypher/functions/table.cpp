// A row has the arguments, the types of the first one and of the result, and what computes it. Rows with one function
// for several names rely on the name by which it was called.
#include "queries/cypher/functions/table.hpp"

#include "queries/cypher/functions/families.hpp"
#include "queries/cypher/syntax/parser.hpp"

#include <array>

namespace whence::queries::cypher {
namespace {

using namespace functions;

constexpr TypeMask node_type = mask_of(ValueType::node);
constexpr TypeMask relation_type = mask_of(ValueType::relation);
constexpr TypeMask path_type = mask_of(ValueType::path);
constexpr TypeMask list_type = mask_of(ValueType::list);
constexpr TypeMask map_type = mask_of(ValueType::map);
constexpr TypeMask text_type = mask_of(ValueType::text);
constexpr TypeMask integer_type = mask_of(ValueType::integer);
constexpr TypeMask float_type = mask_of(ValueType::floating);
constexpr TypeMask boolean_type = mask_of(ValueType::boolean);
constexpr TypeMask null_type = mask_of(ValueType::null);
constexpr TypeMask date_type = mask_of(ValueType::date);
constexpr TypeMask local_time_type = mask_of(ValueType::local_time);
constexpr TypeMask time_type = mask_of(ValueType::time);
constexpr TypeMask local_date_time_type = mask_of(ValueType::local_date_time);
constexpr TypeMask date_time_type = mask_of(ValueType::date_time);
constexpr TypeMask duration_type = mask_of(ValueType::duration);
constexpr TypeMask moment_types = date_type | local_time_type | time_type | local_date_time_type | date_time_type;

constexpr Function aggregation(std::string_view name, std::uint8_t arguments, TypeMask result, Aggregation what) {
  return {
      .name = name, .least_arguments = arguments, .most_arguments = arguments, .result = result, .aggregation = what};
}
constexpr Function plain(std::string_view name, std::uint8_t least, std::uint8_t most, TypeMask first, TypeMask result,
                         Value (*call)(FunctionCall const&)) {
  return {.name = name,
          .least_arguments = least,
          .most_arguments = most,
          .first = first,
          .result = result | null_type,
          .call = call};
}
constexpr Function math(std::string_view name) {
  return plain(name, 1, 1, number_type, float_type, unary_math);
}
/// `date`, its clocks `date.transaction`, `date.statement`, `date.realtime`, and those of the other types.
constexpr Function clock(std::string_view name, TypeMask result) {
  return plain(name, 0, 1, any_type, result, make_temporal);
}
constexpr Function truncation(std::string_view name, TypeMask result) {
  return plain(name, 1, 3, text_type, result, truncate);
}
constexpr Function difference(std::string_view name) {
  return plain(name, 2, 2, moment_types, duration_type, duration_between);
}

constexpr std::array table = std::to_array<Function>({
    aggregation("count", 1, integer_type, Aggregation::count),
    aggregation("sum", 1, any_type, Aggregation::sum),
    aggregation("avg", 1, any_type, Aggregation::avg),
    aggregation("min", 1, any_type, Aggregation::min),
    aggregation("max", 1, any_type, Aggregation::max),
    aggregation("collect", 1, list_type, Aggregation::collect),
    aggregation("stDev", 1, float_type, Aggregation::st_dev),
    aggregation("stDevP", 1, float_type, Aggregation::st_dev_p),
    aggregation("percentileCont", 2, float_type | null_type, Aggregation::percentile_cont),
    aggregation("percentileDisc", 2, number_type | null_type, Aggregation::percentile_disc),

    plain("id", 1, 1, node_type | relation_type, integer_type, id),
    plain("elementId", 1, 1, node_type | relation_type, text_type, element_id),
    plain("labels", 1, 1, node_type, list_type, labels),
    plain("type", 1, 1, relation_type, text_type, type),
    plain("properties", 1, 1, node_type | relation_type | map_type, map_type, properties),
    plain("keys", 1, 1, node_type | relation_type | map_type, list_type, keys),
    plain("startNode", 1, 1, relation_type, node_type, start_node),
    plain("endNode", 1, 1, relation_type, node_type, end_node),
    plain("nodes", 1, 1, path_type, list_type, nodes),
    plain("relationships", 1, 1, path_type, list_type, relationships),
    plain("rels", 1, 1, path_type, list_type, relationships),
    plain("length", 1, 1, path_type, integer_type, length),
    plain("weight", 1, 1, path_type | relation_type | list_type, float_type, weight),

    plain("coalesce", 1, 255, any_type, any_type, coalesce),
    plain("exists", 1, 1, any_type, boolean_type, functions::exists),
    plain("size", 1, 1, list_type | text_type | map_type, integer_type, size),
    plain("head", 1, 1, list_type, any_type, head),
    plain("last", 1, 1, list_type, any_type, last),
    plain("tail", 1, 1, list_type, list_type, tail),
    plain("reverse", 1, 1, list_type | text_type, list_type | text_type, reverse),
    plain("range", 2, 3, any_type, list_type, range),

    plain("toInteger", 1, 1, any_type, integer_type, to_integer),
    plain("toFloat", 1, 1, any_type, float_type, to_float),
    plain("toBoolean", 1, 1, any_type, boolean_type, to_boolean),
    plain("toString", 1, 1, any_type, text_type, to_string),

    plain("toLower", 1, 1, text_type, text_type, to_lower),
    plain("lower", 1, 1, text_type, text_type, to_lower),
    plain("toUpper", 1, 1, text_type, text_type, to_upper),
    plain("upper", 1, 1, text_type, text_type, to_upper),
    plain("trim", 1, 1, text_type, text_type, trim),
    plain("lTrim", 1, 1, text_type, text_type, trim),
    plain("rTrim", 1, 1, text_type, text_type, trim),
    plain("replace", 3, 3, text_type, text_type, replace),
    plain("split", 2, 2, text_type, list_type, split),
    plain("substring", 2, 3, text_type, text_type, substring),
    plain("left", 2, 2, text_type, text_type, left),
    plain("right", 2, 2, text_type, text_type, right),

    math("sqrt"),
    math("exp"),
    math("log"),
    math("log10"),
    math("sin"),
    math("cos"),
    math("tan"),
    math("cot"),
    math("asin"),
    math("acos"),
    math("atan"),
    math("degrees"),
    math("radians"),
    math("haversin"),
    math("ceil"),
    math("floor"),
    plain("round", 1, 2, number_type, float_type, functions::round),
    plain("abs", 1, 1, number_type, number_type, functions::abs),
    plain("sign", 1, 1, number_type, integer_type, sign),
    plain("atan2", 2, 2, number_type, float_type, functions::atan2),
    plain("e", 0, 0, any_type, float_type, constant),
    plain("pi", 0, 0, any_type, float_type, constant),
    Function{.name = "rand", .result = float_type, .call = functions::rand, .is_constant = false},

    clock("date", date_type),
    clock("date.transaction", date_type),
    clock("date.statement", date_type),
    clock("date.realtime", date_type),
    clock("localtime", local_time_type),
    clock("localtime.transaction", local_time_type),
    clock("localtime.statement", local_time_type),
    clock("localtime.realtime", local_time_type),
    clock("time", time_type),
    clock("time.transaction", time_type),
    clock("time.statement", time_type),
    clock("time.realtime", time_type),
    clock("localdatetime", local_date_time_type),
    clock("localdatetime.transaction", local_date_time_type),
    clock("localdatetime.statement", local_date_time_type),
    clock("localdatetime.realtime", local_date_time_type),
    clock("datetime", date_time_type),
    clock("datetime.transaction", date_time_type),
    clock("datetime.statement", date_time_type),
    clock("datetime.realtime", date_time_type),
    plain("datetime.fromEpoch", 2, 2, number_type, date_time_type, from_epoch),
    plain("datetime.fromEpochMillis", 1, 1, number_type, date_time_type, from_epoch),
    truncation("date.truncate", date_type),
    truncation("localtime.truncate", local_time_type),
    truncation("time.truncate", time_type),
    truncation("localdatetime.truncate", local_date_time_type),
    truncation("datetime.truncate", date_time_type),
    plain("duration", 1, 1, any_type, duration_type, make_duration_value),
    difference("duration.between"),
    difference("duration.inMonths"),
    difference("duration.inDays"),
    difference("duration.inSeconds"),
    plain("timestamp", 0, 0, any_type, integer_type, timestamp),
});

}  // namespace

Function const* find_function(std::string_view name) {
  for (auto const& each : table) {
    if (is_same_word(each.name, name)) return &each;
  }
  return nullptr;
}

std::span<Function const> all_functions() {
  return table;
}

}  // namespace whence::queries::cypher
