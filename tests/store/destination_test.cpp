// Output that appears under its name whole or not at all.

#include "store/files/destination.hpp"

#include "schema/base/digest.hpp"
#include "tests/support/fixtures.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

namespace fs = std::filesystem;

BOOST_AUTO_TEST_CASE(a_file_of_another_process_is_not_replaced) {
  TemporaryDirectory const folder;
  auto const path = folder.path() / "a.dot";
  std::ofstream{path} << "mine";
  using store::Destination;
  auto const refused = Destination::create(path, Destination::Shape::file, {});
  BOOST_REQUIRE(refused.has_error());
  BOOST_TEST(refused.error().code == Errc::conflict);
  BOOST_TEST(Destination::create(path, Destination::Shape::folder, {.is_allowed = true}).has_error());
  BOOST_TEST(Destination::create(folder.path() / "none" / "a.dot", Destination::Shape::file, {}).has_error());
  {
    auto destination = Destination::create(path, Destination::Shape::file, {.is_allowed = true}).value();
    auto const file = destination.open("a.dot");
    file->write("new");
    BOOST_TEST(file->finish().bytes == 3);
  }  // not committed
  BOOST_TEST(fs::file_size(path) == 4);
  BOOST_TEST(std::distance(fs::directory_iterator{folder.path()}, {}) == 1);
}

BOOST_AUTO_TEST_CASE(a_folder_replaces_only_a_folder_of_its_own_files) {
  TemporaryDirectory const folder;
  auto const path = folder.path() / "out";
  fs::create_directories(path);
  std::ofstream{path / "nodes.csv"} << "old";
  store::Destination::Replacing const replacing{.is_allowed = true, .own_names = {"nodes.csv", "edges.csv"}};
  using store::Destination;
  {
    auto destination = Destination::create(path, Destination::Shape::folder, replacing).value();
    auto const file = destination.open("edges.csv");
    file->write("a,");
    file->write("b");
    auto const summary = file->finish();
    BOOST_TEST(summary.name == "edges.csv");
    BOOST_TEST(summary.bytes == 3);
    BOOST_TEST(summary.sha256 == schema::sha256("a,b"));
    BOOST_TEST(fs::exists(path / "nodes.csv"));
    destination.commit();
  }
  BOOST_TEST(!fs::exists(path / "nodes.csv"));
  BOOST_TEST(fs::file_size(path / "edges.csv") == 3);
  BOOST_TEST(std::distance(fs::directory_iterator{folder.path()}, {}) == 1);
  std::ofstream{path / "notes.txt"} << "mine";
  BOOST_TEST((Destination::create(path, Destination::Shape::folder, replacing).error().code == Errc::conflict));
}

BOOST_AUTO_TEST_CASE(a_name_of_a_file_is_one_component) {
  TemporaryDirectory const folder;
  auto const outside = folder.path() / "outside";
  using store::Destination;
  auto destination = Destination::create(folder.path() / "out", Destination::Shape::folder, {}).value();
  for (std::string const& name : {std::string{"../outside"}, outside.string(), std::string{".."}, std::string{"."},
                                  std::string{}, std::string{"a/b"}, std::string{"a\0b", 3}}) {
    BOOST_CHECK_THROW(static_cast<void>(destination.open(name)), std::system_error);
  }
  BOOST_TEST(!fs::exists(outside));
}

}  // namespace
}  // namespace whence::test
