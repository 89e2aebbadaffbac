// Writes: all or nothing, numbered without gaps, repeatable, conditional, dry.

#include "engine/writer/foresight.hpp"
#include "store/log/store.hpp"
#include "store/verify/verify.hpp"
#include "tests/engine/answers.hpp"
#include "tests/engine/batches.hpp"
#include "tests/support/noise.hpp"
#include "tests/support/wait_until.hpp"

#include <string>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using schema::TxId;

BOOST_FIXTURE_TEST_SUITE(writing, EngineFixture)

BOOST_AUTO_TEST_CASE(transactions_count_from_1_and_only_changes_take_a_number) {
  BOOST_TEST(engine->snapshot().tx() == TxId{0});
  BOOST_TEST(outcome(write({unit("cu_a")})) == "ok 1");
  BOOST_TEST(outcome(write({unit("cu_a")})) == "unchanged 1");
  BOOST_TEST(outcome(write({unit("cu_x", "")})) == "0 /source invalid_record length");
  BOOST_TEST(outcome(write_batch(dry(batch({unit("cu_b")})))) == "ok 1");
  BOOST_TEST(outcome(write({unit("cu_b")})) == "ok 2");
  BOOST_TEST(engine->snapshot().tx() == TxId{2});
}

BOOST_AUTO_TEST_CASE(a_batch_that_fails_at_its_last_record_leaves_nothing) {
  write({unit("cu_0"), response("resp_0", {"cu_0"})}).value();
  std::vector<schema::Record> records;
  for (int i = 1; i <= 50; ++i) records.emplace_back(unit("cu_" + std::to_string(i)));
  records.emplace_back(next_version("cu_n", "cu_0", 2));
  records.emplace_back(feedback("fb", "resp_0", -1));
  records.emplace_back(response("resp_x", {"cu_missing"}));
  BOOST_TEST(outcome(write(std::move(records))) ==
             "52 /context_units/0/context_unit_id invalid_record unknown_reference");
  for (int pass = 0; pass < 2; ++pass) {
    auto const snapshot = engine->snapshot();
    BOOST_TEST(snapshot.tx() == TxId{1});
    BOOST_TEST(snapshot.vertex_count() == 2);
    BOOST_TEST(snapshot.edge_count() == 1);
    BOOST_CHECK(state_of(snapshot, "cu_0") == graph::UnitState{});
    BOOST_TEST(engine->stats().records == 2);
    reopen();
  }
}

BOOST_AUTO_TEST_CASE(records_and_deletions_of_a_batch_are_two_transactions_and_what_is_needed_stays) {
  write({unit("cu_a"), unit("cu_b"), response("resp_b", {"cu_b"})}).value();
  auto const unit_ref = [](std::string id) { return schema::NodeRef{schema::RecordType::context_unit, std::move(id)}; };
  auto refused = batch({unit("cu_a", "web")});
  refused.deletes = {unit_ref("cu_b")};
  BOOST_TEST(outcome(write_batch(std::move(refused))) == "0 /id conflict conflict");
  auto both = batch({unit("cu_c")});
  both.deletes = {unit_ref("cu_a"), unit_ref("cu_b"), unit_ref("cu_x")};
  BOOST_TEST(outcome(write_batch(std::move(both))) == "ok 3");
  for (int pass = 0; pass < 2; ++pass) {
    auto const snapshot = engine->snapshot();
    auto const is_there = [](graph::Snapshot const& then, std::string_view id) {
      return then.find(schema::RecordType::context_unit, id).has_value();
    };
    BOOST_TEST(snapshot.tx() == TxId{3});
    BOOST_TEST(!is_there(snapshot, "cu_a"));
    BOOST_TEST(is_there(snapshot, "cu_b"));
    BOOST_TEST(is_there(snapshot, "cu_c"));
    BOOST_TEST(is_there(snapshot.as_of(TxId{2}), "cu_a"));
    reopen();
  }
}

BOOST_AUTO_TEST_CASE(a_dry_run_answers_as_usual_and_writes_nothing) {
  write({unit("cu_a"), response("resp_a", {"cu_a"}), feedback("fb_a", "resp_a", -1)}).value();
  auto const answer = write_batch(dry(batch({unit(""), response("resp_b", {"cu_a"})})));
  BOOST_TEST(outcome(answer) == "ok 1");
  BOOST_TEST(answer->refs[1] == "Response:resp_b");
  BOOST_TEST(warnings(answer) == "1 /context_units/0 deprecated_context");
  BOOST_TEST(engine->snapshot().vertex_count() == 3);
  BOOST_TEST(outcome(write_batch(dry(batch({unit("cu_a")})))) == "unchanged 1");
  BOOST_TEST(outcome(write_batch(dry(batch({unit("cu_a", "web")})))) == "0 /id conflict conflict");
}

