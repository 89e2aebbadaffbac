#include "net/work/alarms.hpp"

#include <future>
#include <stdexcept>
#include <string>
#include <string_view>

#include <boost/test/unit_test.hpp>

namespace whence::net {
namespace {

using namespace std::chrono_literals;

Moment in(std::chrono::steady_clock::duration time) {
  return std::chrono::steady_clock::now() + time;
}

BOOST_AUTO_TEST_CASE(rings_when_the_transaction_is_visible) {
  Alarms alarms;
  std::promise<bool> rung;
  alarms.set({.tx = schema::TxId{3}, .deadline = in(1min)}, [&](bool is_visible) { rung.set_value(is_visible); });
  alarms.on_published(schema::TxId{2});
  alarms.on_published(schema::TxId{4});
  BOOST_TEST(rung.get_future().get());
}

BOOST_AUTO_TEST_CASE(rings_at_once_for_a_transaction_already_visible) {
  Alarms alarms;
  alarms.on_published(schema::TxId{5});
  std::promise<bool> rung;
  alarms.set({.tx = schema::TxId{5}}, [&](bool is_visible) { rung.set_value(is_visible); });
  BOOST_TEST(rung.get_future().get());
}

BOOST_AUTO_TEST_CASE(rings_at_the_deadline_where_the_transaction_does_not_come) {
  Alarms alarms;
  std::promise<bool> rung;
  alarms.set({.tx = schema::TxId{1}, .deadline = in(1ms)}, [&](bool is_visible) { rung.set_value(is_visible); });
  BOOST_TEST(!rung.get_future().get());
}

BOOST_AUTO_TEST_CASE(an_earlier_deadline_set_later_rings_first) {
  Alarms alarms;
  std::promise<int> first;
  alarms.set({.deadline = in(1min)}, [](bool) {});
  alarms.set({.deadline = in(1ms)}, [&](bool) { first.set_value(2); });
  BOOST_TEST(first.get_future().get() == 2);
}

BOOST_AUTO_TEST_CASE(an_alarm_that_throws_is_told_and_those_after_it_ring) {
  std::promise<std::string> told;
  std::promise<void> later;
  Alarms alarms{[&](std::string_view trouble) { told.set_value(std::string{trouble}); }};
  alarms.set({.tx = schema::TxId{1}}, [](bool) { throw std::runtime_error("no store"); });
  alarms.set({.tx = schema::TxId{2}}, [&](bool) { later.set_value(); });
  alarms.on_published(schema::TxId{2});
  later.get_future().get();
  BOOST_TEST(told.get_future().get() == "alarms: no store; the alarm is lost, those after it are not");
}

BOOST_AUTO_TEST_CASE(a_forgotten_alarm_is_silent) {
  Alarms alarms;
  std::promise<void> later;
  bool has_rung = false;
  auto const id = alarms.set({.tx = schema::TxId{1}}, [&](bool) { has_rung = true; });
  alarms.forget(id);
  alarms.set({.tx = schema::TxId{2}}, [&](bool) { later.set_value(); });
  alarms.on_published(schema::TxId{2});
  later.get_future().get();
  BOOST_TEST(!has_rung);
}

}  // namespace
}  // namespace whence::net
