// What `verify` finds where every page is sound: transactions that no engine would write, and tables that were tampered
// with. A store takes a commit on trust, so the first kind is simply committed; the second goes around it.

#include "store/verify/verify.hpp"

#include "store/lmdb/data_file.hpp"
#include "store/lmdb/isolated_child.hpp"
#include "store/lmdb/tables.hpp"
#include "store/log/store.hpp"
#include "tests/store/history.hpp"
#include "tests/support/fixtures.hpp"

#include <array>
#include <functional>
#include <ostream>
#include <string>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

namespace whence::test {
namespace {

namespace data = boost::unit_test::data;
using schema::ContentId;
using schema::RecordType;
using schema::RevisionKind;
using schema::VertexId;
using schema::stored::ChangeKind;
using store::Commit;
using store::Environment;
using store::Head;
using store::Store;
using store::Table;
using store::Transaction;

/// A store with the small history, whose vertices are 0 cu_a, 1 cu_b, 2 resp_1, 3 fb_1 (deleted), 4 t (revised), 5 m,
/// 6 an attachment with a blob, 7 an attachment without, 8 a keyword (revised).
struct VerifyFixture {
  TemporaryDirectory directory;
  std::filesystem::path path = directory.path() / "store";
  History history;
  std::unique_ptr<Store> store = Store::open(path).value();

  VerifyFixture() {
    append_small_history(*store, history);
    store->commit().value();
  }

