// Dispatch over the variant: type, identity, time.
#include "schema/records/records.hpp"

#include "schema/records/record_fields.hpp"
#include "schema/records/rules.hpp"
#include "schema/types/own_time.hpp"

#include <array>
#include <type_traits>
#include <utility>

namespace whence::schema {
namespace {

constexpr std::size_t alternatives_count = std::variant_size_v<Record>;

template <std::size_t... I>
consteval bool alternatives_follow_their_numbers(std::index_sequence<I...>) {
  return ((static_cast<std::size_t>(std::variant_alternative_t<I, Record>::record_type) == I + 1) && ...);
}
static_assert(alternatives_follow_their_numbers(std::make_index_sequence<alternatives_count>{}),
              "a struct's `record_type` is not the one of its row in the catalogue");

template <std::size_t I>
Record make_blank() {
  return Record{std::in_place_index<I>};
}

template <std::size_t... I>
constexpr std::array<Record (*)(), sizeof...(I)> blank_makers(std::index_sequence<I...>) {
  return {make_blank<I>...};
}

/// The member that is the id of a `T`, where one is.
template <class T>
constexpr auto id_member_of() noexcept {
  if constexpr (requires { T::id_member; }) {
    return T::id_member;
  } else {
    return &T::id;
  }
}

std::string text_of(std::string const& id) {
  return id;
}
std::string text_of(std::optional<std::string> const& id) {
  return id.value_or("");
}

/// A record's own time in any of the forms in which it has one.
std::optional<Time> instant(Time time) {
  return time;
}
std::optional<Time> instant(EpochMs time) {
  return time_of(time);
}
template <class T>
std::optional<Time> instant(std::optional<T> const& time) {
  return time ? instant(*time) : std::nullopt;
}

}  // namespace

RecordType type_of(Record const& record) noexcept {
  return static_cast<RecordType>(record.index() + 1);
}

std::optional<Record> blank_record(RecordType type) {
  static constexpr auto makers = blank_makers(std::make_index_sequence<alternatives_count>{});
  auto const index = static_cast<std::size_t>(type) - 1;
  if (index >= makers.size()) return std::nullopt;
  return makers[index]();
}

std::string node_id_of(Record const& record) {
  return std::visit(
      []<class T>(T const& each) -> std::string {
        if constexpr (requires { node_id(each); }) {
          return node_id(each);
        } else {
          return text_of(each.*id_member_of<T>());
        }
      },
      record);
}

void set_node_id(Record& record, std::string_view id) {
  std::visit(
      [&]<class T>(T& each) {
        if constexpr (requires { set_node_id(each, id); }) {
          set_node_id(each, id);
        } else {
          each.*id_member_of<T>() = id;
        }
      },
      record);
}

std::optional<Time> time_of(Record const& record) noexcept {
  return std::visit(
      []<class T>(T const& each) -> std::optional<Time> {
        if constexpr (has_own_time<T>) {
          return instant(each.*own_time_field<T>().member);
        } else {
          return std::nullopt;
        }
      },
      record);
}

}  // namespace whence::schema
