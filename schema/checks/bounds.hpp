#pragma once
// Checks the bounds of described structs by their field tables, with one overload per kind of member. Used for records
// and for the params of methods. A new kind of member with bounds of its own adds an overload before this header is
// included.

#include "schema/base/fields.hpp"
#include "schema/base/free_json.hpp"
#include "schema/base/optional.hpp"
#include "schema/base/report.hpp"
#include "schema/base/time.hpp"

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::schema {

/// Texts and ids. Rules: "utf8", "length" (code points), "prefix", "id".
void check_bounds(std::string const& value, Rule const& rule, Path const& at, Report& report);
/// Numbers; neither NaN nor an infinity lies within any bounds. Rule "range".
void check_bounds(double value, Rule const& rule, Path const& at, Report& report);
/// Integers. Rule "range".
void check_bounds(std::int64_t value, Rule const& rule, Path const& at, Report& report);
void check_bounds(std::uint64_t value, Rule const& rule, Path const& at, Report& report);
inline void check_bounds(std::uint32_t value, Rule const& rule, Path const& at, Report& report) {
  check_bounds(std::uint64_t{value}, rule, at, report);
}
inline void check_bounds(EpochMs value, Rule const& rule, Path const& at, Report& report) {
  check_bounds(value.value, rule, at, report);
}
/// Binary32, which the client's number rounds to. Rule "range".
inline void check_bounds(float value, Rule const& rule, Path const& at, Report& report) {
  check_bounds(double{value}, rule, at, report);
}
/// Free data. Rule "size" (bytes).
void check_bounds(Attributes const& value, Rule const& rule, Path const& at, Report& report);
void check_bounds(QuestionSet const& value, Rule const& rule, Path const& at, Report& report);
void check_bounds(ProvAttributes const& value, Rule const& rule, Path const& at, Report& report);
/// Texts as those of names, each prefix once and in order, and how many there are. Rules "utf8", "length", "items".
void check_bounds(PrefixMap const& value, Rule const& rule, Path const& at, Report& report);

/// The number of items of a list. Rule "items".
void check_item_count(std::size_t count, Rule const& rule, Path const& at, Report& report);

/// Members whose type admits only good values (enums, times, refs) have no bounds.
template <class T>
requires(!Described<T>) void check_bounds(T const& /*value*/, Rule const& /*rule*/, Path const& /*at*/,
                                          Report& /*report*/) {}

template <class T>
void check_bounds(std::optional<T> const& value, Rule const& rule, Path const& at, Report& report);
template <class T>
void check_bounds(BoxedOptional<T> const& value, Rule const& rule, Path const& at, Report& report);
template <class T>
void check_bounds(std::vector<T> const& value, Rule const& rule, Path const& at, Report& report);

/// Whether a member that the server may make has been left out.
template <class T>
[[nodiscard]] constexpr bool is_left_out(T const& member) noexcept {
  if constexpr (std::floating_point<T>) {
    return member != member;
  } else if constexpr (requires { member.empty(); }) {
    return member.empty();
  } else if constexpr (std::same_as<T, std::int64_t>) {
    return member == std::numeric_limits<std::int64_t>::min();  // no number that a text may hold
  } else {
    return false;
  }
}

/// All members of a described struct.
template <Described T>
void check_bounds(T const& value, Rule const& /*rule*/, Path const& at, Report& report) {
  for_each_field<T>([&](auto const& each) {
    auto const& member = value.*each.member;
    if (each.presence == Presence::made && is_left_out(member)) return;
    check_bounds(member, each.rule, Path{at, each.name}, report);
  });
}

template <class T>
void check_bounds(std::optional<T> const& value, Rule const& rule, Path const& at, Report& report) {
  if (value) check_bounds(*value, rule, at, report);
}

template <class T>
void check_bounds(BoxedOptional<T> const& value, Rule const& rule, Path const& at, Report& report) {
  if (value) check_bounds(*value, rule, at, report);
}

/// Items first: a violation of the list itself would hide theirs.
template <class T>
void check_bounds(std::vector<T> const& value, Rule const& rule, Path const& at, Report& report) {
  for (std::size_t i = 0; i < value.size(); ++i) check_bounds(value[i], rule, Path{at, i}, report);
  check_item_count(value.size(), rule, at, report);
}

}  // namespace whence::schema