  /// The rule of the first problem; empty where there is none.
  std::string first_rule() {
    store.reset();
    auto const report = store::verify(path).value();
    for (auto const& problem : report.problems)
      BOOST_TEST_MESSAGE(problem.where << ' ' << problem.rule << ' ' << problem.message);
    return report.problems.empty() ? std::string{} : report.problems[0].rule;
  }
};

/// A commit that is not as it should be.
struct BadCommit {
  char const* name;
  Changes changes;
  void (*spoil)(Commit&);
  char const* rule;  ///< of the first problem; empty: there is none
};

std::ostream& operator<<(std::ostream& out, BadCommit const& bad) {
  return out << bad.name;
}

Revise keyword_again() {
  return {.record = schema::Keyword{.term = std::string(700, 'w'), .frequency = 2},
          .kind = RevisionKind::update,
          .edges = {{schema::EdgeType::extracted_from,
                     {RecordType::xml_message_attachment, blob_attachment(long_text()).hash},
                     0.25}}};
}

std::vector<BadCommit> bad_commits() {
  return {
      {"nothing wrong", {.revise = {keyword_again()}}, [](Commit&) {}, ""},
      {"a number left out",
       {.revise = {keyword_again()}},
       [](Commit& commit) { commit.revisions[0].revision = 3; },
       "revision"},
      {"a revision of another type",
       {.revise = {keyword_again()}},
       [](Commit& commit) { commit.revisions[0].type = RecordType::subject; },
       "revision"},
      {"a revision of what is deleted",
       {.revise = {{.record = message("m", "t")}}},
       [](Commit& commit) { commit.entry.changes[0].vertex = commit.revisions[0].vertex = VertexId{3}; },
       "revision"},
      {"a revision's edge to nowhere",
       {.revise = {keyword_again()}},
       [](Commit& commit) { commit.revisions[0].edges[0].other = VertexId{9}; },
       "edge"},
      {"a keyword's edge to nowhere",
       {.put = {schema::Keyword{.term = "k"}}},
       [](Commit& commit) {
         commit.rows[0].edges.push_back({schema::EdgeType::extracted_from, true, VertexId{10}, 0.5});
       },
       "edge"},
      {"an edge of a keyword that extraction added",
       {.put = {schema::Keyword{.term = "k"}}},
       [](Commit& commit) {
         commit.rows[0].edges.push_back({schema::EdgeType::extracted_from, true, VertexId{7}, 0.5});
       },
       ""},
      {"an edge that a message does not name",
       {.put = {message("n", "t")}},
       [](Commit& commit) { commit.rows[0].edges[0].other = VertexId{5}; },
       "edge"},
      {"a deletion of what is deleted",
       {.hide = {{RecordType::message, "m"}}},
       [](Commit& commit) { commit.entry.changes[0].vertex = VertexId{3}; },
       "status"},
      {"a deletion twice in one transaction",
       {.hide = {{RecordType::message, "m"}}},
       [](Commit& commit) { commit.entry.changes.push_back(commit.entry.changes[0]); },
       "status"},
      {"a deletion of what never was",
       {.hide = {{RecordType::message, "m"}}},
       [](Commit& commit) { commit.entry.changes[0].vertex = VertexId{9}; },
       "row"},
      {"a deprecation of what is no unit",
       {.deprecate = {"cu_b"}},
       [](Commit& commit) { commit.entry.changes[0].vertex = VertexId{2}; },
       "status"},
      {"an attachment without its blob", {.put = {blob_attachment("not stored")}}, [](Commit&) {}, "blob"},
      {"an attachment that names no digest",
       {.put = {blob_attachment("x")}, .blobs = {"x"}},
       [](Commit& commit) {
         auto attachment = blob_attachment("x");
         attachment.xml_blob = "sha256://x";
         commit.contents[0] = sealed(schema::Record{attachment});
       },
       "blob"},
      {"an id used again", {.put = {feedback("fb_1", "resp_1", 1)}}, [](Commit&) {}, ""},
      {"an id used again in the transaction that deletes it",
       {.put = {message("m", "t")}, .hide = {{RecordType::message, "m"}}},
       [](Commit&) {},
       ""},
      {"a purge",
       {.deprecate = {"cu_b"}},
       [](Commit& commit) {
         commit.entry.changes.push_back({VertexId{0}, ChangeKind::purge, {}});
         commit.gone.push_back({VertexId{0}, RecordType::context_unit});
       },
       ""},
      {"contents that expire, with a revision in their place",
       {.revise = {{.record = topic("t")}}},
       [](Commit& commit) {
         commit.entry.changes.push_back({VertexId{4}, ChangeKind::expire, {}});
         commit.gone.push_back({VertexId{4}, RecordType::topic, 1});
       },
       ""},
      {"a purge that leaves the content",
       {.deprecate = {"cu_b"}},
       [](Commit& commit) {
         commit.entry.changes.push_back({VertexId{0}, ChangeKind::purge, {}});
       },
       "missing"},
      {"a content that is gone without a purge",
       {.deprecate = {"cu_b"}},
       [](Commit& commit) {
         commit.gone.push_back({VertexId{0}, RecordType::context_unit});
       },
       "missing"},
      {"a purge of what the same transaction puts",
       {.put = {message("n", "t")}},
       [](Commit& commit) {
         commit.entry.changes.push_back({VertexId{9}, ChangeKind::purge, {}});
       },
       "status"},
      {"a purge of what never was",
       {.deprecate = {"cu_b"}},
       [](Commit& commit) {
         commit.entry.changes.push_back({VertexId{9}, ChangeKind::purge, {}});
       },
       "row"},
      {"put, revised and deleted at once",
       {.put = {message("n", "t")}, .revise = {{.record = message("n", "t")}}, .hide = {{RecordType::message, "m"}}},
       [](Commit& commit) { commit.entry.changes[2].vertex = VertexId{9}; },
       ""},
  };
}

BOOST_FIXTURE_TEST_SUITE(verification, VerifyFixture)

BOOST_DATA_TEST_CASE_F(VerifyFixture, judges_commits, data::make(bad_commits()), bad) {
  Commit commit = history.make(bad.changes);
  bad.spoil(commit);
  store->append(std::move(commit));
  store->commit().value();
  BOOST_TEST(first_rule() == bad.rule);
}

/// Work on the closed file's tables. The head is written anew after it.
struct Tampering {
  char const* name;
  std::function<void(Environment const&, Transaction const&, Head&)> work;
  char const* rule;  ///< of the first problem
};

std::ostream& operator<<(std::ostream& out, Tampering const& tampering) {
  return out << tampering.name;
}

void put_value(Environment const& environment, Transaction const& txn, Table table, std::span<std::byte const> key,
               std::string const& value) {
  BOOST_TEST_REQUIRE(store::put(environment, txn, table, key, std::as_bytes(std::span{value}), 0) == 0);
}

void put_content(Environment const& environment, Transaction const& txn, ContentId id, RecordType type) {
  auto const words = sealed(schema::Record{topic("t")}).words;
  BOOST_TEST_REQUIRE(store::put(environment, txn, Table::records, store::record_key(id, type),
                                schema::stored::bytes_of(words), 0) == 0);
}

void remove(Environment const& environment, Transaction const& txn, Table table, std::span<std::byte const> key) {
  MDB_val value{key.size(), const_cast<std::byte*>(key.data())};
  BOOST_TEST_REQUIRE(mdb_del(txn.get(), environment.dbi(table), &value, nullptr) == 0);
}

std::vector<Tampering> tamperings() {
  static schema::Digest const blob = schema::sha256(long_text());
  static schema::Digest const stranger = schema::sha256("stranger");
  static auto const unpacked = [](std::string const& text) { return std::string(1, '\0') + text; };
  static auto const digest_key = [](schema::Digest const& digest) { return std::as_bytes(std::span{digest.bytes}); };
  static std::uint64_t const first = store::blob_key(0);   // of the blob that is there
  static std::uint64_t const second = store::blob_key(1);  // of one that is not
  static auto const first_key = std::as_bytes(std::span{&first, 1});
  static auto const second_key = std::as_bytes(std::span{&second, 1});
  static std::string const second_number{"\1\0\0\0\0\0\0\0", 8};
  static std::uint64_t const revised = store::record_key({VertexId{4}, 1}, RecordType::topic);
  static auto const revised_key = std::as_bytes(std::span{&revised, 1});
  using E = Environment const&;
  using T = Transaction const&;
  return {
      {"a blob with other bytes", [](E e, T t, Head&) { put_value(e, t, Table::blobs, first_key, unpacked("x")); },
       "digest"},
      {"a blob said to be gone", [](E e, T t, Head&) { put_value(e, t, Table::blobs, first_key, "\xfe"); }, "blob"},
      {"a content said to be gone", [](E e, T t, Head&) { put_value(e, t, Table::records, revised_key, "\xfe"); },
       "missing"},
      {"an empty blob", [](E e, T t, Head&) { put_value(e, t, Table::blobs, first_key, unpacked("")); }, "digest"},
      {"a blob without its first byte", [](E e, T t, Head&) { put_value(e, t, Table::blobs, first_key, ""); },
       "digest"},
      {"a blob of a dictionary that is not there",
       [](E e, T t, Head&) { put_value(e, t, Table::blobs, first_key, "\x01" + long_text()); }, "digest"},
      {"a blob that does not unpack",
       [](E e, T t, Head&) { put_value(e, t, Table::blobs, first_key, "\xff" + long_text()); }, "digest"},
      {"a content that does not unpack",
       [](E e, T t, Head&) { put_value(e, t, Table::records, revised_key, "\xff content"); }, "decode"},
      {"a blob gone",
       [](E e, T t, Head& head) {
         remove(e, t, Table::blobs, first_key);
         remove(e, t, Table::blob_numbers, digest_key(blob));
         --head.blobs;
       },
       "blob"},
      {"a blob too many", [](E e, T t, Head&) { put_value(e, t, Table::blobs, second_key, unpacked("stranger")); },
       "digest"},
      {"a blob too many that is gone", [](E e, T t, Head&) { put_value(e, t, Table::blobs, second_key, "\xfe"); },
       "extra"},
      {"a blob under another name",
       [](E e, T t, Head& head) {
         put_value(e, t, Table::blobs, second_key, unpacked("friend"));
         put_value(e, t, Table::blob_numbers, digest_key(stranger), second_number);
         ++head.blobs;
       },
       "digest"},
      {"a key that is no digest",
       [](E e, T t, Head& head) {
         put_value(e, t, Table::blobs, second_key, unpacked("stranger"));
         put_value(e, t, Table::blob_numbers, digest_key(stranger).first(31), second_number);
         ++head.blobs;
       },
       "digest"},
      {"a blob without a digest", [](E e, T t, Head&) { remove(e, t, Table::blob_numbers, digest_key(blob)); }, "blob"},
      {"a digest too many",
       [](E e, T t, Head&) { put_value(e, t, Table::blob_numbers, digest_key(stranger), second_number); }, "digest"},
      {"two digests of one blob",
       [](E e, T t, Head&) { put_value(e, t, Table::blob_numbers, digest_key(stranger), std::string(8, '\0')); },
       "digest"},
      {"a number that is none", [](E e, T t, Head&) { put_value(e, t, Table::blob_numbers, digest_key(blob), "\1"); },
       "blob"},
      {"a piece too many",
       [](E e, T t, Head&) {
         std::uint64_t const piece = store::blob_key(0, 1);
         put_value(e, t, Table::blobs, std::as_bytes(std::span{&piece, 1}), "more");
       },
       "missing"},
      {"a gap between blobs",
       [](E e, T t, Head& head) {
         std::uint64_t const third = store::blob_key(2);
         put_value(e, t, Table::blobs, std::as_bytes(std::span{&third, 1}), unpacked("stranger"));
         put_value(e, t, Table::blob_numbers, digest_key(stranger), std::string{"\2\0\0\0\0\0\0\0", 8});
         ++head.blobs;
       },
       "missing"},
      {"a revision gone", [](E e, T t, Head&) { remove(e, t, Table::records, revised_key); }, "missing"},
      {"a revision too many",
       [](E e, T t, Head&) {
         put_content(e, t, {VertexId{4}, 2}, RecordType::topic);
       },
       "missing"},
      {"a revision of the last vertex too many",
       [](E e, T t, Head&) {
         put_content(e, t, {VertexId{8}, 2}, RecordType::keyword);
       },
       "extra"},
      {"a content under a second type",
       [](E e, T t, Head&) {
         put_content(e, t, {VertexId{4}, 1}, RecordType::message);
       },
       "missing"},
      {"revisions miscounted", [](E, T, Head& head) { ++head.revisions; }, "missing"},
      {"edges miscounted", [](E, T, Head& head) { --head.edges; }, "missing"},
      {"blobs miscounted", [](E, T, Head& head) { ++head.blobs; }, "extra"},
  };
}

/// Works on the tables of the closed store in `path` and writes the head anew.
void tamper(std::filesystem::path const& path,
            std::function<void(Environment const&, Transaction const&, Head&)> const& work) {
  Environment::Options const options{.map_bytes = std::uint64_t{1} << 30, .flags = MDB_NOLOCK};
  auto const environment = store::open_environment(path, options).value();
  Head head = read_head(environment, Transaction{environment, Transaction::Kind::read}).value();
  Transaction txn{environment, Transaction::Kind::write};
  work(environment, txn, head);
  BOOST_TEST_REQUIRE(write_head(environment, txn, head) == 0);
  BOOST_TEST_REQUIRE(txn.commit() == 0);
}

BOOST_DATA_TEST_CASE_F(VerifyFixture, finds_tampering, data::make(tamperings()), tampering) {
  store.reset();
  tamper(path, tampering.work);
  BOOST_TEST(first_rule() == tampering.rule);
}

BOOST_AUTO_TEST_CASE(counts_what_it_checked) {
  store.reset();
  auto const report = store::verify(path).value();
  BOOST_TEST(report.is_ok);
  BOOST_TEST(report.entries == 3U);
  BOOST_TEST(report.records == 11U);
  BOOST_TEST(report.blobs == 1U);
  BOOST_TEST(report.edges == 9U);
}

BOOST_AUTO_TEST_CASE(names_both_formats_of_a_store_of_another) {
  store.reset();
  Environment::Options const options{.map_bytes = std::uint64_t{1} << 30, .flags = MDB_NOLOCK};
  {
    auto const environment = store::open_environment(path, options).value();
    Transaction txn{environment, Transaction::Kind::write};
    std::uint64_t const key = store::head_key;
    put_value(environment, txn, Table::meta, std::as_bytes(std::span{&key, 1}),
              std::string{"WHENCE\x01\0 and the rest", 20});
    BOOST_TEST_REQUIRE(mdb_drop(txn.get(), environment.dbi(Table::blobs), 1) == 0);  // an older one has no such table
    BOOST_TEST_REQUIRE(txn.commit() == 0);
  }
  auto const opened = Store::open(path);
  BOOST_TEST_REQUIRE(opened.has_error());
  BOOST_TEST((opened.error().code == Errc::invalid_request));
  BOOST_TEST(opened.error().message ==
             "the store is of format 1, this program reads format 4: an older program wrote it, whose "
             "`whence export --format jsonl` makes a file that `whence import` reads");
  auto const report = store::verify(path).value();
  BOOST_TEST_REQUIRE(report.problems.size() == 1U);
  BOOST_TEST(report.problems[0].rule == "open");
  BOOST_TEST(report.problems[0].message == opened.error().message);
}

BOOST_AUTO_TEST_CASE(a_blob_with_other_bytes_is_not_given_out) {
  store.reset();
  auto const digest = schema::sha256(long_text());
  tamper(path, [&](Environment const& environment, Transaction const& txn, Head&) {
    std::uint64_t const number = 0;
    put_value(environment, txn, Table::blobs, std::as_bytes(std::span{&number, 1}), "other");
  });
  store = Store::open(path).value();
  BOOST_TEST((store->read_blob(digest).error().code == Errc::corrupt));
}

/// As an orphan: says a byte on `fd` where it outlives its being isolated.
[[noreturn]] void outlive(pid_t parent, int fd) {
  while (::getppid() == parent) ::sched_yield();
  store::isolate_child(parent, fd);
  ::_exit(::write(fd, "x", 1) == 1 ? 0 : 1);
}

BOOST_AUTO_TEST_CASE(a_child_whose_parent_ended_before_it_was_isolated_ends) {
  std::array<int, 2> ends = {};
  BOOST_TEST_REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
  pid_t const parent = ::fork();
  BOOST_TEST_REQUIRE(parent >= 0);
  if (parent == 0) {
    pid_t const self = ::getpid();
    if (::fork() == 0) outlive(self, ends[1]);
    ::_exit(0);
  }
  ::close(ends[1]);
  BOOST_TEST(::waitpid(parent, nullptr, 0) == parent);
  char byte = 0;
  BOOST_TEST(::read(ends[0], &byte, 1) == 0);
  ::close(ends[0]);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
