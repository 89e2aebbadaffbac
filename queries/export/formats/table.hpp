#pragma once
// The table of export formats: the one list from which requests, the command line, OpenRPC and the explorer are served.

#include "queries/export/format.hpp"

#include <span>
#include <string_view>

namespace whence::exports {

/// All formats, in the order in which they are listed to people. They live as long as the program.
[[nodiscard]] std::span<Format const> formats() noexcept;

/// By its name in requests; null where there is none.
[[nodiscard]] Format const* find_format(std::string_view name) noexcept;

/// By the end of a file's name, with or without `.zst` after it; null where it implies none.
[[nodiscard]] Format const* find_format_by_suffix(std::string_view file_name) noexcept;

}  // namespace whence::exports
