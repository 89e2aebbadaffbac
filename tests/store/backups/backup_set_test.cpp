// Backups that grow, restored to any moment; hostile ones are refused with the name of what is wrong.

#include "store/backups/backup_set.hpp"

#include "store/backups/prune.hpp"
#include "store/backups/recovery.hpp"
#include "store/log/store.hpp"
#include "store/upkeep/last_backup.hpp"
#include "store/verify/verify.hpp"
#include "tests/store/history.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/fixtures.hpp"

#include <csignal>
#include <fstream>
#include <functional>
#include <iterator>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <sys/resource.h>

namespace whence::test {
namespace {

namespace fs = std::filesystem;
using schema::TxId;
using store::Store;

std::string content_of_file(fs::path const& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

void write_file(fs::path const& path, std::string const& text) {
  std::ofstream{path, std::ios::binary | std::ios::trunc} << text;
}

/// Three transactions, a backup, and one more transaction and backup each of which makes a segment.
struct SetFixture {
  TemporaryDirectory directory;
  fs::path source = directory.path() / "store";
  fs::path backups = directory.path() / "backups";
  fs::path target = directory.path() / "restored";
  History history;
  std::unique_ptr<Store> store = Store::open(source).value();
  std::int64_t now = 1'700'000'000;

  SetFixture() {
    append_small_history(*store, history);
    store->commit().value();
  }

  store::IncrementResult back_up(std::int64_t new_base_after_s = store::never_s) {
    store::StoreSource from{*store};
    now += 60;
    return store::back_up_increment(from, backups, {.now = {now, 0}, .new_base_after_s = new_base_after_s}).value();
  }

  void write(std::string const& id) {
    auto commit = history.put({::whence::test::unit(id)}, "key-" + id);
    commit.kept_answer =
        schema::stored::KeptAnswer{.batch = {}, .tx = commit.entry.tx, .refs = {"ContextUnit:" + id}, .warnings = {}};
    store->append(std::move(commit));
    store->commit().value();
  }

  /// A base at 3 and segments of 4, of 5 and 6, and of 7.
  fs::path make_set() {
    back_up();
    for (char const* const units : {"a", "bc", "d"}) {
      for (char const* unit = units; *unit != '\0'; ++unit) write(std::string{"cu_new_"} + *unit);
      back_up();
    }
    return store::list_sets(backups).at(0);
  }

  [[nodiscard]] fs::path segment(fs::path const& set, std::size_t number) const {
    return set / store::read_manifest(set).value().segments.at(number).name();
  }

  Error restore_error(fs::path const& from, store::RecoveryTarget const& to = {}) {
    auto const restored = store::recover(from, target, to);
    BOOST_REQUIRE(!restored);
    BOOST_TEST(!fs::exists(target));
    BOOST_TEST(!fs::exists(target.string() + ".partial"));
    return restored.error();
  }
};

BOOST_FIXTURE_TEST_SUITE(backup_sets, SetFixture)

BOOST_AUTO_TEST_CASE(every_transaction_of_a_set_can_be_restored) {
  auto const set = make_set();
  for (std::uint64_t tx = 3; tx <= 7; ++tx) {
    BOOST_TEST_CONTEXT("transaction " << tx) {
      auto const restored = store::recover(backups, target, {.tx = TxId{tx}}).value();
      BOOST_TEST(schema::number(restored.tx) == tx);
      BOOST_TEST(restored.is_last == (tx == 7));
      BOOST_TEST((restored.from == set));
      BOOST_TEST(store::verify(target).value().is_ok);
      auto const copy = Store::open(target).value();
      BOOST_TEST((copy->leaf_hash(TxId{tx}).value() == store->leaf_hash(TxId{tx}).value()));
      BOOST_TEST(schema::number(copy->stats().head) == tx);
      BOOST_TEST(copy->epoch() != store->epoch());
      BOOST_TEST(copy->find_kept_answer("key-cu_new_d").value().has_value() == (tx == 7));
      fs::remove_all(target);
    }
  }
}

BOOST_AUTO_TEST_CASE(what_is_restored_whole_is_the_store) {
  make_set();
  store::recover(backups, target).value();
  BOOST_TEST(std::distance(fs::directory_iterator{target}, {}) == 1);  // data.mdb alone
  std::string const restored = describe(*Store::open(target).value()).value();
  std::string const original = describe(*store).value();
  BOOST_TEST((restored.substr(restored.find('\n')) == original.substr(original.find('\n'))));  // after the epoch
}

BOOST_AUTO_TEST_CASE(a_time_is_the_last_transaction_committed_by_then) {
  make_set();
  auto const at = store->log_entry(TxId{5}).value().at;
  auto const restored = store::recover(backups, target, {.time = at}).value();
  auto const next = store->log_entry(schema::next(restored.tx));
  BOOST_TEST((restored.at <= at));
  BOOST_TEST((!next || next->at > at));
}

BOOST_AUTO_TEST_CASE(a_moment_that_no_set_has_is_not_found) {
  make_set();
  for (std::uint64_t const tx : {2, 8}) {
    auto const error = restore_error(backups, {.tx = TxId{tx}});
    BOOST_TEST(error.code == Errc::not_found);
    BOOST_TEST(error.message.find("has transactions 3 to 7") != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(a_backup_without_news_adds_nothing) {
  auto const set = make_set();
  auto const before = store::read_manifest(set).value();
  auto const again = back_up();
  BOOST_TEST(again.bytes == 0U);
  BOOST_TEST(!again.is_base);
  auto const after = store::read_manifest(set).value();
  BOOST_TEST(after.segments.size() == before.segments.size());
  BOOST_TEST((after.updated > before.updated));
}

BOOST_AUTO_TEST_CASE(an_old_set_gets_a_last_segment_and_a_new_one_begins) {
  make_set();
  write("cu_new_e");
  auto const made = back_up(1);
  BOOST_TEST(made.is_base);
  auto const sets = store::read_sets(backups).value();
  BOOST_REQUIRE(sets.size() == 2U);
  BOOST_TEST(schema::number(sets[0].manifest.last()) == 8U);
  BOOST_TEST(schema::number(sets[1].manifest.base.tx) == 8U);
}

BOOST_AUTO_TEST_CASE(a_restored_store_begins_a_set_of_its_own) {
  auto const set = make_set();
  store::recover(backups, target, {.tx = TxId{5}}).value();
  store = Store::open(target).value();
  auto const made = back_up();
  BOOST_TEST(made.is_base);
  BOOST_TEST(schema::number(made.tx) == 5U);
  BOOST_TEST((made.set != set));
}

BOOST_AUTO_TEST_CASE(nothing_is_restored_over_a_store) {
  make_set();
  auto const refused = store::recover(backups, source);
  BOOST_TEST(refused.error().code == Errc::conflict);
  BOOST_TEST(store->stats().head == TxId{7});
}

BOOST_AUTO_TEST_CASE(another_directory_gets_no_backups) {
  fs::create_directories(backups);
  write_file(backups / "letter.txt", "Dear");
  store::StoreSource from{*store};
  auto const refused = store::back_up_increment(from, backups, {.now = {now, 0}});
  BOOST_TEST(refused.error().code == Errc::conflict);
  BOOST_TEST(refused.error().message.find("letter.txt") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_a_killed_backup_left_is_replaced) {
  auto const set = make_set();
  auto const half = set / "segment.partial-00112233445566778899aabbccddeeff";
  write_file(half, "half");
  for (auto const* const name : {"segment.partial", "manifest.partial"}) write_file(set / name, "somebody else's");
  write_file(set / "segment-00000000000000000008-00000000000000000009.zst", "unnamed");
  auto const left = backups / "set-new.partial-00112233445566778899aabbccddeeff";
  fs::create_directories(left / "base");
  fs::create_directories(backups / "set-mine.partial");
  write("cu_new_e");
  back_up();
  BOOST_TEST(!fs::exists(left));
  BOOST_TEST(!fs::exists(half));
  BOOST_TEST(fs::exists(backups / "set-mine.partial"), "it is somebody's");
  for (auto const* const name : {"segment.partial", "manifest.partial"})
    BOOST_TEST(content_of_file(set / name) == "somebody else's");
  BOOST_TEST(!fs::exists(set / "segment-00000000000000000008-00000000000000000009.zst"));
  BOOST_TEST(schema::number(store::recover(backups, target).value().tx) == 8U);
}

/// Damage, done to a set and one of another store; what the error must name.
struct Damage {
  char const* name;
  std::function<void(SetFixture const&, fs::path const& set)> inflict;
  Errc code;
  char const* said;
};
std::ostream& operator<<(std::ostream& out, Damage const& damage) {
  return out << damage.name;
}

void flip(fs::path const& path, std::size_t from_end) {
  auto bytes = content_of_file(path);
  bytes.at(bytes.size() - from_end) = static_cast<char>(bytes[bytes.size() - from_end] ^ 1);
  write_file(path, bytes);
}

/// Writes the manifest anew after `change`, with sums that hold.
void forge(fs::path const& set, std::function<void(store::Manifest&)> const& change) {
  auto manifest = store::read_manifest(set).value();
  change(manifest);
  store::write_manifest(set, manifest);
}

/// Gives an entry the size and digest of another file, as a forger would.
void forge_file(fs::path const& set, std::size_t number, std::string const& bytes) {
  forge(set, [&](store::Manifest& manifest) {
    auto& entry = manifest.segments.at(number);
    write_file(set / entry.name(), bytes);
    entry.bytes = bytes.size();
    entry.sha256 = schema::sha256(bytes);
  });
}

Damage const damages[] = {
    {"a_flipped_manifest", [](auto const&, auto const& set) { flip(set / "manifest", 200); }, Errc::corrupt,
     "manifest"},
    {"a_cut_manifest",
     [](auto const&, auto const& set) { fs::resize_file(set / "manifest", fs::file_size(set / "manifest") - 30); },
     Errc::corrupt, "manifest"},
    {"an_empty_manifest", [](auto const&, auto const& set) { write_file(set / "manifest", ""); }, Errc::corrupt,
     "manifest"},
    {"no_manifest", [](auto const&, auto const& set) { fs::remove(set / "manifest"); }, Errc::not_found, "manifest"},
    {"a_manifest_that_is_a_link",
     [](auto const&, auto const& set) {
       fs::rename(set / "manifest", set / "elsewhere");
       fs::create_symlink(set / "elsewhere", set / "manifest");
     },
     Errc::corrupt, "symbolic link"},
    {"a_flipped_segment", [](auto const& made, auto const& set) { flip(made.segment(set, 1), 20); }, Errc::corrupt,
     "segment-"},
    {"a_cut_segment",
     [](auto const& made, auto const& set) {
       fs::resize_file(made.segment(set, 1), fs::file_size(made.segment(set, 1)) - 1);
     },
     Errc::corrupt, "segment-"},
    {"a_missing_segment", [](auto const& made, auto const& set) { fs::remove(made.segment(set, 1)); }, Errc::not_found,
     "segment-00000000000000000005-00000000000000000006.zst is missing"},
    {"a_segment_that_is_a_link",
     [](auto const& made, auto const& set) {
       auto const path = made.segment(set, 0);
       fs::rename(path, set / "elsewhere");
       fs::create_symlink(set / "elsewhere", path);
     },
     Errc::corrupt, "symbolic link"},
    {"a_segment_that_is_a_directory",
     [](auto const& made, auto const& set) {
       fs::remove(made.segment(set, 0));
       fs::create_directory(made.segment(set, 0));
     },
     Errc::corrupt, "no regular file"},
    {"a_flipped_base", [](auto const&, auto const& set) { flip(set / "base" / "data.mdb", 5000); }, Errc::corrupt,
     "base"},
    {"no_base", [](auto const&, auto const& set) { fs::remove_all(set / "base"); }, Errc::not_found, "base"},
    {"a_base_behind_a_link",
     [](auto const&, auto const& set) {
       fs::rename(set / "base", set / "elsewhere");
       fs::create_symlink(set / "elsewhere", set / "base");
     },
     Errc::corrupt, "symbolic link"},
    {"segments_swapped",
     [](auto const&, auto const& set) {
       forge(set, [](store::Manifest& manifest) { std::swap(manifest.segments[0], manifest.segments[1]); });
     },
     Errc::corrupt, "begins with transaction"},
    {"a_segment_twice",
     [](auto const&, auto const& set) {
       forge(set, [](store::Manifest& manifest) { manifest.segments.push_back(manifest.segments.back()); });
     },
     Errc::corrupt, "begins with transaction"},
    {"a_segment_left_out",
     [](auto const&, auto const& set) {
       forge(set, [](store::Manifest& manifest) { manifest.segments.erase(manifest.segments.begin()); });
     },
     Errc::corrupt, "begins with transaction"},
    {"the_bytes_of_another_segment",
     [](auto const& made, auto const& set) { forge_file(set, 0, content_of_file(made.segment(set, 2))); },
     Errc::corrupt, "does not follow"},
    {"a_segment_of_another_store",
     [](auto const& made, auto const& set) {
       SetFixture other;
       auto const theirs = other.make_set();
       static_cast<void>(made);
       forge_file(set, 0, content_of_file(other.segment(theirs, 0)));
     },
     Errc::conflict, "another store"},
    {"a_segment_that_is_no_zstd", [](auto const&, auto const& set) { forge_file(set, 0, "no frame at all"); },
     Errc::corrupt, "does not unpack"},
    {"a_segment_that_is_empty", [](auto const&, auto const& set) { forge_file(set, 0, ""); }, Errc::corrupt,
     "cut short"},
    {"the_base_of_another_store",
     [](auto const&, auto const& set) {
       SetFixture other;
       auto const theirs = other.make_set();
       auto const bytes = content_of_file(theirs / "base" / "data.mdb");
       write_file(set / "base" / "data.mdb", bytes);
       forge(set, [&](store::Manifest& manifest) {
         manifest.base.bytes = bytes.size();
         manifest.base.sha256 = schema::sha256(bytes);
       });
     },
     Errc::corrupt, "not the store that the manifest names"},
    {"another_leaf_hash",
     [](auto const&, auto const& set) {
       forge(set, [](store::Manifest& manifest) { manifest.segments[1].leaf.bytes[0] ^= 1; });
     },
     Errc::corrupt, "does not end with the transaction"},
};

BOOST_DATA_TEST_CASE_F(SetFixture, damage_is_named_and_nothing_is_made, boost::unit_test::data::make(damages), damage) {
  auto const set = make_set();
  damage.inflict(*this, set);
  auto const error = restore_error(backups);
  BOOST_TEST(error.code == damage.code);
  BOOST_TEST_CONTEXT(error.message) {
    BOOST_TEST(error.message.find(damage.said) != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(sets_are_pruned_whole) {
  make_set();
  for (int i = 0; i < 3; ++i) {
    write("cu_later_" + std::to_string(i));
    now += 86'400;
    back_up(1);
  }
  auto const before = store::list_sets(backups);
  BOOST_REQUIRE(before.size() == 4U);
  store::KeepRules const rules{.now = {now, 0}, .window_s = 20 * 3'600};
  auto const dry = store::prune_sets(backups, rules, true).value();
  BOOST_TEST(dry.removed.size() == 2U);
  BOOST_TEST(store::list_sets(backups).size() == 4U);
  auto const done = store::prune_sets(backups, rules, false).value();
  BOOST_TEST((done.kept == std::vector<fs::path>(before.begin() + 2, before.end())));
  BOOST_TEST((store::list_sets(backups) == done.kept));
  BOOST_TEST(store::recover(backups, target).value().is_last);
}

BOOST_AUTO_TEST_CASE(the_newest_of_each_day_is_kept) {
  for (int i = 0; i < 6; ++i) {
    write("cu_day_" + std::to_string(i));
    now += 86'400 / 2;
    back_up(0);
  }
  auto const all = store::list_sets(backups);
  BOOST_REQUIRE(all.size() == 6U);
  auto const done = store::prune_sets(backups, {.now = {now, 0}, .daily = 2}, false).value();
  BOOST_REQUIRE(done.kept.size() == 2U);
  BOOST_TEST((done.kept.back() == all.back()));
  auto const none = store::prune_sets(backups, {.now = {now + 3'600, 0}, .window_s = 1}, false).value();
  BOOST_TEST((none.kept == std::vector<fs::path>{all.back()}));  // the newest stays, whatever the rules
}

BOOST_AUTO_TEST_CASE(nothing_is_pruned_beside_a_manifest_that_does_not_read) {
  auto const set = make_set();
  write("cu_new_e");
  back_up(1);
  flip(set / "manifest", 100);
  auto const refused = store::prune_sets(backups, {.now = {now + 1'000'000, 0}, .window_s = 1}, false);
  BOOST_TEST(refused.error().code == Errc::corrupt);
  BOOST_TEST(store::list_sets(backups).size() == 2U);
}

BOOST_AUTO_TEST_CASE(each_place_of_a_backup_is_noted_once) {
  BOOST_TEST(store::find_backups(source).empty());
  for (std::uint64_t tx = 1; tx <= 6; ++tx)
    store::keep_last_backup(
        source, {.at = {now, 0}, .tx = TxId{tx}, .path = tx % 2 == 0 ? "/sets" : "/copy " + std::to_string(tx)});
  std::vector<std::string> places;
  for (auto const& each : store::find_backups(source))
    places.push_back(each.path + " " + std::to_string(schema::number(each.tx)));
  BOOST_TEST(places == (std::vector<std::string>{"/copy 1 1", "/copy 3 3", "/copy 5 5", "/sets 6"}),
             boost::test_tools::per_element());
  for (std::uint64_t tx = 7; tx <= store::places_max + 10; ++tx)
    store::keep_last_backup(
        source, {.at = {now, 0}, .tx = TxId{tx}, .path = "/" + std::string(2000, 'x') + std::to_string(tx)});
  BOOST_TEST(store::find_backups(source).size() == store::places_max);
  BOOST_TEST(store::find_backups(source).back().tx == TxId{store::places_max + 10});
}

void note_place(fs::path const& store, std::string const& path) {
  store::keep_last_backup(store, {.at = {1'760'026'500, 0}, .tx = TxId{7}, .path = path});
}

std::vector<std::string> noted_places(fs::path const& store) {
  std::vector<std::string> places;
  for (auto const& each : store::find_backups(store)) places.push_back(each.path);
  return places;
}

BOOST_AUTO_TEST_CASE(a_torn_line_of_the_places_is_no_place_and_is_cut_off) {
  auto const note = [&](std::string const& path) { note_place(source, path); };
  note("/one");
  note("/two");
  BOOST_TEST(!store::is_list_torn(source));
  fs::resize_file(source / "backups", fs::file_size(source / "backups") - 2);
  BOOST_TEST(store::is_list_torn(source));
  BOOST_TEST(noted_places(source) == std::vector<std::string>{"/one"}, boost::test_tools::per_element());
  note("/three");
  BOOST_TEST(!store::is_list_torn(source));
  BOOST_TEST(noted_places(source) == (std::vector<std::string>{"/one", "/three"}), boost::test_tools::per_element());
  fs::resize_file(source / "backups", 5);
  note("/four");
  BOOST_TEST(noted_places(source) == std::vector<std::string>{"/four"}, boost::test_tools::per_element());
}

/// Claim: a line that does not fit leaves nothing of itself, and who notes a backup touches no file of others.
BOOST_AUTO_TEST_CASE(a_line_of_the_places_that_does_not_fit_leaves_nothing) {
  auto const note = [&](std::string const& path) { note_place(source, path); };
  write_file(source / "last-backup.partial", "somebody else's");
  note("/one");
  auto const before = fs::file_size(source / "backups");
  struct rlimit limit = {};
  BOOST_REQUIRE(::getrlimit(RLIMIT_FSIZE, &limit) == 0);
  struct rlimit const small = {before + 10, limit.rlim_max};
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  BOOST_REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  BOOST_CHECK_THROW(note("/two"), std::system_error);
  BOOST_REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
  std::signal(SIGXFSZ, handler);
  BOOST_TEST(fs::file_size(source / "backups") == before);
  note("/three");
  BOOST_TEST(noted_places(source) == (std::vector<std::string>{"/one", "/three"}), boost::test_tools::per_element());
  BOOST_TEST(content_of_file(source / "last-backup.partial") == "somebody else's");
}

BOOST_AUTO_TEST_CASE(the_last_backup_is_noted) {
  BOOST_TEST(!store::find_last_backup(source));
  store::keep_last_backup(source, {.at = {now, 0}, .tx = TxId{7}, .path = "/a path/with blanks"});
  auto const found = store::find_last_backup(source);
  BOOST_REQUIRE(found);
  BOOST_TEST((found->at == schema::Time{now, 0}));
  BOOST_TEST((found->tx == TxId{7}));
  BOOST_TEST(found->path == "/a path/with blanks");
  write_file(source / "last-backup", "yesterday 7 here\n");
  BOOST_TEST(!store::find_last_backup(source));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
