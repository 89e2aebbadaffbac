// CALL of procedures: rows made as they are pulled, counted as the query's own, and failures with a place.

#include "tests/cypher/asked.hpp"

#include <map>
#include <memory>

#include <boost/test/unit_test.hpp>

namespace whence::tests {
namespace {

/// Numbers from 1, without an end. Each counts a step, and holds as many bytes as its number.
class Counting final : public ProcedureRows {
 public:
  Counting(ProcedureContext const& context, std::uint64_t& made) : context_(context), made_(made) {}

  [[nodiscard]] Outcome<bool> next(List& row) override {
    ++made_;
    row = {Value{++at_}};
    if (context_.interrupt.check(1) == schema::Stop::none) return true;
    return QueryError{.kind = ErrorKind::procedure_error, .detail = "Stopped"};
  }
  [[nodiscard]] std::uint64_t bytes() const noexcept override { return static_cast<std::uint64_t>(at_); }

 private:
  ProcedureContext context_;
  std::uint64_t& made_;
  std::int64_t at_ = 0;
};

class TestProcedures final : public Procedures {
 public:
  TestProcedures() {
    Procedure count{
        .name = "test.count",
        .parameters = {},
        .columns = {{.name = "number", .type = "INTEGER", .doc = {}}},
        .call = [this](ProcedureContext const& context, List const&) -> Outcome<std::unique_ptr<ProcedureRows>> {
          return std::unique_ptr<ProcedureRows>{std::make_unique<Counting>(context, made)};
        }};
    Procedure echo{
        .name = "test.echo",
        .parameters = {{.name = "node", .type = "STRING | NODE", .doc = {}},
                       {.name = "options", .type = "MAP", .is_optional = true, .doc = {}}},
        .columns = {{.name = "node", .type = "NODE", .doc = {}}, {.name = "given", .doc = {}}},
        .call = [](ProcedureContext const& context, List const& arguments) -> Outcome<std::unique_ptr<ProcedureRows>> {
          if (arguments[0].find_text() != nullptr) {
            return QueryError{.kind = ErrorKind::entity_not_found, .detail = "NoNode", .message = "none"};
          }
          return rows_of({{Node{.graph = &context.graph, .id = 0}, arguments[0]}});
        },
        .takes_map = true};
    all_.emplace(count.name, std::move(count));
    all_.emplace(echo.name, std::move(echo));
  }

  [[nodiscard]] Procedure const* find(std::string_view name) const override {
    auto const found = all_.find(name);
    return found == all_.end() ? nullptr : &found->second;
  }

  mutable std::uint64_t made = 0;

 private:
  std::map<std::string, Procedure, std::less<>> all_;
};

struct ProcedureWorld {
  MemoryGraph graph = graph_of("CREATE (:A {n: 1})-[:R]->(:B {n: 2})");
  TestProcedures procedures;

  Asked ask(std::string_view text, AskLimits limits = {}) { return ask_graph(graph, text, {}, limits, &procedures); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(cypher_procedures, ProcedureWorld)

BOOST_AUTO_TEST_CASE(a_limit_stops_a_procedure) {
  BOOST_TEST(ask("CALL test.count() YIELD number RETURN number LIMIT 3").text() == "1; 2; 3");
  BOOST_TEST(procedures.made == 3u);
  BOOST_TEST(ask("CALL test.count() YIELD number WITH number WHERE number % 2 = 0 RETURN number LIMIT 2").text() ==
             "2; 4");
  BOOST_TEST(procedures.made == 7u);
}

BOOST_AUTO_TEST_CASE(a_call_is_bounded_as_its_query) {
  BOOST_TEST(ask("CALL test.count() YIELD number RETURN max(number)", {.steps_max = 5000}).error->detail == "steps");
  BOOST_TEST(ask("CALL test.count() YIELD number RETURN max(number)", {.bytes_max = 5000}).error->detail == "bytes");
  BOOST_TEST(ask("CALL test.count() YIELD number RETURN number", {.rows_max = 100}).error->detail == "rows");
}

BOOST_AUTO_TEST_CASE(what_a_call_holds_is_free_after_it) {
  // The lists are held, too: three of ten instead of one of a thousand.
  auto const text =
      "UNWIND range(1, 10) AS i UNWIND range(1, 10) AS j UNWIND range(1, 10) AS k CALL test.echo(null) YIELD given "
      "RETURN count(*)";
  BOOST_TEST(ask(text, {.bytes_max = 4000}).text() == "1000");
}

BOOST_AUTO_TEST_CASE(rows_compose_with_patterns) {
  BOOST_TEST(ask("CALL test.echo(null) YIELD node MATCH (node)-[:R]->(b) RETURN b.n").text() == "2");
  BOOST_TEST(ask("MATCH (a:A) CALL test.echo(a) YIELD node AS n, given WHERE given = a RETURN n.n").text() == "1");
  BOOST_TEST(ask("MATCH (a:A) CALL test.echo({node: a}) YIELD given RETURN given.node = a").text() == "true");
}

BOOST_AUTO_TEST_CASE(failures_have_a_place) {
  auto const text = "CALL test.echo('x')";
  BOOST_TEST(ask(text).text() == "EntityNotFound NoNode");
  BOOST_TEST((ask(text).error->place == Place{1, 6}));
  BOOST_TEST(ask("CALL test.nothing()").text() == "ProcedureError ProcedureNotFound");
  BOOST_TEST(ask("CALL test.echo(1)").text() == "SyntaxError InvalidArgumentType");
  BOOST_TEST(ask("CALL test.echo([1], {})").text() == "SyntaxError InvalidArgumentType");
  BOOST_TEST(ask("CALL test.echo(null, {}, 1)").text() == "SyntaxError InvalidNumberOfArguments");
  auto const column = ask("CALL test.echo(null) YIELD nod RETURN nod");
  BOOST_TEST(column.error->message.find("node") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(explain_names_the_call) {
  auto const plan = ask("PROFILE CALL test.count() YIELD number RETURN number LIMIT 3").plan;
  auto const call = std::ranges::find(plan, "ProcedureCall", &PlanLine::name);
  BOOST_REQUIRE((call != plan.end()));
  BOOST_TEST(call->detail == "test.count");
  BOOST_TEST(call->estimate == 10.0);
  BOOST_TEST((call->rows == 3u));
}

BOOST_AUTO_TEST_CASE(a_signature_names_types) {
  BOOST_TEST(signature_of(*procedures.find("test.echo")) ==
             "test.echo(node :: STRING | NODE, options = {} :: MAP) :: (node :: NODE, given :: ANY)");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace whence::tests
