// What a store promises while things go wrong: no room, a killed writer, things in the directory that are no store.

#include "store/files/files.hpp"
#include "store/log/store.hpp"
#include "store/verify/verify.hpp"
#include "tests/store/failing_calls.hpp"
#include "tests/store/history.hpp"
#include "tests/support/fixtures.hpp"

#include <array>
#include <cerrno>
#include <fstream>
#include <functional>

#include <boost/test/unit_test.hpp>
#include <lmdb.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace whence::test {
namespace {

using schema::TxId;
using store::Store;

BOOST_AUTO_TEST_CASE(a_full_store_refuses_the_group_and_goes_on) {
  TemporaryDirectory directory;
  auto store = Store::open(directory.path(), {.map_bytes = std::uint64_t{1} << 20}).value();
  History history;
  store->append(history.put(many_units(100)));
  store->commit().value();
  std::string const before = describe(*store).value();

  store->append(history.put(many_responses(10, 5, 100, "small"), "lost"));
  store->append(history.put(many_responses(20'000, 20, 100, "large")));
  auto const refused = store->commit();
  BOOST_TEST_REQUIRE(refused.has_error());
  BOOST_TEST((refused.error().code == Errc::storage_full));
  BOOST_TEST((describe(*store).value() == before));
  BOOST_TEST(!store->find_kept_answer("lost").value().has_value());

  history.rewind(TxId{1}, 100);
  store->append(history.put(many_responses(10, 5, 100, "small"), "kept"));
  store->commit().value();
  BOOST_TEST(store->stats().records == 110U);
  store.reset();
  BOOST_TEST(store::verify(directory.path()).value().is_ok);
}

BOOST_AUTO_TEST_CASE(the_map_may_grow_at_the_next_opening) {
  TemporaryDirectory directory;
  History history;
  auto store = Store::open(directory.path(), {.map_bytes = std::uint64_t{1} << 20}).value();
  store->append(history.put(many_units(100)));
  store->commit().value();
  store.reset();
  store = Store::open(directory.path()).value();
  store->append(history.put(many_responses(20'000, 20, 100, "large")));
  store->commit().value();
  BOOST_TEST(store->stats().records == 20'100U);
}

/// A group of several transactions with changes of every kind.
void append_group(Store& store, History& history) {
  append_small_history(store, history);
  auto again = topic("t");
  again.name = "again";
  store.append(history.make({.put = {feedback("fb_1", "resp_1", 1)},
                             .revise = {{.record = again}},
                             .blobs = {"a", "b"},
                             .idempotency_key = "key-2"}));
}

/// How often it calls LMDB to write: 4 entries, 4 blocks, 13 contents, 3 blobs and their
/// numbers, 2 answers, the head, and the commit.
constexpr std::size_t calls_of_group = 31;

// Claim: whichever write of a group fails, nothing of the group is there and the same group can be committed next.
// Method: fail the first, the second, ... up to the last; once for want of room, once for a broken disk.
void fail_every_call(int code, std::function<void(Store&)> const& commit_and_fail) {
  TemporaryDirectory directory;
  auto store = Store::open(directory.path(), {.is_durable = false}).value();  // without a journal
  std::string const before = describe(*store).value();
  for (std::size_t number = 0; number < calls_of_group; ++number) {
    BOOST_TEST_CONTEXT("call " << number) {
      History history;
      append_group(*store, history);
      FailingCall const failing{number, code};
      commit_and_fail(*store);
      BOOST_TEST_REQUIRE(failing.has_failed());
      BOOST_TEST((describe(*store).value() == before));
      BOOST_TEST(store->stats().records == 0U);
      BOOST_TEST(!store->read_blob(schema::sha256("a")).value().has_value());
    }
  }
  History history;
  append_group(*store, history);
  {
    FailingCall const beyond{calls_of_group, code};
    store->commit().value();
    BOOST_TEST(!beyond.has_failed());
  }
  BOOST_TEST(store->stats().records == 13U);
  store.reset();
  BOOST_TEST(store::verify(directory.path()).value().is_ok);
}

BOOST_AUTO_TEST_CASE(a_group_without_room_at_any_call_leaves_nothing) {
  fail_every_call(MDB_MAP_FULL, [](Store& store) {
    auto const refused = store.commit();
    BOOST_TEST_REQUIRE(refused.has_error());
    BOOST_TEST((refused.error().code == Errc::storage_full));
  });
}

BOOST_AUTO_TEST_CASE(a_group_that_breaks_at_any_call_leaves_nothing) {
  fail_every_call(EIO, [](Store& store) { BOOST_CHECK_THROW((void)store.commit(), std::system_error); });
}

/// Lets files of this process become `bytes` long; 0: as long as before.
void limit_files(std::uint64_t bytes) {
  struct rlimit limit = {};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = bytes == 0 ? limit.rlim_max : bytes;
  ::setrlimit(RLIMIT_FSIZE, &limit);
}

/// Commits a group that is larger than what a file may grow by, then, without the limit, the same group.
bool is_refused_and_kept(std::filesystem::path const& directory, std::uint64_t growth) {
  auto const store = Store::open(directory).value();
  History history;
  store->append(history.put(many_units(100)));
  store->commit().value();
  limit_files(std::filesystem::file_size(directory / "data.mdb") + growth);
  store->append(history.put(many_responses(2'000, 5, 100, "large")));
  auto const refused = store->commit();
  if (!refused.has_error() || refused.error().code != Errc::storage_full) return false;
  limit_files(0);
  history.rewind(TxId{1}, 100);
  store->append(history.put(many_responses(2'000, 5, 100, "large")));
  return store->commit().has_value() && store->stats().records == 2'100U;
}

// LMDB reports the write that the limit cuts short as EIO, the next one as EFBIG.
BOOST_AUTO_TEST_CASE(a_file_at_its_size_limit_is_a_full_disk) {
  for (std::uint64_t const growth : {0U, 4096U, 5000U, 20'000U}) {
    BOOST_TEST_CONTEXT(growth << " bytes") {
      TemporaryDirectory directory;
      int const status = run_in_child([&] {
        ::signal(SIGXFSZ, SIG_IGN);
        return is_refused_and_kept(directory.path(), growth) ? 0 : 1;
      });
      BOOST_TEST(status == 0);
      BOOST_TEST(store::verify(directory.path()).value().is_ok);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_file_may_grow_up_to_its_limit) {
  TemporaryDirectory directory;
  auto const file = directory.path() / "file";
  std::ofstream{file} << "text";
  BOOST_TEST(store::may_grow(file, 4096));
  int const status = run_in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    limit_files(4096);
    return store::may_grow(file, 4000) && !store::may_grow(file, 4096) ? 0 : 1;
  });
  BOOST_TEST(status == 0);
}

#ifndef WHENCE_SANITIZED  // their shadow memory takes more than any limit
BOOST_AUTO_TEST_CASE(a_limited_address_space_gets_a_smaller_map) {
  TemporaryDirectory directory;
  int const status = run_in_child([&] {
    struct rlimit const limit = {std::uint64_t{16} << 30, std::uint64_t{16} << 30};
    ::setrlimit(RLIMIT_AS, &limit);
    auto const store = Store::open(directory.path()).value();
    History history;
    append_small_history(*store, history);
    return store->commit().has_value() ? 0 : 1;
  });
  BOOST_TEST(status == 0);
  BOOST_TEST(store::verify(directory.path()).value().is_ok);
}
#endif

/// Commits until killed, and writes the number of each acknowledged transaction to `fd`.
[[noreturn]] void commit_for_ever(std::filesystem::path const& directory, int fd) {
  auto const store = Store::open(directory).value();
  History history;
  history.rewind(store->stats().head, static_cast<std::uint32_t>(store->stats().records));
  for (;;) {
    for (int i = 0; i < 3; ++i) {
      std::string const id = std::to_string(schema::number(history.tx()));
      store->append(history.put({unit("cu_" + id), response("resp_" + id, {("cu_" + id).c_str()})}, "key-" + id));
    }
    store->commit().value();
    std::uint64_t const head = schema::number(history.tx());
    if (::write(fd, &head, sizeof head) != sizeof head) ::_exit(1);
  }
}

/// Runs a writer until it has acknowledged `commits` groups, kills it, and returns the last transaction it
/// acknowledged.
std::uint64_t kill_after(std::filesystem::path const& directory, int commits) {
  std::array<int, 2> ends = {};
  BOOST_TEST_REQUIRE(::pipe(ends.data()) == 0);
  pid_t const writer = ::fork();
  if (writer == 0) commit_for_ever(directory, ends[1]);
  ::close(ends[1]);
  std::uint64_t acknowledged = 0;
  for (int i = 0; i < commits; ++i)
    BOOST_TEST_REQUIRE(::read(ends[0], &acknowledged, sizeof acknowledged) == sizeof acknowledged);
  ::kill(writer, SIGKILL);
  while (::read(ends[0], &acknowledged, sizeof acknowledged) == sizeof acknowledged) {
  }
  ::close(ends[0]);
  ::waitpid(writer, nullptr, 0);
  return acknowledged;
}

// Claim: a killed writer loses nothing that it acknowledged and leaves no half group. Method: kill -9 a committing
// process twenty times, at moments of its own timing, on the same store.
BOOST_AUTO_TEST_CASE(a_killed_writer_loses_nothing_acknowledged) {
  TemporaryDirectory directory;
  for (int cycle = 0; cycle < 20; ++cycle) {
    std::uint64_t const acknowledged = kill_after(directory.path(), 1 + cycle % 5);
    auto const report = store::verify(directory.path()).value();
    BOOST_TEST_REQUIRE(report.is_ok);
    std::uint64_t const head = schema::number(report.tx);
    BOOST_TEST_REQUIRE(head >= acknowledged);
    BOOST_TEST(head % 3 == 0U);
    BOOST_TEST(report.records == 2 * head);
    auto const store = Store::open(directory.path()).value();
    for (std::uint64_t tx = 1; tx <= head; ++tx) {
      auto const answer = store->find_kept_answer("key-" + std::to_string(tx - 1)).value();
      BOOST_TEST_REQUIRE((answer && answer->tx == TxId{tx}));
    }
  }
}

BOOST_AUTO_TEST_CASE(an_empty_directory_becomes_a_store) {
  TemporaryDirectory directory;
  BOOST_TEST((store::verify(directory.path()).error().code == Errc::not_found));
  BOOST_TEST(Store::open(directory.path()).has_value());
  BOOST_TEST(store::verify(directory.path()).value().is_ok);
}

BOOST_AUTO_TEST_CASE(an_interrupted_creation_is_begun_again) {
  TemporaryDirectory directory;
  auto const left = directory.path() / "data.mdb.partial-00112233445566778899aabbccddeeff";
  std::filesystem::create_directory(left);
  std::ofstream{left / "data.mdb"} << "half a file";
  std::filesystem::create_directory(directory.path() / "new");
  std::ofstream{directory.path() / "new" / "data.mdb"} << "somebody's";
  BOOST_TEST(Store::open(directory.path()).has_value());
  BOOST_TEST(!std::filesystem::exists(left));
  BOOST_TEST(std::filesystem::exists(directory.path() / "new" / "data.mdb"));
}

BOOST_AUTO_TEST_CASE(what_is_no_store_is_not_opened) {
  for (std::string const& text :
       {std::string{}, std::string{"hello"}, std::string(20'000, 'x'), std::string(20'000, '\0')}) {
    BOOST_TEST_CONTEXT(text.size() << " bytes") {
      TemporaryDirectory directory;
      std::ofstream{directory.path() / "data.mdb"} << text;
      BOOST_TEST((Store::open(directory.path()).error().code == Errc::corrupt));
      BOOST_TEST(!store::verify(directory.path()).value().is_ok);
      BOOST_TEST(std::filesystem::file_size(directory.path() / "data.mdb") == text.size());
    }
  }
}

BOOST_AUTO_TEST_CASE(a_missing_place_is_an_environment_failure) {
  TemporaryDirectory directory;
  std::ofstream{directory.path() / "file"} << "no directory";
  BOOST_CHECK_THROW((void)Store::open(directory.path() / "file"), std::system_error);
}

BOOST_AUTO_TEST_CASE(verify_leaves_a_used_store_alone_unless_allowed) {
  TemporaryDirectory directory;
  auto const store = Store::open(directory.path()).value();
  History history;
  append_small_history(*store, history);
  store->commit().value();
  store->append(history.put({topic("pending")}));
  BOOST_TEST((store::verify(directory.path()).error().code == Errc::busy));
  auto const report = store::verify(directory.path(), true).value();
  BOOST_TEST(report.is_ok);
  BOOST_TEST(schema::number(report.tx) == 3U);
  store->commit().value();
  BOOST_TEST(schema::number(store::verify(directory.path(), true).value().tx) == 4U);
}

BOOST_AUTO_TEST_CASE(verify_finds_edges_that_are_not_the_records) {
  TemporaryDirectory directory;
  auto store = Store::open(directory.path()).value();
  History history;
  store->append(history.put(many_units(2)));
  store::Commit commit = history.put({feedback("fb_1", "resp_1", 1), response("resp_1", {"cu_0"})});
  commit.rows[0].edges.clear();
  store->append(std::move(commit));
  store->commit().value();
  store.reset();
  auto const report = store::verify(directory.path()).value();
  BOOST_TEST_REQUIRE(report.problems.size() == 1U);
  BOOST_TEST(report.problems[0].rule == "edge");
  BOOST_TEST(report.problems[0].where == "record 2");
}

}  // namespace
}  // namespace whence::test
