// Claim: on any history, at any moment, every query returns what its definition requires. Method: random histories
// (units, versions, declared sources, units made by responses, feedback) from a printed seed, each question compared
// with a naive oracle over the records. Weights are 0, 1/4, 1/2 and 1, so that products and sums are exact in any
// order.

#include "tests/queries/oracle.hpp"
#include "tests/support/seed.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

std::uint64_t seed() {
  static std::uint64_t const chosen = whence::test::seed_from_environment();
  return chosen;
}

/// A random history and, for one question, a random moment of it with its oracle.
class RandomWorld {
 public:
  explicit RandomWorld(std::uint64_t number) : random_(seed() + number) {
    for (int batch = 0; batch < 12; ++batch) commit();
  }

  [[nodiscard]] std::size_t below(std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random_);
  }
  [[nodiscard]] std::string const& one_of(std::vector<std::string> const& all) { return all[below(all.size())]; }

  RecordWorld world;

 private:
  void commit() {
    std::vector<schema::Record> records;
    for (std::size_t i = 0; i <= below(3); ++i) records.push_back(random_unit());
    if (!units_.empty() && below(4) != 0) records.push_back(random_response());
    if (!responses_.empty() && below(3) == 0) {
      auto const id = "fb_" + std::to_string(next_++);
      records.push_back(feedback(id, one_of(responses_), static_cast<double>(below(9)) / 4 - 1));
    }
    world.commit(records);
    for (auto const& record : records) {
      if (schema::type_of(record) == schema::RecordType::context_unit) units_.push_back(schema::node_id_of(record));
      if (schema::type_of(record) == schema::RecordType::response) responses_.push_back(schema::node_id_of(record));
    }
  }

  schema::ContextUnit random_unit() {
    auto made = unit("cu_" + std::to_string(next_++), below(2) == 0 ? "file:x" : "tool:y");
    made.timestamp = at_second(static_cast<std::int64_t>(below(100)));
    if (!units_.empty() && below(3) == 0) {
      auto const previous = one_of(units_);
      if (replaced_.insert(previous).second) {
        made.previous_version_id = previous;
        made.version = 2;
      }
    }
    if (!units_.empty() && below(4) == 0) {
      auto const& source = one_of(units_);
      if (source != made.previous_version_id) made.derived_from = std::vector{source};
    }
    if (!responses_.empty() && below(3) == 0) made.updated_by_response_id = one_of(responses_);
    return made;
  }

  schema::Response random_response() {
    constexpr double weights[] = {0, 0.25, 0.5, 1};
    std::set<std::string> used;
    for (std::size_t i = 0; i <= below(4); ++i) used.insert(one_of(units_));
    Uses uses;
    for (auto const& id : used) uses.push_back({id, weights[below(4)]});
    return response("resp_" + std::to_string(next_++), std::move(uses));
  }

  std::mt19937_64 random_;
  std::uint32_t next_ = 0;
  std::vector<std::string> units_;
  std::vector<std::string> responses_;
  std::set<std::string> replaced_;
};

/// Calls `ask(random, oracle, view)` at random moments of random histories.
void for_random_moments(std::function<void(RandomWorld&, Oracle const&, queries::View const&)> const& ask) {
  for (std::uint64_t number = 0; number < 100; ++number) {
    BOOST_TEST_CONTEXT("WHENCE_TEST_SEED=" << seed() << ", history " << number) {
      RandomWorld random(number);
      for (int question = 0; question < 8; ++question) {
        auto const tx = 1 + random.below(random.world.batches().size());
        ask(random, Oracle(random.world, tx), random.world.view(tx));
      }
    }
  }
}

double number_at(boost::json::value const& node, std::string_view member) {
  return node.at(member).to_number<double>();
}

std::string ref_at(boost::json::value const& node) {
  return std::string(node.at("ref").as_string());
}

// Whether nodes are ordered by `member`, largest first, ties by ref.
void check_ranked(boost::json::array const& nodes, std::string_view member) {
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    auto const key = [&](boost::json::value const& node) { return std::pair(-number_at(node, member), ref_at(node)); };
    BOOST_TEST((key(nodes[i - 1]) < key(nodes[i])));
  }
}

