// Claim: MATCH finds each assignment of a pattern once, whatever the plan; a walk finds the same ends as all paths do.
// Method: random small graphs and patterns from a printed seed; a second implementation tries all relations in the
// order in which the pattern names them, and checks everything at the end.

#include "tests/cypher/asked.hpp"
#include "tests/support/seed.hpp"

#include <functional>
#include <random>
#include <set>

#include <boost/test/unit_test.hpp>

namespace whence::tests {
namespace {

struct RandomEdge {
  std::size_t from, to, type;
};

struct RandomNode {
  bool is_a = false;
  std::int64_t x = 0;
};

struct PatternStep {
  int direction = 0;  ///< 0: out, 1: in, 2: any
  std::set<std::size_t> types = {};
  bool is_variable = false;
  std::size_t least = 1;
  std::size_t most = 1;
};

/// A chain of nodes and relations; nodes may occur twice.
struct ChainPattern {
  std::vector<std::size_t> nodes;  ///< numbers of variables
  std::vector<bool> has_label;
  std::vector<std::int64_t> x;  ///< -1: any
  std::vector<PatternStep> steps;
};

class RandomMatch {
 public:
  explicit RandomMatch(std::uint64_t seed) : random_(seed) {
    auto const size = 1 + draw(6);
    for (std::size_t i = 0; i < size; ++i) {
      RandomNode const node{.is_a = draw(2) == 0, .x = static_cast<std::int64_t>(draw(2))};
      nodes.push_back(node);
      graph.add_node(node.is_a ? std::vector<std::string>{"A"} : std::vector<std::string>{}, {{"x", Value{node.x}}});
    }
    for (auto i = draw(9); i > 0; --i) {
      RandomEdge const edge{draw(size), draw(size), draw(2)};
      edges.push_back(edge);
      graph.add_relation(edge.from, edge.to, "T" + std::to_string(edge.type), {});
    }
    auto const length = 1 + draw(3);
    for (std::size_t i = 0; i <= length; ++i) {
      pattern.nodes.push_back(draw(4) == 0 && i > 0 ? pattern.nodes[draw(i)] : i);
      pattern.has_label.push_back(draw(3) == 0);
      pattern.x.push_back(draw(4) == 0 ? static_cast<std::int64_t>(draw(2)) : -1);
    }
    for (std::size_t i = 0; i < length; ++i) {
      PatternStep step{.direction = static_cast<int>(draw(3)), .is_variable = draw(3) == 0};
      if (draw(2) == 0) step.types.insert(draw(2));
      if (draw(6) == 0) step.types.insert(draw(2));
      if (step.is_variable) {
        step.least = draw(3);
        step.most = step.least + draw(3);
      }
      pattern.steps.push_back(step);
    }
  }

  [[nodiscard]] std::string text() const {
    std::string made = "MATCH ";
    for (std::size_t i = 0; i < pattern.nodes.size(); ++i) {
      made += "(n" + std::to_string(pattern.nodes[i]);
      if (pattern.has_label[i]) made += ":A";
      if (pattern.x[i] >= 0) made += " {x: " + std::to_string(pattern.x[i]) + "}";
      made += ")";
      if (i == pattern.steps.size()) break;
      auto const& step = pattern.steps[i];
      made += step.direction == 1 ? "<-[" : "-[";
      made += "r" + std::to_string(i);
      for (auto const type : step.types)
        made += (made.back() == ':' ? "" : type == *step.types.begin() ? ":T" : "|T") + std::to_string(type);
      if (step.is_variable) made += "*" + std::to_string(step.least) + ".." + std::to_string(step.most);
      made += step.direction == 0 ? "]->" : "]-";
    }
    made += " RETURN ";
    for (auto const node : distinct_nodes()) made += "id(n" + std::to_string(node) + "), ";
    for (std::size_t i = 0; i < pattern.steps.size(); ++i) {
      made += (i == 0 ? "" : ", ") + (pattern.steps[i].is_variable ? "[r IN r" + std::to_string(i) + " | id(r)]"
                                                                   : "[id(r" + std::to_string(i) + ")]");
    }
    return made;
  }

  [[nodiscard]] std::vector<std::string> expected() const {
    std::vector<std::string> rows;
    std::vector<std::size_t> at(pattern.nodes.size());
    std::vector<std::vector<std::size_t>> taken(pattern.steps.size());
    std::function<void(std::size_t)> go = [&](std::size_t step) {
      if (step == pattern.steps.size()) {
        if (holds(at)) rows.push_back(row(at, taken));
        return;
      }
      walk(step, at, taken, at[step], 0, [&](std::size_t end) {
        at[step + 1] = end;
        go(step + 1);
      });
    };
    for (std::size_t start = 0; start < nodes.size(); ++start) {
      at[0] = start;
      go(0);
    }
    std::ranges::sort(rows);
    return rows;
  }

