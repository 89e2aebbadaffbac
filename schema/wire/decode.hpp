#pragma once
// From JSON values to described structs, by their field tables: one overload of `decode_value` per kind of member.
// Heavy: included by the few files that decode. Here only the shape of JSON is checked; bounds are checked by
// schema/checks/bounds.hpp.
//
// A member type of another folder joins in by declaring `decode_value` for it in the namespace of the type (or in
// whence::schema), before the first `decode_members` that meets it.

#include "schema/base/fields.hpp"
#include "schema/base/optional.hpp"
#include "schema/base/report.hpp"
#include "schema/base/suggest.hpp"
#include "schema/base/time.hpp"
#include "schema/json/refuse.hpp"
#include "schema/records/records.hpp"
#include "schema/types/edge_type.hpp"
#include "schema/types/named_enum.hpp"
#include "schema/types/record_type.hpp"
#include "schema/types/ref.hpp"
#include "schema/xml/parts.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace whence::schema::json {

/// Each reads one kind of value into `into` and leaves it alone where the value is none. Rules: "type" for another kind
/// of JSON value; "format" for a time that is no RFC 3339 text; "integer" for a number with a fraction or beyond
/// 2^53 - 1; "enum" for an unknown name; "ref" for what names no node; "range" for an integer its type cannot hold.
void decode_value(boost::json::value const& value, std::string& into, Rule const& rule, Path const& at, Report& report);
void decode_value(boost::json::value const& value, bool& into, Rule const& rule, Path const& at, Report& report);
void decode_value(boost::json::value const& value, double& into, Rule const& rule, Path const& at, Report& report);
/// Binary32; rule "range" for what is beyond it.
void decode_value(boost::json::value const& value, float& into, Rule const& rule, Path const& at, Report& report);
void decode_value(boost::json::value const& value, std::int64_t& into, Rule const& rule, Path const& at,
                  Report& report);
void decode_value(boost::json::value const& value, std::uint64_t& into, Rule const& rule, Path const& at,
                  Report& report);
void decode_value(boost::json::value const& value, std::uint32_t& into, Rule const& rule, Path const& at,
                  Report& report);
void decode_value(boost::json::value const& value, Time& into, Rule const& rule, Path const& at, Report& report);
void decode_value(boost::json::value const& value, EpochMs& into, Rule const& rule, Path const& at, Report& report);
void decode_value(boost::json::value const& value, Attributes& into, Rule const& rule, Path const& at, Report& report);
void decode_value(boost::json::value const& value, QuestionSet& into, Rule const& rule, Path const& at, Report& report);
/// Rules "type" and "prov_value" (schema/json/prov_values.hpp).
void decode_value(boost::json::value const& value, ProvAttributes& into, Rule const& rule, Path const& at,
                  Report& report);
/// An object of texts.
void decode_value(boost::json::value const& value, PrefixMap& into, Rule const& rule, Path const& at, Report& report);
/// How a text that is none of the names is refused, with the one that may have been meant: "is no", and all of them,
/// with "or" before the last.
[[nodiscard]] std::string is_none_of(std::string_view unknown, std::span<std::string_view const> names);
/// "must be one of", and all of them.
[[nodiscard]] std::string must_be_one_of(std::string_view unknown, std::span<std::string_view const> names);
/// Which of `names` a value is; rule "enum" where it is none.
[[nodiscard]] std::optional<std::size_t> decode_name_among(
    boost::json::value const& value, std::span<std::string_view const> names,
    std::string (*refusal)(std::string_view, std::span<std::string_view const>), Path const& at, Report& report);
template <NamedEnum Enum>
void decode_value(boost::json::value const& value, Enum& into, Rule const& /*rule*/, Path const& at, Report& report) {
  constexpr bool is_of_records = std::same_as<Enum, ContextType> || std::same_as<Enum, Verdict> ||
                                 std::same_as<Enum, Basis> || std::same_as<Enum, XmlFormat>;
  auto const number = decode_name_among(value, names_of<Enum>, is_of_records ? is_none_of : must_be_one_of, at, report);
  if (number) into = static_cast<Enum>(*number);
}
void decode_value(boost::json::value const& value, RecordType& into, Rule const& rule, Path const& at, Report& report);
void decode_value(boost::json::value const& value, EdgeType& into, Rule const& rule, Path const& at, Report& report);
void decode_value(boost::json::value const& value, NodeRef& into, Rule const& rule, Path const& at, Report& report);
/// Sets are lists of names on the wire.
void decode_value(boost::json::value const& value, RecordTypeSet& into, Rule const& rule, Path const& at,
                  Report& report);
void decode_value(boost::json::value const& value, EdgeTypeSet& into, Rule const& rule, Path const& at, Report& report);

