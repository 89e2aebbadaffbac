// Several batches in one group: what the second sees of the first, when answers are given, and the limits of the inbox.
//
// Claim: a group's batches are validated in order, each against those before it, and no answer is given before all are
// durable. Method: the callback of a first batch holds the writer thread while others are put into the inbox, so that
// they form one group without any timing.

#include "engine/writer/inbox.hpp"
#include "tests/engine/answers.hpp"
#include "tests/engine/histories.hpp"
#include "tests/support/noise.hpp"

#include <deque>
#include <future>
#include <latch>
#include <system_error>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using schema::TxId;

struct Grouped : EngineFixture {
  std::vector<TxId> announced;  // by the writer thread, read after the last answer
  std::vector<std::string> outcomes;
  std::deque<std::latch> latches;  // live until the writer thread has ended

  ~Grouped() { engine.reset(); }

  void open_listening() {
    reopen();
    engine->on_published([this](TxId head) { announced.push_back(head); });
  }

  /// Stops the writer thread until the latch that is returned is counted down.
  std::latch& hold_writer() {
    auto& is_held = latches.emplace_back(1);
    auto& may_go_on = latches.emplace_back(1);
    engine->submit(batch({topic("held")}), [&](auto const&) {
      is_held.count_down();
      may_go_on.wait();
    });
    is_held.wait();
    return may_go_on;
  }

  /// Writes all of `batches` as one group; their outcomes are in `outcomes` afterwards.
  void write_group(std::vector<engine::WriteBatch> batches) {
    auto& may_go_on = hold_writer();
    auto& answered = latches.emplace_back(static_cast<std::ptrdiff_t>(batches.size()));
    outcomes.assign(batches.size(), "");
    for (std::size_t i = 0; i < batches.size(); ++i) {
      engine->submit(std::move(batches[i]), [this, i, &answered](Result<engine::WriteAnswer> const& answer) {
        outcomes[i] = outcome(answer);
        answered.count_down();
      });
    }
    may_go_on.count_down();
    answered.wait();
  }
};

BOOST_FIXTURE_TEST_SUITE(groups, Grouped)

BOOST_AUTO_TEST_CASE(later_batches_see_earlier_ones_and_one_commit_serves_all) {
  open_listening();
  auto keyed = batch({unit("cu_k")});
  keyed.idempotency_key = "key";
  auto expecting = batch({unit("cu_e")});
  expecting.expect_tx = TxId{4};
  write_group({batch({unit("cu_1")}), batch({unit("cu_1")}), batch({unit("cu_1", "web")}),
               batch({next_version("cu_2", "cu_1", 2)}), batch({next_version("cu_x", "cu_1", 2)}), keyed, keyed,
               expecting});
  std::vector<std::string> const expected = {
      "ok 2", "unchanged 2", "0 /id conflict conflict", "ok 3", "0 /previous_version_id conflict successor", "ok 4",
      "ok 4", "ok 5"};
  BOOST_TEST(outcomes == expected, boost::test_tools::per_element());
  std::vector<TxId> const heads = {TxId{1}, TxId{5}};
  BOOST_TEST(announced == heads, boost::test_tools::per_element());
  BOOST_TEST(engine->metrics().commits == 2);
}

