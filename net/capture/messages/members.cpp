#include "net/capture/messages/members.hpp"

#include <algorithm>

namespace whence::net::capture {

namespace json = boost::json;

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

json::value const* first_of(json::object const& from, std::initializer_list<std::string_view> names) {
  for (auto const name : names) {
    auto const* const member = from.if_contains(name);
    if (member != nullptr && !member->is_null()) return member;
  }
  return nullptr;
}

json::object const* object_at(json::object const& from, std::string_view name) {
  auto const* const held = from.if_contains(name);
  return held == nullptr ? nullptr : held->if_object();
}

std::string_view string_at(json::object const& from, std::initializer_list<std::string_view> names) {
  auto const* const held = first_of(from, names);
  return held != nullptr && held->is_string() ? std::string_view(held->get_string()) : std::string_view{};
}

}  // namespace whence::net::capture