template <class T>
void decode_value(boost::json::value const& value, std::optional<T>& into, Rule const& rule, Path const& at,
                  Report& report);
template <class T>
void decode_value(boost::json::value const& value, BoxedOptional<T>& into, Rule const& rule, Path const& at,
                  Report& report);
template <class T>
void decode_value(boost::json::value const& value, std::vector<T>& into, Rule const& rule, Path const& at,
                  Report& report);
template <Described T>
void decode_value(boost::json::value const& value, T& into, Rule const& rule, Path const& at, Report& report);

/// Reads the members of `object` that the table of `T` names into `into`; null is absence. Rules besides those above:
/// "required" for a required member that is missing or null, "server_field" for one that only the server sets, "id" for
/// an empty id that could have been left out.
/// Returns how many members of the object it knew.
template <Described T>
std::size_t decode_members(boost::json::object const& object, T& into, Path const& at, Report& report) {
  std::size_t known = 0;
  for_each_field<T>([&](auto const& each) {
    boost::json::value const* const value = object.if_contains(each.name);
    Path const place{at, each.name};
    if (value != nullptr) ++known;
    if (value == nullptr || value->is_null()) {
      if (each.presence == Presence::required) report.add(place, "required", value ? "null" : "", "is required");
      return;
    }
    if (each.presence == Presence::server || (each.presence == Presence::copied && !report.is_of_copy())) {
      return refuse(*value, "server_field", place, report, "is set by the server only");
    }
    auto& member = into.*each.member;
    decode_value(*value, member, each.rule, place, report);
    if constexpr (std::same_as<std::remove_cvref_t<decltype(member)>, std::string>) {
      if (each.presence == Presence::made && member.empty()) refuse(*value, "id", place, report, "must not be empty");
    }
  });
  return known;
}

/// Whether the table of `T` names a member so.
template <Described T>
[[nodiscard]] bool has_member(std::string_view name) {
  bool is_found = false;
  for_each_field<T>([&](auto const& each) { is_found = is_found || each.name == name; });
  return is_found;
}

/// Appends the members that the table of `T` names and a client may give.
template <Described T>
void add_members(std::vector<std::string_view>& names) {
  for_each_field<T>([&](auto const& each) {
    if (each.presence != Presence::server) names.push_back(each.name);
  });
}

/// Adds a violation, rule "unknown_field", for each member of `object` that no table of `Ts` names and that is not
/// `also_known`, with the member that may have been meant. Several tables where several structs share one object.
template <Described... Ts>
void refuse_unknown(boost::json::object const& object, Path const& at, Report& report,
                    std::string_view also_known = {}) {
  std::vector<std::string_view> names;
  std::size_t unknown = 0;
  for (auto const& member : object) {
    std::string_view const name = member.key();
    if (name == also_known || (has_member<Ts>(name) || ...)) continue;
    if (names.empty()) (add_members<Ts>(names), ...);
    constexpr std::size_t suggestions_max = 8;  // looking for one costs more than refusing a member
    auto const suggestion = unknown++ < suggestions_max ? did_you_mean(name, names) : std::string{};
    refuse(member.value(), "unknown_field", Path{at, name}, report, "is no field here" + suggestion);
  }
}

/// A whole object that is one struct.
template <Described T>
void decode_object(boost::json::object const& object, T& into, Path const& at, Report& report) {
  if (decode_members(object, into, at, report) != object.size()) refuse_unknown<T>(object, at, report);
}

template <class T>
void decode_value(boost::json::value const& value, std::optional<T>& into, Rule const& rule, Path const& at,
                  Report& report) {
  decode_value(value, into.emplace(), rule, at, report);
}

template <class T>
void decode_value(boost::json::value const& value, BoxedOptional<T>& into, Rule const& rule, Path const& at,
                  Report& report) {
  decode_value(value, into.emplace(), rule, at, report);
}

template <class T>
void decode_value(boost::json::value const& value, std::vector<T>& into, Rule const& rule, Path const& at,
                  Report& report) {
  auto const* const array = value.if_array();
  if (array == nullptr) return refuse(value, "type", at, report, "must be an array");
  into.clear();
  into.reserve(array->size());
  for (boost::json::value const& item : *array) {
    Path const place{at, into.size()};
    decode_value(item, into.emplace_back(), rule, place, report);
  }
}

template <Described T>
void decode_value(boost::json::value const& value, T& into, Rule const& /*rule*/, Path const& at, Report& report) {
  auto const* const object = value.if_object();
  if (object == nullptr) return refuse(value, "type", at, report, "must be an object");
  decode_object(*object, into, at, report);
}

}  // namespace whence::schema::json
