// What all records have in common, asked of any of them.
#include "schema/records.hpp"

#include <algorithm>
#include <array>
#include <ostream>
#include <type_traits>
#include <utility>

#include <boost/assert.hpp>

namespace whence::schema {
namespace {

/// Indexed by `ContextType`.
constexpr std::array<std::string_view, 4> context_type_names = {"System", "User", "External", "ModelState"};

/// The member of any record that says its identity.
constexpr auto identity = [](auto& record) -> auto& {
  if constexpr (std::is_same_v<std::remove_cvref_t<decltype(record)>, LineageManifest>) {
    return record.response_id;
  } else {
    return record.id;
  }
};

}  // namespace

RecordType type_of(Record const& record) noexcept {
  return std::visit([](auto const& each) { return each.record_type; }, record);
}

std::string const& id_of(Record const& record) noexcept {
  return std::visit([](auto const& each) -> std::string const& { return identity(each); }, record);
}

void set_id(Record& record, std::string id) {
  std::visit([&](auto& each) { identity(each) = std::move(id); }, record);
}

std::optional<Time> time_of(Record const& record) noexcept {
  return std::visit(
      [](auto const& each) -> std::optional<Time> {
        if constexpr (requires { each.timestamp; }) {
          return each.timestamp;
        } else {
          return each.created_at ? std::optional{time_of(*each.created_at)} : std::nullopt;
        }
      },
      record);
}

std::string_view name_of(ContextType type) noexcept {
  BOOST_ASSERT(static_cast<std::size_t>(type) < context_type_names.size());
  return context_type_names[static_cast<std::size_t>(type)];
}

std::optional<ContextType> find_context_type(std::string_view name) noexcept {
  auto const found = std::ranges::find(context_type_names, name);
  if (found == context_type_names.end()) return std::nullopt;
  return static_cast<ContextType>(found - context_type_names.begin());
}

std::ostream& operator<<(std::ostream& out, ContextType type) {
  return out << name_of(type);
}

}  // namespace whence::schema
