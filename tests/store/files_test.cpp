// Names that survive power loss, and modes that keep others out.

#include "store/files/files.hpp"

#include "store/files/destination.hpp"
#include "store/files/replace_file.hpp"
#include "store/log/store.hpp"
#include "tests/store/failing_file_calls.hpp"
#include "tests/support/fixtures.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <boost/test/unit_test.hpp>
#include <sys/stat.h>

using namespace whence;
using namespace whence::store;
namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(files)

namespace {

/// While it lives, nothing is kept from others by the umask.
class OpenUmask {
 public:
  OpenUmask() : before_{::umask(0)} {}
  ~OpenUmask() { ::umask(before_); }
  OpenUmask(OpenUmask const&) = delete;
  OpenUmask& operator=(OpenUmask const&) = delete;

 private:
  mode_t before_;
};

bool is_flushed(test::FileCalls const& calls, fs::path const& directory) {
  return std::ranges::count(calls.noted(), "fsync " + directory.filename().string()) > 0;
}

bool is_private(fs::path const& path) {
  constexpr auto others = fs::perms::group_all | fs::perms::others_all;
  return (fs::status(path).permissions() & others) == fs::perms::none;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_directory_that_is_made_has_its_name_flushed) {
  test::TemporaryDirectory const root;
  test::FileCalls const calls;
  make_directory(root.path() / "a" / "b" / "c");
  for (auto const& above : {root.path(), root.path() / "a", root.path() / "a" / "b"}) {
    BOOST_TEST(is_flushed(calls, above), above);
  }
}

// Whoever made them may have died before the flush.
BOOST_AUTO_TEST_CASE(directories_that_are_there_have_their_names_flushed_too) {
  test::TemporaryDirectory const root;
  fs::create_directories(root.path() / "a" / "b");
  test::FileCalls const calls;
  make_directory(root.path() / "a" / "b");
  BOOST_TEST(is_flushed(calls, root.path()));
  BOOST_TEST(is_flushed(calls, root.path() / "a"));
}

BOOST_AUTO_TEST_CASE(a_file_in_the_way_is_an_error) {
  test::TemporaryDirectory const root;
  std::ofstream{root.path() / "a"} << "x";
  BOOST_CHECK_THROW(make_directory(root.path() / "a"), std::system_error);
  BOOST_CHECK_THROW(make_directory(root.path() / "a" / "b"), std::system_error);
}

BOOST_AUTO_TEST_CASE(a_rename_is_flushed_in_both_directories) {
  test::TemporaryDirectory const root;
  make_directory(root.path() / "from");
  make_directory(root.path() / "to");
  std::ofstream{root.path() / "from" / "f"} << "x";
  test::FileCalls const calls;
  rename_durably(root.path() / "from" / "f", root.path() / "to" / "f");
  BOOST_TEST(fs::exists(root.path() / "to" / "f"));
  BOOST_TEST(is_flushed(calls, root.path() / "from"));
  BOOST_TEST(is_flushed(calls, root.path() / "to"));
}

BOOST_AUTO_TEST_CASE(stores_backups_and_outputs_are_private_whatever_the_umask) {
  OpenUmask const open;
  test::TemporaryDirectory const root;
  auto const db = root.path() / "deep" / "db";
  {
    auto const store = Store::open(db, {}).value();
    BOOST_TEST(store->backup(root.path() / "backups" / "one").has_value());
  }
  for (fs::path const& folder : {db, root.path() / "backups" / "one"}) {
    BOOST_TEST(is_private(folder), folder);
    for (auto const& entry : fs::directory_iterator{folder}) BOOST_TEST(is_private(entry.path()), entry.path());
  }
  auto output = Destination::create(root.path() / "out", Destination::Shape::folder, {}).value();
  output.open("file")->finish();
  output.commit();
  BOOST_TEST(is_private(root.path() / "out"));
  BOOST_TEST(is_private(root.path() / "out" / "file"));
}

BOOST_AUTO_TEST_CASE(directories_above_what_is_made_are_private_too) {
  OpenUmask const open;
  test::TemporaryDirectory const root;
  make_directory(root.path() / "deep" / "er");
  BOOST_TEST(is_private(root.path() / "deep"));
  BOOST_TEST(is_private(root.path() / "deep" / "er"));
}

// A folder that looks like what is in the making, to people, is somebody's.
BOOST_AUTO_TEST_CASE(what_is_in_the_making_never_has_the_name_of_something_else) {
  test::TemporaryDirectory const root;
  auto const target = root.path() / "copy";
  for (std::string const end : {".partial", ".partial-1", ".partial-abcdef"}) {
    fs::create_directory(target.string() + end);
    std::ofstream{fs::path{target.string() + end} / "mine"} << "kept";
  }
  {
    StagingDirectory one{target};
    StagingDirectory other{target};
    BOOST_TEST(one.path() != other.path());
    std::ofstream{one.path() / "a"} << "1";
    std::ofstream{other.path() / "a"} << "2";
    BOOST_TEST(one.become_target().has_value());
    BOOST_TEST((other.become_target().error().code == Errc::conflict));
  }
  BOOST_TEST((std::ifstream{target / "a"}.get() == '1'));
  for (std::string const end : {".partial", ".partial-1", ".partial-abcdef"}) {
    BOOST_TEST(fs::exists(fs::path{target.string() + end} / "mine"));
  }
}

BOOST_AUTO_TEST_CASE(what_a_dead_process_left_goes_with_the_next_of_the_same_name) {
  test::TemporaryDirectory const root;
  auto const target = root.path() / "copy";
  auto const left = fs::path{target.string() + ".partial-00112233445566778899aabbccddeeff"};
  fs::create_directories(left / "in");
  std::ofstream{target.string() + ".partial-ffeeddccbbaa99887766554433221100"} << "half a file";
  auto const other = fs::path{(root.path() / "copy2").string() + ".partial-00112233445566778899aabbccddeeff"};
  fs::create_directory(other);
  {
    Staging const made{target, Staging::Kind::file};
    BOOST_TEST(!fs::exists(left));
    BOOST_TEST(fs::exists(other));
    Staging const next{target, Staging::Kind::file};
    BOOST_TEST(fs::exists(made.path()), "its owner lives");
    BOOST_TEST(std::distance(fs::directory_iterator{root.path()}, {}) == 3);
  }
}

BOOST_AUTO_TEST_CASE(a_file_is_made_anew_under_a_name_of_its_own) {
  test::TemporaryDirectory const root;
  auto const target = root.path() / "key";
  auto const victim = root.path() / "victim";
  std::ofstream{victim} << "mine";
  fs::create_symlink(victim, target);
  fs::create_symlink(victim, target.string() + ".partial");
  std::ofstream{target.string() + ".partial-ffeeddccbbaa99887766554433221100"} << "half a file";
  auto const read = [](fs::path const& path) {
    std::ifstream file{path};
    return std::string{std::istreambuf_iterator<char>{file}, {}};
  };
  replace_file(target, "new");
  BOOST_TEST(read(target) == "new");
  BOOST_TEST(read(victim) == "mine");
  BOOST_TEST(is_private(target));
  BOOST_TEST(fs::is_symlink(target.string() + ".partial"));
  BOOST_TEST(std::distance(fs::directory_iterator{root.path()}, {}) == 3);
}

BOOST_AUTO_TEST_SUITE_END()
