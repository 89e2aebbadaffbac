#pragma once
// Texts that do not become smaller when a store packs them.

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

namespace whence::test {

/// `size` random letters, digits, `-` and `_`; equal for equal seeds.
[[nodiscard]] inline std::string noise(std::size_t size, std::uint64_t seed = 1) {
  constexpr char const* symbols = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  std::mt19937_64 random{seed};
  std::string text(size, ' ');
  for (char& each : text) each = symbols[random() % 64];
  return text;
}

}  // namespace whence::test
