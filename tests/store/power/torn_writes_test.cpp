// Claim: whatever a power cut leaves of the writes since the last flush, the store opens at a state that holds every
// acknowledged commit, and `verify` finds nothing. Method: record what becomes of the files while a store is written
// to: groups in the journal, more than it takes at once, LMDB's transactions between, closing and opening again. Cut at
// a random call (tests/store/power/cut_tree.hpp). What holds for names: tests/store/power/lost_names_test.cpp.

#include "store/lmdb/journal.hpp"
#include "store/log/store.hpp"
#include "store/upkeep/mend.hpp"
#include "store/verify/checker.hpp"
#include "store/verify/verify.hpp"
#include "tests/store/history.hpp"
#include "tests/store/power/power_cuts.hpp"
#include "tests/store/power/tree_changes.hpp"
#include "tests/support/fixtures.hpp"
#include "tests/support/seed.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using store::Store;

constexpr std::size_t meta_page_bytes = 4096;

std::string read_whole(std::filesystem::path const& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

void write_whole(std::filesystem::path const& file, std::string const& bytes) {
  std::ofstream out{file, std::ios::binary | std::ios::trunc};
  out << bytes;
}

class FirstCutProblem final : public store::CheckSink {
 public:
  void add_problem(store::Problem const& problem) override { throw std::runtime_error(problem.message); }
  void tick() override {}
};

/// A state of a store, once it was acknowledged.
struct Acknowledged {
  std::size_t changes;  ///< noted before the acknowledgement
  std::string content;
};

constexpr int groups_of_a_run = 90;
static_assert(groups_of_a_run > store::journal_groups_max + 20);

/// Writes to the store at `path`, whose present state is the first. The calls are noted.
std::vector<Acknowledged> write_some(std::unique_ptr<Store>& store, std::filesystem::path const& path, History& history,
                                     TreeChanges const& run, std::mt19937_64& random) {
  std::vector<Acknowledged> states = {{0, describe(*store).value()}};
  for (int i = 0; i < groups_of_a_run; ++i) {
    auto const salt = std::to_string(i);
    std::size_t const count = i < 8 ? 1 + random() % 8 : 1;
    store->append(history.put(many_responses(count, 3, 100, salt), "key-" + salt + "-power"));
    if (i % 9 == 0) {
      auto again = topic("t");
      again.name = salt;
      store->append(history.make({.revise = {{.record = again}}, .blobs = {long_text() + salt}}));
    }
    store->commit().value();
    states.push_back({run.noted().size(), describe(*store).value()});
    if (i % 20 != 4 || i > 60) continue;  // from then on the journal takes more than it has room for
    store.reset();
    store = Store::open(path).value();
  }
  return states;
}

/// What is wrong with a store after a power cut; empty where nothing is.
std::string find_loss(std::filesystem::path const& path, std::vector<Acknowledged> const& states,
                      std::size_t returned) {
  auto const mended = store::mend_meta_page(path);
  if (!mended) return mended.error().message;
  auto const store = Store::open(path, {.is_read_only = true});
  if (!store) return store.error().message;
  auto const content = describe(**store);
  if (!content) return content.error().message;
  auto const state = std::ranges::find(states, *content, &Acknowledged::content);
  if (state == states.end()) return "a state that never was";
  auto const is_acknowledged = [returned](Acknowledged const& each) { return each.changes <= returned; };
  if (std::any_of(std::next(state), states.end(), is_acknowledged)) return "an acknowledged commit is lost";
  FirstCutProblem sink;
  store::check_store(path, false, sink);
  return {};
}

BOOST_AUTO_TEST_SUITE(power_cuts)

BOOST_AUTO_TEST_CASE(no_image_of_a_power_cut_is_bad) {
  std::mt19937_64 random{seed_from_environment()};
  TemporaryDirectory const directory;
  auto const path = directory.path() / "run";
  History history;
  auto store = Store::open(path).value();
  append_small_history(*store, history);
  store->commit().value();
  store->append(history.put(many_units(100)));
  store->commit().value();
  TreeChanges const run{path};
  auto const states = write_some(store, path, history, run, random);
  BOOST_TEST_REQUIRE(run.noted().size() > 2U * groups_of_a_run);  // a frame and a flush for each, at least
  check_images(run, wanted_images(), [&states](std::filesystem::path const& image, std::size_t returned) {
    return find_loss(image, states, returned);
  });
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
    store.reset();  // LMDB has one transaction of it, and another of what comes
    store = Store::open(path).value();
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
