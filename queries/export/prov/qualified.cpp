#include "queries/export/prov/qualified.hpp"

#include "schema/encoding/percent.hpp"

#include <cstddef>

namespace whence::exports {
namespace {

bool is_local_character(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

void append_qualified(std::string& out, std::string_view prefix, std::string_view local) {
  out.append(prefix).push_back(':');
  for (std::size_t i = 0; i < local.size();) {
    auto const begin = i;
    while (i < local.size() && is_local_character(local[i])) ++i;
    out.append(local, begin, i - begin);
    if (i == local.size()) return;
    bool const is_inner = i > 0 && i + 1 < local.size();
    if (is_inner && (local[i] == '-' || local[i] == '.' || local[i] == '/')) {
      out.push_back(local[i]);
    } else {
      schema::append_percent(out, local.substr(i, 1));
    }
    ++i;
  }
}

std::string qualified_name(std::string_view prefix, std::string_view local) {
  std::string name;
  append_qualified(name, prefix, local);
  return name;
}

}  // namespace whence::exports
