// Claim: what was acknowledged is there under its name after a power cut: stores in new folders, backups, restored and
// compacted stores, exports, pairs of files. Exports and pairs that were not are there whole or not at all. Method: as
// for torn writes, with the names that were made, changed and removed since the last flush of their folder.

#include "store/files/destination.hpp"
#include "store/files/paired_files.hpp"
#include "store/log/store.hpp"
#include "store/upkeep/backup.hpp"
#include "store/upkeep/compact.hpp"
#include "tests/store/history.hpp"
#include "tests/store/power/cut_tree.hpp"
#include "tests/store/power/power_cuts.hpp"
#include "tests/store/power/tree_changes.hpp"
#include "tests/support/fixtures.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

namespace fs = std::filesystem;
using store::Destination;
using store::Store;

/// These runs are shorter than that of a store: 1,000 images each where it has 5,000, and never fewer.
std::size_t some_images() {
  return std::max<std::size_t>(1000, wanted_images() / 5);
}

/// Until a store is acknowledged, nothing need be there; then the store at `path` has to hold `content`.
std::string find_missing_store(fs::path const& path, std::string const& content, bool is_acknowledged) {
  if (!is_acknowledged && !fs::exists(path / "data.mdb")) return {};
  auto const store = Store::open(path, {.is_read_only = true});
  if (!store) return is_acknowledged ? store.error().message : std::string{};
  auto const found = describe(**store);
  if (!found) return found.error().message;
  return *found == content || !is_acknowledged ? std::string{} : "other content than was acknowledged";
}

/// A folder with a store of a few commits in `db`, closed.
struct NamesFixture {
  TemporaryDirectory directory;
  fs::path root = directory.path() / "root";
  std::string content;

  NamesFixture() {
    fs::create_directory(root);
    auto store = Store::open(root / "db").value();
    History history;
    append_small_history(*store, history);
    store->commit().value();
    content = describe(*store).value();
  }
};

BOOST_AUTO_TEST_SUITE(power_cuts)

BOOST_AUTO_TEST_CASE(a_store_in_new_folders) {
  TemporaryDirectory const directory;
  TreeChanges const run{directory.path()};
  auto const store = Store::open(directory.path() / "a/b/c/db").value();
  History history;
  append_small_history(*store, history);
  store->commit().value();
  std::size_t const acknowledged = run.noted().size();
  std::string const content = describe(*store).value();
  check_images(run, some_images(), [&](fs::path const& image, std::size_t returned) {
    return find_missing_store(image / "a/b/c/db", content, returned >= acknowledged);
  });
}

BOOST_FIXTURE_TEST_CASE(a_backup, NamesFixture) {
  auto const store = Store::open(root / "db").value();
  TreeChanges const run{root};
  store->backup(root / "x/y/backup").value();
  std::size_t const acknowledged = run.noted().size();
  check_images(run, some_images(), [&](fs::path const& image, std::size_t returned) {
    return find_missing_store(image / "x/y/backup", content, returned >= acknowledged);
  });
}

BOOST_FIXTURE_TEST_CASE(a_restored_store, NamesFixture) {
  Store::open(root / "db").value()->backup(root / "backup").value();
  TreeChanges const run{root};
  store::restore(root / "backup", root / "r/restored").value();
  std::size_t const acknowledged = run.noted().size();
  auto const restored = describe(*Store::open(root / "r/restored", {.is_read_only = true}).value()).value();
  check_images(run, some_images(), [&](fs::path const& image, std::size_t returned) {
    return find_missing_store(image / "r/restored", restored, returned >= acknowledged);
  });
}

/// Before, in the middle and afterwards the store is there.
BOOST_FIXTURE_TEST_CASE(a_compacted_store, NamesFixture) {
  TreeChanges const run{root};
  store::compact(root / "db").value();
  check_images(run, some_images(),
               [&](fs::path const& image, std::size_t) { return find_missing_store(image / "db", content, true); });
}

