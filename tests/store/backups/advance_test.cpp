// How far long work says that it is: what is done never falls and never passes all of it, and each part comes to its
// end.

#include "store/values/advance.hpp"

#include "store/backups/backup_set.hpp"
#include "store/backups/recovery.hpp"
#include "store/log/store.hpp"
#include "store/upkeep/compact.hpp"
#include "store/verify/verify.hpp"
#include "tests/store/history.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/fixtures.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

namespace fs = std::filesystem;
using schema::TxId;

constexpr int transactions = 150;
constexpr int later_transactions = 70;

struct Heard {
  std::uint64_t done = 0;
  std::uint64_t total = 0;
  std::uint64_t times = 0;
};

/// What was heard of each part, in the order in which they began.
struct Listener {
  std::vector<std::string> parts = {};
  std::map<std::string, Heard> last = {};

  store::Advance advance() {
    return [this](std::uint64_t done, std::uint64_t total, char const* what) {
      if (parts.empty() || parts.back() != what) parts.emplace_back(what);
      auto& heard = last[what];
      BOOST_TEST(done <= total);
      if (heard.times > 0) BOOST_TEST(heard.total == total, what << ": another total");
      BOOST_TEST(heard.done <= done, what << " falls");
      heard = {.done = done, .total = total, .times = heard.times + 1};
    };
  }

  [[nodiscard]] bool has_come_to_its_end(std::string const& part) {
    return last[part].times > 0 && last[part].done == last[part].total;
  }
};

struct AdvanceFixture {
  TemporaryDirectory directory;
  fs::path source = directory.path() / "store";
  fs::path backups = directory.path() / "backups";
  fs::path target = directory.path() / "restored";
  History history;
  std::unique_ptr<store::Store> store = store::Store::open(source, {.is_durable = false}).value();
  int written = 0;
  Listener listener;

  void write(int count) {
    for (int i = 0; i < count; ++i)
      store->append(history.put({unit("cu_" + std::to_string(++written)), unit("cu_" + std::to_string(++written))}));
    store->commit().value();
  }

  void back_up() {
    store::StoreSource from{*store};
    auto const made = store::back_up_increment(from, backups, {.now = {written, 0}, .advance = listener.advance()});
    BOOST_REQUIRE(made.has_value());
  }
};

BOOST_FIXTURE_TEST_SUITE(advance, AdvanceFixture)

BOOST_AUTO_TEST_CASE(a_check_counts_every_entry) {
  write(transactions);
  store.reset();
  BOOST_TEST(store::verify(source, false, schema::NoInterrupt{}, listener.advance()).value().is_ok);
  BOOST_TEST(listener.parts == (std::vector<std::string>{"entries checked"}), boost::test_tools::per_element());
  // A log entry and a block for each transaction, each content twice.
  BOOST_TEST(listener.last["entries checked"].total == 2U * transactions + 2U * 2U * transactions);
  BOOST_TEST(listener.has_come_to_its_end("entries checked"));
}

BOOST_AUTO_TEST_CASE(a_compaction_counts_what_it_reads_and_what_it_checks) {
  write(transactions);
  store.reset();
  BOOST_TEST(store::compact(source, schema::NoInterrupt{}, listener.advance()).has_value());
  BOOST_TEST(listener.parts == (std::vector<std::string>{"entries read", "entries checked"}),
             boost::test_tools::per_element());
  BOOST_TEST(listener.has_come_to_its_end("entries read"));
  BOOST_TEST(listener.has_come_to_its_end("entries checked"));
}

BOOST_AUTO_TEST_CASE(a_copy_counts_bytes_of_what_it_will_have) {
  write(transactions);
  auto const made = store->backup(directory.path() / "copy", schema::NoInterrupt{}, listener.advance()).value();
  BOOST_TEST(listener.has_come_to_its_end("entries checked"));
#ifndef __SANITIZE_THREAD__  // which copies in this process
  BOOST_TEST(listener.has_come_to_its_end("bytes copied"));
  BOOST_TEST(listener.parts.front() == "bytes copied");
  constexpr std::uint64_t slack = 8 * 4096;
  auto const total = listener.last["bytes copied"].total;
  BOOST_TEST(std::max(total, made.bytes) - std::min(total, made.bytes) <= slack);
#endif
}

BOOST_AUTO_TEST_CASE(a_segment_and_its_restoration_count_transactions) {
  write(transactions);
  back_up();
  write(later_transactions);
  listener = {};
  back_up();
  BOOST_TEST(listener.parts == (std::vector<std::string>{"transactions copied"}), boost::test_tools::per_element());
  BOOST_TEST(listener.last["transactions copied"].total == std::uint64_t{later_transactions});
  BOOST_TEST(listener.has_come_to_its_end("transactions copied"));
  for (auto const wanted : {transactions + later_transactions, transactions + 5}) {
    listener = {};
    store::RecoveryTarget const to{.tx = TxId{static_cast<std::uint64_t>(wanted)}};
    BOOST_TEST(store::recover(backups, target, to, schema::NoInterrupt{}, listener.advance()).has_value());
    BOOST_TEST(listener.parts == (std::vector<std::string>{"bytes copied", "transactions added", "entries checked"}),
               boost::test_tools::per_element());
    BOOST_TEST(listener.has_come_to_its_end("bytes copied"));
    BOOST_TEST(listener.last["transactions added"].total == static_cast<std::uint64_t>(wanted - transactions));
    BOOST_TEST(listener.has_come_to_its_end("transactions added"));
    BOOST_TEST(listener.has_come_to_its_end("entries checked"));
    fs::remove_all(target);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
