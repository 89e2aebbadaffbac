#pragma once
// Field tables. The table of a struct, `Describe<T>::fields`, has one row per member: its name on the wire, whether it
// is required, and its bounds. The JSON codec, the checks, `node.find`, `versions.diff`, `--help` and OpenRPC all read
// it.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

namespace whence::schema {

enum class Presence : std::uint8_t {
  required,
  optional,
  made,    ///< optional on input: the server makes one
  server,  ///< set by the server: shown in answers, refused on input
  copied,  ///< likewise, but taken from a copy of what was recorded elsewhere
};

/// The form of a text member, beyond its length.
enum class TextForm : std::uint8_t {
  free,
  id,    ///< 1..255 bytes, no control character, and `prefix` where one is given (the prefix alone is no id)
  term,  ///< 1..255 code points, no control character, not only white space: an id taken from text
};

/// The bounds of one member; which of them apply follows from the member's type.
struct Rule {
  TextForm form = TextForm::free;
  std::string_view prefix = {};       ///< of an id
  std::string_view bare_prefix = {};  ///< an id may start with it but not consist of it alone
  std::size_t length_min = 0;         ///< code points of a text
  std::size_t length_max = std::numeric_limits<std::size_t>::max();
  double number_min = -std::numeric_limits<double>::infinity();
  double number_max = std::numeric_limits<double>::infinity();
  std::size_t items_min = 0;  ///< of a list
  std::size_t items_max = std::numeric_limits<std::size_t>::max();
};

/// One member of `Owner`.
template <class Owner, class Member>
struct Field {
  using member_type = Member;

  std::string_view name;  ///< on the wire
  Member Owner::*member;
  Presence presence;
  Rule rule;
  std::string_view doc;  ///< one sentence for documentation
};

template <class Owner, class Member>
constexpr Field<Owner, Member> field(std::string_view name, Member Owner::*member, Presence presence, Rule rule,
                                     std::string_view doc) {
  return {name, member, presence, rule, doc};
}

/// Specialised per described struct: `static constexpr auto fields = std::tuple{field(...), ...};`.
template <class T>
struct Describe;

template <class T>
concept Described = requires {
  Describe<T>::fields;
};

/// Calls `visit(field)` for each member of `T`, in wire order.
template <Described T, class Visit>
constexpr void for_each_field(Visit&& visit) {
  std::apply([&](auto const&... each) { (visit(each), ...); }, Describe<T>::fields);
}

/// Shorthands for the bounds that recur in tables.
namespace rules {
/// An id: one that the server makes starts with `prefix`, a client's need not.
constexpr Rule free_id(std::string_view prefix) {
  return {.form = TextForm::id, .bare_prefix = prefix};
}
constexpr Rule any() {
  return {};
}
constexpr Rule id(std::string_view prefix = {}) {
  return {.form = TextForm::id, .prefix = prefix};
}
constexpr Rule term() {
  return {.form = TextForm::term};
}
/// A list of terms.
constexpr Rule terms() {
  return {.form = TextForm::term};
}
constexpr Rule text(std::size_t min, std::size_t max) {
  return {.length_min = min, .length_max = max};
}
constexpr Rule number(double min, double max) {
  return {.number_min = min, .number_max = max};
}
constexpr Rule items(std::size_t min, std::size_t max) {
  return {.items_min = min, .items_max = max};
}
/// A list of numbers.
constexpr Rule list_of(Rule rule, std::size_t min, std::size_t max) {
  rule.items_min = min;
  rule.items_max = max;
  return rule;
}
/// A list of ids.
constexpr Rule ids(std::string_view prefix, std::size_t min, std::size_t max) {
  return {.form = TextForm::id, .prefix = prefix, .items_min = min, .items_max = max};
}
}  // namespace rules

}  // namespace whence::schema
