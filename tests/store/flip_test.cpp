// Claim: whatever byte of a store's file is damaged, `verify` reports it or the whole content is unchanged, and
// nobody but a contained child dies of it. Method: flip all bits of a byte, or its lowest, verify, and where verify is
// content read everything in another child; put the byte back. The quick test picks its bytes at random from a printed
// seed. `every_byte` takes all: forking for each would take hours, so one child makes the same check of one flip after
// the other, and where it dies, hangs or finds that flip harmful, `verify` itself checks that flip and a new child goes
// on.

#include "store/log/store.hpp"
#include "store/verify/checker.hpp"
#include "store/verify/verify.hpp"
#include "tests/store/history.hpp"
#include "tests/support/fixtures.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seed.hpp"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>

#include <boost/test/unit_test.hpp>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

namespace whence::test {
namespace {

using store::Store;

constexpr unsigned char masks[] = {0x01, 0xff};
constexpr std::size_t flips_per_child = 1024;

constexpr std::size_t thinned = is_sanitized ? 16 : 1;

/// One damage: a byte of the file and what is done to it. Numbered over the whole file.
struct Flip {
  std::size_t at;
  unsigned char mask;
};

constexpr Flip flip_of(std::size_t number) {
  return {number / std::size(masks), masks[number % std::size(masks)]};
}

/// A number that a forked child sets and its parent reads, also after the child's death.
class SharedNumber {
 public:
  SharedNumber()
      : at_{::mmap(nullptr, sizeof(Number), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)},
        number_{at_ == MAP_FAILED ? nullptr : new (at_) Number{0}} {
    BOOST_TEST_REQUIRE(number_ != nullptr);
  }
  SharedNumber(SharedNumber const&) = delete;
  SharedNumber& operator=(SharedNumber const&) = delete;
  ~SharedNumber() { ::munmap(at_, sizeof(Number)); }

  void set(std::size_t value) { *number_ = value; }
  [[nodiscard]] std::size_t get() const { return *number_; }

 private:
  using Number = std::atomic<std::size_t>;
  void* at_;
  Number* number_;
};

/// Ends a check at the first problem.
class FirstProblem final : public store::CheckSink {
 public:
  void add_problem(store::Problem const& problem) override { throw std::runtime_error(problem.message); }
  void tick() override {}
};

/// A small store with a history of several commits, closed, and its content.
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
    store->append(history.make({.put = {next_version("cu_a2", "cu_a", 2), derived("cu_d", {"cu_a", "cu_b"})},
                                .revise = {{.record = topic("t")}},
                                .idempotency_key = "key-2"}));
    store->append(history.put({response("resp_2", {"cu_a2", "cu_d", "cu_b"}), feedback("fb_1", "resp_2", 1)}));
    store->commit().value();
    content = describe(*store).value();
    store.reset();
    fd = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
  }
  ~DamageFixture() { ::close(fd); }

