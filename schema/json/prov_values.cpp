// The values that PROV-JSON allows.
#include "schema/json/prov_values.hpp"

#include "schema/json/refuse.hpp"

namespace whence::schema::json {
namespace {

namespace bj = boost::json;

constexpr std::string_view value_rule = "prov_value";

bool is_plain(bj::value const& value) noexcept {
  return value.is_string() || value.is_number() || value.is_bool();
}

/// `{"$": …}` with a type or a language, which are texts.
bool is_literal(bj::object const& literal) noexcept {
  bool has_text = false;
  for (auto const& member : literal) {
    std::string_view const name = member.key();
    if (name == "$") {
      has_text = is_plain(member.value());
      if (!has_text) return false;
    } else if ((name != "type" && name != "lang") || !member.value().is_string()) {
      return false;
    }
  }
  return has_text;
}

bool check_one(bj::value const& value, Path const& at, Report& report) {
  auto const* const literal = value.if_object();
  if (literal != nullptr ? is_literal(*literal) : is_plain(value)) return true;
  refuse(value, value_rule, at, report,
         R"(must be a string, a number, true, false, or an object of "$", "type", "lang")");
  return false;
}

bool check_value(bj::value const& value, Path const& at, Report& report) {
  auto const* const list = value.if_array();
  if (list == nullptr) return check_one(value, at, report);
  bool is_good = true;
  for (std::size_t i = 0; i < list->size(); ++i) is_good = check_one((*list)[i], Path{at, i}, report) && is_good;
  return is_good;
}

}  // namespace

std::optional<std::string_view> name_in(bj::value const& value) {
  if (auto const* const text = value.if_string()) return std::string_view{*text};
  auto const* const literal = value.if_object();
  auto const* const text = literal != nullptr ? literal->if_contains("$") : nullptr;
  auto const* const type = literal != nullptr ? literal->if_contains("type") : nullptr;
  bool const is_name =
      text != nullptr && text->is_string() && type != nullptr && type->is_string() && is_qname_type(type->get_string());
  if (!is_name) return std::nullopt;
  return std::string_view{text->get_string()};
}

bool is_qname_type(std::string_view type) noexcept {
  return type == "prov:QUALIFIED_NAME" || type == "xsd:QName";
}

bool check_prov_record(bj::object const& record, Path const& at, Report& report) {
  bool is_good = true;
  for (auto const& attribute : record) {
    Path const place{at, attribute.key()};
    is_good = check_value(attribute.value(), place, report) && is_good;
  }
  return is_good;
}

bool check_prov_attributes(bj::value const& value, Path const& at, Report& report) {
  if (auto const* const record = value.if_object()) return check_prov_record(*record, at, report);
  auto const* const list = value.if_array();
  if (list == nullptr) {
    refuse(value, "type", at, report, "must be an object, or an array of objects");
    return false;
  }
  if (list->empty()) {
    report.add(at, "items", "[]", "must have at least 1 item");
    return false;
  }
  bool is_good = true;
  for (std::size_t i = 0; i < list->size(); ++i) {
    Path const place{at, i};
    if (auto const* const record = (*list)[i].if_object()) {
      is_good = check_prov_record(*record, place, report) && is_good;
    } else {
      refuse((*list)[i], "type", place, report, "must be an object");
      is_good = false;
    }
  }
  return is_good;
}

}  // namespace whence::schema::json