BOOST_AUTO_TEST_CASE(a_record_that_gains_an_edge_in_the_same_group_is_read_as_it_was) {
  auto asked = response("resp_a", {"cu_a"});
  asked.request_id = "r1";
  write_batch(batch({unit("cu_a"), asked, query("r1"), retrieved("r1", chunk("c1"), 0.9)})).value();
  open_listening();  // nothing is remembered
  auto const answering = step_batch(engine::AnswerText{.request_id = "r1", .answer = "Gloves [manual]."});
  write_group({batch({query("r2"), retrieved("r2", chunk("c1"), 0.8)}), answering, batch({asked})});
  std::vector<std::string> const expected = {"ok 3", "ok 4", "unchanged 4"};
  BOOST_TEST(outcomes == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_response_of_the_same_group_is_compared_with_its_uses) {
  write_group({batch({unit("cu_a"), response("resp_a", {"cu_a"})}), batch({response("resp_a", {"cu_a"})}),
               batch({feedback("fb_a", "resp_a", -1)}), batch({response("resp_b", {"cu_a"})})});
  std::vector<std::string> const expected = {"ok 2", "unchanged 2", "ok 3", "ok 4"};
  BOOST_TEST(outcomes == expected, boost::test_tools::per_element());
  BOOST_CHECK(state_of(engine->snapshot(), "cu_a").status == graph::UnitStatus::deprecated);
}

BOOST_AUTO_TEST_CASE(a_group_that_does_not_fit_the_store_is_refused_as_a_whole) {
  config.directory = directory.path() / "small";
  config.store_map_bytes = 1U << 20U;
  config.group_records_max = 10'000;  // all of them together
  reopen();
  std::vector<schema::Record> large;
  for (unsigned i = 0; i < 6000; ++i) {
    large.emplace_back(unit("cu_" + std::to_string(i), whence::test::noise(255, i)));
  }
  write_group({batch({unit("cu_a")}), batch({unit("cu_x", "")}), batch(std::move(large)), batch({unit("cu_a")})});
  // Even the refusal: it was validated against a state that never became durable.
  std::vector<std::string> const expected(4, "storage_full");
  BOOST_TEST(outcomes == expected, boost::test_tools::per_element());
  BOOST_TEST(engine->snapshot().tx() == TxId{1});
  BOOST_TEST(outcome(write({unit("cu_a")})) == "ok 2");
}

/// Represents any part of the environment that fails with an exception.
class FailingIds final : public engine::IdSource {
 public:
  [[nodiscard]] std::string uuid() override {
    throw std::system_error(std::make_error_code(std::errc::io_error), "getentropy");
  }
};

BOOST_AUTO_TEST_CASE(a_broken_environment_ends_writing_but_not_reading) {
  write({unit("cu_a")}).value();
  engine.reset();
  FailingIds failing;
  auto const broken = engine::Engine::open(config, clock, failing);
  BOOST_REQUIRE(broken.has_value());
  auto& crippled = **broken;
  std::vector<std::string> reports;
  crippled.on_failure([&](std::string_view failure) { reports.emplace_back(failure); });
  BOOST_TEST(outcome(crippled.write(batch({unit("cu_b")}))) == "ok 2");
  BOOST_TEST(!crippled.failure().has_value());
  auto const failed = crippled.write(batch({unit("")}));
  BOOST_TEST(outcome(failed) == "internal_error");
  BOOST_TEST(failed.error().message.find("getentropy") != std::string::npos);
  BOOST_TEST(outcome(crippled.write(batch({unit("cu_c")}))) == "internal_error");
  BOOST_TEST(crippled.snapshot().tx() == TxId{2});
  BOOST_TEST(crippled.snapshot().vertex_count() == 2);
  BOOST_TEST(crippled.failure().value().find("getentropy") != std::string::npos);
  BOOST_TEST(reports == std::vector{*crippled.failure()}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(batches_in_the_inbox_are_written_before_the_engine_ends) {
  std::vector<std::string> heard;
  for (int i = 0; i < 20; ++i) {
    engine->submit(batch({unit("cu_" + std::to_string(i))}),
                   [&](auto const& answer) { heard.push_back(outcome(answer)); });
  }
  engine.reset();
  BOOST_TEST(heard.size() == 20);
  open();
  BOOST_TEST(engine->snapshot().vertex_count() == 20);
}

BOOST_AUTO_TEST_CASE(a_full_inbox_answers_busy_at_once) {
  config.inbox_batches_max = 1;
  reopen();
  auto& may_go_on = hold_writer();
  engine->submit(batch({unit("cu_waiting")}), [](auto const&) {});
  auto const refused = engine->write(batch({unit("cu_refused")}));
  may_go_on.count_down();
  BOOST_TEST(outcome(refused) == "busy");
  BOOST_TEST(refused.error().retry_after_ms.has_value());
}

BOOST_AUTO_TEST_CASE(of_two_threads_with_conflicting_writes_exactly_one_wins) {
  write({unit("cu_0")}).value();
  for (int round = 1; round <= 20; ++round) {
    auto const previous = "cu_" + std::to_string(round - 1);
    auto const compete = [&](char const* source) {
      auto mine = next_version("cu_" + std::to_string(round), previous, round + 1);
      mine.source = source;
      return outcome(write({mine}));
    };
    auto other = std::async(std::launch::async, [&] { return compete("one"); });
    auto const mine = compete("two");
    auto const theirs = other.get();
    BOOST_TEST(mine.starts_with("ok ") != theirs.starts_with("ok "));
    BOOST_TEST((mine == "0 /id conflict conflict" || theirs == "0 /id conflict conflict"));
  }
}

BOOST_AUTO_TEST_SUITE_END()

engine::Request request(std::size_t records, std::size_t bytes) {
  engine::Request result;
  result.batch.records.resize(records);
  result.batch.bytes = bytes;
  return result;
}

bool offer(engine::Inbox& inbox, std::size_t records, std::size_t bytes = 0) {
  auto given = request(records, bytes);
  return inbox.offer(given);
}

BOOST_AUTO_TEST_SUITE(inbox)

BOOST_AUTO_TEST_CASE(refuses_batches_beyond_the_count_or_the_bytes) {
  engine::Inbox crowded({.batches_max = 2, .bytes_max = 100, .group_records_max = 10});
  BOOST_TEST(offer(crowded, 1));
  BOOST_TEST(offer(crowded, 1));
  BOOST_TEST(!offer(crowded, 1));
  engine::Inbox heavy({.batches_max = 9, .bytes_max = 100, .group_records_max = 10});
  BOOST_TEST(offer(heavy, 1, 60));
  BOOST_TEST(!offer(heavy, 1, 41));
  BOOST_TEST(offer(heavy, 1, 40));
}

BOOST_AUTO_TEST_CASE(takes_any_single_batch_where_nothing_waits) {
  engine::Inbox inbox({.batches_max = 2, .bytes_max = 100, .group_records_max = 10});
  BOOST_TEST(offer(inbox, 1, 1000));
  BOOST_TEST(inbox.take_group()->size() == 1);
  BOOST_TEST(offer(inbox, 1, 100));
}

BOOST_AUTO_TEST_CASE(groups_stay_within_the_record_limit_but_never_split_a_batch) {
  engine::Inbox inbox({.batches_max = 9, .bytes_max = 100, .group_records_max = 10});
  for (std::size_t const records : {30U, 4U, 6U, 1U}) BOOST_TEST(offer(inbox, records));
  BOOST_TEST(inbox.take_group()->size() == 1);
  BOOST_TEST(inbox.take_group()->size() == 2);
  BOOST_TEST(inbox.take_group()->size() == 1);
}

BOOST_AUTO_TEST_CASE(peers_take_turns_and_each_keeps_its_order) {
  engine::Inbox inbox({.batches_max = 100, .bytes_max = 1000, .group_records_max = 1000});
  for (auto const& [peer, records] : {std::pair{1U, 11U}, {1U, 12U}, {1U, 13U}, {2U, 21U}, {3U, 31U}, {2U, 22U}}) {
    auto given = request(records, 1);
    given.batch.peer = peer;
    BOOST_TEST(inbox.offer(given));
  }
  std::vector<std::size_t> order;
  std::vector<std::size_t> groups;
  while (order.size() < 6) {
    auto const group = inbox.take_group().value();
    groups.push_back(group.size());
    for (auto const& taken : group) order.push_back(taken.batch.records.size());
  }
  BOOST_TEST(order == (std::vector<std::size_t>{11, 21, 31, 12, 22, 13}), boost::test_tools::per_element());
  BOOST_TEST(groups.front() == 5U);  // 97 of the 100 records of a group while others wait
}

BOOST_AUTO_TEST_CASE(small_batches_go_before_a_large_one_once) {
  engine::Inbox inbox({.batches_max = 100, .bytes_max = 1000, .group_records_max = 100});
  auto const offer_of = [&](std::uint64_t peer, std::size_t records) {
    auto given = request(records, 1);
    given.batch.peer = peer;
    BOOST_TEST(inbox.offer(given));
  };
  auto const taken = [&] {
    std::vector<std::size_t> sizes;
    auto const group = inbox.take_group().value();
    sizes.reserve(group.size());
    for (auto const& each : group) sizes.push_back(each.batch.records.size());
    return sizes;
  };
  using Sizes = std::vector<std::size_t>;
  for (std::size_t const records : {50U, 51U, 40U}) offer_of(1, records);
  offer_of(2, 1);
  offer_of(3, 2);
  BOOST_TEST(taken() == (Sizes{1, 2}), boost::test_tools::per_element());
  offer_of(2, 3);
  BOOST_TEST(taken() == (Sizes{50}), boost::test_tools::per_element());  // its turn, whoever has come since
  BOOST_TEST(taken() == (Sizes{3}), boost::test_tools::per_element());
  BOOST_TEST(taken() == (Sizes{51, 40}), boost::test_tools::per_element());  // nobody else waits
}

BOOST_AUTO_TEST_CASE(a_peer_has_half_of_it_at_most) {
  engine::Inbox inbox({.batches_max = 4, .bytes_max = 1000, .group_records_max = 10});
  auto const offer_of = [&](std::uint64_t peer, std::size_t bytes) {
    auto given = request(1, bytes);
    given.batch.peer = peer;
    return inbox.offer(given);
  };
  BOOST_TEST(offer_of(1, 1));
  BOOST_TEST(offer_of(1, 1));
  BOOST_TEST(!offer_of(1, 1));
  BOOST_TEST(offer_of(2, 900));  // of whom nothing waits
  BOOST_TEST(offer_of(3, 1));
  BOOST_TEST(!offer_of(4, 1));
}

BOOST_AUTO_TEST_CASE(is_drained_after_it_is_closed) {
  engine::Inbox inbox({.batches_max = 9, .bytes_max = 100, .group_records_max = 1});
  BOOST_TEST(offer(inbox, 1));
  BOOST_TEST(offer(inbox, 1));
  inbox.close();
  BOOST_TEST(inbox.take_group()->size() == 1);
  BOOST_TEST(inbox.take_group()->size() == 1);
  BOOST_TEST(!inbox.take_group());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
