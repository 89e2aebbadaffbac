#include "schema/records/discussion/file_name.hpp"

#include "schema/encoding/percent.hpp"

#include <cstddef>

namespace whence::schema {
namespace {

constexpr bool is_plain(char c) noexcept {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

}  // namespace

std::string escape_file_name(std::string_view id) {
  std::string name;
  for (char const c : id) {
    if (is_plain(c) && (c != '.' || !name.empty())) {
      name.push_back(c);
      continue;
    }
    append_percent(name, {&c, 1});
  }
  return name;
}

bool is_escaped_file_name(std::string_view name) {
  auto const id = percent_decoded(name);
  return !name.empty() && id && escape_file_name(*id) == name;
}

std::string id_of_file_name(std::string_view name) {
  return is_escaped_file_name(name) ? *percent_decoded(name) : std::string(name);
}

}  // namespace whence::schema
