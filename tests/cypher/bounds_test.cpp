// What a query may hold and look at, wherever in it that is; and what the bounds leave as it was.

#include "tests/cypher/asked.hpp"

#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace whence::tests {
namespace {

std::string detail_of(std::string const& text, AskLimits limits) {
  MemoryGraph const graph;
  auto const asked = ask_graph(graph, text, {}, limits);
  return asked.error ? asked.error->detail : "none";
}

std::string repeated(std::string const& part, int count) {
  std::string made;
  for (int i = 0; i < count; ++i) made += part;
  return made;
}

BOOST_AUTO_TEST_SUITE(cypher_bounds)

BOOST_AUTO_TEST_CASE(values_are_bounded_while_they_are_made_and_wait) {
  constexpr AskLimits mebibyte{.bytes_max = 1u << 20};
  std::string const some = "range(1, 10000)";  // 320 KB
  BOOST_TEST(detail_of("RETURN size(" + some + ")", mebibyte) == "none");
  std::vector<std::string> const texts = {
      "RETURN size(range(1, 40000))",
      "RETURN size([x IN range(1, 1000) | range(1, 1000)])",
      "RETURN size([" + repeated(some + ", ", 4) + "1])",
      "RETURN size(coalesce(" + repeated(some + ", ", 4) + "[1]))",
      "RETURN coalesce(" + some + ", coalesce(" + some + ", coalesce(" + some + ", coalesce(" + some + ", 1))))",
      "RETURN size(keys({a: " + some + ", b: " + some + ", c: " + some + ", d: " + some + "}))",
      "WITH " + some + " AS a WITH *, " + some + " AS b WITH *, " + some + " AS c WITH *, " + some +
          " AS d RETURN size(a)",
      "UNWIND range(1, 20) AS i RETURN i ORDER BY range(i, 10000)",
      "UNWIND range(1, 20) AS i WITH i, max(range(i, 10000)) AS m RETURN count(m)",
      "WITH reduce(s = 'a', i IN range(1, 16) | s + s) AS s RETURN size(split(s, ''))",
      "UNWIND range(1, 20) AS i RETURN collect(range(i, 10000))",
      some + "[" + some + "[" + some + "[" + some + "[0]]]]",
      some + "[" + some + "[" + some + "[" + some + "[0..1][0]..1][0]..1][0]..1]",
      "CASE " + some + " WHEN CASE " + some + " WHEN CASE " + some + " WHEN CASE " + some +
          " WHEN 1 THEN 1 END THEN 1 END THEN 1 END THEN 1 END",
      "reduce(a = " + some + ", x IN [reduce(a = " + some + ", x IN [reduce(a = " + some +
          ", x IN [reduce(a = " + some + ", x IN [1] | 1)] | 1)] | 1)] | 1)",
      "size(reverse(tail(range(1, 20000))))",
      "reduce(s = 'a', i IN range(1, 20) | s + s)",
  };
  for (auto const& each : texts) {
    auto const is_whole = each.starts_with("RETURN") || each.starts_with("WITH") || each.starts_with("UNWIND");
    auto const text = is_whole ? each : "RETURN " + each;
    BOOST_TEST_CONTEXT(text) {
      BOOST_TEST(detail_of(text, mebibyte) == "bytes");
    }
  }
}

BOOST_AUTO_TEST_CASE(what_is_no_longer_held_is_given_back) {
  constexpr AskLimits mebibyte{.bytes_max = 1u << 20};
  std::string const collecting =
      "UNWIND range(1, 500) AS i WITH i WHERE EXISTS { WITH i UNWIND range(1, 500) AS j WITH collect(j) AS c WHERE "
      "size(c) > 1 RETURN c } RETURN count(*)";
  std::vector<std::string> const texts = {
      "UNWIND range(1, 500) AS i RETURN max(size(range(1, 10000)))",
      collecting,
      "UNWIND range(1, 500) AS i WITH i, range(1, 10000) AS l RETURN max(size(l))",
      "UNWIND range(1, 500) AS i UNWIND range(1, 10000 - i) AS j RETURN count(j)",
      "RETURN reduce(n = 0, i IN range(1, 500) | n + size(range(1, 10000)))",
  };
  for (auto const& text : texts) {
    BOOST_TEST_CONTEXT(text) {
      BOOST_TEST(detail_of(text, mebibyte) == "none");
    }
  }
}

BOOST_AUTO_TEST_CASE(long_values_cost_steps) {
  constexpr AskLimits few{.steps_max = 200'000};
  std::string const lists = "WITH range(1, 100000) AS l, range(1, 100000) AS m UNWIND range(1, 100) AS i WITH * WHERE ";
  for (std::string const condition : {"-i IN l", "l <> m", "size(l + m) < i", "size(tail(l)) < i"}) {
    BOOST_TEST_CONTEXT(condition) {
      BOOST_TEST(detail_of(lists + condition + " RETURN count(*)", few) == "steps");
    }
  }
}

class AfterChecks final : public schema::Interrupt {
 public:
  explicit AfterChecks(int count) : left_(count) {}
  [[nodiscard]] schema::Stop check(std::uint64_t /*steps*/) const noexcept override {
    return --left_ < 0 ? schema::Stop::timeout : schema::Stop::none;
  }

 private:
  int mutable left_;
};

BOOST_AUTO_TEST_CASE(a_long_range_ends_in_the_middle) {
  MemoryGraph const graph;
  auto const prepared = prepare("RETURN size(range(1, 2000000))");
  BOOST_REQUIRE(prepared);
  AfterChecks const interrupt{3};
  auto rows = queries::cypher::run(*prepared, graph, {}, {.interrupt = interrupt});
  BOOST_REQUIRE(rows);
  auto const row = rows->next();
  BOOST_REQUIRE(!row);
  BOOST_TEST(name_of(row.error().kind) == "Timeout");
}

BOOST_AUTO_TEST_CASE(what_is_held_is_asked_for_and_given_back) {
  MemoryGraph const graph;
  schema::NoInterrupt const interrupt;
  std::uint64_t room = 4u << 20;
  std::uint64_t most = 0;
  std::uint64_t last = 0;
  auto const failure_of = [&](std::string const& text) {
    auto const prepared = prepare(text);
    auto rows =
        queries::cypher::run(*prepared, graph, {}, {.interrupt = interrupt, .may_hold = [&](std::uint64_t bytes) {
                                                      if (bytes > room) return false;
                                                      most = std::max(most, bytes);
                                                      last = bytes;
                                                      return true;
                                                    }});
    for (;;) {
      auto const row = rows->next();
      if (!row) return std::string{name_of(row.error().kind)};
      if (!*row) return std::string{};
    }
  };
  BOOST_TEST(failure_of("UNWIND range(1, 10) AS i RETURN size(range(1, 60000))").empty());  // 1.9 MB each
  BOOST_TEST(most >= 1u << 20);
  BOOST_TEST(last <= 1u << 20);  // told in whole steps
  BOOST_TEST(failure_of("RETURN size(range(1, 200000))") == "OutOfMemory");
  room = 64u << 20;
  BOOST_TEST(failure_of("RETURN size(range(1, 200000))").empty());
}

// A replacement makes a text of another length than that of its arguments.
BOOST_AUTO_TEST_CASE(texts_ask_the_clock_while_they_are_made) {
  MemoryGraph const graph;
  Map const params = {{"many", std::string(100'000, 'a')}, {"long", std::string(400, 'b')}};
  std::string const replaced = "RETURN size(replace($many, 'a', $long))";
  BOOST_TEST(ask_graph(graph, replaced, params).text() == "40000000");
  BOOST_TEST(ask_graph(graph, replaced, params, {.steps_max = 100'000}).error->detail == "steps");
  BOOST_TEST(ask_graph(graph, replaced, params, {.bytes_max = 10u << 20}).error->detail == "bytes");
  // Nothing is made, but the text is gone through.
  BOOST_TEST(ask_graph(graph, "UNWIND range(1, 1000) AS i WITH size(replace($many, 'a', '')) AS n RETURN max(n)",
                       params, {.steps_max = 100'000})
                 .error->detail == "steps");
}

// Text times part would be 10^13 steps, none of which asks the clock.
BOOST_AUTO_TEST_CASE(a_part_that_nearly_matches_everywhere_is_sought_in_one_pass) {
  MemoryGraph const graph;
  std::string const text(8u << 20, 'a');
  Map const params = {{"text", text}, {"part", std::string(4u << 20, 'a') + "b"}};
  BOOST_TEST(ask_graph(graph,
                       "RETURN $text CONTAINS $part, size(split($text, $part)), size(replace($text, $part, '')), "
                       "($text + 'b') CONTAINS $part",
                       params)
                 .text() == "false | 1 | " + std::to_string(text.size()) + " | true");
}

BOOST_AUTO_TEST_CASE(texts_are_bounded_in_nodes_and_columns) {
  auto const many = [](std::string const& first, std::string const& part, int count, std::string const& last) {
    auto made = first;
    for (int i = 0; i < count; ++i) made.append(i == 0 ? "" : ", ").append(part).append(std::to_string(i)).append(last);
    return made;
  };
  BOOST_TEST(detail_of(many("MATCH ", "(n", 2000, ")") + " RETURN 1", {}) == "none");
  BOOST_TEST(detail_of(many("MATCH ", "(n", 2001, ")") + " RETURN 1", {}) == "UnexpectedSyntax");
  BOOST_TEST(detail_of(many("RETURN ", "1 AS a", 1000, ""), {}) == "none");
  BOOST_TEST(detail_of(many("RETURN ", "1 AS a", 1001, ""), {}) == "UnexpectedSyntax");
  BOOST_TEST(detail_of(many("RETURN 1 AS a ORDER BY ", "", 1001, ""), {}) == "UnexpectedSyntax");
}

// 30,000 rows are sorted in several runs.
BOOST_AUTO_TEST_CASE(long_sorts_are_right_and_keep_the_order_of_equal_rows) {
  MemoryGraph const graph;
  auto const sorted = ask_graph(
      graph, "UNWIND range(1, 30000) AS i WITH i, i * 7919 % 30011 AS k ORDER BY k RETURN collect(k) AS c", {});
  auto const expected = ask_graph(graph, "UNWIND range(1, 30000) AS i RETURN collect(i * 7919 % 30011) AS c", {});
  BOOST_REQUIRE(!sorted.error);
  auto const is_sorted =
      ask_graph(graph,
                "UNWIND range(1, 30000) AS i WITH i, i * 7919 % 30011 AS k ORDER BY k WITH collect(k) AS c "
                "RETURN size(c), all(j IN range(1, 29999) WHERE c[j - 1] < c[j])");
  BOOST_TEST(is_sorted.text() == "30000 | true");
  BOOST_TEST(sorted.text() != expected.text());
  auto const stable = ask_graph(graph,
                                "UNWIND range(1, 30000) AS i WITH i ORDER BY i % 3 WITH collect(i) AS c "
                                "RETURN c[0], c[1], c[9999], c[10000], c[29999]");
  BOOST_TEST(stable.text() == "3 | 6 | 30000 | 1 | 29999");
}

BOOST_AUTO_TEST_CASE(an_error_shows_the_neighbourhood_of_its_place_only) {
  auto const long_line = "RETURN '" + repeated("\xC3\xA4", 100'000) + "' + + x + '" + repeated("b", 100'000) + "'";
  auto const prepared = prepare(long_line);
  BOOST_REQUIRE(!prepared);
  auto const& excerpt = prepared.error().excerpt;
  BOOST_TEST_CONTEXT(excerpt) {
    BOOST_TEST(excerpt.size() < 1000u);
    // The caret stands under what is undefined: both lines have so many characters before it.
    auto const end = excerpt.find('\n');
    auto const caret = excerpt.size() - end - 2;
    std::size_t at = 0;
    for (std::size_t i = 0; i < caret; ++i) {
      ++at;
      while ((static_cast<unsigned char>(excerpt[at]) & 0xC0) == 0x80) ++at;
    }
    BOOST_TEST(excerpt.substr(at, 5) == "x + '");
    BOOST_TEST(excerpt.starts_with("..."));
    BOOST_TEST(excerpt.substr(0, end).ends_with("..."));
  }
}

BOOST_AUTO_TEST_CASE(percentiles_choose_as_if_all_were_sorted) {
  MemoryGraph const graph;
  BOOST_TEST(ask_graph(graph,
                       "UNWIND range(1, 1000) AS i WITH i * 7919 % 1009 AS k RETURN percentileDisc(k, 0), "
                       "percentileDisc(k, 0.5), percentileDisc(k, 1), percentileCont(k, 1), percentileCont(k, 0)")
                 .text() ==
             ask_graph(graph,
                       "UNWIND range(1, 1000) AS i WITH i * 7919 % 1009 AS k ORDER BY k WITH collect(k) AS c RETURN "
                       "c[0], c[499], c[999], toFloat(c[999]), toFloat(c[0])")
                 .text());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::tests
