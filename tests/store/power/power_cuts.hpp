#pragma once
// Whether what a power cut leaves of a recorded run is always good.

#include "tests/store/power/tree_changes.hpp"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>

namespace whence::test {

/// What is wrong with the tree at `image`; empty where nothing is. `returned` changes of the run had surely been made
/// when the power went. Runs in a child process, which may die of it.
using FindFault = std::function<std::string(std::filesystem::path const& image, std::size_t returned)>;

/// How many images of a store's run are looked at: WHENCE_CRASH_IMAGES, or 5,000 (fewer under a sanitizer).
[[nodiscard]] std::size_t wanted_images();

/// Looks at `images` trees that a power cut may leave of what was noted so far, until one is bad; prints how many a
/// second. The seed is WHENCE_TEST_SEED.
void check_images(TreeChanges const& run, std::size_t images, FindFault const& find_fault);

}  // namespace whence::test
