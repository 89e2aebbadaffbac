// Blobs: bytes kept once under their SHA-256.

#include "store/log/store.hpp"
#include "store/verify/verify.hpp"
#include "tests/store/history.hpp"
#include "tests/support/fixtures.hpp"

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using store::Store;

struct BlobFixture {
  TemporaryDirectory directory;
  std::filesystem::path path = directory.path() / "store";
  History history;
  std::unique_ptr<Store> store = Store::open(path).value();

  void append(std::vector<std::string> blobs) { store->append(history.make({.blobs = std::move(blobs)})); }

  /// What is stored under the digest of `bytes`.
  std::optional<std::string> find(std::string const& bytes) const {
    return store->read_blob(schema::sha256(bytes)).value();
  }
  std::uint64_t count() {
    store.reset();
    auto const report = store::verify(path).value();
    BOOST_TEST(report.is_ok);
    store = Store::open(path).value();
    return report.blobs;
  }
};

BOOST_FIXTURE_TEST_SUITE(blobs, BlobFixture)

BOOST_AUTO_TEST_CASE(are_read_by_their_digest_once_committed) {
  append({"short", long_text()});
  BOOST_TEST(!find("short").has_value());
  store->commit().value();
  BOOST_TEST((find("short") == "short"));
  BOOST_TEST((find(long_text()) == long_text()));
  BOOST_TEST(!find("other").has_value());
}

BOOST_AUTO_TEST_CASE(hold_any_bytes_of_any_length) {
  std::string const bytes{"\0\xff\0", 3};
  std::string const large(std::size_t{3} << 20, 'x');
  append({bytes, large});
  store->commit().value();
  BOOST_TEST((find(bytes) == bytes));
  BOOST_TEST((find(large) == large));
  BOOST_TEST(count() == 2U);
}

BOOST_AUTO_TEST_CASE(are_kept_once) {
  append({"a", "a", "b"});
  append({"b"});
  store->commit().value();
  append({"a", "c"});
  store->commit().value();
  BOOST_TEST(count() == 3U);
  append({"c"});
  store->commit().value();
  BOOST_TEST(count() == 3U);
}

BOOST_AUTO_TEST_CASE(of_an_abandoned_group_are_not_there) {
  append({"kept"});
  store->commit().value();
  append({"lost", "kept"});
  store->abandon();
  history.rewind(schema::TxId{1}, 0);
  append({"late"});
  store->commit().value();
  BOOST_TEST(!find("lost").has_value());
  BOOST_TEST(count() == 2U);
  history.rewind(schema::TxId{2}, 0);
  append({"lost"});
  store->commit().value();
  BOOST_TEST((find("lost") == "lost"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
