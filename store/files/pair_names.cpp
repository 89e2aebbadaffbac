// Telling final names from temporary ones.

#include "store/files/pair_names.hpp"

#include "schema/base/digest.hpp"

#include <array>
#include <cstddef>
#include <span>

namespace whence::store {
namespace {

constexpr std::size_t tag_digits = 16;
constexpr std::string_view temporary_marker = ".tmp";

constexpr std::string_view suffix_of(Half half) noexcept {
  return half == Half::json ? ".json" : ".md";
}

}  // namespace

std::string final_name(std::string_view stem, Half half) {
  return std::string{stem}.append(suffix_of(half));
}

std::string pair_tag(std::string_view json, std::string_view markdown) {
  std::array const digests = {schema::sha256(json), schema::sha256(markdown)};
  return to_hex(schema::sha256(std::as_bytes(std::span{digests}))).substr(0, tag_digits);
}

std::string temporary_name(std::string_view stem, Half half, std::string_view tag) {
  return final_name(stem, half).append(temporary_marker).append(tag);
}

std::optional<Temporary> parse_temporary_name(std::string_view file) {
  if (file.ends_with(suffix_of(Half::json)) || file.ends_with(suffix_of(Half::markdown))) return std::nullopt;
  std::size_t stem_size = 0;
  Half half = Half::json;
  for (Half const candidate : {Half::json, Half::markdown}) {
    std::size_t const at = file.rfind(std::string{suffix_of(candidate)}.append(temporary_marker));
    if (at == std::string_view::npos || at <= stem_size) continue;  // a stem has at least one byte
    stem_size = at;
    half = candidate;
  }
  std::string_view const stem = file.substr(0, stem_size);
  if (!is_escaped_file_name(stem)) return std::nullopt;
  std::size_t const tag_begin = stem_size + suffix_of(half).size() + temporary_marker.size();
  return Temporary{
      .file = std::string{file}, .stem = std::string{stem}, .half = half, .tag = std::string{file.substr(tag_begin)}};
}

}  // namespace whence::store
