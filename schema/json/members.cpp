#include "schema/json/members.hpp"

#include <boost/json/value.hpp>

namespace whence::schema::json {

boost::json::array const& list_at(boost::json::object const& of, std::string_view name) noexcept {
  static boost::json::array const none;
  auto const* const held = of.if_contains(name);
  return held != nullptr && held->is_array() ? held->get_array() : none;
}

boost::json::object const& object_at(boost::json::object const& of, std::string_view name) noexcept {
  static boost::json::object const none;
  auto const* const held = find_object(of, name);
  return held == nullptr ? none : *held;
}

boost::json::object const* find_object(boost::json::object const& of, std::string_view name) noexcept {
  auto const* const held = of.if_contains(name);
  return held == nullptr ? nullptr : held->if_object();
}

std::string_view text_at(boost::json::object const& of, std::string_view name) noexcept {
  auto const* const held = of.if_contains(name);
  return held != nullptr && held->is_string() ? std::string_view{held->get_string()} : std::string_view{};
}

}  // namespace whence::schema::json
