#pragma once
// Which methods a token may have called, as patterns over their names.

#include "schema/base/error.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace whence::net {

/// Patterns such as `node.*`, in which `*` matches any characters, none included. Immutable; any thread may ask.
class MethodScope {
 public:
  static constexpr std::size_t patterns_max = 64;

  /// Reads patterns separated by commas. Fails with `invalid_params` where there are none or more than 64, and where
  /// one matches no method of the table: it would be an unnoticed slip.
  [[nodiscard]] static Result<MethodScope> parse(std::string_view list);

  /// O(patterns) for patterns of the usual length.
  [[nodiscard]] bool allows(std::string_view method) const noexcept;

  /// As `parse` reads it.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::string> patterns_;
};

}  // namespace whence::net
