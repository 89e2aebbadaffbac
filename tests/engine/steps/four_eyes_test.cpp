// A purge that one user proposes and another confirms: who may, until when, what goes, and what is left of the
// proposal.

#include "engine/values/purge_proposal.hpp"
#include "engine/writer/foresight.hpp"
#include "graph/snapshot/records.hpp"
#include "tests/engine/answers.hpp"
#include "tests/engine/batches.hpp"
#include "tests/support/fixtures.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using schema::RecordType;

struct FourEyesFixture : EngineFixture {
  FourEyesFixture() {
    config.four_eyes = std::chrono::hours{1};
    reopen();
    auto answer = response("resp_a", {"cu_a"});
    answer.person = "anna";
    write({unit("cu_a"), unit("cu_b"), answer}).value();
  }

  static engine::WriteBatch by(std::string who, engine::Step step) {
    engine::WriteBatch batch;
    batch.step = std::move(step);
    batch.who = std::move(who);
    return batch;
  }
  static engine::ContentRemoval purge_of(RecordType type, std::string id) {
    return {.is_purge = true, .refs = {{type, std::move(id)}}};
  }
  static engine::ContentRemoval erasure_of(std::string person) {
    return {.is_purge = true, .person = std::move(person)};
  }

  /// The id of the proposal that `who` makes.
  std::string propose(std::string who, engine::ContentRemoval step, std::string reason = "asked") {
    auto batch = by(std::move(who), std::move(step));
    batch.reason = std::move(reason);
    return id_in(write_batch(std::move(batch)).value().refs.front());
  }
  Result<engine::WriteAnswer> confirm(std::string who, std::string id) {
    return write_batch(by(std::move(who), engine::PurgeConfirming{.id = std::move(id)}));
  }
  Result<engine::WriteAnswer> withdraw(std::string who, std::string id) {
    return write_batch(by(std::move(who), engine::PurgeWithdrawing{.id = std::move(id)}));
  }
  static std::string id_in(std::string const& ref) { return ref.substr(ref.find(':') + 1); }

  std::optional<graph::GoneWhy> gone(RecordType type, std::string const& id) const {
    auto const known = engine->snapshot();
    return known.gone(known.find(type, id).value());
  }
  bool is_purged(RecordType type, std::string const& id) const { return gone(type, id) == graph::GoneWhy::purged; }