BOOST_AUTO_TEST_SUITE(properties)

BOOST_AUTO_TEST_CASE(lineage_equals_the_oracle) {
  for_random_moments([](RandomWorld& random, Oracle const& oracle, queries::View const& view) {
    auto const start = random.one_of(oracle.nodes());
    auto const depth = random.below(3) == 0 ? graph::depth_unbounded : static_cast<std::uint32_t>(random.below(6));
    bool const is_upward = random.below(2) == 0;
    queries::LineageParams const params{.ref = test::ref(start), .depth = depth, .form = queries::Form::graph};
    auto const query = is_upward ? queries::lineage_ancestors : queries::lineage_descendants;
    auto const answer = json_of(ask(query, view, params, unlimited()));
    auto const expected = oracle.walk(start, is_upward, depth);
    auto const& nodes = answer.at("nodes").as_array();
    BOOST_TEST(nodes.size() == expected.size());
    std::tuple<double, double, std::string> last{0, 0, ""};
    for (auto const& node : nodes) {
      auto const& reached = expected.at(ref_at(node));
      BOOST_TEST(number_at(node, "depth") == reached.depth);
      BOOST_TEST(number_at(node, "weight") == reached.weight);
      std::tuple const key{number_at(node, "depth"), -number_at(node, "weight"), ref_at(node)};
      BOOST_TEST((last < key));
      last = key;
    }
    BOOST_TEST(answer.at("edges").as_array().size() == oracle.edges_walked(start, is_upward, depth));
  });
}

BOOST_AUTO_TEST_CASE(shares_and_impact_equal_the_sum_over_all_paths) {
  for_random_moments([](RandomWorld& random, Oracle const& oracle, queries::View const& view) {
    auto const start = random.one_of(oracle.nodes());
    auto const causes =
        json_of(ask(queries::lineage_influence, view, {test::ref(start)}, unlimited())).at("nodes").as_array();
    BOOST_TEST(causes.size() == oracle.walk(start, true, graph::depth_unbounded).size());
    check_ranked(causes, "share");
    for (auto const& node : causes) {
      BOOST_TEST(std::abs(number_at(node, "share") - oracle.share(ref_at(node), start)) <= 1e-12);
    }

    auto const other = random.one_of(oracle.nodes());
    auto const effects =
        json_of(ask(queries::impact_analyze, view, {.refs = refs({start, other})}, unlimited())).at("nodes").as_array();
    check_ranked(effects, "share");
    for (auto const& node : effects) {
      auto const of_start = oracle.share(start, ref_at(node));
      auto const mean = other == start ? of_start : (of_start + oracle.share(other, ref_at(node))) / 2;
      BOOST_TEST(std::abs(number_at(node, "share") - mean) <= 1e-12);
    }
  });
}

BOOST_AUTO_TEST_CASE(blame_equals_the_mean_over_the_responses) {
  for_random_moments([](RandomWorld& random, Oracle const& oracle, queries::View const& view) {
    std::vector<queries::NodeRef> bad;
    std::set<std::string> names;
    for (auto const& node : oracle.nodes()) {
      if (node.starts_with("Response:") && random.below(2) == 0 && names.insert(node).second)
        bad.push_back(test::ref(node));
    }
    auto const blamed =
        json_of(ask(queries::impact_blame, view, {.responses = bad}, unlimited())).at("nodes").as_array();
    check_ranked(blamed, "blame");
    std::size_t found = 0;
    for (auto const& unit : oracle.nodes()) {
      if (!unit.starts_with("ContextUnit:")) continue;
      double blame = 0;
      std::uint32_t influenced = 0;
      for (auto const& response : names) {
        blame += oracle.share(unit, response) / static_cast<double>(names.size());
        influenced += oracle.paths(unit, response).empty() ? 0 : 1;
      }
      if (influenced == 0) continue;
      ++found;
      auto const node =
          std::find_if(blamed.begin(), blamed.end(), [&](auto const& one) { return ref_at(one) == unit; });
      BOOST_REQUIRE((node != blamed.end()));
      BOOST_TEST(std::abs(number_at(*node, "blame") - blame) <= 1e-12);
      BOOST_TEST(number_at(*node, "responses") == influenced);
    }
    BOOST_TEST(found == blamed.size());
  });
}

