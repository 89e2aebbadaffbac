#pragma once
// The values that attributes have in PROV-JSON: strings, numbers, booleans, `{"$": …, "type": …}`, `{"$": …, "lang":
// …}`, and arrays of these.

#include "schema/base/report.hpp"

#include <optional>
#include <string_view>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace whence::schema::json {

/// Whether `value` is a set of attributes, or an array of at least one where an id maps to several records. Reports
/// "type" where it is neither, "items" for an empty array, "prov_value" at each value that PROV-JSON does not know.
[[nodiscard]] bool check_prov_attributes(boost::json::value const& value, Path const& at, Report& report);

/// The same for the attributes of one record.
[[nodiscard]] bool check_prov_record(boost::json::object const& record, Path const& at, Report& report);

/// Calls `visit(name)` for each qualified name among the values and names of attributes: attribute names, types of
/// literals, literals that are qualified names themselves. Arguments are the caller's to look at.
template <class Visit>
void for_each_prov_name(boost::json::object const& record, Visit const& visit);

/// The name that an argument's value gives, as text or as a literal; views it.
[[nodiscard]] std::optional<std::string_view> name_in(boost::json::value const& value);

/// Whether a literal's type says that its text is a qualified name.
[[nodiscard]] bool is_qname_type(std::string_view type) noexcept;

// Implementation.

namespace impl {
template <class Visit>
void visit_value_names(boost::json::value const& value, Visit const& visit) {
  if (auto const* const list = value.if_array()) {
    for (boost::json::value const& each : *list) visit_value_names(each, visit);
    return;
  }
  auto const* const literal = value.if_object();
  auto const* const type = literal != nullptr ? literal->if_contains("type") : nullptr;
  if (type == nullptr || !type->is_string()) return;
  visit(std::string_view{type->get_string()});
  auto const* const text = literal->if_contains("$");
  if (text != nullptr && text->is_string() && is_qname_type(type->get_string())) {
    visit(std::string_view{text->get_string()});
  }
}
}  // namespace impl

template <class Visit>
void for_each_prov_name(boost::json::object const& record, Visit const& visit) {
  for (auto const& attribute : record) {
    visit(std::string_view{attribute.key()});
    impl::visit_value_names(attribute.value(), visit);
  }
}

}  // namespace whence::schema::json
