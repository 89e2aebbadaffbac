#pragma once
// The names of a pair's files. Final names end in `.json` or `.md`; temporary names never do, so that no id, whatever
// it holds, can make a final name that is taken for a temporary.

#include "schema/records/discussion/file_name.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace whence::store {

enum class Half : std::uint8_t { json, markdown };

[[nodiscard]] constexpr Half other(Half half) noexcept {
  return half == Half::json ? Half::markdown : Half::json;
}

using schema::escape_file_name;
using schema::is_escaped_file_name;

/// The final name of one half; `stem` is escaped.
[[nodiscard]] std::string final_name(std::string_view stem, Half half);

/// Identifies two texts that belong together: 64 bits of SHA-256 over the digests of both, in hex. Against accidents: a
/// user that can plant files could write the pair itself. In the name and not in a journal file, which would have to be
/// kept in step.
[[nodiscard]] std::string pair_tag(std::string_view json, std::string_view markdown);

/// `STEM.json.tmpTAG`
[[nodiscard]] std::string temporary_name(std::string_view stem, Half half, std::string_view tag);

/// Longest stem whose temporary names a file system takes (255 bytes).
inline constexpr std::size_t stem_bytes_max = 255 - std::string_view{".json.tmp"}.size() - 16;

/// The parts of a temporary name.
struct Temporary {
  std::string file;  ///< the whole name
  std::string stem;  ///< of the pair it belongs to
  Half half;
  std::string tag;  ///< what follows `.tmp`
};

/// Splits a temporary name into its parts, a stray one (`a.json.tmp123`) too. Nothing for final names and for names
/// that cannot come from here. The last marker counts: `a.json.tmp1.json.tmp2` belongs to `a.json.tmp1`, not to `a`.
[[nodiscard]] std::optional<Temporary> parse_temporary_name(std::string_view file);

}  // namespace whence::store