  std::vector<RandomNode> nodes;
  std::vector<RandomEdge> edges;
  ChainPattern pattern;
  MemoryGraph graph;

 private:
  std::size_t draw(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }

  [[nodiscard]] std::set<std::size_t> distinct_nodes() const { return {pattern.nodes.begin(), pattern.nodes.end()}; }

  void walk(std::size_t step, std::vector<std::size_t> const& at, std::vector<std::vector<std::size_t>>& taken,
            std::size_t node, std::size_t length, std::function<void(std::size_t)> const& visit) const {
    auto const& wanted = pattern.steps[step];
    if (length >= wanted.least) visit(node);
    if (length == wanted.most) return;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      bool is_taken = false;
      for (auto const& each : taken) is_taken = is_taken || std::ranges::find(each, i) != each.end();
      if (is_taken || (!wanted.types.empty() && !wanted.types.contains(edges[i].type))) continue;
      bool const out = edges[i].from == node && wanted.direction != 1;
      bool const in = edges[i].to == node && wanted.direction != 0 && !(out && edges[i].from == edges[i].to);
      for (bool const is_out : {true, false}) {
        if (is_out ? !out : !in) continue;
        taken[step].push_back(i);
        walk(step, at, taken, is_out ? edges[i].to : edges[i].from, length + 1, visit);
        taken[step].pop_back();
      }
    }
  }

  [[nodiscard]] bool holds(std::vector<std::size_t> const& at) const {
    for (std::size_t i = 0; i < at.size(); ++i) {
      if (pattern.has_label[i] && !nodes[at[i]].is_a) return false;
      if (pattern.x[i] >= 0 && nodes[at[i]].x != pattern.x[i]) return false;
      for (std::size_t j = 0; j < i; ++j) {
        if (pattern.nodes[i] == pattern.nodes[j] && at[i] != at[j]) return false;
      }
    }
    return true;
  }

  [[nodiscard]] std::string row(std::vector<std::size_t> const& at,
                                std::vector<std::vector<std::size_t>> const& taken) const {
    std::string made;
    for (auto const node : distinct_nodes()) {
      auto const place = static_cast<std::size_t>(std::ranges::find(pattern.nodes, node) - pattern.nodes.begin());
      made += (made.empty() ? "" : " | ") + std::to_string(at[place]);
    }
    for (auto const& list : taken) {
      made += " | [";
      for (std::size_t i = 0; i < list.size(); ++i) made += (i == 0 ? "" : ", ") + std::to_string(list[i]);
      made += "]";
    }
    return made;
  }

  std::mt19937_64 random_;
};

BOOST_AUTO_TEST_SUITE(cypher_random)

BOOST_AUTO_TEST_CASE(matches_equal_a_naive_search) {
  auto const seed = test::seed_from_environment();
  for (std::uint64_t number = 0; number < 3000; ++number) {
    RandomMatch const one{seed + number};
    BOOST_TEST_CONTEXT("WHENCE_TEST_SEED=" << seed << ", " << number << ": " << one.text()) {
      auto asked = ask_graph(one.graph, one.text());
      BOOST_REQUIRE(!asked.error);
      std::ranges::sort(asked.rows);
      BOOST_REQUIRE(asked.rows == one.expected());
    }
  }
}

BOOST_AUTO_TEST_CASE(walks_find_the_ends_of_all_paths) {
  auto const seed = test::seed_from_environment();
  std::size_t walks = 0;
  for (std::uint64_t number = 0; number < 2000; ++number) {
    RandomMatch const one{seed + number};
    for (std::string const length : {"*", "*0..", "*1..2", "*..3"}) {
      for (std::string const types : {"", ":T0"}) {
        std::string relation = types;
        // Undirected ones are fewer, since listing their paths takes long.
        bool const is_undirected = number % 16 == 15;
        bool const is_out = number % 2 == 0;
        relation.append(length).append(is_out ? "]->(b)" : "]-(b)");
        std::string const start = is_out || is_undirected ? "MATCH (a)-[" : "MATCH (a)<-[";
        std::string walking = start;
        walking.append(relation).append(" RETURN DISTINCT id(a), id(b)");
        std::string listing = start;
        listing.append("r").append(relation).append(" WITH id(a) AS a, id(b) AS b, r RETURN DISTINCT a, b");
        auto walked = ask_graph(one.graph, walking);
        auto listed = ask_graph(one.graph, listing);
        walks +=
            std::ranges::count_if(walked.plan, [](PlanLine const& line) { return line.name.starts_with("Reach"); }) > 0
                ? 1
                : 0;
        BOOST_TEST_CONTEXT("WHENCE_TEST_SEED=" << seed << ", " << number << " " << length) {
          BOOST_REQUIRE(walked.sorted_text() == listed.sorted_text());
        }
      }
    }
  }
  BOOST_TEST(walks == 16'000u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::tests
