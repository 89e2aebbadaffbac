#pragma once
// The seed of randomised tests: a new one for each run of the program, or the one of a failure that is to be repeated.

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <random>

namespace whence::test {

/// `WHENCE_TEST_SEED` where it is set.
[[nodiscard]] inline std::optional<std::uint64_t> given_seed() {
  char const* const given = std::getenv("WHENCE_TEST_SEED");  // NOLINT(concurrency-mt-unsafe): no test sets a variable
  if (given == nullptr) return std::nullopt;
  return std::strtoull(given, nullptr, 10);
}

/// `WHENCE_TEST_SEED` where it is set, else a new one: the same for all tests of a run, which prints it, since not
/// every check of a test that draws names it.
[[nodiscard]] inline std::uint64_t seed_from_environment() {
  static std::uint64_t const seed = [] {
    auto const given = given_seed();
    std::uint64_t const chosen = given ? *given : std::random_device{}();
    std::cerr << "WHENCE_TEST_SEED=" << chosen << std::endl;
    return chosen;
  }();
  return seed;
}

/// How much of something a test does: the variable where it is set, else `usual`.
[[nodiscard]] inline std::uint64_t count_from_environment(char const* variable, std::uint64_t usual) {
  char const* const given = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): no test sets a variable
  return given == nullptr ? usual : std::strtoull(given, nullptr, 10);
}

}  // namespace whence::test
