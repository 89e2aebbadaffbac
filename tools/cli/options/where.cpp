// Parsing conditions; the types of fields come from the record tables.

#include "tools/cli/options/where.hpp"

#include "schema/base/optional.hpp"
#include "schema/encoding/ascii.hpp"
#include "schema/json/json.hpp"
#include "schema/records/record_fields.hpp"
#include "schema/records/records.hpp"
#include "tools/cli/options/param_flags.hpp"

#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace whence::tools {
namespace {

namespace json = boost::json;

struct Operator {
  std::string_view sign;
  std::string_view name;  ///< in the protocol
};

/// Longer signs first: `<=` is not `<` and a value that starts with `=`.
constexpr Operator operators[] = {{"<=", "lte"}, {">=", "gte"}, {"^=", "prefix"}, {"*=", "contains"},
                                  {"<", "lt"},   {">", "gt"},   {"=", "eq"}};

struct Parts {
  std::string_view field;
  Operator op;
  std::string_view value;
};

/// The operator is the first sign in the text: field names hold none.
std::optional<Parts> split(std::string_view text) {
  std::size_t const at = text.find_first_of("<>^=*");
  if (at == std::string_view::npos) return std::nullopt;
  for (Operator const& op : operators) {
    if (!text.substr(at).starts_with(op.sign)) continue;
    return Parts{.field = schema::trim_blanks(text.substr(0, at), " "),
                 .op = op,
                 .value = schema::trim_blanks(text.substr(at + op.sign.size()), " ")};
  }
  return std::nullopt;
}

template <class Member>
constexpr bool is_number =
    std::is_arithmetic_v<schema::value_type_t<Member>> || std::is_same_v<schema::value_type_t<Member>, schema::EpochMs>;

template <class Record>
bool has_number(std::string_view name) {
  bool found = false;
  schema::for_each_field<Record>([&](auto const& field) {
    using Member = typename std::remove_cvref_t<decltype(field)>::member_type;
    found = found || (field.name == name && is_number<Member>);
  });
  return found;
}

template <class... Records>
bool has_number(std::type_identity<std::variant<Records...>>, schema::RecordType type, std::string_view name) {
  return ((Records::record_type == type && has_number<Records>(name)) || ...);
}

bool is_number_field(schema::RecordType type, std::string_view name) {
  if (name == "score" || name == "feedback_count" || name == "tx") return true;
  return has_number(std::type_identity<schema::Record>{}, type, name);
}

template <class Value, class Record>
bool is_field_of(std::string_view name) {
  bool found = false;
  schema::for_each_field<Record>([&](auto const& field) {
    using Member = typename std::remove_cvref_t<decltype(field)>::member_type;
    found = found || (field.name == name && std::is_same_v<schema::value_type_t<Member>, Value>);
  });
  return found;
}

template <class Value, class... Records>
bool is_field_of(std::type_identity<std::variant<Records...>>, schema::RecordType type, std::string_view name) {
  return ((Records::record_type == type && is_field_of<Value, Records>(name)) || ...);
}

/// The time that a day or a span back from now means in a comparison: `>=` and `<` begin with a day, `>` and `<=`
/// include it. Milliseconds of a time that is written out where the field has them; else nothing of such
/// a time, and of another field.
std::optional<json::value> moment_in(Parts const& parts, schema::RecordType type) {
  constexpr std::type_identity<schema::Record> records;
  bool const is_ms = is_field_of<schema::EpochMs>(records, type, parts.field);
  if (!is_ms && !is_field_of<schema::Time>(records, type, parts.field)) return std::nullopt;
  auto const now = schema::SystemClock{}.now();
  bool const begins = parts.op.name == "gte" || parts.op.name == "lt";
  auto const text = begins ? beginning_of(parts.value, now) : moment_of(parts.value, now);
  bool const is_compared = begins || parts.op.name == "gt" || parts.op.name == "lte";
  auto const time = schema::parse_rfc3339(text);
  bool const is_written_out = text == parts.value;
  if (!time || (is_written_out ? !is_ms : !is_compared)) return std::nullopt;
  return is_ms ? json::value(schema::epoch_ms_of(*time).value) : json::value(text);
}

Error refuse(std::string_view text, std::string_view why) {
  return {.code = Errc::invalid_params, .message = "--where \"" + std::string{text} + "\": " + std::string{why}};
}

Result<json::value> parse_value(std::string_view text, Parts const& parts, schema::RecordType type) {
  if (auto time = moment_in(parts, type)) return *std::move(time);
  bool const is_number_required =
      is_number_field(type, parts.field) && parts.op.name != "prefix" && parts.op.name != "contains";
  bool const is_json = is_number_required || parts.value.starts_with('"') || parts.value.starts_with('[');
  if (!is_json) return json::value(parts.value);
  Result<schema::json::Document> parsed = schema::json::parse(parts.value);
  if (!parsed) return refuse(text, is_number_required ? "the field is a number" : parsed.error().message);
  if (is_number_required && !parsed->value.is_number() && !parsed->value.is_array()) {
    return refuse(text, "the field is a number");
  }
  return std::move(parsed->value);
}

}  // namespace

Result<void> add_condition(json::object& where, schema::RecordType type, std::string_view text) {
  std::optional<Parts> const parts = split(text);
  if (!parts || parts->field.empty()) {
    return refuse(text, "expected FIELD=VALUE, or one of the operators ^= *= < <= > >=");
  }
  Result<json::value> value = parse_value(text, *parts, type);
  if (!value) return value.error();
  bool const is_list = value->is_array();
  if (is_list && parts->op.name != "eq") return refuse(text, "a list is allowed with = only");
  bool const is_item = is_field_of<std::vector<std::string>>(std::type_identity<schema::Record>{}, type, parts->field);
  std::string_view const name = is_list ? "in" : is_item && parts->op.name == "eq" ? "has" : parts->op.name;
  json::value& conditions = where[parts->field];
  if (!conditions.is_object()) conditions.emplace_object();
  if (!conditions.get_object().emplace(name, std::move(*value)).second) {
    return refuse(text, "this operator is given twice for the field");
  }
  return {};
}

}  // namespace whence::tools
