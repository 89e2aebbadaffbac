// What pairs of files promise while things go wrong: a process that dies at any call, calls that fail, and both again
// while a crash is being mended.

#include "store/files/paired_files.hpp"
#include "tests/store/failing_file_calls.hpp"
#include "tests/store/history.hpp"
#include "tests/support/fixtures.hpp"
#include "tests/support/sanitized.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <string>
#include <vector>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <sys/wait.h>

namespace whence::test {
namespace {

namespace data = boost::unit_test::data;
namespace fs = std::filesystem;
using store::FoundPair;
using store::PairedFiles;
using store::PairName;
using store::PairTexts;

PairName const struck_pair = {.folder = "user-1", .name = "disc-1"};
FoundPair const fresh = {.json = "{\"new\": 1}", .markdown = "# new"};
FoundPair const later = {.json = "{\"later\": 2}", .markdown = "# later"};

/// The files before the write that fails.
struct Before {
  char const* name;
  FoundPair old;
};

std::ostream& operator<<(std::ostream& out, Before const& before) {
  return out << before.name;
}

std::vector<Before> befores() {
  return {
      {"no pair", {}},
      {"another pair", {.json = "{\"old\": 0, \"longer\": true}", .markdown = "# old"}},
      {"the same JSON", {.json = fresh.json, .markdown = "# old"}},
      {"the same Markdown", {.json = "{}", .markdown = fresh.markdown}},
      {"the same pair", fresh},
      {"JSON only", {.json = "{}", .markdown = {}}},
      {"Markdown only", {.json = {}, .markdown = "# old"}},
  };
}

std::optional<std::string> content(fs::path const& path) {
  if (!fs::exists(path)) return std::nullopt;
  std::ifstream file{path};
  return std::string{std::istreambuf_iterator<char>{file}, {}};
}

/// The files on disk, before any repair.
FoundPair raw_pair(fs::path const& root) {
  return {.json = content(root / "user-1" / "disc-1.json"), .markdown = content(root / "user-1" / "disc-1.md")};
}

bool has_temporaries(fs::path const& root) {
  for (auto const& entry : fs::recursive_directory_iterator{root})
    if (entry.path().filename().string().find(".tmp") != std::string::npos) return true;
  return false;
}

void put_old(fs::path const& root, FoundPair const& old) {
  fs::create_directories(root / "user-1");
  if (old.json) std::ofstream{root / "user-1" / "disc-1.json"} << *old.json;
  if (old.markdown) std::ofstream{root / "user-1" / "disc-1.md"} << *old.markdown;
}

Result<store::PairPaths> write(PairedFiles& files, FoundPair const& texts) {
  return files.write(struck_pair, [&] { return Result<PairTexts>{PairTexts{*texts.json, *texts.markdown}}; });
}

/// The calls of an undisturbed write.
std::vector<std::string> calls_of_write(FoundPair const& old) {
  TemporaryDirectory directory;
  put_old(directory.path(), old);
  auto const files = PairedFiles::open(directory.path()).value();
  FileCalls const calls;
  (void)write(*files, fresh).value();
  return calls.noted();
}

/// The place of the last call that begins so.
std::size_t last_call(std::vector<std::string> const& calls, std::string const& begin) {
  auto const found =
      std::find_if(calls.rbegin(), calls.rend(), [&](auto const& call) { return call.starts_with(begin); });
  BOOST_TEST_REQUIRE((found != calls.rend()));
  return static_cast<std::size_t>(calls.rend() - found) - 1;
}

/// Runs `work` in a process that dies at its call of this number. Whether it lived.
template <class Work>
bool survives(std::size_t number, Work const& work) {
  int const status = run_in_child([&] {
    FileCalls const calls{FileFault::ends_the_process, number};
    work();
    return 0;
  });
  BOOST_TEST_REQUIRE(WIFEXITED(status));
  BOOST_TEST_REQUIRE((WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == exit_by_fault));
  return WEXITSTATUS(status) == 0;
}

bool write_survives(fs::path const& root, std::size_t number) {
  return survives(number, [&] { (void)write(*PairedFiles::open(root).value(), fresh).value(); });
}

/// After a crash: each file whole, then the pair old or new, then no leftovers.
void check_mended(fs::path const& root, FoundPair const& old) {
  FoundPair const raw = raw_pair(root);
  BOOST_TEST((raw.json == old.json || raw.json == fresh.json));
  BOOST_TEST((raw.markdown == old.markdown || raw.markdown == fresh.markdown));
  auto const files = PairedFiles::open(root).value();
  BOOST_TEST(!has_temporaries(root));
  FoundPair const found = files->read(struck_pair).value();
  BOOST_TEST((found == old || found == fresh));
  BOOST_TEST((found == raw_pair(root)));
  (void)write(*files, later).value();
  BOOST_TEST((raw_pair(root) == later));
  BOOST_TEST(!has_temporaries(root));
}

BOOST_AUTO_TEST_SUITE(paired_files_faults)

// Claim: a process killed at any moment leaves each file whole, and the pair is old or new after the next opening.
// Method: a child dies at the first, the second, ... call, in a write halfway through, until one lives.
BOOST_DATA_TEST_CASE(killed_at_every_call_a_pair_is_old_or_new, data::make(befores()), before) {
  std::size_t number = 0;
  for (bool lives = false; !lives; ++number) {
    BOOST_TEST_CONTEXT("call " << number) {
      TemporaryDirectory directory;
      put_old(directory.path(), before.old);
      lives = write_survives(directory.path(), number);
      if (lives) BOOST_TEST((raw_pair(directory.path()) == fresh));
      check_mended(directory.path(), before.old);
    }
  }
  BOOST_TEST(number > 15U);
}

// Claim: the same holds where the mending is killed too. Method: for each crash that leaves something, a second child
// opens the folder and dies at each of its calls.
BOOST_AUTO_TEST_CASE(killed_again_while_mending_a_pair_is_old_or_new) {
  FoundPair const old = befores()[1].old;
  std::size_t second_deaths = 0;
  for (std::size_t first = 0, lives = 0; lives == 0; ++first) {
    TemporaryDirectory crashed;
    put_old(crashed.path(), old);
    lives = write_survives(crashed.path(), first) ? 1 : 0;
    if (!has_temporaries(crashed.path())) continue;
    for (std::size_t second = 0, mended = 0; mended == 0; second += is_sanitized ? 5 : 1) {
      BOOST_TEST_CONTEXT("calls " << first << " and " << second) {
        TemporaryDirectory directory;
        fs::copy(crashed.path(), directory.path(), fs::copy_options::recursive);
        mended = survives(second, [&] { (void)PairedFiles::open(directory.path()).value(); }) ? 1 : 0;
        second_deaths += 1 - mended;
        check_mended(directory.path(), old);
      }
    }
  }
  BOOST_TEST(second_deaths > (is_sanitized ? 10U : 50U));
}

// Claim: what a loss of power may do beyond a kill cannot mix a pair either: texts and temporary names are on disk
// before the first rename, and both renames before the write is acknowledged. Method: the order of the calls.
BOOST_AUTO_TEST_CASE(flushes_before_it_renames_and_before_it_answers) {
  auto const calls = calls_of_write(befores()[1].old);
  std::size_t const json = last_call(calls, "renameat disc-1.json");
  std::size_t const markdown = last_call(calls, "renameat disc-1.md");
  BOOST_TEST(json < markdown);
  BOOST_TEST(markdown < last_call(calls, "fsync user-1"));
  std::vector<std::string> const earlier(calls.begin(), calls.begin() + static_cast<std::ptrdiff_t>(json));
  std::size_t const folder = last_call(earlier, "fsync user-1");
  for (std::string const half : {"disc-1.json.tmp", "disc-1.md.tmp"}) {
    BOOST_TEST(last_call(earlier, "write " + half) < last_call(earlier, "fsync " + half));
    BOOST_TEST(last_call(earlier, "fsync " + half) < folder);
  }
  BOOST_TEST(last_call(earlier, "linkat") < folder);
  BOOST_TEST(last_call(earlier, "mkdirat") < last_call(earlier, "fsync whence-test"));
}

/// A folder in which a writer died between the two renames.
void crash_between_renames(fs::path const& root, FoundPair const& old) {
  put_old(root, old);
  auto const files = PairedFiles::open(root).value();
  std::size_t const number = last_call(calls_of_write(old), "renameat");
  BOOST_TEST(!survives(number, [&] { (void)write(*files, fresh).value(); }));
  BOOST_TEST((raw_pair(root) == FoundPair{fresh.json, old.markdown}));
}

BOOST_AUTO_TEST_CASE(an_open_folder_finishes_a_half_done_pair_when_it_is_read) {
  for (Before const& before : {befores()[0], befores()[1]}) {
    TemporaryDirectory crashed;
    crash_between_renames(crashed.path(), before.old);
    TemporaryDirectory directory;
    auto const files = PairedFiles::open(directory.path()).value();
    fs::copy(crashed.path(), directory.path(), fs::copy_options::recursive);
    BOOST_TEST((files->read(struck_pair).value() == fresh));
    BOOST_TEST((raw_pair(directory.path()) == fresh));
  }
}

BOOST_AUTO_TEST_CASE(a_disk_that_kept_only_the_second_rename_is_mended_too) {
  FoundPair const old = befores()[1].old;
  TemporaryDirectory directory;
  put_old(directory.path(), old);
  std::size_t const number = last_call(calls_of_write(old), "renameat disc-1.json");
  BOOST_TEST(!write_survives(directory.path(), number));
  fs::path const folder = directory.path() / "user-1";
  for (auto const& entry : fs::directory_iterator{folder})
    if (entry.path().filename().string().starts_with("disc-1.md.tmp")) fs::rename(entry.path(), folder / "disc-1.md");
  BOOST_TEST((raw_pair(directory.path()) == FoundPair{old.json, fresh.markdown}));
  BOOST_TEST((PairedFiles::open(directory.path()).value()->read(struck_pair).value() == fresh));
}

BOOST_AUTO_TEST_CASE(a_temporary_that_is_not_the_other_half_is_never_used) {
  TemporaryDirectory directory;
  FoundPair const old = befores()[1].old;
  crash_between_renames(directory.path(), old);
  std::ofstream{directory.path() / "user-1" / "disc-1.json"} << "edited by hand since";
  auto const files = PairedFiles::open(directory.path()).value();
  BOOST_TEST((files->read(struck_pair).value() == FoundPair{"edited by hand since", old.markdown}));
  BOOST_TEST(!has_temporaries(directory.path()));
}

struct Failure {
  char const* name;
  int number;
  Errc code;
};

std::ostream& operator<<(std::ostream& out, Failure const& failure) {
  return out << failure.name;
}

std::array const failures = {Failure{"no room", ENOSPC, Errc::storage_full},
                             Failure{"quota", EDQUOT, Errc::storage_full}, Failure{"broken", EIO, Errc::internal_error},
                             Failure{"forbidden", EACCES, Errc::internal_error}};

// Claim: whichever call fails, the error is returned and the pair is not mixed, before any mending; it is new only
// once both renames are done. Method: the first, the second, ... call fails until none does.
BOOST_DATA_TEST_CASE(a_failing_call_leaves_the_old_pair, data::make(befores()) * data::make(failures), before,
                     failure) {
  std::size_t const last_rename = last_call(calls_of_write(before.old), "renameat");
  bool has_struck = true;
  for (std::size_t number = 0; has_struck; ++number) {
    BOOST_TEST_CONTEXT("call " << number) {
      TemporaryDirectory directory;
      put_old(directory.path(), before.old);
      auto const files = PairedFiles::open(directory.path()).value();
      Result<store::PairPaths> written = Error{};
      {
        FileCalls const calls{FileFault::fails, number, failure.number};
        written = write(*files, fresh);
        has_struck = calls.has_struck();
      }
      BOOST_TEST((written.has_value() || has_struck));
      if (written.has_error()) {
        Error const error = written.error();
        BOOST_TEST((error.code == failure.code));
        BOOST_TEST(error.message.find(directory.path().string()) != std::string::npos);
        BOOST_TEST(!has_temporaries(directory.path()));
      }
      bool const is_new = written.has_value() || number > last_rename;
      BOOST_TEST((raw_pair(directory.path()) == (is_new ? fresh : before.old)));
      (void)write(*files, later).value();
      BOOST_TEST((raw_pair(directory.path()) == later));
      BOOST_TEST(!has_temporaries(directory.path()));
    }
  }
}

// Claim: where taking back fails too, the next reading finds the pair old or new. Method: from the first, the second,
// ... call on, every call fails.
BOOST_DATA_TEST_CASE(calls_that_go_on_failing_do_not_mix_a_pair, data::make(befores()), before) {
  bool has_struck = true;
  for (std::size_t number = 0; has_struck; ++number) {
    BOOST_TEST_CONTEXT("call " << number) {
      TemporaryDirectory directory;
      put_old(directory.path(), before.old);
      auto const files = PairedFiles::open(directory.path()).value();
      {
        FileCalls const calls{FileFault::fails_from_then_on, number, EIO};
        (void)write(*files, fresh);
        has_struck = calls.has_struck();
      }
      FoundPair const found = files->read(struck_pair).value();
      BOOST_TEST((found == before.old || found == fresh));
    }
  }
}

// Claim: the same where the taking back alone fails, and cleaning up does not. Method: every two calls fail.
BOOST_AUTO_TEST_CASE(two_failing_calls_do_not_mix_a_pair) {
  for (FoundPair const& old : {befores()[0].old, befores()[1].old}) {
    std::size_t const calls_about = calls_of_write(old).size() + 3;  // taking back makes some more
    for (std::size_t first = 0; first < calls_about; ++first) {
      for (std::size_t second = first + 1; second < calls_about; ++second) {
        TemporaryDirectory directory;
        put_old(directory.path(), old);
        auto const files = PairedFiles::open(directory.path()).value();
        {
          FileCalls const calls{FileFault::fails, first, EIO, second};
          (void)write(*files, fresh);
        }
        FoundPair const found = files->read(struck_pair).value();
        BOOST_TEST((found == old || found == fresh), "calls " << first << " and " << second);
      }
    }
  }
}

// Claim: a call that fails while a crash is being mended loses nothing: the pair is finished later. Method: fail each
// call of a read, of a write, and of an opening.
BOOST_AUTO_TEST_CASE(a_failure_while_mending_loses_nothing) {
  FoundPair const old = befores()[1].old;
  TemporaryDirectory crashed;
  crash_between_renames(crashed.path(), old);
  for (std::string const way : {"read", "write", "open"}) {
    bool has_struck = true;
    for (std::size_t number = 0; has_struck; ++number) {
      BOOST_TEST_CONTEXT(way << ", call " << number) {
        TemporaryDirectory directory;
        auto files = PairedFiles::open(directory.path()).value();
        fs::copy(crashed.path(), directory.path(), fs::copy_options::recursive);
        if (way == "open") files.reset();
        bool is_written = false;
        {
          FileCalls const calls{FileFault::fails, number, EIO};
          if (way == "read") (void)files->read(struck_pair);
          if (way == "write") is_written = write(*files, later).has_value();
          if (way == "open") (void)PairedFiles::open(directory.path());
          has_struck = calls.has_struck();
        }
        if (way == "open") files = PairedFiles::open(directory.path()).value();
        FoundPair const found = files->read(struck_pair).value();
        BOOST_TEST((found == (is_written ? later : fresh) || (way == "write" && found == later)));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(without_second_names_the_old_file_is_copied) {
  FoundPair const old = befores()[1].old;
  auto const calls = calls_of_write(old);
  TemporaryDirectory directory;
  put_old(directory.path(), old);
  auto const files = PairedFiles::open(directory.path()).value();
  {
    FileCalls const failing{FileFault::fails, last_call(calls, "linkat"), EPERM};
    (void)write(*files, fresh).value();
    BOOST_TEST(last_call(failing.noted(), "write disc-1.json.tmpold") < last_call(failing.noted(), "renameat"));
  }
  BOOST_TEST((raw_pair(directory.path()) == fresh));
  BOOST_TEST(!has_temporaries(directory.path()));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
