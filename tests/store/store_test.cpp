// What a store promises while nothing goes wrong: commits are read in order after any later opening.

#include "store/log/store.hpp"

#include "store/lmdb/directory_lock.hpp"
#include "store/rows/row_codec.hpp"
#include "store/verify/verify.hpp"
#include "tests/store/history.hpp"
#include "tests/support/fixtures.hpp"

#include <filesystem>
#include <memory>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using schema::ContentId;
using schema::TxId;
using schema::VertexId;
using store::Store;

struct StoreFixture {
  TemporaryDirectory directory;
  History history;
  std::unique_ptr<Store> store;

  StoreFixture() { open(); }
  void open() { store = Store::open(path()).value(); }
  void reopen() {
    store.reset();
    open();
  }
  [[nodiscard]] std::filesystem::path path() const { return directory.path() / "store"; }
};

std::vector<schema::Record> read_all(Store const& store, std::vector<ContentId> const& contents) {
  std::vector<schema::Record> records;
  store
      .read(contents,
            [&](std::size_t, schema::StoredContent&& record) {
              records.push_back(std::move(record).value());
              return true;
            })
      .value();
  return records;
}

BOOST_FIXTURE_TEST_SUITE(an_open_store, StoreFixture)

BOOST_AUTO_TEST_CASE(a_new_store_is_empty) {
  BOOST_TEST(schema::number(store->stats().head) == 0U);
  BOOST_TEST(store->stats().records == 0U);
  BOOST_TEST(store->epoch().size() == 36U);
  int blocks = 0;
  store->replay([&](auto const&) { ++blocks; }).value();
  BOOST_TEST(blocks == 0);
  BOOST_TEST((store->log_entry(TxId{1}).error().code == Errc::not_found));
}

BOOST_AUTO_TEST_CASE(reopened_it_has_the_same_content) {
  append_small_history(*store, history);
  store->commit().value();
  std::string const before = describe(*store).value();
  reopen();
  BOOST_TEST(describe(*store).value() == before);
  BOOST_TEST(schema::number(store->stats().head) == 3U);
  BOOST_TEST(store->stats().records == 11U);
}

BOOST_AUTO_TEST_CASE(replay_gives_rows_and_deprecations_in_order) {
  std::vector<store::VertexRow> const rows = history.put({unit("cu_a"), unit("cu_b")}).rows;
  history = {};
  store->append(history.put({unit("cu_a"), unit("cu_b")}));
  store->append(history.deprecate("cu_b"));
  store->commit().value();
  std::vector<std::uint64_t> order;
  store
      ->replay([&](store::ReplayedCommit const& commit) {
        order.push_back(schema::number(commit.tx));
        if (commit.tx == TxId{1}) BOOST_TEST((std::vector(commit.rows.begin(), commit.rows.end()) == rows));
        if (commit.tx == TxId{2}) BOOST_TEST((commit.deprecated.size() == 1 && commit.deprecated[0] == VertexId{1}));
        BOOST_TEST((commit.at == at_second(static_cast<std::int64_t>(schema::number(commit.tx)))));
      })
      .value();
  BOOST_TEST(order == (std::vector<std::uint64_t>{1, 2}));
}

BOOST_AUTO_TEST_CASE(records_come_back_in_the_order_asked) {
  append_small_history(*store, history);
  store->commit().value();
  auto const records = read_all(*store, {{VertexId{4}}, {VertexId{0}}, {VertexId{4}}});
  BOOST_TEST_REQUIRE(records.size() == 3U);
  BOOST_TEST(std::holds_alternative<schema::Topic>(records[0]));
  BOOST_TEST(std::get<schema::ContextUnit>(records[1]).source == "file:notes");
  BOOST_TEST(std::get<schema::ContextUnit>(records[1]).id.empty());
}

BOOST_AUTO_TEST_CASE(reading_stops_when_told_and_fails_on_what_is_not_there) {
  store->append(history.put(many_units(2500)));
  store->commit().value();
  std::vector<ContentId> all;
  for (std::uint32_t i = 0; i < 2500; ++i) all.push_back({VertexId{i}});
  BOOST_TEST(read_all(*store, all).size() == 2500U);
  std::size_t seen = 0;
  store
      ->read(all,
             [&](std::size_t position, schema::StoredContent&&) {
               BOOST_TEST(position == seen);
               return ++seen < 1200;
             })
      .value();
  BOOST_TEST(seen == 1200U);
  std::vector<ContentId> const beyond{{VertexId{2500}}};
  BOOST_TEST(
      (store->read(beyond, [](std::size_t, schema::StoredContent&&) { return true; }).error().code == Errc::corrupt));
}

