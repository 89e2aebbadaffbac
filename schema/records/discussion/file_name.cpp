#include "schema/records/discussion/file_name.hpp"

#include <cstddef>

namespace whence::schema {
namespace {

constexpr std::string_view hex_digits = "0123456789ABCDEF";

constexpr bool is_plain(char c) noexcept {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

std::string unescape(std::string_view name) {
  std::string id;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] != '%') {
      id.push_back(name[i]);
      continue;
    }
    std::size_t const high = hex_digits.find(i + 1 < name.size() ? name[i + 1] : '?');
    std::size_t const low = hex_digits.find(i + 2 < name.size() ? name[i + 2] : '?');
    if (high == std::string_view::npos || low == std::string_view::npos) return {};
    id.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  return id;
}

}  // namespace

std::string escape_file_name(std::string_view id) {
  std::string name;
  for (char const c : id) {
    if (is_plain(c) && (c != '.' || !name.empty())) {
      name.push_back(c);
      continue;
    }
    auto const byte = static_cast<unsigned char>(c);
    name.append({'%', hex_digits[byte >> 4U], hex_digits[byte & 0xFU]});
  }
  return name;
}

bool is_escaped_file_name(std::string_view name) {
  return !name.empty() && escape_file_name(unescape(name)) == name;
}

std::string id_of_file_name(std::string_view name) {
  return is_escaped_file_name(name) ? unescape(name) : std::string(name);
}

}  // namespace whence::schema
