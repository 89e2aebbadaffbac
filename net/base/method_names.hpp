#pragma once
// The names of the methods, for those below their table.

#include <span>
#include <string_view>

namespace whence::net {

/// The names of all methods, in the order of their table (net/methods/methods.cpp), which defines this.
[[nodiscard]] std::span<std::string_view const> method_names() noexcept;

}  // namespace whence::net
