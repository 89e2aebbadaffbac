// Statements of Bolt in openCypher: values both ways, rows in parts, what is refused, what is interrupted.

#include "net/bolt/chunking.hpp"
#include "net/bolt/packstream/reader.hpp"
#include "net/cypher/runner.hpp"
#include "net/service/service.hpp"
#include "schema/base/interrupt.hpp"
#include "tests/support/fixtures.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace bolt = whence::net::bolt;

BOOST_AUTO_TEST_SUITE(cypher_runner)

namespace {

constexpr bolt::RowBounds all_rows{.rows_max = 1'000'000, .bytes_max = std::size_t{1} << 30};

/// The values of the rows in `text`.
std::vector<bolt::Value> read_rows(std::string_view text) {
  std::vector<bolt::Value> rows;
  bolt::Dechunker dechunker;
  while (!text.empty()) {
    if (dechunker.take(text, std::size_t{1} << 24) != bolt::Dechunker::Step::message) continue;
    bolt::PackReader reader{dechunker.message(), {}};
    BOOST_TEST(reader.read_structure().value().tag == 0x71);
    rows.push_back(reader.read_value().value());
  }
  return rows;
}

struct RunnerWorld : whence::test::EngineFixture {
  whence::net::Service service{*engine, {}, clock};
  std::shared_ptr<bolt::QueryRunner> runner = whence::net::make_cypher_runner(service);

  bolt::Outcome<std::unique_ptr<bolt::Cursor>> start(std::string text, bolt::Map parameters = {}) {
    return runner->start({.text = std::move(text), .parameters = std::move(parameters), .as_of = {}},
                         whence::schema::NoInterrupt{});
  }