std::string content_of(fs::path const& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

using Files = std::map<std::string, std::string>;

/// The files of a folder, or one file under the name ""; nothing where nothing is there.
std::optional<Files> find_output(fs::path const& path) {
  if (!fs::exists(path)) return std::nullopt;
  if (fs::is_regular_file(path)) return Files{{"", content_of(path)}};
  Files files;
  for (auto const& entry : fs::directory_iterator{path})
    files[entry.path().filename().string()] = content_of(entry.path());
  return files;
}

void write_output(fs::path const& path, Destination::Shape shape, Files const& files) {
  auto output = Destination::create(path, shape, {.is_allowed = true}).value();
  for (auto const& [name, text] : files) {
    auto const file = output.open(name);
    file->write(text);
    file->finish();
  }
  output.commit();
}

/// Two outputs, the second in place of the first: each is there whole or not at all, the second never before the first.
void check_outputs(Destination::Shape shape, Files const& first, Files const& second) {
  TemporaryDirectory const directory;
  TreeChanges const run{directory.path()};
  write_output(directory.path() / "out", shape, first);
  std::size_t const first_done = run.noted().size();
  write_output(directory.path() / "out", shape, second);
  std::size_t const second_done = run.noted().size();
  check_images(run, some_images(), [&](fs::path const& image, std::size_t returned) -> std::string {
    auto const found = find_output(image / "out");
    if (!found) return returned >= first_done ? "the first output is gone" : "";
    if (*found == second) return {};
    if (*found != first) return "an output that never was";
    return returned >= second_done ? "the second output is lost" : "";
  });
}

BOOST_AUTO_TEST_CASE(an_export_of_several_files) {
  check_outputs(Destination::Shape::folder, {{"nodes.csv", "old nodes"}, {"edges.csv", std::string(5000, 'e')}},
                {{"nodes.csv", std::string(9000, 'n')}, {"edges.csv", "new edges"}, {"manifest.json", "{}"}});
}

BOOST_AUTO_TEST_CASE(an_export_to_one_file) {
  check_outputs(Destination::Shape::file, {{"", std::string(3000, 'o')}}, {{"", std::string(9000, 'n')}});
}

BOOST_AUTO_TEST_CASE(pairs_of_files) {
  TemporaryDirectory const directory;
  store::PairName const pair = {.folder = "user-1", .name = "disc-1"};
  std::vector<store::FoundPair> const texts = {{},
                                               {.json = "{\"first\": 1}", .markdown = "# first"},
                                               {.json = std::string(6000, 'j'), .markdown = "# first"},
                                               {.json = std::string(6000, 'j'), .markdown = std::string(3000, 'm')},
                                               {.json = "{\"last\": 4}", .markdown = "# last"}};
  TreeChanges const run{directory.path()};
  std::vector<std::size_t> acknowledged = {0};
  {
    auto const files = store::PairedFiles::open(directory.path() / "files").value();
    for (std::size_t i = 1; i < texts.size(); ++i) {
      auto const written = files->write(pair, [&]() -> Result<store::PairTexts> {
        return store::PairTexts{.json = *texts[i].json, .markdown = *texts[i].markdown};
      });
      BOOST_TEST_REQUIRE(written.has_value());
      acknowledged.push_back(run.noted().size());
    }
  }
  check_images(run, some_images(), [&](fs::path const& image, std::size_t returned) -> std::string {
    auto const files = store::PairedFiles::open(image / "files");
    if (!files) return files.error().message;
    auto const found = (*files)->read(pair);
    if (!found) return found.error().message;
    auto const state = std::ranges::find_if(
        texts, [&](auto const& each) { return each.json == found->json && each.markdown == found->markdown; });
    if (state == texts.end()) return "a pair that never was";
    auto const next = static_cast<std::size_t>(state - texts.begin()) + 1;
    return next < texts.size() && acknowledged[next] <= returned ? "an acknowledged pair is lost" : "";
  });
}

/// The method itself: without a flush of the folder above, an image lacks the file.
BOOST_AUTO_TEST_CASE(names_that_nobody_flushed_are_missing_in_some_image) {
  constexpr NodeNumber folder = 2;
  constexpr NodeNumber file = 3;
  std::map<NodeNumber, TreeNode> const nodes = {
      {root_node, {.is_folder = true}}, {folder, {.is_folder = true}}, {file, {}}};
  std::vector<TreeChange> const changes = {{.kind = TreeChange::Kind::names, .names = {{root_node, "a", folder}}},
                                           {.kind = TreeChange::Kind::names, .names = {{folder, "data.mdb", file}}},
                                           {.kind = TreeChange::Kind::flush, .node = folder}};
  TemporaryDirectory const directory;
  std::mt19937_64 random{1};
  int there = 0;
  for (int i = 0; i < 100; ++i) {
    auto const image = directory.path() / std::to_string(i);
    CutTree{nodes, changes, random}.write_to(image);
    there += fs::exists(image / "a/data.mdb");
  }
  BOOST_TEST((there > 0 && there < 100));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