BOOST_AUTO_TEST_CASE(a_visitor_may_read_too) {
  append_small_history(*store, history);
  store->commit().value();
  std::vector<ContentId> const one{{VertexId{0}}};
  store->read(one, [&](std::size_t, schema::StoredContent&&) { return read_all(*store, {{VertexId{1}}}).size() == 1; })
      .value();
}

BOOST_AUTO_TEST_CASE(entries_are_chained_and_name_what_they_wrote) {
  append_small_history(*store, history);
  store->commit().value();
  auto const first = store->log_entry(TxId{1}).value();
  auto const second = store->log_entry(TxId{2}).value();
  BOOST_TEST((first.previous.bytes == store->id_key().bytes));
  BOOST_TEST((first.previous != schema::Digest{}));
  BOOST_TEST((second.previous == schema::stored::leaf_hash(schema::stored::bytes_of(schema::stored::encode(first)))));
  History again;
  store::Commit const commit = again.put({unit("cu_a"), unit("cu_b"), response("resp_1", {"cu_a", "cu_b"})}, "key-1");
  BOOST_TEST((first.changes[2].digest == commit.contents[2].commitment));
}

BOOST_AUTO_TEST_CASE(groups_and_single_commits_give_the_same_log) {
  TemporaryDirectory other;
  std::filesystem::copy(path() / "data.mdb", other.path());  // with the same key
  append_small_history(*store, history);
  store->commit().value();
  auto const grouped = store->log_entry(TxId{3}).value();
  auto const single = Store::open(other.path()).value();
  History again;
  for (store::Commit& commit : small_history(again)) {
    single->append(std::move(commit));
    single->commit().value();
  }
  BOOST_TEST((single->log_entry(TxId{3}).value() == grouped));
}

BOOST_AUTO_TEST_CASE(an_abandoned_group_was_never_there) {
  store->append(history.put({unit("cu_a")}));
  store->commit().value();
  std::string const before = describe(*store).value();
  store->append(history.put({unit("cu_b")}, "key"));
  store->abandon();
  BOOST_TEST(!store->find_kept_answer("key").value().has_value());
  store->commit().value();
  BOOST_TEST(describe(*store).value() == before);
  history.rewind(TxId{1}, 1);
  store->append(history.put({unit("cu_c")}));
  store->commit().value();
  reopen();
  BOOST_TEST(store->stats().records == 2U);
}

BOOST_AUTO_TEST_CASE(kept_answers_are_found_before_and_after_the_commit) {
  store::Commit commit = history.put({unit("cu_a")}, "key");
  auto const answer = commit.kept_answer.value();
  store->append(std::move(commit));
  BOOST_TEST((store->find_kept_answer("key").value() == answer));
  store->commit().value();
  BOOST_TEST((store->find_kept_answer("key").value() == answer));
  BOOST_TEST(!store->find_kept_answer("other").value().has_value());
  reopen();
  BOOST_TEST((store->find_kept_answer("key").value() == answer));
}

BOOST_AUTO_TEST_CASE(a_second_opener_is_told_who_holds_the_store) {
  auto const again = Store::open(path());
  BOOST_TEST_REQUIRE(again.has_error());
  BOOST_TEST((again.error().code == Errc::busy));
  BOOST_TEST(again.error().message.find(std::to_string(::getpid())) != std::string::npos);
  BOOST_TEST(run_in_child([&] { return Store::open(path()).has_error() ? 0 : 1; }) == 0);
  BOOST_TEST(store::find_holder(path()).value().pid == ::getpid());
  store.reset();
  BOOST_TEST(!store::find_holder(path()).has_value());
}

BOOST_AUTO_TEST_CASE(another_process_may_read_while_one_writes) {
  append_small_history(*store, history);
  store->commit().value();
  auto const text = describe_contained(path());
  BOOST_TEST((text == describe(*store).value()));
}

BOOST_AUTO_TEST_CASE(reading_only_makes_no_store) {
  BOOST_TEST((Store::open(directory.path() / "none", {.is_read_only = true}).error().code == Errc::not_found));
  BOOST_TEST(!std::filesystem::exists(directory.path() / "none"));
}

BOOST_AUTO_TEST_CASE(large_groups_and_many_edges_hold) {
  store->append(history.put(many_units(100)));
  store->append(history.put(many_responses(3000, 20, 100, "a")));
  store->append(history.put(many_responses(10, 50, 100, "b")));
  store->commit().value();
  std::string const before = describe(*store).value();
  reopen();
  BOOST_TEST((describe(*store).value() == before));
  store.reset();
  auto const report = store::verify(path()).value();
  BOOST_TEST(report.is_ok);
  BOOST_TEST(report.records == 3110U);
  BOOST_TEST(report.edges == 60500U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