  std::vector<engine::ProposedPurge> proposals(bool has_closed = false) const {
    return engine::find_proposals({.known = engine->snapshot(),
                                   .store = engine->records(),
                                   .now = clock.now(),
                                   .config = engine->config()},
                                  {.has_closed = has_closed, .limit = 100})
        .value()
        .proposals;
  }
  engine::PurgeProposal last() const { return proposals(true).front().proposal; }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(four_eyes, FourEyesFixture)

BOOST_AUTO_TEST_CASE(a_purge_is_only_proposed_and_another_user_carries_it_out) {
  auto const id = propose("ann", purge_of(RecordType::context_unit, "cu_b"));
  BOOST_TEST(!is_purged(RecordType::context_unit, "cu_b"));
  BOOST_TEST(outcome(confirm("ann", id)) == "- /ref precondition four_eyes");
  BOOST_TEST(!is_purged(RecordType::context_unit, "cu_b"));
  auto const done = confirm("ben", id).value();
  BOOST_TEST(done.removal.gone == std::vector<std::string>{"ContextUnit:cu_b"}, boost::test_tools::per_element());
  BOOST_TEST(is_purged(RecordType::context_unit, "cu_b"));
}

BOOST_AUTO_TEST_CASE(what_is_left_says_who_when_why_and_how_many_but_not_what) {
  auto const id = propose("ann", purge_of(RecordType::context_unit, "cu_b"));
  auto const before = last();
  BOOST_TEST(before.refs.size() == 1U);
  BOOST_TEST((before.confirm_until == schema::plus_seconds(before.proposed_at, 3600)));
  clock.set(at_second(3700));
  auto const tx = confirm("ben", id).value().tx;
  auto const after = last();
  BOOST_TEST(after.proposed_by == "ann");
  BOOST_TEST(after.confirmed_by == "ben");
  BOOST_TEST(after.reason == "asked");
  BOOST_TEST((after.purged == 1U));
  BOOST_TEST(after.refs.empty());
  auto const author = engine->authors().read_author(tx).value();
  BOOST_TEST(author.who == "ben");
  BOOST_TEST(author.reason == "asked");
  // At no moment does it name anything any more.
  auto const then = engine->snapshot().as_of(schema::TxId{schema::number(tx) - 1});
  auto const vertex = then.find(RecordType::prov_activity, id).value();
  bool is_there = false;
  BOOST_TEST(graph::read_those_there(then, engine->records(), {&vertex, 1}, [&](std::size_t, schema::Record&&) {
               is_there = true;
               return true;
             }).has_value());
  BOOST_TEST(!is_there);
}

BOOST_AUTO_TEST_CASE(one_can_be_confirmed_once_and_in_time) {
  auto const first = propose("ann", purge_of(RecordType::context_unit, "cu_b"));
  clock.set(at_second(3600 + 3601));
  BOOST_TEST(outcome(confirm("ben", first)) == "- /ref precondition too_late");
  auto const second = propose("ann", purge_of(RecordType::context_unit, "cu_b"));
  reopen();
  BOOST_TEST(outcome(confirm("ben", second)).substr(0, 2) == "ok");
  BOOST_TEST(outcome(confirm("ben", second)) == "- /ref precondition closed");
  BOOST_TEST(outcome(confirm("ben", first)) == "- /ref precondition closed");  // what it named is purged
  BOOST_TEST(outcome(confirm("ben", engine::proposal_id("none"))) == "- /ref not_found unknown_reference");
}

BOOST_AUTO_TEST_CASE(a_hold_that_comes_between_refuses) {
  auto const id = propose("ann", purge_of(RecordType::context_unit, "cu_b"));
  write_batch(
      by("ann", engine::HoldSetting{.given = {.refs = std::vector<std::string>{"ContextUnit:cu_b"}, .reason = "case"}}))
      .value();
  BOOST_TEST(outcome(confirm("ben", id)) == "- /refs precondition held");
  auto const open = proposals();
  BOOST_TEST(open.size() == 1U);
  BOOST_TEST(!open.front().would->has_value());
}

BOOST_AUTO_TEST_CASE(a_withdrawn_one_is_over) {
  auto const id = propose("ann", purge_of(RecordType::context_unit, "cu_b"));
  BOOST_TEST(proposals().size() == 1U);
  BOOST_TEST((proposals().front().would->value().gone == std::vector<std::string>{"ContextUnit:cu_b"}));
  BOOST_TEST(outcome(withdraw("ann", id)).substr(0, 2) == "ok");
  BOOST_TEST(outcome(confirm("ben", id)) == "- /ref precondition closed");
  BOOST_TEST(outcome(withdraw("ann", id)) == "- /ref precondition closed");
  BOOST_TEST(proposals().empty());
  BOOST_TEST(last().withdrawn_by == "ann");
}

BOOST_AUTO_TEST_CASE(nobody_without_a_name_proposes_confirms_or_withdraws) {
  BOOST_TEST(outcome(write_batch(by("", purge_of(RecordType::context_unit, "cu_b")))) ==
             "- /ref precondition four_eyes");
  auto const id = propose("ann", purge_of(RecordType::context_unit, "cu_b"));
  BOOST_TEST(outcome(confirm("", id)) == "- /ref precondition four_eyes");
  BOOST_TEST(outcome(withdraw("", id)) == "- /ref precondition four_eyes");
}

BOOST_AUTO_TEST_CASE(an_erasure_takes_what_is_there_by_then_and_is_recorded_with_both) {
  auto const id = propose("ann", erasure_of("anna"));
  auto later = response("resp_b", {"cu_a"});
  later.person = "anna";
  write({later}).value();
  auto const done = confirm("ben", id).value();
  BOOST_TEST(is_purged(RecordType::response, "resp_a"));
  BOOST_TEST(is_purged(RecordType::response, "resp_b"));
  BOOST_TEST(is_purged(RecordType::person, "anna"));
  auto const known = engine->snapshot();
  auto const erasure = known.find(RecordType::prov_activity, id_in(done.refs.front())).value();
  std::string attributes;
  graph::read_those_there(known, engine->records(), {&erasure, 1}, [&](std::size_t, schema::Record&& record) {
    attributes = std::get<schema::ProvActivity>(record).attributes.value().json;
    return true;
  }).value();
  BOOST_TEST(attributes.find(R"("whence:by":"ben","whence:proposedBy":"ann","whence:reason":"asked")") !=
             std::string::npos);
  BOOST_TEST(last().person.empty());
}

BOOST_AUTO_TEST_CASE(an_erasure_leaves_no_name_in_other_proposals) {
  auto const withdrawn = propose("ann", erasure_of("anna"));
  withdraw("ann", withdrawn).value();
  propose("ann", purge_of(RecordType::person, "anna"));
  propose("ann", purge_of(RecordType::context_unit, "cu_b"));
  auto const id = propose("ben", erasure_of("anna"));
  confirm("ann", id).value();
  for (auto const& each : proposals(true)) {
    BOOST_TEST(each.proposal.person.empty());
    BOOST_TEST(each.proposal.refs.size() == (each.state == engine::ProposalState::open ? 1U : 0U));
  }
}

BOOST_AUTO_TEST_CASE(a_proposal_is_withdrawn_and_not_deleted) {
  auto const id = propose("ann", erasure_of("anna"));
  BOOST_TEST(outcome(write_batch(removing({"ProvActivity:" + id}))) == "- /refs precondition four_eyes");
  confirm("ben", id).value();
}

BOOST_AUTO_TEST_CASE(what_the_server_wrote_down_is_neither_purged_nor_deleted_and_does_not_expire) {
  auto const erasure = id_in(confirm("ben", propose("ann", erasure_of("anna"))).value().refs.front());
  auto const withdrawn = propose("ann", purge_of(RecordType::context_unit, "cu_b"));
  withdraw("ann", withdrawn).value();
  auto const open = propose("ann", purge_of(RecordType::context_unit, "cu_b"));
  config.four_eyes.reset();  // whoever operates the server alone removes none of it either
  reopen();
  auto const known = engine->snapshot();
  engine::ContentRemoval expiring{.found_at = known.tx()};
  for (auto const& id : {erasure, withdrawn, open}) {
    auto const* const rule = id == erasure ? "erasure" : "four_eyes";
    BOOST_TEST(outcome(write_batch(by("ann", purge_of(RecordType::prov_activity, id)))) ==
               std::string{"- /refs precondition "} + rule);
    BOOST_TEST(outcome(write_batch(removing({"ProvActivity:" + id}))) == std::string{"- /refs precondition "} + rule);
    expiring.old.push_back(known.find(RecordType::prov_activity, id).value());
  }
  expiring.old.push_back(known.find(RecordType::context_unit, "cu_b").value());
  BOOST_TEST(
      write_batch(by("", std::move(expiring))).value().removal.gone == std::vector<std::string>{"ContextUnit:cu_b"},
      boost::test_tools::per_element());
  for (auto const& id : {erasure, withdrawn, open}) BOOST_TEST(!gone(RecordType::prov_activity, id).has_value());
  BOOST_TEST(proposals().size() == 1U);
}

BOOST_AUTO_TEST_CASE(nobody_writes_a_proposal_but_the_server) {
  engine::PurgeProposal forged{.id = engine::proposal_id("forged"),
                               .person = "anna",
                               .proposed_by = "ann",
                               .proposed_at = clock.now(),
                               .confirm_until = schema::plus_seconds(clock.now(), 1000)};
  BOOST_TEST(outcome(write({engine::record_of(forged)})) == "0 /id invalid_record server_field");
  BOOST_TEST(outcome(confirm("ben", forged.id)) == "- /ref not_found unknown_reference");
}

BOOST_AUTO_TEST_CASE(a_proposal_is_kept_as_it_is_read) {
  engine::PurgeProposal const given{.id = engine::proposal_id("1"),
                                    .refs = {{RecordType::topic, "a:b"}, {RecordType::response, "resp_1"}},
                                    .person = "anna",
                                    .cascades = true,
                                    .reason = "\"why\"",
                                    .proposed_by = "ann",
                                    .proposed_at = {.seconds = 1, .nanos = 5},
                                    .confirm_until = {.seconds = 2, .nanos = 0},
                                    .confirmed_by = "ben",
                                    .withdrawn_by = "cy",
                                    .purged = 3};
  auto const read = engine::find_proposal_in(engine::record_of(given)).value();
  BOOST_TEST((read.refs == given.refs));
  BOOST_TEST(read.person == given.person);
  BOOST_TEST(read.cascades);
  BOOST_TEST(read.reason == given.reason);
  BOOST_TEST(read.proposed_by + read.confirmed_by + read.withdrawn_by == "annbency");
  BOOST_TEST((read.proposed_at == given.proposed_at));
  BOOST_TEST((read.confirm_until == given.confirm_until));
  BOOST_TEST((read.purged == given.purged));
}

BOOST_AUTO_TEST_CASE(without_the_setting_a_purge_is_carried_out_at_once) {
  config.four_eyes.reset();
  reopen();
  BOOST_TEST(outcome(write_batch(by("ann", purge_of(RecordType::context_unit, "cu_b")))).substr(0, 2) == "ok");
  BOOST_TEST(is_purged(RecordType::context_unit, "cu_b"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace whence::test