  /// The only value of the only row.
  bolt::Value value_of(std::string text, bolt::Map parameters = {}) {
    auto const cursor = start(std::move(text), std::move(parameters));
    BOOST_REQUIRE(cursor.has_value());
    bolt::RowSink sink{{}};
    BOOST_TEST(!(*cursor)->next(sink, all_rows, whence::schema::NoInterrupt{}).value());
    auto const rows = read_rows(sink.text());
    BOOST_REQUIRE(rows.size() == 1U);
    return std::get<bolt::List>(rows.front().data).at(0);
  }
};

/// What a result of one row holds of `budget_bytes` while its next row is not asked for, and once it is closed.
std::pair<std::size_t, std::size_t> held_by_an_open_result(RunnerWorld& world, std::size_t budget_bytes) {
  auto const budget = std::make_shared<whence::net::MemoryBudget>(budget_bytes);
  std::size_t held = 0;
  {
    auto const cursor = world.runner->start(
        {.text = "MATCH (n:ContextUnit) WHERE n.content <> 'z' WITH n.id AS id ORDER BY id RETURN id",
         .parameters = {},
         .as_of = world.engine->snapshot().tx(),
         .memory = std::make_shared<whence::net::PeerMemory>(budget)},
        whence::schema::NoInterrupt{});
    BOOST_REQUIRE(cursor.has_value());
    bolt::RowSink sink{{}};
    BOOST_REQUIRE((*cursor)->next(sink, {.rows_max = 1, .bytes_max = 1'000}, whence::schema::NoInterrupt{}).value());
    held = budget->used();
    BOOST_REQUIRE(!(*cursor)->next(sink, all_rows, whence::schema::NoInterrupt{}).value());
    BOOST_TEST(read_rows(sink.text()).size() == 40U);
  }
  return {held, budget->used()};
}

class AlwaysStops final : public whence::schema::Interrupt {
 public:
  [[nodiscard]] whence::schema::Stop check(std::uint64_t) const noexcept override {
    return whence::schema::Stop::cancelled;
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(values_come_back_as_they_were) {
  RunnerWorld world;
  bolt::Map const parameters = {
      {"null", {}},
      {"yes", {true}},
      {"integer", {std::int64_t{-5}}},
      {"real", {2.5}},
      {"text", {std::string{"a"}}},
      {"list", {bolt::List{{std::int64_t{1}}, {bolt::Map{{"k", {std::string{"v"}}}}}}}},
      {"date", {bolt::Date{.days = 19'782}}},
      {"time", {bolt::Time{.nanos = 1, .offset = -3'600}}},
      {"local_time", {bolt::LocalTime{.nanos = 2}}},
      {"local_date_time", {bolt::LocalDateTime{.seconds = -3, .nanos = 4}}},
      {"date_time", {bolt::DateTime{.seconds = 5, .nanos = 6, .offset = 3'600}}},
      {"duration", {bolt::Duration{.months = 1, .days = 2, .seconds = 3, .nanos = 4}}},
  };
  for (auto const& entry : parameters) {
    BOOST_TEST_CONTEXT(entry.key) {
      BOOST_TEST(world.value_of("RETURN $" + entry.key, parameters) == entry.value);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_duration_below_zero_keeps_its_length) {
  RunnerWorld world;
  bolt::Value const given{bolt::Duration{.months = 0, .days = 0, .seconds = -1, .nanos = -500'000'000}};
  bolt::Value const same{bolt::Duration{.months = 0, .days = 0, .seconds = -2, .nanos = 500'000'000}};
  BOOST_TEST(world.value_of("RETURN $x", {{"x", given}}) == same);
}

BOOST_AUTO_TEST_CASE(bytes_and_unknown_zones_are_refused) {
  RunnerWorld world;
  auto const bytes = world.start("RETURN $x", {{"x", {bolt::Bytes{"b"}}}});
  BOOST_TEST(bytes.error().kind == bolt::FailureKind::type_error);
  auto const zone = world.start("RETURN $x", {{"x", {bolt::DateTime{.seconds = 0, .nanos = 0, .zone = "No/Where"}}}});
  BOOST_TEST(zone.error().kind == bolt::FailureKind::argument_error);
}

BOOST_AUTO_TEST_CASE(records_of_an_open_result_are_counted_or_let_go) {
  RunnerWorld world;
  std::vector<whence::schema::Record> records;
  for (std::size_t i = 0; i < 40; ++i) {
    auto made = whence::test::unit("cu_" + std::to_string(i));
    made.content = std::string(20'000, 'x');
    records.emplace_back(std::move(made));
  }
  BOOST_REQUIRE(world.write(std::move(records)).has_value());
  auto const [kept, kept_after] = held_by_an_open_result(world, std::size_t{64} << 20);
  BOOST_TEST(kept > 800'000U);
  BOOST_TEST(kept_after == 0U);
  auto const [let_go, let_go_after] = held_by_an_open_result(world, std::size_t{1} << 20);
  BOOST_TEST(let_go < 100'000U);
  BOOST_TEST(let_go_after == 0U);
}

BOOST_AUTO_TEST_CASE(rows_come_in_parts) {
  RunnerWorld world;
  auto const cursor = world.start("UNWIND range(1, 10) AS i RETURN i");
  BOOST_REQUIRE(cursor.has_value());
  BOOST_TEST((*cursor)->fields() == std::vector<std::string>{"i"}, boost::test_tools::per_element());
  std::size_t rows = 0;
  bool has_more = true;
  while (has_more) {
    bolt::RowSink sink{{}};
    has_more = (*cursor)->next(sink, {.rows_max = 3, .bytes_max = 1'000}, whence::schema::NoInterrupt{}).value();
    BOOST_TEST(sink.rows() <= 3U);
    rows += sink.rows();
  }
  BOOST_TEST(rows == 10U);
}

BOOST_AUTO_TEST_CASE(failures_have_their_kinds) {
  RunnerWorld world;
  BOOST_TEST(world.start("MATCH (n RETURN n").error().kind == bolt::FailureKind::syntax_error);
  BOOST_TEST(world.start("RETURN $missing").error().kind == bolt::FailureKind::parameter_missing);
  BOOST_TEST(world.start("CREATE (n)").error().kind == bolt::FailureKind::access_mode);
  auto const beyond = world.runner->start({.text = "RETURN 1", .as_of = whence::schema::TxId{1'000'000}},
                                          whence::schema::NoInterrupt{});
  BOOST_TEST(beyond.error().kind == bolt::FailureKind::argument_error);
}

BOOST_AUTO_TEST_CASE(a_step_is_interrupted) {
  RunnerWorld world;
  auto const cursor =
      world.start("UNWIND range(1, 100000) AS a UNWIND range(1, 1000) AS b WITH a WHERE a < 0 RETURN a");
  BOOST_REQUIRE(cursor.has_value());
  bolt::RowSink sink{{}};
  auto const stopped = (*cursor)->next(sink, all_rows, AlwaysStops{});
  BOOST_REQUIRE(!stopped.has_value());
  BOOST_TEST(stopped.error().kind == bolt::FailureKind::transaction_terminated);
}

BOOST_AUTO_TEST_CASE(a_plan_is_told_after_the_rows) {
  RunnerWorld world;
  auto const cursor = world.start("EXPLAIN MATCH (n:Response) RETURN n");
  BOOST_REQUIRE(cursor.has_value());
  auto const summary = (*cursor)->summary();
  auto const* const plan = bolt::find_as<bolt::Map>(summary, "plan");
  BOOST_REQUIRE(plan != nullptr);
  BOOST_TEST(bolt::find_as<std::string>(*plan, "operatorType") != nullptr);
  BOOST_TEST(bolt::find_as<bolt::List>(*plan, "children") != nullptr);
}

BOOST_AUTO_TEST_SUITE_END()