  [[nodiscard]] std::string bytes_of_file() const {
    std::ifstream in{file, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
  }
  [[nodiscard]] std::size_t size() const { return std::filesystem::file_size(file); }

  /// Whether the damage is either reported or harmless.
  [[nodiscard]] bool is_noticed(Flip flip) {
    unsigned char const before = byte(flip.at);
    set_byte(flip.at, static_cast<unsigned char>(before ^ flip.mask));
    auto const report = store::verify(path);
    bool const is_reported = report && !report->is_ok;
    bool const is_noticed = is_reported || describe_contained(path) == content;
    set_byte(flip.at, before);
    return is_noticed;
  }

  /// The same without a child: this process may die of it, or never come back.
  [[nodiscard]] bool is_noticed_here(Flip flip) {
    unsigned char const before = byte(flip.at);
    set_byte(flip.at, static_cast<unsigned char>(before ^ flip.mask));
    bool const is_noticed = is_reported_here() || is_unchanged_here();
    set_byte(flip.at, before);
    return is_noticed;
  }

  /// Checks the flips from `first` to before `end` in one child, setting `current` to the number of each before.
  /// Returns whether all were noticed; else `current` is the one to look at.
  [[nodiscard]] bool are_noticed(std::size_t first, std::size_t end, SharedNumber& current) {
    constexpr unsigned patience_seconds = 5;
    int const status = run_in_child([&] {
      ::signal(SIGALRM, SIG_DFL);
      ::dup2(::open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);  // LMDB prints the assertions it dies of
      for (std::size_t number = first; number < end; ++number) {
        current.set(number);
        ::alarm(patience_seconds);
        if (!is_noticed_here(flip_of(number))) return 1;
      }
      return 0;
    });
    return status == 0;
  }

  [[nodiscard]] unsigned char byte(std::size_t at) const {
    unsigned char value = 0;
    BOOST_TEST_REQUIRE(::pread(fd, &value, 1, static_cast<off_t>(at)) == 1);
    return value;
  }
  void set_byte(std::size_t at, unsigned char value) const {
    BOOST_TEST_REQUIRE(::pwrite(fd, &value, 1, static_cast<off_t>(at)) == 1);
  }

 private:
  [[nodiscard]] bool is_reported_here() const {
    try {
      FirstProblem sink;
      store::check_store(path, false, sink);
      return false;
    } catch (std::exception const&) {
      return true;  // `verify` reports what a check throws
    }
  }
  [[nodiscard]] bool is_unchanged_here() const {
    auto const store = Store::open(path, {.is_read_only = true});
    return store && describe(**store) == content;
  }
};

BOOST_FIXTURE_TEST_SUITE(damage, DamageFixture)

BOOST_AUTO_TEST_CASE(a_whole_store_is_found_whole) {
  auto const report = store::verify(path).value();
  for (store::Problem const& problem : report.problems)
    BOOST_TEST_MESSAGE(problem.where << ' ' << problem.rule << ' ' << problem.message);
  BOOST_TEST(report.is_ok);
  BOOST_TEST(report.entries == 5U);
  BOOST_TEST(report.records == 16U);
  BOOST_TEST(report.blobs == 1U);
  BOOST_TEST(schema::number(report.tx) == 5U);
  BOOST_TEST((describe_contained(path) == content));
}

BOOST_AUTO_TEST_CASE(a_flipped_byte_is_reported_or_harmless) {
  std::uint64_t const seed = whence::test::seed_from_environment();
  BOOST_TEST_MESSAGE("WHENCE_TEST_SEED=" << seed);
  std::mt19937_64 random{seed};
  for (std::size_t i = 0; i < 400 / thinned; ++i) {
    Flip const flip = flip_of(random() % (std::size(masks) * size()));
    BOOST_TEST_REQUIRE(is_noticed(flip), "byte " << flip.at << " mask " << int{flip.mask} << " seed " << seed);
  }
}

BOOST_AUTO_TEST_CASE(damage_to_the_meta_pages_is_reported_or_harmless) {
  for (std::size_t const page : {0U, 4096U}) {
    for (std::size_t at = page; at < page + 152; at += thinned) {
      for (unsigned char const mask : masks) {
        BOOST_TEST_REQUIRE(is_noticed({at, mask}), "byte " << at << " mask " << int{mask});
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(every_byte, *boost::unit_test::disabled()) {
  std::string const whole = bytes_of_file();
  std::size_t const flips = std::size(masks) * whole.size();
  SharedNumber current;
  std::size_t verified = 0;
  for (std::size_t next = 0; next < flips;) {
    // A child that survived much damage is not to be trusted for ever.
    std::size_t const end = std::min(flips, next + flips_per_child);
    if (are_noticed(next, end, current)) {
      next = end;
      continue;
    }
    Flip const flip = flip_of(current.get());
    set_byte(flip.at, static_cast<unsigned char>(whole[flip.at]));
    BOOST_TEST_REQUIRE(is_noticed(flip), "byte " << flip.at << " mask " << int{flip.mask});
    next = current.get() + 1;
    ++verified;
  }
  BOOST_TEST((bytes_of_file() == whole));
  BOOST_TEST_MESSAGE(whole.size() << " bytes, " << flips << " flips, " << verified
                                  << " of them checked by verify itself");
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
