// Members of a record as attributes: the record's compact JSON is taken apart at its first level, and each member's
// kind is looked up in the field tables.

#include "queries/export/attribute.hpp"

#include "schema/base/optional.hpp"
#include "schema/records/record_fields.hpp"

#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>

namespace whence::exports {
namespace {

using schema::RecordType;

template <class T>
constexpr Kind kind_of_type() {
  if constexpr (std::is_same_v<T, bool>) return Kind::flag;
  if constexpr (std::is_same_v<T, std::int64_t> || std::is_same_v<T, schema::EpochMs>) return Kind::integer;
  if constexpr (std::is_same_v<T, double>) return Kind::real;
  return Kind::text;
}

using Kinds = std::unordered_map<std::string_view, Kind>;

/// A name that two records use for different kinds is text.
void note(Kinds& kinds, std::string_view name, Kind kind) {
  auto const [at, is_new] = kinds.emplace(name, kind);
  if (!is_new && at->second != kind) at->second = Kind::text;
}

template <class... Records>
Kinds kinds_of(std::variant<Records...> const*) {
  Kinds kinds;
  auto const add = [&]<class T>(T const*) {
    schema::for_each_field<T>([&](auto const& field) {
      using Member = schema::value_type_t<typename std::remove_cvref_t<decltype(field)>::member_type>;
      note(kinds, field.name, kind_of_type<Member>());
    });
  };
  (add(static_cast<Records const*>(nullptr)), ...);
  return kinds;
}

}  // namespace

Kind kind_of(std::string_view name) noexcept {
  static Kinds const kinds = kinds_of(static_cast<schema::Record const*>(nullptr));
  auto const found = kinds.find(name);
  return found == kinds.end() ? Kind::text : found->second;
}

std::string_view attribute_name(RecordType type, std::string_view member) noexcept {
  if (member == "$type$" || member == "id") return {};
  // Members whose name every node has an attribute of its own for.
  if (type == RecordType::context_unit && member == "type") return "context_type";
  if (type == RecordType::feedback_record && member == "ref") return "rated_ref";
  return member;
}

}  // namespace whence::exports
