// Claim: a group is there once it is in the journal, for every reader and after every end of the writer; one that is
// not acknowledged is there whole or not at all.
//
// Method: groups are committed and looked at by their own store, by another beside it, in a copy of the folder (as a
// kill leaves it), and in copies whose journal was cut, flipped or lost. What a power cut leaves:
// power/torn_writes_test.

#include "store/lmdb/journal.hpp"

#include "store/log/store.hpp"
#include "store/upkeep/backup.hpp"
#include "store/upkeep/compact.hpp"
#include "store/verify/verify.hpp"
#include "tests/store/failing_file_calls.hpp"
#include "tests/store/history.hpp"
#include "tests/support/fixtures.hpp"

#include <atomic>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <thread>

#include <boost/test/unit_test.hpp>
#include <signal.h>
#include <sys/resource.h>

namespace whence::test {
namespace {

using store::Store;
namespace fs = std::filesystem;

std::string bytes_of_file(fs::path const& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

struct JournalFixture {
  TemporaryDirectory directory;
  fs::path path = directory.path() / "store";
  fs::path left = directory.path() / "left";
  History history;
  std::unique_ptr<Store> store = Store::open(path).value();
  std::vector<std::string> states;  ///< as described after each commit

  JournalFixture() {
    append_small_history(*store, history);
    store->append(history.put(many_units(1)));
    store->commit().value();
    store.reset();  // LMDB has these
    store = Store::open(path).value();
    states.push_back(describe(*store).value());
  }

  void commit_one(std::string const& salt, std::size_t count = 1) {
    store->append(history.put(many_responses(count, 1, 1, salt), "key of " + salt));
    store->commit().value();
    states.push_back(describe(*store).value());
  }

  /// Groups that wait: LMDB's file is as it was.
  void commit_waiting(int count) {
    commit_one("first");
    auto const before = bytes_of_file(path / "data.mdb");
    for (int i = 1; i < count; ++i) commit_one(std::to_string(i));
    BOOST_TEST((bytes_of_file(path / "data.mdb") == before));
  }

  /// What a kill of the writer leaves.
  fs::path leave() {
    fs::remove_all(left);
    fs::copy(path, left);
    fs::remove(left / "lock.mdb");
    return left;
  }

  /// What `verify` finds in the store there; empty where all is well.
  [[nodiscard]] static std::string fault_of(fs::path const& where) {
    auto const report = store::verify(where).value();
    return report.problems.empty() ? "" : report.problems.front().message;
  }

  [[nodiscard]] std::string described(fs::path const& where) const {
    return describe(*Store::open(where).value()).value();
  }
};

BOOST_FIXTURE_TEST_SUITE(journal, JournalFixture)

BOOST_AUTO_TEST_CASE(what_waits_is_there_after_a_kill) {
  commit_waiting(5);
  BOOST_TEST((described(leave()) == states.back()));
  BOOST_TEST(!fs::exists(left / "journal"));  // it was closed since
  BOOST_TEST((described(left) == states.back()));
  BOOST_TEST(fault_of(left) == "");
  BOOST_TEST(fault_of(leave()) == "");  // of the folder as the kill left it
  BOOST_TEST((describe(*Store::open(left, {.is_read_only = true}).value()).value() == states.back()));
  BOOST_TEST(fs::exists(left / "journal"));  // looking changes nothing
}

BOOST_AUTO_TEST_CASE(a_store_that_is_closed_is_its_data_file_alone) {
  commit_waiting(3);
  store.reset();
  BOOST_TEST(!fs::exists(path / "journal"));
  fs::create_directory(left);
  fs::copy_file(path / "data.mdb", left / "data.mdb");
  BOOST_TEST((described(left) == states.back()));
}

BOOST_AUTO_TEST_CASE(more_groups_than_may_wait_go_to_lmdb) {
  for (std::size_t i = 0; i < 3 * store::journal_groups_max; ++i) commit_one("many-" + std::to_string(i));
  commit_one("large", 2'000);
  commit_one("after");
  BOOST_TEST((described(leave()) == states.back()));
  BOOST_TEST(fault_of(leave()) == "");
  store.reset();
  store = Store::open(path).value();
  BOOST_TEST((describe(*store).value() == states.back()));
  commit_one("again");
  BOOST_TEST((described(leave()) == states.back()));
}

BOOST_AUTO_TEST_CASE(a_writer_after_a_kill_goes_on) {
  commit_waiting(4);
  leave();
  store = Store::open(left).value();
  path = left;
  commit_one("after the kill");
  left = directory.path() / "left again";
  BOOST_TEST((described(leave()) == states.back()));
}

BOOST_AUTO_TEST_CASE(a_group_that_was_not_written_to_its_end_is_not_there_and_damage_is_said) {
  commit_waiting(4);
  auto const whole = bytes_of_file(leave() / "journal");
  std::vector<std::size_t> begins;
  for (std::size_t at = 0; at < whole.size(); at += 4096) {
    if (whole.compare(at, 6, "WHNCEJ") == 0) begins.push_back(at);
  }
  BOOST_TEST_REQUIRE(begins.size() == 4U);
  for (std::size_t group = 0; group < begins.size(); ++group) {
    for (std::size_t const offset : {0U, 10U, 20U, 40U, 60U, 90U, 112U, 300U}) {
      leave();
      auto damaged = whole;
      damaged[begins[group] + offset] ^= 0x20;
      std::ofstream{left / "journal", std::ios::binary | std::ios::trunc} << damaged;
      if (group + 1 == begins.size()) {
        BOOST_TEST((described(left) == states[states.size() - 2]), "byte " << offset);
      } else {  // the one after it was acknowledged: this one was whole
        auto const refused = Store::open(left);
        BOOST_TEST_REQUIRE(refused.has_error(), "group " << group << ", byte " << offset);
        BOOST_TEST((refused.error().code == Errc::corrupt));
      }
    }
  }
  leave();
  fs::resize_file(left / "journal", begins[2] + 50);
  BOOST_TEST((described(left) == states[states.size() - 3]));
}

BOOST_AUTO_TEST_CASE(a_journal_of_another_store_is_not_read) {
  commit_waiting(2);
  leave();
  TemporaryDirectory other;
  auto const before = described(other.path() / "store");
  fs::copy_file(left / "journal", other.path() / "store" / "journal");
  BOOST_TEST((described(other.path() / "store") == before));
}

BOOST_AUTO_TEST_CASE(a_journal_that_begins_after_the_store_is_damage) {
  auto const early = bytes_of_file(path / "data.mdb");
  commit_one("gone", 2'000);  // too large for the journal
  commit_waiting(2);
  leave();
  std::ofstream{left / "data.mdb", std::ios::binary | std::ios::trunc} << early;
  auto const refused = Store::open(left);
  BOOST_TEST_REQUIRE(refused.has_error());
  BOOST_TEST((refused.error().code == Errc::corrupt));
  BOOST_TEST(refused.error().message == "the journal goes on after transaction 5, the store ends with 4");
}

BOOST_AUTO_TEST_CASE(a_copy_has_what_waits) {
  commit_waiting(3);
  BOOST_TEST(store->backup(directory.path() / "backup").value().tx == history.tx());
  auto const expected = states.back().substr(states.back().find('\n'));  // all but the epoch
  store::restore(directory.path() / "backup", directory.path() / "restored").value();
  auto const restored = described(directory.path() / "restored");
  BOOST_TEST((restored.substr(restored.find('\n')) == expected));
  store::restore(leave(), directory.path() / "of the folder").value();
  auto const of_folder = described(directory.path() / "of the folder");
  BOOST_TEST((of_folder.substr(of_folder.find('\n')) == expected));
  store::compact(leave()).value();
  BOOST_TEST(!fs::exists(left / "journal"));
  BOOST_TEST((described(left) == states.back()));
}

BOOST_AUTO_TEST_CASE(no_byte_of_what_goes_stays_in_the_journal) {
  auto secret = unit("cu_secret");
  secret.content = "the word is abracadabra";
  store->append(history.put({secret}));
  store->commit().value();
  BOOST_TEST(bytes_of_file(path / "journal").find("abracadabra") != std::string::npos);
  auto commit = history.make({.blobs = {"a blob"}});
  auto const vertex = history.vertex({schema::RecordType::context_unit, "cu_secret"});
  commit.entry.changes.push_back({vertex, schema::stored::ChangeKind::purge, {}});
  commit.gone.push_back({.vertex = vertex, .type = schema::RecordType::context_unit, .last_revision = 0});
  store->append(std::move(commit));
  store->commit().value();
  BOOST_TEST(!fs::exists(path / "journal"));
  store->append(history.put({unit("cu_next")}));
  store->commit().value();
  BOOST_TEST(bytes_of_file(path / "journal").find("abracadabra") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_key_that_is_there_is_refused_at_once) {
  commit_waiting(2);
  auto const before = history;
  store->append(history.put(many_responses(1, 1, 1, "other"), "key of first"));
  BOOST_CHECK_THROW((void)store->commit(), std::system_error);
  history = before;
  commit_one("goes on");
  BOOST_TEST((described(leave()) == states.back()));
}

BOOST_AUTO_TEST_CASE(blobs_wait_as_contents_do) {
  auto const before = bytes_of_file(path / "data.mdb");
  for (auto const& text : {std::string{"short"}, long_text() + "more", std::string{"another"}}) {
    store->append(history.make({.put = {blob_attachment(text)}, .blobs = {text}}));
    store->commit().value();
    BOOST_TEST((store->read_blob(schema::sha256(text)).value() == text));
  }
  BOOST_TEST((bytes_of_file(path / "data.mdb") == before));
  BOOST_TEST((described(leave()) == describe(*store).value()));
  BOOST_TEST(fault_of(left) == "");
  BOOST_TEST(fault_of(leave()) == "");
}

// A reader's state of LMDB's tables and the groups over it belong together, whatever the writer does meanwhile.
BOOST_AUTO_TEST_CASE(readers_see_each_group_from_its_commit_on) {
  std::atomic<bool> is_over = false;
  std::atomic<int> faults = 0;
  auto const read_on = [&](Store const& from) {
    std::uint64_t last = 0;
    while (!is_over) {
      auto const end = from.log_end();
      bool const is_right = end && schema::number(end->tx) >= last && from.log_entry(end->tx).has_value() &&
                            from.leaf_hash(end->tx).value() == end->leaf;
      if (!is_right) ++faults;
      if (end) last = schema::number(end->tx);
    }
  };
  auto const beside = Store::open(path, {.is_read_only = true}).value();
  std::thread own{read_on, std::cref(*store)};
  std::thread another{read_on, std::cref(*beside)};
  for (int i = 0; i < 500; ++i) {
    store->append(history.put(many_responses(1 + static_cast<std::size_t>(i) % 3, 1, 1, "read-" + std::to_string(i)),
                              "read-" + std::to_string(i)));
    store->commit().value();
    if (store->log_end().value().tx != history.tx()) ++faults;
    if (!store->find_kept_answer("read-" + std::to_string(i)).value()) ++faults;
  }
  is_over = true;
  own.join();
  another.join();
  BOOST_TEST(faults == 0);
  BOOST_TEST((describe(*Store::open(path, {.is_read_only = true}).value()).value() == describe(*store).value()));
}

BOOST_AUTO_TEST_CASE(without_room_for_the_file_groups_go_to_lmdb) {
  store.reset();
  store = Store::open(path).value();
  auto* const handler = ::signal(SIGXFSZ, SIG_IGN);
  struct rlimit limit = {};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  auto const all = limit.rlim_cur;
  limit.rlim_cur = store::journal_bytes / 2;
  ::setrlimit(RLIMIT_FSIZE, &limit);
  commit_one("little room");
  limit.rlim_cur = all;
  ::setrlimit(RLIMIT_FSIZE, &limit);
  ::signal(SIGXFSZ, handler);
  BOOST_TEST(!fs::exists(path / "journal"));
  BOOST_TEST((described(leave()) == states.back()));
  commit_one("room again");
  BOOST_TEST(fs::exists(path / "journal"));
}

/// The calls of a group that goes to the journal: its frame, and the flush.
constexpr std::size_t journal_calls = 2;

BOOST_AUTO_TEST_CASE(a_group_whose_write_fails_was_never_there) {
  commit_waiting(2);
  for (int const code : {ENOSPC, EIO}) {
    for (std::size_t number = 0; number < journal_calls; ++number) {
      auto const before = history;
      store->append(history.put(many_responses(1, 1, 1, "fails")));
      {
        FileCalls const failing{FileFault::fails, number, code};
        bool const goes_to_lmdb = code == ENOSPC && number == 0;
        if (goes_to_lmdb)
          BOOST_CHECK_NO_THROW(store->commit().value());
        else
          BOOST_CHECK_THROW((void)store->commit(), std::system_error);
        BOOST_TEST(failing.has_struck());
        if (goes_to_lmdb) {
          states.push_back(describe(*store).value());
          continue;
        }
      }
      history = before;
      BOOST_TEST((describe(*store).value() == states.back()));
    }
  }
  commit_one("goes on");
  BOOST_TEST((described(leave()) == states.back()));
  BOOST_TEST(fault_of(leave()) == "");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
