// The form of a namespace's name: no character of it is written in two ways in a path.

#include "net/access/namespace_name.hpp"

#include <algorithm>

namespace whence::net {

namespace {

bool is_plain(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

}  // namespace

bool is_namespace_name(std::string_view name) noexcept {
  constexpr std::size_t bytes_max = 63;
  if (name.empty() || name.size() > bytes_max || !is_plain(name.front())) return false;
  return std::ranges::all_of(name, [](char c) { return is_plain(c) || c == '_' || c == '-'; });
}

}  // namespace whence::net
