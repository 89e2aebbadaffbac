// Operands come as JSON scalars and are turned into the kind of their field; an operand that does not fit is refused by
// its path.

#include "queries/find/predicate.hpp"

#include "queries/view/resolve.hpp"
#include "schema/base/report.hpp"
#include "schema/base/suggest.hpp"
#include "schema/json/json.hpp"

#include <algorithm>

namespace whence::queries {
namespace {

using Op = Condition::Op;

std::string_view expected(ValueKind kind) {
  switch (kind) {
    case ValueKind::text:
      return "must be a string";
    case ValueKind::number:
      return "must be a number";
    case ValueKind::flag:
      return "must be true or false";
    case ValueKind::time:
      return "must be an RFC 3339 time";
    case ValueKind::epoch_ms:
      return "must be integer milliseconds since the epoch";
  }
  return {};
}

std::optional<OwnedValue> time_from(std::string_view text) {
  auto const time = schema::parse_rfc3339(text);
  if (!time) return std::nullopt;
  return *time;
}

std::optional<OwnedValue> parse_operand(ValueKind kind, std::string const& json) {
  auto const document = schema::json::parse(json);
  if (!document) return std::nullopt;
  boost::json::value const& value = document->value;
  if (kind == ValueKind::text && value.is_string()) return std::string(value.as_string());
  if (kind == ValueKind::number && value.is_number()) return value.to_number<double>();
  if (kind == ValueKind::flag && value.is_bool()) return value.as_bool() ? 1.0 : 0.0;
  if (kind == ValueKind::time && value.is_string()) return time_from(value.as_string());
  if (kind == ValueKind::epoch_ms && value.is_int64()) return schema::time_of(schema::EpochMs{value.as_int64()});
  return std::nullopt;
}

std::string path_of(Condition const& condition) {
  std::string path = "/where";
  schema::append_step(path, condition.field);
  return path;
}

Predicate parse_condition(SearchField const* field, Condition const& condition, std::vector<Violation>& wrong) {
  auto path = path_of(condition);
  if (!condition.is_short) path.append("/").append(schema::name_of(condition.op));
  Predicate predicate{field, condition.op, {}};
  if ((condition.op == Op::prefix || condition.op == Op::contains) && field->kind != ValueKind::text) {
    wrong.push_back(invalid_param("operator", path, "",
                                  "`" + std::string(schema::name_of(condition.op)) + "` goes with texts only"));
    return predicate;
  }
  if ((condition.op == Op::has) != (field->list_from_record != nullptr)) {
    wrong.push_back(invalid_param("operator", path, "", "`has` goes with lists of texts, and only it does"));
    return predicate;
  }
  for (std::size_t i = 0; i < condition.operands.size(); ++i) {
    if (auto operand = parse_operand(field->kind, condition.operands[i])) {
      predicate.operands.push_back(std::move(*operand));
    } else {
      std::string const place = condition.op == Op::in ? path + "/" + std::to_string(i) : path;
      wrong.push_back(
          invalid_param("type", place, schema::shown(condition.operands[i]), std::string(expected(field->kind))));
    }
  }
  return predicate;
}

/// Whether `text` has `part` somewhere; a letter of ASCII is the same in both cases.
bool contains_text(std::string_view text, std::string_view part) {
  auto const lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  auto const is_same = [&](char a, char b) { return lower(a) == lower(b); };
  return part.empty() || std::search(text.begin(), text.end(), part.begin(), part.end(), is_same) != text.end();
}

// Negative, zero or positive as `value` is less than, equal to or greater than `operand`, which is of the same kind.
int compare(Value const& value, OwnedValue const& operand) {
  auto const sign = [](auto const& a, auto const& b) { return a < b ? -1 : (b < a ? 1 : 0); };
  if (auto const* text = std::get_if<std::string_view>(&value)) {
    return sign(*text, std::string_view(std::get<std::string>(operand)));
  }
  if (auto const* number = std::get_if<double>(&value)) return sign(*number, std::get<double>(operand));
  return sign(std::get<schema::Time>(value), std::get<schema::Time>(operand));
}

}  // namespace

Result<std::vector<Predicate>> parse_where(schema::RecordType type, std::vector<Condition> const& where) {
  std::vector<Predicate> predicates;
  std::vector<Violation> wrong;
  for (Condition const& condition : where) {
    SearchField const* const field = find_search_field(type, condition.field);
    if (field == nullptr) {
      wrong.push_back(invalid_param("unknown_field", path_of(condition), "",
                                    std::string(schema::name_of(type)) + " has no such searchable field" +
                                        schema::alternatives(condition.field, search_field_names(type))));
    } else {
      predicates.push_back(parse_condition(field, condition, wrong));
    }
  }
  if (!wrong.empty()) return error_from(std::move(wrong));
  return predicates;
}

bool holds(Predicate const& predicate, std::optional<Value> const& value) {
  if (!value) return false;
  if (predicate.op == Op::in) {
    return std::any_of(predicate.operands.begin(), predicate.operands.end(),
                       [&](OwnedValue const& operand) { return compare(*value, operand) == 0; });
  }
  OwnedValue const& operand = predicate.operands.front();
  switch (predicate.op) {
    case Op::prefix:
      return std::get<std::string_view>(*value).starts_with(std::get<std::string>(operand));
    case Op::contains:
      return contains_text(std::get<std::string_view>(*value), std::get<std::string>(operand));
    case Op::lt:
      return compare(*value, operand) < 0;
    case Op::lte:
      return compare(*value, operand) <= 0;
    case Op::gt:
      return compare(*value, operand) > 0;
    case Op::gte:
      return compare(*value, operand) >= 0;
    case Op::eq:
    case Op::in:
    case Op::has:
      break;
  }
  return compare(*value, operand) == 0;
}

bool holds(Predicate const& predicate, schema::Record const& record) {
  auto const& field = *predicate.field;
  if (field.texts_from_record != nullptr) {
    auto const texts = field.texts_from_record(record);
    return std::ranges::any_of(
        texts, [&](std::string const& text) { return holds(predicate, std::optional<Value>{std::string_view(text)}); });
  }
  if (field.list_from_record == nullptr) return holds(predicate, field.from_record(record));
  auto const* list = field.list_from_record(record);
  return list != nullptr && std::ranges::find(*list, std::get<std::string>(predicate.operands.front())) != list->end();
}

OwnedValue owned(Value const& value) {
  if (auto const* text = std::get_if<std::string_view>(&value)) return std::string(*text);
  if (auto const* number = std::get_if<double>(&value)) return *number;
  return std::get<schema::Time>(value);
}

}  // namespace whence::queries
