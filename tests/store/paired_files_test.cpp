// What pairs of files promise while nothing breaks: their paths whatever the id, what may be in their way, and that
// writers take turns. What happens when calls fail or the process dies: paired_files_fault_test.cpp.

#include "store/files/paired_files.hpp"

#include "schema/base/digest.hpp"
#include "store/files/pair_names.hpp"
#include "tests/support/fixtures.hpp"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <sys/stat.h>

namespace whence::test {
namespace {

namespace data = boost::unit_test::data;
namespace fs = std::filesystem;
using store::FoundPair;
using store::PairedFiles;
using store::PairName;
using store::PairTexts;

struct FilesFixture {
  TemporaryDirectory directory;
  fs::path root = directory.path() / "files";
  std::unique_ptr<PairedFiles> files = PairedFiles::open(root).value();

  Result<store::PairPaths> write(PairName const& pair, PairTexts const& texts = {.json = "{}", .markdown = "# x"}) {
    return files->write(pair, [&] { return Result<PairTexts>{texts}; });
  }
  void reopen() {
    files.reset();
    files = PairedFiles::open(root).value();
  }
  /// Puts a file into the user's folder by hand.
  void plant(std::string const& name, std::string const& text = "stray") const {
    fs::create_directories(root / "u");
    std::ofstream{root / "u" / name} << text;
  }
  [[nodiscard]] bool has(std::string const& name) const { return fs::exists(fs::symlink_status(root / "u" / name)); }
};

std::string text_in(fs::path const& path) {
  std::ifstream file{path};
  return {std::istreambuf_iterator<char>{file}, {}};
}

/// Every path below, relative, in order.
std::vector<std::string> all_below(fs::path const& root) {
  std::vector<std::string> paths;
  for (auto const& entry : fs::recursive_directory_iterator{root})
    paths.push_back(entry.path().lexically_relative(root).string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

struct NameCase {
  char const* name;
  std::string id;
  char const* escaped;
};

std::ostream& operator<<(std::ostream& out, NameCase const& given) {
  return out << given.name;
}

std::vector<NameCase> name_cases() {
  return {
      {"plain", "Disc-1_a.b", "Disc-1_a.b"},
      {"a dot", ".", "%2E"},
      {"two dots", "..", "%2E."},
      {"three dots", "...", "%2E.."},
      {"hidden", ".git", "%2Egit"},
      {"a way up", "../x", "%2E.%2Fx"},
      {"an absolute path", "/etc/passwd", "%2Fetc%2Fpasswd"},
      {"a folder", "a/b", "a%2Fb"},
      {"a backslash", "a\\b", "a%5Cb"},
      {"a percent sign", "%2F", "%252F"},
      {"two bytes", "\xc3\xa9", "%C3%A9"},
      {"an emoji", "\xf0\x9f\x98\x80", "%F0%9F%98%80"},
      {"a space", "a b", "a%20b"},
      {"a tilde", "~root", "%7Eroot"},
      {"a newline", "a\n", "a%0A"},
      {"a zero", std::string("a\0b", 3), "a%00b"},
      {"the neighbours of the plain ones", "@[`{:,", "%40%5B%60%7B%3A%2C"},
  };
}

BOOST_FIXTURE_TEST_SUITE(paired_files, FilesFixture)

BOOST_DATA_TEST_CASE_F(FilesFixture, escapes_ids_and_stays_under_the_folder, data::make(name_cases()), given) {
  std::string const escaped = given.escaped;
  auto const paths = write({.folder = given.id, .name = given.id}, {.json = "j", .markdown = "m"}).value();
  BOOST_TEST(paths.json == escaped + "/" + escaped + ".json");
  BOOST_TEST(paths.markdown == escaped + "/" + escaped + ".md");
  BOOST_TEST((PairedFiles::paths_of({.folder = given.id, .name = given.id}).value() == paths));
  std::vector<std::string> const expected = {"files", "files/" + escaped, "files/" + paths.json,
                                             "files/" + paths.markdown};
  BOOST_TEST(all_below(directory.path()) == expected, boost::test_tools::per_element());
  BOOST_TEST((files->read({.folder = given.id, .name = given.id}).value() == FoundPair{"j", "m"}));
  BOOST_TEST(store::is_escaped_file_name(escaped));
}

BOOST_AUTO_TEST_CASE(reads_nothing_where_nothing_was_written) {
  BOOST_TEST((files->read({"u", "d"}).value() == FoundPair{}));
  BOOST_TEST(fs::is_empty(root));
  (void)write({"u", "d"}).value();
  fs::remove(root / "u" / "d.md");
  BOOST_TEST((files->read({"u", "d"}).value() == FoundPair{"{}", std::nullopt}));
}

BOOST_AUTO_TEST_CASE(keeps_every_byte_and_replaces_both) {
  std::string const bytes = std::string("\0\r\n\xff", 4) + std::string(200'000, 'x');
  (void)write({"u", "d"}, {.json = bytes, .markdown = ""}).value();
  BOOST_TEST((files->read({"u", "d"}).value() == FoundPair{bytes, ""}));
  (void)write({"u", "d"}, {.json = "", .markdown = bytes}).value();
  BOOST_TEST((files->read({"u", "d"}).value() == FoundPair{"", bytes}));
}

BOOST_AUTO_TEST_CASE(takes_names_up_to_what_the_file_system_takes) {
  PairName const longest = {.folder = std::string(255, 'u'), .name = std::string(store::stem_bytes_max, 'd')};
  (void)write(longest).value();
  (void)write(longest, {.json = "2", .markdown = "2"}).value();
  BOOST_TEST((files->read(longest).value() == FoundPair{"2", "2"}));
  for (std::string const& id : {std::string(store::stem_bytes_max + 1, 'd'), std::string(255, 'd'),
                                std::string(85, '/'), std::string(85, '\xe4')}) {
    BOOST_TEST_CONTEXT(id.size() << " bytes") {
      auto const refused = write({.folder = "u", .name = id});
      BOOST_TEST_REQUIRE(refused.has_error());
      Error const error = refused.error();
      BOOST_TEST((error.code == Errc::limit_exceeded));
      BOOST_TEST_REQUIRE(error.violations.size() == 1U);
      BOOST_TEST(error.violations[0].rule == "file_name");
      BOOST_TEST(error.violations[0].path == "/discussionId");
      BOOST_TEST((files->read({.folder = "u", .name = id}).error() == error));
    }
  }
  auto const error = write({.folder = std::string(90, '%'), .name = "named"}).error();
  BOOST_TEST((error.code == Errc::limit_exceeded));
  BOOST_TEST(error.violations[0].path == "/userId");
  BOOST_TEST(error.message.find("%%%%") != std::string::npos);
  BOOST_TEST(!fs::exists(root / "u"));
}

BOOST_AUTO_TEST_CASE(refuses_a_link_in_place_of_the_users_folder) {
  fs::create_directory(directory.path() / "outside");
  std::ofstream{directory.path() / "outside" / "d.json"} << "secret";
  std::ofstream{directory.path() / "outside" / "d.json.tmp1"} << "not ours";
  fs::create_directory_symlink(directory.path() / "outside", root / "u");
  BOOST_TEST((write({"u", "d"}).error().code == Errc::conflict));
  auto const refused = files->read({"u", "d"});
  BOOST_TEST_REQUIRE(refused.has_error());
  BOOST_TEST((refused.error().code == Errc::conflict));
  BOOST_TEST(refused.error().message.find((root / "u").string()) != std::string::npos);
  reopen();
  BOOST_TEST(text_in(directory.path() / "outside" / "d.json") == "secret");
  BOOST_TEST(fs::exists(directory.path() / "outside" / "d.json.tmp1"));
}

BOOST_AUTO_TEST_CASE(refuses_a_file_in_place_of_the_users_folder) {
  std::ofstream{root / "u"} << "a file";
  BOOST_TEST((write({"u", "d"}).error().code == Errc::conflict));
  BOOST_TEST((files->read({"u", "d"}).error().code == Errc::conflict));
  BOOST_TEST(text_in(root / "u") == "a file");
}

BOOST_AUTO_TEST_CASE(never_reads_or_writes_through_a_link) {
  std::ofstream{directory.path() / "secret"} << "secret";
  fs::create_directory(root / "u");
  for (char const* name : {"d.json", "d.md"}) fs::create_symlink(directory.path() / "secret", root / "u" / name);
  auto const refused = files->read({"u", "d"});
  BOOST_TEST_REQUIRE(refused.has_error());
  BOOST_TEST((refused.error().code == Errc::conflict));
  (void)write({"u", "d"}, {.json = "j", .markdown = "m"}).value();
  BOOST_TEST(text_in(directory.path() / "secret") == "secret");
  BOOST_TEST(fs::is_regular_file(fs::symlink_status(root / "u" / "d.md")));
  BOOST_TEST((files->read({"u", "d"}).value() == FoundPair{"j", "m"}));
}

BOOST_AUTO_TEST_CASE(never_opens_a_fifo) {
  fs::create_directory(root / "u");
  BOOST_TEST_REQUIRE(::mkfifo((root / "u" / "d.json").c_str(), 0600) == 0);
  BOOST_TEST_REQUIRE(::mkfifo((root / "u" / "d.md.tmp0123456789abcdef").c_str(), 0600) == 0);
  BOOST_TEST((files->read({"u", "d"}).error().code == Errc::conflict));
  (void)write({"u", "d"}, {.json = "j", .markdown = "m"}).value();
  BOOST_TEST((files->read({"u", "d"}).value() == FoundPair{"j", "m"}));
  BOOST_TEST(!has("d.md.tmp0123456789abcdef"));
}

BOOST_AUTO_TEST_CASE(changes_nothing_where_a_folder_stands_in_place_of_a_file) {
  for (std::string const name : {"d.json", "d.md"}) {
    BOOST_TEST_CONTEXT(name) {
      std::string const kept = name == "d.md" ? "d.json" : "d.md";
      plant(kept, "old");
      fs::create_directory(root / "u" / name);
      BOOST_TEST((write({"u", "d"}).error() == Error{Errc::conflict, "a folder stands in place of the file " + name}));
      BOOST_TEST((files->read({"u", "d"}).error().code == Errc::conflict));
      BOOST_TEST(text_in(root / "u" / kept) == "old");
      BOOST_TEST(all_below(root / "u").size() == 2U);
      fs::remove_all(root / "u");
    }
  }
}

BOOST_AUTO_TEST_CASE(refuses_what_is_too_large) {
  plant("d.json", "");
  fs::resize_file(root / "u" / "d.json", store::paired_file_bytes_max + 1);  // a hole: takes no room
  auto const refused = files->read({"u", "d"});
  BOOST_TEST_REQUIRE(refused.has_error());
  BOOST_TEST((refused.error().code == Errc::limit_exceeded));
  BOOST_TEST(refused.error().violations.at(0).rule == "file_size");
  (void)write({"u", "d"}).value();
  BOOST_TEST((files->read({"u", "d"}).value() == FoundPair{"{}", "# x"}));
}

BOOST_AUTO_TEST_CASE(an_error_of_the_maker_is_returned_and_nothing_changes) {
  auto const failing = [] { return Result<PairTexts>{Error{Errc::not_found, "no such discussion"}}; };
  BOOST_TEST((files->write({"u", "d"}, failing).error() == Error{Errc::not_found, "no such discussion"}));
  BOOST_TEST(fs::is_empty(root));
  BOOST_CHECK_THROW((void)files->write({"u", "d"}, []() -> Result<PairTexts> { throw 1; }), int);
  (void)write({"u", "d"}).value();
}

BOOST_AUTO_TEST_CASE(the_next_write_removes_leftovers_of_its_pair_only) {
  for (char const* name : {"d.json.tmp123", "d.md.tmp", "d.json.tmpold", "e.json.tmp1", "d.json.bak", "d.tmp", "x y"})
    plant(name);
  plant("d.md", "old");
  BOOST_TEST((files->read({"u", "d"}).value() == FoundPair{std::nullopt, "old"}));
  (void)write({"u", "d"}).value();
  std::vector<std::string> const expected = {"d.json", "d.json.bak", "d.md", "d.tmp", "e.json.tmp1", "x y"};
  BOOST_TEST(all_below(root / "u") == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(opening_removes_all_leftovers) {
  plant("d.json.tmp123");
  plant("e.md.tmp-1");
  plant("e.md", "kept");
  plant("not ours.md.tmp1");
  fs::create_directory(root / "u" / "d.md.tmpdir");
  std::ofstream{root / "d.json.tmp1"} << "in no user's folder";
  reopen();
  std::vector<std::string> const expected = {"d.json.tmp1", "u", "u/d.md.tmpdir", "u/e.md", "u/not ours.md.tmp1"};
  BOOST_TEST(all_below(root) == expected, boost::test_tools::per_element());
}

// Claim: an id that looks like another's temporary name is a pair of its own. Method: write such pairs and leftovers
// of each, then write them one after the other.
BOOST_AUTO_TEST_CASE(ids_like_temporary_names_are_not_confused) {
  std::vector<std::string> const ids = {"a",    "a.json.tmp-xyz", "a.json.tmp-xyz.json.tmp1",
                                        "a.md", "a.json",         "a.md.tmp"};
  for (std::string const& id : ids) (void)write({"u", id}, {.json = "j" + id, .markdown = "m" + id}).value();
  for (std::string const& id : ids) plant(id + ".json.tmp7");
  for (std::size_t i = 0; i < ids.size(); ++i) {
    BOOST_TEST_CONTEXT(ids[i]) {
      (void)write({"u", ids[i]}, {.json = "j" + ids[i], .markdown = "m" + ids[i]}).value();
      for (std::size_t k = 0; k < ids.size(); ++k) BOOST_TEST(has(ids[k] + ".json.tmp7") == (k > i));
    }
  }
  reopen();
  for (std::string const& id : ids) BOOST_TEST((files->read({"u", id}).value() == FoundPair{"j" + id, "m" + id}));
  BOOST_TEST(all_below(root / "u").size() == 2 * ids.size());
}

BOOST_AUTO_TEST_CASE(an_update_sees_what_is_there) {
  std::vector<FoundPair> seen;
  auto const update = [&](std::optional<PairTexts> const& texts) {
    return files->update({"u", "d"}, [&](FoundPair const& found) -> Result<std::optional<PairTexts>> {
      seen.push_back(found);
      return texts;
    });
  };
  (void)update(std::nullopt).value();
  BOOST_TEST(fs::is_empty(root));
  BOOST_TEST((update(PairTexts{.json = "j", .markdown = "m"}).value().json == "u/d.json"));
  auto const inode = [&] {
    struct stat found = {};
    return ::stat((root / "u" / "d.json").c_str(), &found) == 0 ? found.st_ino : 0;
  };
  auto const before = inode();
  (void)update(PairTexts{.json = "j", .markdown = "m"}).value();
  BOOST_TEST(inode() == before);
  (void)update(std::nullopt).value();
  BOOST_TEST((seen == std::vector<FoundPair>{{}, {}, {"j", "m"}, {"j", "m"}}));
  BOOST_TEST((files
                  ->update({"u", "d"},
                           [](FoundPair const&) -> Result<std::optional<PairTexts>> {
                             return Error{Errc::not_found, "gone"};
                           })
                  .error() == Error{Errc::not_found, "gone"}));
  BOOST_TEST((files->read({"u", "d"}).value() == FoundPair{"j", "m"}));
}

BOOST_AUTO_TEST_CASE(knows_when_a_pair_was_written) {
  BOOST_TEST(!files->modified({"u", "d"}).value().has_value());
  (void)write({"u", "d"}).value();
  auto const first = files->modified({"u", "d"}).value();
  BOOST_TEST_REQUIRE(first.has_value());
  BOOST_TEST(first->seconds > 1'700'000'000);
  fs::remove(root / "u" / "d.md");
  BOOST_TEST(!files->modified({"u", "d"}).value().has_value());
}

BOOST_AUTO_TEST_CASE(a_pair_does_not_wait_for_another) {
  bool has_written = false;
  (void)files
      ->write({"u", "d"},
              [&] {
                has_written = write({"u", "e"}).has_value();
                return Result<PairTexts>{PairTexts{.json = "j", .markdown = "m"}};
              })
      .value();
  BOOST_TEST(has_written);
}

BOOST_AUTO_TEST_CASE(a_folder_has_one_user) {
  auto const second = PairedFiles::open(root);
  BOOST_TEST_REQUIRE(second.has_error());
  BOOST_TEST((second.error().code == Errc::conflict));
  reopen();
}

BOOST_AUTO_TEST_CASE(a_folder_that_cannot_be_made_is_an_error) {
  std::ofstream{directory.path() / "file"} << "";
  BOOST_TEST((PairedFiles::open(directory.path() / "file").error().code == Errc::conflict));
  BOOST_TEST((PairedFiles::open(directory.path() / "file" / "below").error().code == Errc::conflict));
  BOOST_TEST(PairedFiles::open(directory.path() / "many" / "folders" / "deep" / "").has_value());
  BOOST_TEST(fs::is_directory(directory.path() / "many" / "folders" / "deep"));
}

BOOST_AUTO_TEST_CASE(a_folder_taken_away_is_made_again) {
  (void)write({"u", "d"}).value();
  fs::rename(root, directory.path() / "moved");
  BOOST_TEST((files->read({"u", "d"}).value() == FoundPair{}));
  (void)write({"u", "d"}, {.json = "j", .markdown = "m"}).value();
  BOOST_TEST(text_in(root / "u" / "d.json") == "j");
  BOOST_TEST(text_in(directory.path() / "moved" / "u" / "d.json") == "{}");
}

// Claim: writers of one pair never mix their texts, a reader sees whole pairs only, and the state that was made last
// remains. Method: two threads write the value of a counter at the moment of making; a third reads all the while.
BOOST_AUTO_TEST_CASE(writers_of_one_pair_take_turns) {
  constexpr int writes_each = 60;
  int counter = 0;  // guarded by the lock under which `make` runs
  std::atomic<int> failures = 0;
  std::atomic<bool> is_done = false;
  auto const make = [&] {
    std::string const number = std::to_string(++counter);
    return Result<PairTexts>{PairTexts{.json = number, .markdown = number}};
  };
  auto const write_many = [&] {
    for (int i = 0; i < writes_each; ++i) failures += files->write({"u", "d"}, make).has_error() ? 1 : 0;
  };
  std::jthread reader{[&] {
    for (int last = 0; !is_done;) {
      auto const found = files->read({"u", "d"});
      int const number = found && found->json ? std::stoi(*found->json) : 0;
      if (!found || found->json != found->markdown || number < last) ++failures;
      last = number;
    }
  }};
  {
    std::jthread const first{write_many};
    std::jthread const second{write_many};
  }
  is_done = true;
  reader.join();
  BOOST_TEST(failures == 0);
  BOOST_TEST((files->read({"u", "d"}).value() == FoundPair{"120", "120"}));
  BOOST_TEST(all_below(root / "u").size() == 2U);
}

BOOST_AUTO_TEST_CASE(what_was_written_last_is_known_until_the_process_ends) {
  auto const json_written = [&] {
    auto const found = files->read({"u", "d"}).value();
    return found.written ? std::optional{found.written->json} : std::nullopt;
  };
  BOOST_TEST(!json_written());
  write({"u", "d"}, {.json = "1", .markdown = "one"}).value();
  BOOST_TEST((json_written() == schema::sha256("1")));
  plant("d.json", "by hand");
  BOOST_TEST((json_written() == schema::sha256("1")));
  write({"u", "d"}, {.json = "by hand, without a part", .markdown = "one", .is_edited = true}).value();
  BOOST_TEST((json_written() == schema::sha256("1")));
  files->recognize({"u", "d"}, files->read({"u", "d"}).value());
  BOOST_TEST((json_written() == schema::sha256("1")));
  reopen();
  BOOST_TEST(!json_written());
  files->recognize({"u", "d"}, files->read({"u", "d"}).value());
  BOOST_TEST((json_written() == schema::sha256("by hand, without a part")));
  write({"u", "new"}, {.json = "edited", .markdown = "one", .is_edited = true}).value();
  BOOST_TEST((files->read({"u", "new"}).value().written->json != schema::sha256("edited")));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
