// Claim: whatever a power cut leaves of the writes since the last flush, the store opens at a state that holds every
// acknowledged commit, and `verify` finds nothing. Method: record what LMDB does to the file while a store is written
// to; cut at a random call; of the writes that were not flushed drop, keep or tear each, in any order. A sector of a
// torn write holds the old bytes, the new ones, zeros or foreign ones. 5,000 images, or WHENCE_CRASH_IMAGES of them.

#include "store/backup.hpp"
#include "store/mend.hpp"
#include "store/store.hpp"
#include "store/verify/checker.hpp"
#include "store/verify/verify.hpp"
#include "tests/store/history.hpp"
#include "tests/store/write_calls.hpp"
#include "tests/support/fixtures.hpp"
#include "tests/support/seed.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <set>
#include <span>
#include <stdexcept>

#include <boost/test/unit_test.hpp>
#include <fcntl.h>
#include <unistd.h>

namespace whence::test {
namespace {

using store::Store;

constexpr std::size_t sector_bytes = 512;
constexpr std::size_t images_per_child = 250;
constexpr std::size_t meta_page_bytes = 4096;

std::string read_whole(std::filesystem::path const& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

void write_whole(std::filesystem::path const& file, std::string const& bytes) {
  std::ofstream out{file, std::ios::binary | std::ios::trunc};
  out << bytes;
}

/// Forking under a sanitizer costs a tenth of a second and more; the release build opens every image anyway.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t images_default = 250;
#else
constexpr std::size_t images_default = 5000;
#endif

std::size_t wanted_images() {
  char const* const given = std::getenv("WHENCE_CRASH_IMAGES");  // NOLINT(concurrency-mt-unsafe): no test sets it
  return given == nullptr ? images_default : std::strtoull(given, nullptr, 10);
}

class FirstCutProblem final : public store::CheckSink {
 public:
  void add_problem(store::Problem const& problem) override { throw std::runtime_error(problem.message); }
  void tick() override {}
};

/// A store that was written to, call by call.
struct Recording {
  struct Acknowledged {
    std::size_t changes;  ///< noted before the acknowledgement
    std::string content;
  };
  std::string start;  ///< the file before the first change
  std::vector<FileChange> changes;
  std::vector<Acknowledged> states;  ///< the first is that of `start`
};

Recording record_run(std::filesystem::path const& path, std::mt19937_64& random) {
  Recording run;
  auto store = Store::open(path).value();
  History history;
  append_small_history(*store, history);
  store->commit().value();
  store->append(history.put(many_units(100)));
  store->commit().value();
  run.start = read_whole(path / "data.mdb");
  FileChanges const noting{path / "data.mdb"};
  run.states.push_back({0, describe(*store).value()});
  for (int i = 0; i < 12; ++i) {
    auto const salt = std::to_string(i);
    store->append(history.put(many_responses(1 + random() % 8, 3, 100, salt), "key-" + salt + "-power"));
    if (i % 3 == 0) {
      auto again = topic("t");
      again.name = salt;
      store->append(history.make({.revise = {{.record = again}}, .blobs = {long_text() + salt}}));
    }
    store->commit().value();
    run.states.push_back({noting.noted().size(), describe(*store).value()});
  }
  run.changes = noting.noted();
  return run;
}

/// A file as a power cut may leave it.
class CutFile {
 public:
  CutFile(Recording const& run, std::mt19937_64& random) : random_{random}, bytes_{run.start} {
    std::size_t const cut = random_() % (run.changes.size() + 1);
    std::size_t const returned = cut - std::min<std::size_t>(cut, random_() % 2);
    std::vector<FileChange const*> loose;
    for (std::size_t i = 0; i < cut; ++i) {
      FileChange const& change = run.changes[i];
      // The last call may not have returned: what it was to flush is still loose.
      bool const is_over = i < returned;
      if (change.kind == FileChange::Kind::flush) {
        if (is_over) settle(loose);
      } else if (change.is_flushed && is_over) {
        apply(change, 0, change.bytes.size());
      } else {
        loose.push_back(&change);
      }
    }
    if (random_() % 4 > 0) std::ranges::shuffle(loose, random_);
    auto const schedule = random_() % 4;
    for (FileChange const* const change : loose) cut_change(*change, schedule);
    for (Recording::Acknowledged const& state : run.states) acknowledged_ += state.changes <= returned;
  }

  [[nodiscard]] std::string const& bytes() const noexcept { return bytes_; }
  /// How many of the run's states were acknowledged when the power went.
  [[nodiscard]] std::size_t acknowledged() const noexcept { return acknowledged_; }

 private:
  void settle(std::vector<FileChange const*>& loose) {
    for (FileChange const* const change : loose) apply(*change, 0, change->bytes.size());
    loose.clear();
  }

  void reach(std::uint64_t size) {
    if (bytes_.size() < size) bytes_.resize(size);
  }

  void apply(FileChange const& change, std::size_t first, std::size_t end) {
    if (change.kind == FileChange::Kind::resize) {
      bytes_.resize(change.offset);
      return;
    }
    reach(change.offset + end);
    std::copy(change.bytes.begin() + static_cast<std::ptrdiff_t>(first),
              change.bytes.begin() + static_cast<std::ptrdiff_t>(end),
              bytes_.begin() + static_cast<std::ptrdiff_t>(change.offset + first));
  }

  /// Schedules: 0 each write is there or not; 1 and 2 each sector is old or new; 3 or zero or foreign as well.
  void cut_change(FileChange const& change, std::uint64_t schedule) {
    if (schedule == 0 || change.kind == FileChange::Kind::resize) {
      if (random_() % 2 == 0) apply(change, 0, change.bytes.size());
      return;
    }
    reach(change.offset + change.bytes.size());
    for (std::size_t first = 0; first < change.bytes.size();) {
      std::size_t const sector = (change.offset + first) / sector_bytes;
      std::size_t const end = std::min(change.bytes.size(), (sector + 1) * sector_bytes - change.offset);
      auto const fate = random_() % (schedule == 3 ? 4 : 2);
      if (fate == 1) apply(change, first, end);
      if (fate >= 2) spoil(sector, fate == 3);
      first = end;
    }
  }

  void spoil(std::size_t sector, bool is_foreign) {
    std::size_t const begin = sector * sector_bytes;
    reach(begin + sector_bytes);
    for (std::size_t i = begin; i < begin + sector_bytes; ++i)
      bytes_[i] = is_foreign ? static_cast<char>(random_()) : '\0';
  }

  std::mt19937_64& random_;
  std::string bytes_;
  std::size_t acknowledged_ = 0;
};

/// What is wrong with a store after a power cut; empty where nothing is.
std::string find_loss(std::filesystem::path const& path, Recording const& run, std::size_t acknowledged) {
  auto const mended = store::mend_meta_page(path);
  if (!mended) return mended.error().message;
  auto const store = Store::open(path, {.is_read_only = true});
  if (!store) return store.error().message;
  auto const content = describe(**store);
  if (!content) return content.error().message;
  auto const state = std::ranges::find(run.states, *content, &Recording::Acknowledged::content);
  if (state == run.states.end()) return "a state that never was";
  if (static_cast<std::size_t>(state - run.states.begin()) + 1 < acknowledged) return "an acknowledged commit is lost";
  FirstCutProblem sink;
  store::check_store(path, false, sink);
  return {};
}

/// The names under `root` as a power cut may leave them: changes that no flush of their folder followed may be missing.
class CutNames {
 public:
  CutNames(std::string const& root, std::span<NameChange const> changes, std::mt19937_64& random) : names_({root}) {
    for (std::size_t i = 0; i < changes.size(); ++i) {
      NameChange const& change = changes[i];
      if (change.kind == NameChange::Kind::flush) continue;
      bool const is_kept = is_flushed(change, changes.subspan(i + 1)) || random() % 2 == 0;
      if (is_kept && change.kind == NameChange::Kind::make) make(change.path);
      if (is_kept && change.kind == NameChange::Kind::rename) move(change.path, change.to);
    }
  }

  [[nodiscard]] bool has(std::filesystem::path const& path) const { return names_.contains(path.string()); }

 private:
  static std::string folder_of(std::string const& path) { return std::filesystem::path{path}.parent_path().string(); }

  static bool is_flushed(NameChange const& change, std::span<NameChange const> later) {
    std::string const folder = folder_of(change.kind == NameChange::Kind::rename ? change.to : change.path);
    std::string moved = folder;  // a folder may be flushed under the name it is given later
    return std::ranges::any_of(later, [&](NameChange const& each) {
      if (each.kind == NameChange::Kind::rename && each.path == moved) moved = each.to;
      return each.kind == NameChange::Kind::flush && each.path == moved;
    });
  }

  void make(std::string const& path) {
    if (names_.contains(folder_of(path))) names_.insert(path);
  }

  void move(std::string const& from, std::string const& to) {
    if (!names_.contains(from) || !names_.contains(folder_of(to))) return;
    std::set<std::string> moved;
    for (std::string const& name : names_) {
      bool const is_inside = name == from || name.starts_with(from + "/");
      moved.insert(is_inside ? to + name.substr(from.size()) : name);
    }
    names_ = std::move(moved);
  }

  std::set<std::string> names_;
};

/// Fails where an image of the names that `work` left has no data file in `store`.
void check_names(std::filesystem::path const& root, std::filesystem::path const& store,
                 std::function<void()> const& work) {
  constexpr int images = 1000;
  std::uint64_t const seed = seed_from_environment();
  std::mt19937_64 random{seed};
  NameChanges const noting;
  work();
  std::vector<NameChange> const changes = noting.noted();
  int bad = 0;
  for (int i = 0; i < images; ++i) {
    CutNames const cut{root.string(), changes, random};
    bad += !cut.has(store / "data.mdb");
  }
  BOOST_TEST(bad == 0, bad << " of " << images << " images without " << store << " WHENCE_TEST_SEED=" << seed);
}

BOOST_AUTO_TEST_SUITE(power_cuts)

BOOST_AUTO_TEST_CASE(the_names_of_what_is_acknowledged_survive) {
  TemporaryDirectory directory;
  auto const& root = directory.path();
  auto const path = root / "a/b/c/db";
  History history;
  std::unique_ptr<Store> store;
  check_names(root, path, [&] {
    store = Store::open(path).value();
    append_small_history(*store, history);
    store->commit().value();
  });
  check_names(root, root / "x/y/backup", [&] { store->backup(root / "x/y/backup").value(); });
  store.reset();
  check_names(root, root / "r/restored", [&] { store::restore(root / "x/y/backup", root / "r/restored").value(); });
}

BOOST_AUTO_TEST_CASE(names_that_nobody_flushed_are_missing_in_some_image) {
  std::mt19937_64 random{1};
  std::vector<NameChange> const changes = {{NameChange::Kind::make, "/r/a", {}},
                                           {NameChange::Kind::make, "/r/a/data.mdb", {}},
                                           {NameChange::Kind::flush, "/r/a", {}}};
  int there = 0;
  for (int i = 0; i < 100; ++i) there += CutNames{"/r", changes, random}.has("/r/a/data.mdb");
  BOOST_TEST((there > 0 && there < 100));
}

BOOST_AUTO_TEST_CASE(no_image_of_a_power_cut_is_bad) {
  std::uint64_t const seed = seed_from_environment();
  std::size_t const images = wanted_images();
  std::mt19937_64 random{seed};
  TemporaryDirectory directory;
  auto const path = directory.path() / "run";
  Recording const run = record_run(path, random);
  BOOST_TEST_REQUIRE(run.changes.size() > 36U);  // pages, a flush and a meta page for each commit
  auto const image_path = directory.path() / "image";
  std::filesystem::create_directory(image_path);
  auto const begun = std::chrono::steady_clock::now();
  for (std::size_t first = 0; first < images; first += images_per_child) {
    std::size_t const end = std::min(images, first + images_per_child);
    int const status = run_in_child([&] {
      for (std::size_t number = first; number < end; ++number) {
        std::mt19937_64 own{seed + number};
        CutFile const cut{run, own};
        write_whole(image_path / "data.mdb", cut.bytes());
        std::string loss;
        try {
          loss = find_loss(image_path, run, cut.acknowledged());
        } catch (std::exception const& failed) {
          loss = failed.what();
        }
        if (loss.empty()) continue;
        std::fprintf(stderr, "image %zu: %s\n", number, loss.c_str());
        return 1;
      }
      return 0;
    });
    BOOST_TEST_REQUIRE(status == 0, "images from " << first << " WHENCE_TEST_SEED=" << seed);
  }
  std::chrono::duration<double> const took = std::chrono::steady_clock::now() - begun;
  BOOST_TEST_MESSAGE(images << " images of " << run.changes.size() << " calls and " << run.states.size() - 1
                            << " commits, none bad, " << static_cast<double>(images) / took.count()
                            << " images/s, WHENCE_TEST_SEED=" << seed);
}

/// A store of a few commits, closed.
struct TornFixture {
  TemporaryDirectory directory;
  std::filesystem::path path = directory.path() / "store";
  std::filesystem::path file = path / "data.mdb";
  std::string before_last;
  std::string content;

  TornFixture() {
    auto store = Store::open(path).value();
    History history;
    append_small_history(*store, history);
    store->commit().value();
    before_last = describe(*store).value();
    store->append(history.put({unit("cu_power")}));
    store->commit().value();
    content = describe(*store).value();
  }

  void overwrite(std::size_t offset, std::string const& with) const {
    std::string bytes = read_whole(file);
    bytes.replace(offset, with.size(), with);
    write_whole(file, bytes);
  }
  [[nodiscard]] bool is_reported() const { return !store::verify(path).value().is_ok; }
};

BOOST_FIXTURE_TEST_CASE(a_torn_meta_page_gives_way_to_the_whole_one, TornFixture) {
  std::string const whole = read_whole(file);
  unsigned newest = 0;
  for (unsigned const slot : {0U, 1U}) {
    for (std::string const& with : {std::string(sector_bytes, '\0'), std::string(sector_bytes, '\x5a')}) {
      write_whole(file, whole);
      overwrite(slot * meta_page_bytes, with);
      std::string const torn = read_whole(file);
      BOOST_TEST(is_reported());
      auto const refused = Store::open(path, {.is_read_only = true});
      BOOST_TEST_REQUIRE(refused.has_error());
      BOOST_TEST(refused.error().message.find("the other is whole") != std::string::npos);
      BOOST_TEST((read_whole(file) == torn));  // looking changes nothing
      auto const told = store::mend_meta_page(path).value();
      BOOST_TEST_REQUIRE(told.has_value());
      BOOST_TEST(told->find("meta page " + std::to_string(slot)) != std::string::npos);
      BOOST_TEST(!store::mend_meta_page(path).value().has_value());
      BOOST_TEST(!is_reported());
      auto const kept = read_whole(path / ("meta-page-" + std::to_string(slot) + ".torn"));
      BOOST_TEST((kept == torn.substr(slot * meta_page_bytes, meta_page_bytes)));
      std::string const found = describe(*Store::open(path).value()).value();
      BOOST_TEST((found == content || found == before_last));
      newest += found == content;
    }
  }
  BOOST_TEST(newest == 2U);  // the older page is without consequence
}

BOOST_FIXTURE_TEST_CASE(a_mended_store_is_written_to_again, TornFixture) {
  overwrite(meta_page_bytes, std::string(sector_bytes, '\x5a'));
  BOOST_TEST_REQUIRE(store::mend_meta_page(path).value().has_value());
  auto store = Store::open(path).value();
  auto const head = store->stats().head;
  store::Commit commit{.entry = {.tx = schema::next(head),
                                 .at = at_second(100),
                                 .actor = "writer",
                                 .idempotency_key = {},
                                 .previous = {},
                                 .changes = {}},
                       .rows = {},
                       .contents = {}};
  store->append(std::move(commit));
  store->commit().value();
  store.reset();
  BOOST_TEST(!is_reported());
}

BOOST_FIXTURE_TEST_CASE(a_flipped_byte_or_a_broken_log_is_not_mended, TornFixture) {
  std::string const whole = read_whole(file);
  for (std::size_t const page : {std::size_t{0}, meta_page_bytes}) {
    for (std::size_t at = page; at < page + 152; ++at) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(~damaged[at]);
      write_whole(file, damaged);
      BOOST_TEST(!store::mend_meta_page(path).value().has_value(), "byte " << at);
      BOOST_TEST((read_whole(file) == damaged));
    }
  }
  std::string damaged = whole;  // a torn page, and every other page damaged in the middle of its head
  damaged.replace(0, sector_bytes, std::string(sector_bytes, '\x5a'));
  for (std::size_t at = 2 * meta_page_bytes; at < damaged.size(); at += meta_page_bytes) damaged[at + 10] ^= 0x7f;
  write_whole(file, damaged);
  BOOST_TEST(!store::mend_meta_page(path).value().has_value());
  BOOST_TEST((read_whole(file) == damaged));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
