// Further contents and deletions, as readers of a store see them.

#include "store/log/store.hpp"
#include "store/rows/row_codec.hpp"
#include "store/verify/verify.hpp"
#include "tests/store/history.hpp"
#include "tests/support/fixtures.hpp"

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using schema::ContentId;
using schema::RecordType;
using schema::RevisionKind;
using schema::TxId;
using schema::VertexId;
using store::Store;

schema::Topic named(std::string name) {
  auto result = topic("t");
  result.name = std::move(name);
  return result;
}

/// Of a store with the topics t and u and the units cu_a and cu_b: one revision, two deletions, a deprecation.
Changes changes() {
  return {.revise = {{.record = named("second"),
                      .kind = RevisionKind::addition,
                      .edges = {{schema::EdgeType::follows, {RecordType::topic, "u"}, 0.5}}}},
          .hide = {{RecordType::context_unit, "cu_b"}, {RecordType::topic, "u"}},
          .deprecate = {"cu_a"}};
}

struct RevisionFixture {
  TemporaryDirectory directory;
  std::filesystem::path path = directory.path() / "store";
  History history;
  std::unique_ptr<Store> store = Store::open(path).value();

  void commit(Changes changes) {
    store->append(history.make(std::move(changes)));
    store->commit().value();
  }
  std::string name_in(std::uint32_t revision) const {
    std::string name;
    std::vector<ContentId> const wanted{{history.vertex({RecordType::topic, "t"}), revision}};
    store
        ->read(wanted,
               [&](std::size_t, schema::StoredContent&& record) {
                 name = std::get<schema::Topic>(record.value()).name.value_or("");
                 return true;
               })
        .value();
    return name;
  }
};

BOOST_FIXTURE_TEST_SUITE(revisions, RevisionFixture)

BOOST_AUTO_TEST_CASE(every_content_is_read_by_its_number) {
  commit({.put = {unit("cu_a"), named("first"), unit("cu_b")}});
  commit({.revise = {{.record = named("second")}, {.record = named("third")}}});
  commit({.put = {message("m", "t")}, .revise = {{.record = named("fourth")}}});
  BOOST_TEST(name_in(0) == "first");
  BOOST_TEST(name_in(1) == "second");
  BOOST_TEST(name_in(2) == "third");
  BOOST_TEST(name_in(3) == "fourth");
  BOOST_TEST(store->stats().records == 7U);
  std::vector<ContentId> const beyond{{VertexId{1}, 4}};
  BOOST_TEST(
      (store->read(beyond, [](std::size_t, schema::StoredContent&&) { return true; }).error().code == Errc::corrupt));
}

BOOST_AUTO_TEST_CASE(a_missing_revision_is_not_taken_for_the_next) {
  commit({.put = {named("first"), topic("u")}});
  commit({.revise = {{.record = topic("u")}}});
  std::vector<ContentId> const wanted{{VertexId{0}, 1}};
  BOOST_TEST(
      (store->read(wanted, [](std::size_t, schema::StoredContent&&) { return true; }).error().code == Errc::corrupt));
}

BOOST_AUTO_TEST_CASE(revisions_of_a_group_may_be_of_its_own_vertices) {
  store->append(history.make({.put = {named("first")}}));
  store->append(history.make({.revise = {{.record = named("second")}}}));
  store->append(history.make({.put = {unit("cu_a")}, .revise = {{.record = named("third")}}}));
  store->commit().value();
  BOOST_TEST(name_in(2) == "third");
  store.reset();
  BOOST_TEST(store::verify(path).value().is_ok);
}

BOOST_AUTO_TEST_CASE(replay_gives_revisions_and_deletions) {
  commit({.put = {named("first"), unit("cu_a"), unit("cu_b"), topic("u")}});
  store::Commit const made = History{history}.make(changes());
  commit(changes());
  std::size_t commits = 0;
  store
      ->replay([&](store::ReplayedCommit const& replayed) {
        if (++commits != 2) return;
        BOOST_TEST((std::vector(replayed.revisions.begin(), replayed.revisions.end()) == made.revisions));
        BOOST_TEST((std::vector(replayed.hidden.begin(), replayed.hidden.end()) ==
                    std::vector<VertexId>{VertexId{2}, VertexId{3}}));
        BOOST_TEST((std::vector(replayed.deprecated.begin(), replayed.deprecated.end()) ==
                    std::vector<VertexId>{VertexId{1}}));
      })
      .value();
  BOOST_TEST(commits == 2U);
}

BOOST_AUTO_TEST_CASE(the_log_names_what_was_revised_and_deleted) {
  commit({.put = {named("first"), unit("cu_a"), unit("cu_b"), topic("u")}});
  store::Commit const made = History{history}.make(changes());
  commit(changes());
  auto const entry = store->log_entry(TxId{2}).value();
  BOOST_TEST_REQUIRE(entry.changes.size() == 4U);
  BOOST_TEST((entry.changes[0].kind == schema::stored::ChangeKind::revise));
  BOOST_TEST((entry.changes[0].digest == made.contents[0].commitment));
  BOOST_TEST((entry.changes[1].kind == schema::stored::ChangeKind::hide && entry.changes[1].vertex == VertexId{2}));
  BOOST_TEST((entry.changes[1].digest == schema::Digest{}));
}

BOOST_AUTO_TEST_CASE(deleted_content_stays_readable) {
  commit({.put = {named("first")}});
  std::vector<ContentId> const wanted{{VertexId{0}}};
  commit({.hide = {{RecordType::topic, "t"}}});
  commit({.put = {named("again")}});
  BOOST_TEST(store->read(wanted, [](std::size_t, schema::StoredContent&&) { return true; }).has_value());
  BOOST_TEST(schema::number(history.vertex({RecordType::topic, "t"})) == 1U);
  BOOST_TEST(name_in(0) == "again");
}

BOOST_AUTO_TEST_CASE(an_abandoned_revision_was_never_there) {
  commit({.put = {named("first")}});
  History const before = history;
  store->append(history.make({.revise = {{.record = named("lost")}}}));
  store->abandon();
  history = before;
  commit({.revise = {{.record = named("second")}}});
  BOOST_TEST(name_in(1) == "second");
  BOOST_TEST(store->stats().records == 2U);
}

BOOST_AUTO_TEST_CASE(long_ids_come_back) {
  std::string const id(store::row_id_bytes_max, 'i');
  commit({.put = {schema::Keyword{.term = id}, schema::Keyword{.term = std::string(128, 'k')}}});
  std::vector<std::string> ids;
  store
      ->replay([&](store::ReplayedCommit const& replayed) {
        for (auto const& row : replayed.rows) ids.push_back(row.id);
      })
      .value();
  BOOST_TEST((ids == std::vector<std::string>{id, std::string(128, 'k')}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