BOOST_AUTO_TEST_CASE(a_dry_deletion_is_answered_without_the_writer_as_by_it) {
  write({unit("cu_a"), unit("cu_b"), unit("cu_free"), response("resp_a", {"cu_a"})}).value();
  engine::WriteBatch purge;
  purge.step = engine::ContentRemoval{.is_purge = true, .refs = {{schema::RecordType::context_unit, "cu_b"}}};
  std::vector<engine::WriteBatch> batches{std::move(purge)};
  for (auto const* const id : {"cu_a", "cu_free", "cu_none"})
    batches.push_back(removing({std::string{"ContextUnit:"} + id}));
  batches.push_back(batches.back());
  batches.back().expect_tx = TxId{7};
  for (auto& each : batches) {
    each.dry_run = true;
    auto const by_writer = write_batch(each);
    auto const prepared = engine->prepare(std::move(each));
    BOOST_TEST(engine::is_dry_removal(prepared));
    auto const foreseen = engine::foresee_removal(
        prepared,
        {.known = engine->snapshot(), .store = engine->records(), .now = clock.now(), .config = engine->config()});
    BOOST_TEST(outcome(foreseen) == outcome(by_writer));
    if (foreseen) BOOST_TEST(warnings(foreseen) == warnings(by_writer));
    if (foreseen) BOOST_TEST(foreseen->refs == by_writer->refs);
  }
  BOOST_TEST(engine->snapshot().tx() == TxId{1});
  BOOST_TEST(!engine::is_dry_removal(engine->prepare(dry(batch({unit("cu_c")})))));
}

