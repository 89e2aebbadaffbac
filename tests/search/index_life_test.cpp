// The file of the index: missing, damaged, of another log, and without what was purged or has expired.
#include "store/search/text_database.hpp"
#include "tests/engine/batches.hpp"
#include "tests/search/searching.hpp"

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using Ids = std::set<std::string>;

/// A store with two units, both indexed.
struct TwoUnits : SearchFixture {
  TwoUnits() {
    write({unit_with("cu_a", "the zebra crosses"), unit_with("cu_b", "the heron waits")}).value();
    wait_for_index();
  }

  void overwrite(std::uintmax_t begin, std::uintmax_t end) const {
    std::fstream file(index_file(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(begin));
    for (auto at = begin; at < end; ++at) file.put('\x5A');
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(index_life, TwoUnits)

BOOST_AUTO_TEST_CASE(goes_on_after_a_restart) {
  reopen();
  BOOST_TEST(is_read());
  BOOST_TEST(engine->search()->begun_again == 0U);
  BOOST_TEST((found("zebra") == Ids{"cu_a"}));
}

BOOST_AUTO_TEST_CASE(is_made_again_where_it_is_missing) {
  engine.reset();
  store::TextDatabase::remove(index_file());
  open();
  wait_for_index();
  BOOST_TEST((found("zebra") == Ids{"cu_a"}));
}

BOOST_AUTO_TEST_CASE(is_made_again_where_it_is_no_database) {
  engine.reset();
  std::ofstream(index_file(), std::ios::binary) << std::string(10'000, 'x');
  open();
  wait_for_index();
  BOOST_TEST((found("heron") == Ids{"cu_b"}));
}

BOOST_AUTO_TEST_CASE(is_made_again_where_pages_are_damaged) {
  engine.reset();
  auto const size = std::filesystem::file_size(index_file());
  for (std::uintmax_t page = 0; page < size; page += 4096) {
    overwrite(page + (page == 0 ? 100 : 0), std::min(page + 2048, size));
    open();
    BOOST_TEST(wait_until([&] { return found("zebra") == Ids{"cu_a"} && is_read(); }));
    engine.reset();
  }
}

BOOST_AUTO_TEST_CASE(is_thrown_away_where_it_is_of_another_store) {
  SearchFixture other;
  other.write({unit_with("cu_c", "an otter")}).value();
  other.write({unit_with("cu_d", "an otter again")}).value();
  other.wait_for_index();
  other.engine.reset();
  engine.reset();
  std::filesystem::copy_file(other.index_file(), index_file(), std::filesystem::copy_options::overwrite_existing);
  open();
  wait_for_index();
  BOOST_TEST(found("otter").empty());
  BOOST_TEST((found("zebra") == Ids{"cu_a"}));
}

/// A store put back to what it was before: its log goes on otherwise.
BOOST_AUTO_TEST_CASE(is_thrown_away_where_it_is_ahead_of_the_log) {
  engine.reset();
  std::filesystem::copy(config.directory / "data.mdb", directory.path() / "before.mdb");
  open();
  write({unit_with("cu_c", "an otter")}).value();
  wait_for_index();
  engine.reset();
  std::filesystem::copy_file(directory.path() / "before.mdb", config.directory / "data.mdb",
                             std::filesystem::copy_options::overwrite_existing);
  open();
  BOOST_TEST(found("otter").empty());
  write({unit_with("cu_d", "a badger")}).value();
  wait_for_index();
  BOOST_TEST(found("otter").empty());
  BOOST_TEST((found("badger") == Ids{"cu_d"}));
  BOOST_TEST(engine->search()->begun_again == 1U);
}

BOOST_AUTO_TEST_CASE(purged_words_leave_the_files) {
  BOOST_TEST(index_has("zebra"));
  purge("ContextUnit:cu_a").value();
  BOOST_TEST(found("zebra").empty());
  BOOST_TEST(wait_until([&] { return is_read() && !index_has("zebra"); }));
  BOOST_TEST(index_has("heron"));
  BOOST_TEST((found("heron") == Ids{"cu_b"}));
  BOOST_TEST(found(view(engine->snapshot().as_of(schema::TxId{1})), "zebra").empty());
  reopen();
  BOOST_TEST(!index_has("zebra"));
}

BOOST_AUTO_TEST_CASE(expired_words_leave_the_files) {
  engine::WriteBatch batch;
  auto const old = engine->snapshot().find(schema::RecordType::context_unit, "cu_b").value();
  batch.step = engine::ContentRemoval{.old = {old}, .found_at = engine->snapshot().tx()};
  engine->write(std::move(batch)).value();
  BOOST_TEST(found("heron").empty());
  BOOST_TEST(wait_until([&] { return is_read() && !index_has("heron"); }));
  BOOST_TEST((found("zebra") == Ids{"cu_a"}));
}

BOOST_AUTO_TEST_CASE(purged_revisions_leave_the_files) {
  schema::Discussion talk{.user_id = "ann", .discussion_id = "talk", .topic = "about pelicans"};
  auto const ref = write({talk}).value().refs.at(0);
  wait_for_index();
  talk.topic = "about flamingos";
  write({talk}).value();
  schema::Discussion other{.user_id = "bob", .discussion_id = "talk", .topic = "about storks"};
  write({other}).value();
  other.topic = "about cranes";
  write({other}).value();
  wait_for_index();
  BOOST_TEST(index_has("flamingos"));
  BOOST_TEST(index_has("pelicans"));
  BOOST_TEST(found("pelicans").empty());
  BOOST_TEST(found("flamingos").size() == 1U);
  BOOST_TEST(found(view(engine->snapshot().as_of(schema::TxId{2})), "pelicans").size() == 1U);
  purge(ref).value();
  BOOST_TEST(wait_until([&] { return is_read() && !index_has("flamingos") && !index_has("pelicans"); }));
  BOOST_TEST(found("cranes").size() == 1U);
  BOOST_TEST(found("storks").empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace whence::test