BOOST_AUTO_TEST_CASE(paths_equal_all_there_are) {
  for_random_moments([](RandomWorld& random, Oracle const& oracle, queries::View const& view) {
    auto const from = random.one_of(oracle.nodes());
    auto const to = random.one_of(oracle.nodes());
    auto expected = oracle.paths(from, to);
    std::sort(expected.rbegin(), expected.rend());
    queries::PathParams params{test::ref(from), test::ref(to), graph::PathKind::all};
    auto const all = json_of(ask(queries::lineage_path, view, params, 100'000, unlimited())).at("paths").as_array();
    std::vector<double> weights;
    for (auto const& path : all) weights.push_back(number_at(path, "weight"));
    BOOST_TEST(weights == expected, boost::test_tools::per_element());
    params.kind = graph::PathKind::strongest;
    auto const best = json_of(ask(queries::lineage_path, view, params, 100'000, unlimited())).at("paths").as_array();
    BOOST_REQUIRE(best.size() == std::min<std::size_t>(1, all.size()));
    if (!best.empty()) BOOST_TEST(text(best[0]) == text(all[0]));
  });
}

BOOST_AUTO_TEST_CASE(diff_equals_the_difference_of_two_walks) {
  for_random_moments([](RandomWorld& random, Oracle const& oracle, queries::View const& view) {
    auto const a = random.one_of(oracle.nodes());
    auto const b = random.one_of(oracle.nodes());
    auto const of_a = oracle.walk(a, true, graph::depth_unbounded);
    auto const of_b = oracle.walk(b, true, graph::depth_unbounded);
    std::string added;
    std::string removed;
    std::string reweighted;
    auto const append = [](std::string& all, std::string const& one) { all += (all.empty() ? "" : " ") + one; };
    for (auto const& [node, reached] : of_b) {
      if (!of_a.contains(node)) append(added, node);
      if (of_a.contains(node) && of_a.at(node).weight != reached.weight) append(reweighted, node);
    }
    for (auto const& [node, reached] : of_a) {
      if (!of_b.contains(node)) append(removed, node);
    }
    auto const answer = json_of(ask(queries::lineage_diff, view, {.a = test::ref(a), .b = test::ref(b)}, unlimited()));
    BOOST_TEST(refs_of(answer, "added") == added);
    BOOST_TEST(refs_of(answer, "removed") == removed);
    BOOST_TEST(refs_of(answer, "reweighted") == reweighted);
  });
}

BOOST_AUTO_TEST_CASE(find_equals_a_scan_of_all_records) {
  for_random_moments([](RandomWorld& random, Oracle const& oracle, queries::View const& view) {
    auto const earliest = at_second(static_cast<std::int64_t>(random.below(100)));
    bool const is_descending = random.below(2) == 0;
    std::vector<std::pair<schema::Time, std::string>> expected;
    for (auto const* record : oracle.records()) {
      auto const* unit = std::get_if<schema::ContextUnit>(record);
      if (unit == nullptr || unit->timestamp < earliest || !unit->source.starts_with("file:")) continue;
      expected.emplace_back(*unit->timestamp, "ContextUnit:" + unit->id);
    }
    std::sort(expected.begin(), expected.end(), [&](auto const& a, auto const& b) {
      if (a.first != b.first) return is_descending ? b.first < a.first : a.first < b.first;
      return a.second < b.second;
    });
    std::string names;
    for (auto const& [time, name] : expected) names += (names.empty() ? "" : " ") + name;
    using queries::Condition;
    queries::NodeFindParams const params{
        schema::RecordType::context_unit,
        {{"timestamp", Condition::Op::gte, {'"' + schema::format_rfc3339(earliest) + '"'}},
         {"source", Condition::Op::prefix, {R"("file:")"}}},
        {"timestamp", is_descending},
        {}};
    BOOST_TEST(refs_of(json_of(ask(queries::node_find, view, params, unlimited()))) == names);
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