BOOST_AUTO_TEST_CASE(everything_is_seen_from_its_transaction_on_and_not_before) {
  write({unit("cu_a")}).value();
  write({response("resp_a", {"cu_a"})}).value();
  write({feedback("fb_a", "resp_a", -1)}).value();
  auto const now = engine->snapshot();
  for (std::uint64_t tx = 0; tx <= 3; ++tx) {
    BOOST_TEST_CONTEXT("as of " << tx) {
      auto const then = now.as_of(TxId{tx});
      BOOST_TEST(then.find(schema::RecordType::context_unit, "cu_a").has_value() == (tx >= 1));
      BOOST_TEST(then.find(schema::RecordType::response, "resp_a").has_value() == (tx >= 2));
      BOOST_TEST(edges_of(then).size() == (tx == 0 ? 0 : tx - 1));
      if (tx >= 1) {
        BOOST_CHECK((state_of(then, "cu_a").status == graph::UnitStatus::deprecated) == (tx == 3));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(commit_times_never_go_back) {
  clock.set(at_second(10'000));
  write({unit("cu_a")}).value();
  clock.set(at_second(5'000));
  write({unit("cu_b")}).value();
  reopen();
  write({unit("cu_c")}).value();
  auto const snapshot = engine->snapshot();
  BOOST_TEST(snapshot.committed_at(TxId{1}) == at_second(10'000));
  BOOST_TEST(snapshot.committed_at(TxId{3}) == at_second(10'000));
  BOOST_TEST(snapshot.committed_at(TxId{2}) == at_second(10'000));
}

BOOST_AUTO_TEST_CASE(a_record_may_lie_in_the_future_by_the_tolerance_and_not_more) {
  clock.set(noon);
  auto in_time = unit("cu_a");
  in_time.timestamp = at_second(5);
  auto late = unit("cu_b");
  late.timestamp = {noon.seconds + 5, 1};
  BOOST_TEST(outcome(write({in_time})) == "ok 1");
  BOOST_TEST(outcome(write({late})) == "0 /timestamp invalid_record future");
}

BOOST_AUTO_TEST_CASE(expect_tx_holds_only_at_exactly_that_head) {
  write({unit("cu_a")}).value();
  auto given = batch({unit("cu_b")});
  for (std::uint64_t const wrong : {0U, 2U}) {
    given.expect_tx = TxId{wrong};
    auto const answer = write_batch(given);
    BOOST_TEST(outcome(answer) == "- /expect_tx precondition expect_tx");
    BOOST_TEST(answer.error().tx.value() == 1);
  }
  given.expect_tx = TxId{1};
  BOOST_TEST(outcome(write_batch(given)) == "ok 2");
}

struct Keyed : EngineFixture {
  static engine::WriteBatch keyed(std::vector<schema::Record> records, std::string key = "key") {
    auto result = batch(std::move(records));
    result.idempotency_key = std::move(key);
    return result;
  }
};

BOOST_FIXTURE_TEST_CASE(the_same_batch_under_its_key_answers_the_same_for_ever, Keyed) {
  auto const given = keyed({unit(""), unit("cu_a")});
  auto const first = write_batch(given);
  write({unit("cu_b")}).value();
  for (int pass = 0; pass < 2; ++pass) {
    auto const again = write_batch(given);
    BOOST_TEST(outcome(again) == "ok 1");
    BOOST_TEST(again->refs == first->refs, boost::test_tools::per_element());
    BOOST_TEST(engine->snapshot().tx() == TxId{2});
    reopen();
  }
}

BOOST_FIXTURE_TEST_CASE(another_batch_under_a_used_key_is_a_conflict, Keyed) {
  write_batch(keyed({unit("cu_a")})).value();
  BOOST_TEST(outcome(write_batch(keyed({unit("cu_b")}))) == "- /idempotency_key conflict idempotency_key");
}

BOOST_FIXTURE_TEST_CASE(a_key_is_bound_to_the_records_alone, Keyed) {
  write_batch(keyed({unit("cu_a")})).value();
  auto ensuring = keyed({unit("cu_a")});
  ensuring.ensure = true;
  BOOST_TEST(outcome(write_batch(ensuring)) == "ok 1");
}

BOOST_FIXTURE_TEST_CASE(a_batch_that_changed_nothing_answers_the_same_for_ever, Keyed) {
  write({unit("cu_a")}).value();
  auto const given = keyed({unit("cu_a")});
  BOOST_TEST(outcome(write_batch(given)) == "unchanged 1");
  write({unit("cu_b")}).value();
  for (int pass = 0; pass < 2; ++pass) {
    BOOST_TEST(outcome(write_batch(given)) == "unchanged 1");
    reopen();
  }
  engine.reset();
  BOOST_TEST(store::verify(config.directory).value().is_ok);
}

BOOST_FIXTURE_TEST_CASE(refused_and_dry_writes_bind_no_key, Keyed) {
  BOOST_TEST(!write_batch(keyed({unit("cu_a"), derived("cu_b", {"cu_no"})})));
  BOOST_TEST(outcome(write_batch(dry(keyed({unit("cu_a")})))) == "ok 0");
  BOOST_TEST(outcome(write_batch(keyed({unit("cu_c")}))) == "ok 1");
}

BOOST_FIXTURE_TEST_CASE(a_repeat_answers_before_expect_tx_is_looked_at, Keyed) {
  auto given = keyed({unit("cu_a")});
  given.expect_tx = TxId{0};
  BOOST_TEST(outcome(write_batch(given)) == "ok 1");
  write({unit("cu_b")}).value();
  BOOST_TEST(outcome(write_batch(given)) == "ok 1");
}

BOOST_AUTO_TEST_CASE(a_full_store_refuses_whole_batches_and_keeps_working) {
  config.store_map_bytes = 1U << 20U;
  config.directory = directory.path() / "small";
  reopen();
  write({unit("cu_first")}).value();
  auto const large = [](int round) {
    std::vector<schema::Record> records;
    for (unsigned i = 0; i < 200; ++i) {
      auto each = unit("cu_" + std::to_string(round) + "_" + std::to_string(i), whence::test::noise(250, i));
      each.summary = whence::test::noise(500, i);
      records.emplace_back(each);
    }
    return records;
  };
  int round = 0;
  auto answer = write(large(round));
  while (answer) answer = write(large(++round));
  BOOST_TEST(outcome(answer) == "storage_full");
  auto const head = engine->snapshot().tx();
  BOOST_TEST(schema::number(head) == static_cast<std::uint64_t>(round) + 1);
  BOOST_TEST(!engine->snapshot().find(schema::RecordType::context_unit, "cu_" + std::to_string(round) + "_0"));
  // Reading works, a repeat is still unchanged, and a transaction that fits takes the number that failed.
  BOOST_TEST(outcome(write({unit("cu_first")})) == "unchanged " + std::to_string(schema::number(head)));
  // Pages of before are held while a thread behind the writer reads (columns): there is room once it has ended.
  std::string small;
  BOOST_TEST(wait_until([&] { return (small = outcome(write({unit("cu_small")}))) != "storage_full"; }));
  BOOST_TEST(small == "ok " + std::to_string(schema::number(head) + 1));
  reopen();
  BOOST_TEST(engine->snapshot().tx() == schema::next(head));
  BOOST_TEST(engine->snapshot().vertex_count() == static_cast<std::uint32_t>(round) * 200 + 2);
}

BOOST_AUTO_TEST_CASE(metrics_count_commits) {
  write({unit("cu_a")}).value();
  write({unit("cu_a")}).value();
  auto const metrics = engine->metrics();
  BOOST_TEST(metrics.commits == 1);
  BOOST_REQUIRE(metrics.commit_seconds_buckets.size() == engine::commit_bucket_bounds.size() + 1);
  BOOST_TEST(metrics.commit_seconds_buckets.back() == 1);
}

BOOST_AUTO_TEST_CASE(the_log_names_the_actor_and_the_changes) {
  auto given = batch({unit("cu_a"), response("resp_a", {"cu_a"}), feedback("fb_a", "resp_a", -1)});
  given.actor = "write";
  given.idempotency_key = "key";
  write_batch(given).value();
  engine.reset();  // one process opens an LMDB file once
  auto const store = store::Store::open(config.directory, {.is_read_only = true}).value();
  auto const entry = store->log_entry(TxId{1}).value();
  BOOST_TEST(entry.actor == "write");
  BOOST_TEST(entry.idempotency_key == "key");
  BOOST_REQUIRE(entry.changes.size() == 4);
  BOOST_CHECK(entry.changes[3].kind == schema::stored::ChangeKind::deprecate);
  BOOST_TEST(entry.changes[3].vertex == schema::VertexId{0});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
