#pragma once
// What this program is: its version and how it was built, from the build system.

#include <string_view>

namespace whence::net {

inline constexpr int protocol_version = 1;

[[nodiscard]] std::string_view version() noexcept;     ///< "0.1.0"
[[nodiscard]] std::string_view build_info() noexcept;  ///< compiler and build type, for people

}  // namespace whence::net
