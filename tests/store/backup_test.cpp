// Copies taken while writes go on, and put back.

#include "store/upkeep/backup.hpp"

#include "store/log/store.hpp"
#include "store/verify/verify.hpp"
#include "tests/store/history.hpp"
#include "tests/support/fixtures.hpp"
#include "tests/support/sanitized.hpp"

#include <atomic>
#include <fstream>
#include <thread>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using schema::TxId;
using store::Store;

struct BackupFixture {
  TemporaryDirectory directory;
  std::filesystem::path source = directory.path() / "store";
  std::filesystem::path copy = directory.path() / "copies" / "backup";
  std::filesystem::path target = directory.path() / "restored";
  History history;
  std::unique_ptr<Store> store = Store::open(source).value();

  BackupFixture() {
    append_small_history(*store, history);
    store->commit().value();
  }
};

/// `verify` of a store that is written to. It forks, and AddressSanitizer's allocator may be locked by another thread
/// then, which the child waits for until it is ended: that says nothing of the store.
store::VerifyReport verify_beside_a_writer(std::filesystem::path const& directory, bool is_held = false) {
  int tries = is_sanitized ? 5 : 1;
  for (;;) {
    auto report = store::verify(directory, is_held).value();
    bool const is_stuck = !report.problems.empty() &&
                          report.problems.front().message.find("stopped making progress") != std::string::npos;
    if (!is_stuck || --tries == 0) return report;
  }
}

/// Cancels once it was asked `calls` times.
class CancelAfter final : public schema::Interrupt {
 public:
  explicit CancelAfter(int calls) : left_{calls} {}
  [[nodiscard]] schema::Stop check(std::uint64_t /*steps*/) const noexcept override {
    return left_-- > 0 ? schema::Stop::none : schema::Stop::cancelled;
  }

 private:
  int mutable left_;
};

BOOST_FIXTURE_TEST_SUITE(backups, BackupFixture)

BOOST_AUTO_TEST_CASE(a_backup_has_the_content_of_the_store) {
  auto const made = store->backup(copy).value();
  BOOST_TEST(schema::number(made.tx) == 3U);
  BOOST_TEST(made.bytes == std::filesystem::file_size(copy / "data.mdb"));
  BOOST_TEST(store::verify(copy).value().is_ok);
  BOOST_TEST((describe_contained(copy) == describe(*store).value()));
}

BOOST_AUTO_TEST_CASE(a_backup_overwrites_nothing) {
  std::filesystem::create_directories(copy);
  BOOST_TEST((store->backup(copy).error().code == Errc::conflict));
  BOOST_TEST(std::filesystem::is_empty(copy));
}

// Nobody waits for it any more: while it is copied, and while the copy is verified.
BOOST_AUTO_TEST_CASE(a_backup_that_is_given_up_leaves_nothing) {
  for (int const calls : {0, 1}) {
    BOOST_TEST((store->backup(copy, CancelAfter{calls}).error().code == Errc::cancelled));
    BOOST_TEST(std::filesystem::is_empty(copy.parent_path()));
  }
  BOOST_TEST(store->backup(copy).value().bytes > 0U);
}

BOOST_AUTO_TEST_CASE(a_check_that_is_given_up_says_nothing_of_the_store) {
  BOOST_TEST((store::verify(source, true, CancelAfter{0}).error().code == Errc::cancelled));
  BOOST_TEST(store::verify(source, true).value().is_ok);
}

// LMDB trusts the pages that it copies: damage may end whoever copies them.
BOOST_AUTO_TEST_CASE(a_damaged_page_refuses_a_backup_and_ends_nothing) {
  constexpr std::size_t page_bytes = 4096;
  auto const pages = std::filesystem::file_size(source / "data.mdb") / page_bytes;
  std::fstream file{source / "data.mdb", std::ios::in | std::ios::out | std::ios::binary};
  auto const write_page = [&](std::size_t page, std::string const& bytes) {
    file.seekp(static_cast<std::streamoff>(page * page_bytes)).write(bytes.data(), page_bytes).flush();
  };
  std::size_t refused = 0;
  for (std::size_t page = 2; page < pages; ++page) {
    std::string whole(page_bytes, '\0');
    file.seekg(static_cast<std::streamoff>(page * page_bytes)).read(whole.data(), page_bytes);
    write_page(page, std::string(page_bytes, '\xff'));
    auto const made = store->backup(copy / std::to_string(page));
    BOOST_TEST((made.has_value() || made.error().code == Errc::corrupt));
    refused += made.has_value() ? 0 : 1;
    write_page(page, whole);
  }
  BOOST_TEST(refused > 0U);
  BOOST_TEST(store->backup(copy / "whole").has_value());
  for (auto const& each : std::filesystem::directory_iterator{copy})
    BOOST_TEST(each.path().filename().string().find("partial") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_backup_is_consistent_while_writes_go_on) {
  std::atomic<bool> is_enough = false;
  std::thread writer{[&] {
    while (!is_enough) {
      store->append(history.put({topic("t-" + std::to_string(schema::number(history.tx())))},
                                "key-" + std::to_string(schema::number(history.tx()))));
      store->commit().value();
    }
  }};
  TxId last{0};
  for (int i = 0; i < 5; ++i) {
    auto const made = store->backup(copy / std::to_string(i)).value();
    auto const report = verify_beside_a_writer(copy / std::to_string(i));
    BOOST_TEST(report.is_ok);
    BOOST_TEST((report.tx == made.tx));
    BOOST_TEST((made.tx >= last));
    last = made.tx;
    BOOST_TEST(verify_beside_a_writer(source, true).is_ok);
  }
  is_enough = true;
  writer.join();
}

BOOST_AUTO_TEST_CASE(a_restored_store_has_the_content_and_a_new_epoch) {
  store->backup(copy).value();
  store::restore(copy, target).value();
  BOOST_TEST(store::verify(target).value().is_ok);
  auto const restored = Store::open(target).value();
  BOOST_TEST(restored->epoch() != store->epoch());
  std::string const mine = describe(*restored).value();
  std::string const original = describe(*store).value();
  BOOST_TEST((mine.substr(mine.find('\n')) == original.substr(original.find('\n'))));
  restored->append(history.put({topic("later")}));
  restored->commit().value();
  BOOST_TEST(schema::number(restored->stats().head) == 4U);
}

BOOST_AUTO_TEST_CASE(restoring_overwrites_nothing) {
  store->backup(copy).value();
  std::filesystem::create_directory(target);
  std::ofstream{target / "mine"} << "x";
  BOOST_TEST((store::restore(copy, target).error().code == Errc::conflict));
  std::filesystem::remove(target / "mine");
  BOOST_TEST(store::restore(copy, target).has_value());
}

BOOST_AUTO_TEST_CASE(only_a_backup_is_restored) {
  BOOST_TEST((store::restore(directory.path() / "none", target).error().code == Errc::not_found));
  BOOST_TEST((store::restore(source, target).error().code == Errc::conflict));
  std::filesystem::create_directory(copy.parent_path());
  std::ofstream{copy.parent_path() / "data.mdb"} << "x";
  BOOST_TEST((store::restore(copy.parent_path(), target).error().code == Errc::corrupt));
  BOOST_TEST(!std::filesystem::exists(target));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
