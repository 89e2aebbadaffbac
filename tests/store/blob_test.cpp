// Blobs: bytes kept once under their SHA-256.

#include "store/lmdb/tables.hpp"
#include "store/log/store.hpp"
#include "store/verify/verify.hpp"
#include "tests/store/history.hpp"
#include "tests/support/fixtures.hpp"

#include <random>
#include <string>
#include <utility>
#include <vector>

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

/// Bytes that do not get shorter.
std::string noise(std::size_t size) {
  std::mt19937_64 random{size};
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

// Claim: a blob comes back whatever its length, and again after it was gone. Method: values around the length of one
// piece, of several and of the most; each with its mark, which is one byte.
BOOST_AUTO_TEST_CASE(of_any_number_of_pieces_go_and_come_back) {
  std::vector<std::string> blobs;
  for (std::size_t const pieces : {std::size_t{1}, std::size_t{2}, std::size_t{store::blob_pieces_max}}) {
    for (std::size_t const more : {0U, 1U, 2U}) blobs.push_back(noise(pieces * store::blob_piece_bytes - 2 + more));
  }
  append(blobs);
  store->commit().value();
  for (std::string const& blob : blobs) BOOST_TEST((find(blob) == blob), blob.size() << " bytes");
  BOOST_TEST(count() == blobs.size());
  auto removal = history.make({});
  for (std::string const& blob : blobs) removal.removed_blobs.push_back(schema::sha256(blob));
  store->append(std::move(removal));
  store->commit().value();
  for (std::string const& blob : blobs)
    BOOST_TEST((store->read_blob(schema::sha256(blob)).error().code == Errc::purged), blob.size() << " bytes");
  BOOST_TEST(count() == blobs.size());
  append({blobs[4]});
  store->commit().value();
  BOOST_TEST((find(blobs[4]) == blobs[4]));
  BOOST_TEST(count() == blobs.size());
}

// The transactions of several clients are one group, as are those that a node of a log receives.
BOOST_AUTO_TEST_CASE(that_go_in_the_group_which_brought_them_are_gone) {
  auto const remove = [&](std::string const& blob) {
    auto removal = history.make({});
    removal.removed_blobs.push_back(schema::sha256(blob));
    store->append(std::move(removal));
  };
  auto const code_of = [&](std::string const& blob) { return store->read_blob(schema::sha256(blob)).error().code; };
  append({"kept before", "gone before"});
  remove("gone before");
  store->commit().value();
  append({"new", "other"});
  remove("new");
  append({"new and again"});
  remove("new and again");
  append({"new and again"});
  remove("kept before");
  append({"kept before", "gone before"});
  remove("gone before");
  store->commit().value();
  BOOST_TEST((code_of("new") == Errc::purged));
  BOOST_TEST((code_of("gone before") == Errc::purged));
  BOOST_TEST((find("other") == "other"));
  BOOST_TEST((find("new and again") == "new and again"));
  BOOST_TEST((find("kept before") == "kept before"));
  BOOST_TEST(count() == 5U);
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
