// Members of a record as attributes: the record's compact JSON is taken apart at its first level, and each member's
// kind is looked up in the field tables.

#include "queries/export/attribute.hpp"

#include "queries/export/impl/members.hpp"
#include "schema/record_fields.hpp"

#include <map>
#include <optional>
#include <type_traits>
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

template <class T>
struct Plain {
  using type = T;
};
template <class T>
struct Plain<std::optional<T>> {
  using type = T;
};

using Kinds = std::map<std::string_view, Kind>;

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
      using Member = typename Plain<typename std::remove_cvref_t<decltype(field)>::member_type>::type;
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

std::vector<Attribute> attributes_of(Node const& node) {
  std::vector<Attribute> attributes;
  auto const add = [&](std::string_view name, Kind kind, std::string value) {
    attributes.push_back({name, kind, std::move(value)});
  };
  add("ref", Kind::text, node.ref);
  add("type", Kind::text, std::string(schema::name_of(node.type)));
  add("tx", Kind::integer, std::to_string(schema::number(node.tx)));
  add("label", Kind::text, node.label);
  if (!node.status.empty()) add("status", Kind::text, std::string(node.status));
  for_each_member(node.record, [&](std::string_view name, std::string_view json) {
    if (name == "$type$" || name == "id") return;
    // The node's own type stands under that name already.
    auto const shown = node.type == RecordType::context_unit && name == "type" ? "context_type" : name;
    auto const kind = kind_of(name);
    add(shown, kind, kind == Kind::text ? plain_text(json) : std::string(json));
  });
  return attributes;
}

std::vector<Attribute> attributes_of(Edge const& edge) {
  std::vector<Attribute> attributes = {
      {"type", Kind::text, std::string(schema::name_of(edge.type))},
      {"tx", Kind::integer, std::to_string(schema::number(edge.tx))},
  };
  attributes.insert(attributes.end(), edge.carried.begin(), edge.carried.end());
  return attributes;
}

}  // namespace whence::exports
