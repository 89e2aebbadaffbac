// The names of context types.
#include "schema/records/context/records.hpp"

#include <algorithm>
#include <array>
#include <ostream>

#include <boost/assert.hpp>

namespace whence::schema {
namespace {

/// Indexed by `ContextType`.
constexpr std::array<std::string_view, 4> context_type_names = {"System", "User", "External", "ModelState"};

}  // namespace

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
