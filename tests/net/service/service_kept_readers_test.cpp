// Runs of items between two pages: read in order, kept for a while, dropped with their owner.

#include "net/rpc/item_reader.hpp"

#include <memory>
#include <string>
#include <utility>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

/// Numbers from 0 on; counts how many such runs there are.
class NumberRun final : public queries::ItemRun {
 public:
  NumberRun(int count, int& runs, std::size_t bytes = 10) : count_{count}, runs_{runs}, bytes_{bytes} { ++runs_; }
  ~NumberRun() override { --runs_; }
  NumberRun(NumberRun const&) = delete;
  NumberRun& operator=(NumberRun const&) = delete;

  [[nodiscard]] Result<bool> next(std::string* out, schema::Interrupt const& interrupt) override {
    if (interrupt.check(1) != schema::Stop::none) return Error{.code = Errc::cancelled, .message = "stopped"};
    if (at_ == count_) return false;
    if (out != nullptr) *out += std::to_string(at_);
    ++at_;
    return true;
  }
  void write_members(schema::json::Writer&) const override {}
  [[nodiscard]] std::size_t bytes() const noexcept override { return bytes_; }

 private:
  int count_;
  int& runs_;
  std::size_t bytes_;
  int at_ = 0;
};

class Interrupt final : public schema::Interrupt {
 public:
  [[nodiscard]] schema::Stop check(std::uint64_t) const noexcept override {
    return is_stopped ? schema::Stop::cancelled : schema::Stop::none;
  }
  bool is_stopped = false;
};

struct KeptFixture {
  std::shared_ptr<net::PeerMemory> peer() const { return std::make_shared<net::PeerMemory>(budget); }
  std::unique_ptr<net::ItemReader> reader(std::shared_ptr<net::PeerMemory> memory, std::size_t position = 0,
                                          std::size_t bytes = 10) {
    return std::make_unique<net::ItemReader>(std::make_unique<NumberRun>(5, runs, bytes), position, std::move(memory));
  }

  int runs = 0;
  Interrupt interrupt;
  std::shared_ptr<net::MemoryBudget> budget = std::make_shared<net::MemoryBudget>(1 << 20);
  std::shared_ptr<net::PeerMemory> owner = peer();
  std::shared_ptr<net::Alarms> alarms = std::make_shared<net::Alarms>();
  std::shared_ptr<net::KeptReaders> kept = std::make_shared<net::KeptReaders>(alarms);
};

BOOST_FIXTURE_TEST_CASE(items_before_the_position_are_left_out, KeptFixture) {
  auto const made = reader(owner, 2);
  std::string all;
  while (made->has_next(interrupt).value()) all += made->take();
  BOOST_TEST(all == "234");
  BOOST_TEST(made->position() == 5U);
  BOOST_TEST(!made->has_next(interrupt).value());
  BOOST_TEST(!reader(owner, 9)->has_next(interrupt).value());
  interrupt.is_stopped = true;
  BOOST_TEST(!reader(owner)->has_next(interrupt).has_value());
}

BOOST_FIXTURE_TEST_CASE(a_reader_is_found_by_its_key_and_place_once, KeptFixture) {
  auto made = reader(owner);
  BOOST_TEST(made->has_next(interrupt).value());
  BOOST_TEST(made->take() == "0");
  kept->keep("a", std::move(made), owner.get());
  BOOST_TEST(kept->take("b", 1) == nullptr);
  BOOST_TEST(kept->take("a", 2) == nullptr);
  auto const again = kept->take("a", 1);
  BOOST_REQUIRE(again != nullptr);
  BOOST_TEST(again->has_next(interrupt).value());
  BOOST_TEST(again->take() == "1");
  BOOST_TEST(kept->take("a", 1) == nullptr);
}

BOOST_FIXTURE_TEST_CASE(so_many_are_kept_and_the_oldest_go_first, KeptFixture) {
  for (std::size_t i = 0; i < net::KeptReaders::readers_max + 3; ++i) {
    kept->keep(std::to_string(i), reader(owner), owner.get());
  }
  BOOST_TEST(runs == static_cast<int>(net::KeptReaders::readers_max));
  BOOST_TEST(kept->take("2", 0) == nullptr);
  BOOST_TEST(kept->take("3", 0) != nullptr);
}

BOOST_FIXTURE_TEST_CASE(an_owner_s_end_is_theirs, KeptFixture) {
  auto const other = peer();
  kept->keep("a", reader(owner), owner.get());
  kept->keep("b", reader(other), other.get());
  kept->drop(owner.get());
  BOOST_TEST(kept->take("a", 0) == nullptr);
  BOOST_TEST(kept->take("b", 0) != nullptr);
  kept->keep("c", reader(owner), owner.get());
  kept->stop();
  BOOST_TEST(runs == 0);
  kept->keep("d", reader(owner), owner.get());
  BOOST_TEST(runs == 0);
}

BOOST_FIXTURE_TEST_CASE(what_there_is_no_memory_for_is_not_kept, KeptFixture) {
  kept->keep("a", reader(owner, 0, std::size_t{1} << 19), owner.get());
  BOOST_TEST(runs == 0);
  kept->keep("b", reader(owner, 0, 1'000), owner.get());
  BOOST_TEST(budget->used() == 1'000U);
  BOOST_TEST(kept->take("b", 0) != nullptr);
  BOOST_TEST(budget->used() == 0U);
}

}  // namespace
}  // namespace whence::test
