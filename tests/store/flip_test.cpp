// Claim: whatever byte of a store's file is damaged, `verify` reports it or everything the store says is unchanged, and
// nobody but a contained child dies of it. Method: flip all bits of a byte, or its lowest, verify, and where verify is
// content read everything in another child; put the byte back. The quick test draws its bytes from a printed seed;
// `every_byte` takes all.

#include "store/store.hpp"
#include "store/verify.hpp"
#include "tests/store/history.hpp"
#include "tests/support/fixtures.hpp"

#include <cstdlib>
#include <random>
#include <string>

#include <boost/test/unit_test.hpp>
#include <fcntl.h>
#include <unistd.h>

namespace whence::test {
namespace {

using store::Store;

/// A small store with a history of several commits, closed, and what it says.
struct DamageFixture {
  TemporaryDirectory directory;
  std::filesystem::path path = directory.path() / "store";
  std::filesystem::path file = path / "data.mdb";
  std::string content;
  int fd = -1;

  DamageFixture() {
    auto store = Store::open(path).value();
    History history;
    append_small_history(*store, history);
    store->commit().value();
    store->append(history.put({next_version("cu_a2", "cu_a", 2), derived("cu_d", {"cu_a", "cu_b"})}, "key-2"));
    store->commit().value();
    store->append(history.put({response("resp_2", {"cu_a2", "cu_d", "cu_b"})}));
    store->commit().value();
    content = describe(*store).value();
    store.reset();
    fd = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
  }
  ~DamageFixture() { ::close(fd); }

  [[nodiscard]] std::size_t size() const { return std::filesystem::file_size(file); }

  /// Whether damage of byte `at` by `mask` is either reported or harmless.
  [[nodiscard]] bool is_noticed(std::size_t at, unsigned char mask) {
    unsigned char const before = byte(at);
    set_byte(at, static_cast<unsigned char>(before ^ mask));
    auto const report = store::verify(path);
    bool const is_reported = report && !report->is_ok;
    bool const is_noticed = is_reported || describe_contained(path) == content;
    set_byte(at, before);
    return is_noticed;
  }

 private:
  [[nodiscard]] unsigned char byte(std::size_t at) const {
    unsigned char value = 0;
    BOOST_TEST_REQUIRE(::pread(fd, &value, 1, static_cast<off_t>(at)) == 1);
    return value;
  }
  void set_byte(std::size_t at, unsigned char value) const {
    BOOST_TEST_REQUIRE(::pwrite(fd, &value, 1, static_cast<off_t>(at)) == 1);
  }
};

std::uint64_t test_seed() {
  char const* given = std::getenv("WHENCE_TEST_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
}

constexpr unsigned char masks[] = {0x01, 0xff};

BOOST_FIXTURE_TEST_SUITE(damage, DamageFixture)

BOOST_AUTO_TEST_CASE(a_whole_store_is_found_whole) {
  auto const report = store::verify(path).value();
  for (store::Problem const& problem : report.problems)
    BOOST_TEST_MESSAGE(problem.where << ' ' << problem.rule << ' ' << problem.message);
  BOOST_TEST(report.is_ok);
  BOOST_TEST(report.entries == 5U);
  BOOST_TEST(report.records == 9U);
  BOOST_TEST(report.edges == 10U);
  BOOST_TEST(schema::number(report.tx) == 5U);
  BOOST_TEST((describe_contained(path) == content));
}

BOOST_AUTO_TEST_CASE(a_flipped_byte_is_reported_or_harmless) {
  std::uint64_t const seed = test_seed();
  BOOST_TEST_MESSAGE("WHENCE_TEST_SEED=" << seed);
  std::mt19937_64 random{seed};
  for (int i = 0; i < 400; ++i) {
    std::size_t const at = random() % size();
    unsigned char const mask = masks[random() % 2];
    BOOST_TEST_REQUIRE(is_noticed(at, mask), "byte " << at << " mask " << int{mask} << " seed " << seed);
  }
}

BOOST_AUTO_TEST_CASE(damage_to_the_meta_pages_is_reported_or_harmless) {
  for (std::size_t const page : {0U, 4096U}) {
    for (std::size_t at = page; at < page + 152; ++at) {
      for (unsigned char const mask : masks) {
        BOOST_TEST_REQUIRE(is_noticed(at, mask), "byte " << at << " mask " << int{mask});
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(every_byte, *boost::unit_test::disabled()) {
  for (std::size_t at = 0; at < size(); ++at) {
    for (unsigned char const mask : masks) {
      BOOST_TEST_REQUIRE(is_noticed(at, mask), "byte " << at << " mask " << int{mask});
    }
  }
}

BOOST_AUTO_TEST_CASE(a_truncated_file_is_reported) {
  for (std::size_t left = size() - 4096; left + 4096 > 4096; left = left < 4096 ? 0 : left - 4096) {
    std::filesystem::resize_file(file, left);
    auto const report = store::verify(path).value();
    BOOST_TEST(!report.is_ok, left << " bytes left");
    if (left == 0) break;
  }
  BOOST_TEST((Store::open(path).error().code == Errc::corrupt));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
