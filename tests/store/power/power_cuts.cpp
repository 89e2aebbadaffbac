// Images in children of a few hundred, since a bad one may end the process that looks at it.

#include "tests/store/power/power_cuts.hpp"

#include "tests/store/history.hpp"
#include "tests/store/power/cut_tree.hpp"
#include "tests/support/fixtures.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seed.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

constexpr std::size_t images_per_child = 250;

constexpr std::size_t images_default = is_sanitized ? 250 : 5000;

struct Run {
  std::map<NodeNumber, TreeNode> nodes;
  std::vector<TreeChange> changes;
};

std::string look_at_image(Run const& run, std::filesystem::path const& image, std::uint64_t seed,
                          FindFault const& find_fault) {
  std::mt19937_64 random{seed};
  CutTree const cut{run.nodes, run.changes, random};
  std::filesystem::remove_all(image);
  cut.write_to(image);
  try {
    return find_fault(image, cut.returned());
  } catch (std::exception const& failed) {
    return failed.what();
  }
}

}  // namespace

std::size_t wanted_images() {
  char const* const given = std::getenv("WHENCE_CRASH_IMAGES");  // NOLINT(concurrency-mt-unsafe): no test sets it
  return given == nullptr ? images_default : std::strtoull(given, nullptr, 10);
}

void check_images(TreeChanges const& noted, std::size_t images, FindFault const& find_fault) {
  Run const run{.nodes = noted.nodes(), .changes = noted.noted()};
  BOOST_TEST_REQUIRE(!run.changes.empty());
  std::uint64_t const seed = seed_from_environment();
  TemporaryDirectory const directory;
  auto const begun = std::chrono::steady_clock::now();
  for (std::size_t first = 0; first < images; first += images_per_child) {
    std::size_t const end = std::min(images, first + images_per_child);
    int const status = run_in_child([&] {
      for (std::size_t number = first; number < end; ++number) {
        std::string const fault = look_at_image(run, directory.path() / "image", seed + number, find_fault);
        if (fault.empty()) continue;
        std::fprintf(stderr, "image %zu: %s\n", number, fault.c_str());
        return 1;
      }
      return 0;
    });
    BOOST_TEST_REQUIRE(status == 0, "images from " << first << " WHENCE_TEST_SEED=" << seed);
  }
  std::chrono::duration<double> const took = std::chrono::steady_clock::now() - begun;
  BOOST_TEST_MESSAGE(images << " images of " << run.changes.size() << " calls, none bad, "
                            << static_cast<double>(images) / took.count() << " images/s, WHENCE_TEST_SEED=" << seed);
}

}  // namespace whence::test
