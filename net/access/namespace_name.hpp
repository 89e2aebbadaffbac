#pragma once
// The names that namespaces may have.

#include <string_view>

namespace whence::net {

/// Whether `name` is one of a namespace: 1 to 63 of `a` to `z`, digits, `_` and `-`, the first a letter or digit.
[[nodiscard]] bool is_namespace_name(std::string_view name) noexcept;

}  // namespace whence::net
