// Claim: on any history, at any moment, every query returns what its definition requires. Method: random histories
// (units, versions, declared sources, units made by responses, feedback) from a printed seed, each question compared
// with a naive oracle over the records. Weights are 0, 1/4, 1/2 and 1, so that products and sums are exact in any
// order.

#include "tests/queries/oracle.hpp"
#include "tests/support/seed.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
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
    for (std::size_t i = 0; i <= below(3); ++i) records.emplace_back(random_unit());
    if (!units_.empty() && below(4) != 0) records.emplace_back(random_response());
    if (!responses_.empty() && below(3) == 0) {
      auto const id = "fb_" + std::to_string(next_++);
      records.emplace_back(feedback(id, one_of(responses_), static_cast<double>(below(9)) / 4 - 1));
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
  static auto const histories = whence::test::count_from_environment("WHENCE_TEST_GRAPHS", 100);
  for (std::uint64_t number = 0; number < histories; ++number) {
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

BOOST_AUTO_TEST_CASE(blame_equals_its_definition_over_all_rated_responses) {
  for_random_moments([](RandomWorld& random, Oracle const& oracle, queries::View const& view) {
    // Every response by its mean score; those named are bad whatever it is.
    std::map<std::string, std::vector<double>> scores;
    for (auto const* record : oracle.records()) {
      if (auto const* rating = std::get_if<schema::FeedbackRecord>(record))
        scores["Response:" + rating->response_id].push_back(rating->score.value());
    }
    double const below = static_cast<double>(random.below(5)) / 4 - 0.5;
    std::set<std::string> named;
    std::map<std::string, bool> is_bad;
    bool const is_by_name = random.below(3) == 0;
    for (auto const& node : oracle.nodes()) {
      if (!node.starts_with("Response:")) continue;
      if (is_by_name && random.below(2) == 0) named.insert(node);
      auto const& own = scores[node];
      double const mean =
          own.empty() ? 2 : std::accumulate(own.begin(), own.end(), 0.0) / static_cast<double>(own.size());
      if (!own.empty() || named.contains(node)) is_bad[node] = named.contains(node) || mean < (is_by_name ? 0 : below);
    }
    queries::BlameParams params;
    if (is_by_name) {
      if (named.empty()) return;
      params.responses.emplace();
      for (auto const& node : named) params.responses->push_back(test::ref(node));
    } else {
      params.score_below = below;
    }
    auto const answer = json_of(ask(queries::impact_blame, view, params, unlimited()));
    auto const all_bad = std::ranges::count_if(is_bad, [](auto const& each) { return each.second; });
    BOOST_TEST(number_at(answer, "all_rated") == is_bad.size());
    BOOST_TEST(number_at(answer, "all_bad") == all_bad);
    auto const& blamed = answer.at("nodes").as_array();
    std::size_t expected = 0;
    for (auto const& unit : oracle.nodes()) {
      if (!unit.starts_with("ContextUnit:")) continue;
      double rated = 0, bad = 0, sum = 0, squares = 0, bad_sum = 0;
      bool is_asked_for = !is_by_name;
      for (auto const& [response, is_bad_one] : is_bad) {
        double const share = oracle.share(unit, response);
        if (share <= 0) continue;
        ++rated;
        sum += share;
        squares += share * share;
        is_asked_for = is_asked_for || named.contains(response);
        if (!is_bad_one) continue;
        ++bad;
        bad_sum += share;
      }
      auto const node =
          std::find_if(blamed.begin(), blamed.end(), [&](auto const& one) { return ref_at(one) == unit; });
      BOOST_REQUIRE((node != blamed.end()) == (rated > 0 && is_asked_for));
      if (node == blamed.end()) continue;
      ++expected;
      auto const is = [&](std::string_view name, double value) {
        BOOST_TEST(std::abs(number_at(*node, name) - value) <= 1e-9, unit << " " << name);
      };
      is("rated", rated);
      is("bad", bad);
      is("rate", bad_sum / sum);
      is("share", all_bad == 0 ? 0 : bad_sum / static_cast<double>(all_bad));
      double const others = static_cast<double>(is_bad.size()) - rated;
      BOOST_TEST(node->as_object().contains("lower") == (others > 0));
      if (others == 0) {
        BOOST_TEST(node->at("verdict").as_string() == "in_all");
        continue;
      }
      // Wilson's interval as the roots of (p - r)^2 = z^2 r (1 - r) / n.
      auto const wilson = [](double p, double n) {
        double const k = 1.959963984540054 * 1.959963984540054 / n;
        double const root = std::sqrt((2 * p + k) * (2 * p + k) - 4 * (1 + k) * p * p);
        return std::pair{(2 * p + k - root) / (2 * (1 + k)), (2 * p + k + root) / (2 * (1 + k))};
      };
      double const rate = bad_sum / sum;
      double const others_rate = (static_cast<double>(all_bad) - bad) / others;
      is("others_rate", others_rate);
      is("lift", rate - others_rate);
      auto const own = wilson(rate, sum * sum / squares);
      auto const theirs = wilson(others_rate, others);
      double const lower = rate - others_rate -
                           std::sqrt((rate - own.first) * (rate - own.first) +
                                     (theirs.second - others_rate) * (theirs.second - others_rate));
      is("lower", lower);
      BOOST_TEST(node->at("verdict").as_string() == (rated < 5                     ? "few"
                                                     : rate - others_rate <= 1e-12 ? "not_worse"
                                                     : lower > 0                   ? "likely"
                                                                                   : "possible"));
    }
    BOOST_TEST(expected == blamed.size());
    for (std::size_t i = 1; i < blamed.size(); ++i) {
      auto const key = [](boost::json::value const& one) {
        auto const verdict = one.at("verdict").as_string();
        bool const is_in_all = verdict == "in_all";
        return std::tuple{is_in_all          ? 2
                          : verdict == "few" ? 1
                                             : 0,
                          is_in_all ? 0 : -number_at(one, "lower"), -number_at(one, "share")};
      };
      auto const [group, lower, share] = key(blamed[i - 1]);
      auto const [next_group, next_lower, next_share] = key(blamed[i]);
      BOOST_TEST((group < next_group || (group == next_group && lower <= next_lower + 1e-9)));
    }
  });
}

/// What falls without some nodes: itself, and whatever has causes and none that is left.
std::set<std::string> fallen_without(Oracle const& oracle, std::set<std::string> taken) {
  for (bool grows = true; grows;) {
    grows = false;
    for (auto const& node : oracle.nodes()) {
      auto const causes = oracle.causes(node);
      bool const falls = !causes.empty() &&
                         std::ranges::all_of(causes, [&](auto const& cause) { return taken.contains(cause.first); });
      if (falls && taken.insert(node).second) grows = true;
    }
  }
  return taken;
}

/// How much of a node goes: all of what falls, else the sum over its causes.
double lost_of(Oracle const& oracle, std::set<std::string> const& fallen, std::string const& node) {
  if (fallen.contains(node)) return 1;
  double lost = 0;
  for (auto const& [cause, share] : oracle.causes(node)) lost += share * lost_of(oracle, fallen, cause);
  return lost;
}

BOOST_AUTO_TEST_CASE(without_equals_taking_away_by_hand) {
  for_random_moments([](RandomWorld& random, Oracle const& oracle, queries::View const& view) {
    std::set<std::string> taken;
    for (std::size_t i = 0; i <= random.below(3); ++i) taken.insert(random.one_of(oracle.nodes()));
    std::erase_if(taken, [](auto const& node) { return node.starts_with("FeedbackRecord:"); });
    if (taken.empty()) return;
    queries::WithoutParams params;
    for (auto const& node : taken) params.refs.push_back(test::ref(node));
    auto const answer = json_of(ask(queries::impact_without, view, params, unlimited()));
    auto const fallen = fallen_without(oracle, taken);

    std::map<std::string, double> expected;
    std::set<std::string> between;
    std::size_t lost_count = 0;
    std::size_t responses = 0;
    for (auto const& node : oracle.nodes()) {
      bool const is_response = node.starts_with("Response:");
      responses += is_response ? 1 : 0;
      if (taken.contains(node)) {
        responses -= is_response ? 1 : 0;
        continue;
      }
      if (!is_response && fallen.contains(node)) between.insert(node);
      if (!is_response) continue;
      double const lost = lost_of(oracle, fallen, node);
      if (lost > 0) expected[node] = lost;
      lost_count += fallen.contains(node) ? 1 : 0;
    }
    auto const& answers = answer.at("answers").as_array();
    BOOST_TEST(answers.size() == expected.size());
    for (auto const& node : answers) {
      BOOST_TEST(std::abs(number_at(node, "lost") - expected.at(ref_at(node))) <= 1e-12);
      BOOST_TEST((node.at("effect").as_string() == "lost") == fallen.contains(ref_at(node)));
    }
    std::set<std::string> found_between;
    for (auto const& node : answer.at("fallen").as_array()) found_between.insert(ref_at(node));
    BOOST_TEST((found_between == between));
    auto const& counts = answer.at("counts");
    BOOST_TEST(number_at(counts, "lost") == lost_count);
    BOOST_TEST(number_at(counts, "weakened") == expected.size() - lost_count);
    BOOST_TEST(number_at(counts, "untouched") == responses - expected.size());

    std::map<std::string, double> others;
    for (auto const& unit : oracle.nodes()) {
      if (!unit.starts_with("ContextUnit:") || fallen.contains(unit)) continue;
      for (auto const& [response, lost] : expected) {
        if (oracle.share(unit, response) > 0) ++others[unit];
      }
    }
    std::map<std::string, double> found_others;
    for (auto const& node : answer.at("alternatives").as_array())
      found_others[ref_at(node)] = number_at(node, "supports");
    BOOST_TEST((found_others == others));
  });
}

BOOST_AUTO_TEST_CASE(minimal_sets_equal_all_that_there_are) {
  int compared = 0;
  for_random_moments([&](RandomWorld& random, Oracle const& oracle, queries::View const& view) {
    std::vector<std::string> responses;
    for (auto const& node : oracle.nodes()) {
      if (node.starts_with("Response:")) responses.push_back(node);
    }
    if (responses.empty() || compared == 60) return;
    auto const response = random.one_of(responses);
    std::vector<std::string> units;
    for (auto const& [node, reached] : oracle.walk(response, true, graph::depth_unbounded)) {
      if (node.starts_with("ContextUnit:")) units.push_back(node);
    }
    if (units.size() > 9) return;
    ++compared;
    std::set<std::set<std::string>> expected;
    auto const add = [&](std::set<std::string> const& set) {
      bool const is_minimal =
          std::ranges::none_of(expected, [&](auto const& known) { return std::ranges::includes(set, known); });
      if (is_minimal && fallen_without(oracle, set).contains(response)) expected.insert(set);
    };
    for (std::size_t a = 0; a < units.size(); ++a) add({units[a]});
    for (std::size_t a = 0; a < units.size(); ++a) {
      for (std::size_t b = a + 1; b < units.size(); ++b) add({units[a], units[b]});
    }
    for (std::size_t a = 0; a < units.size(); ++a) {
      for (std::size_t b = a + 1; b < units.size(); ++b) {
        for (std::size_t c = b + 1; c < units.size(); ++c) add({units[a], units[b], units[c]});
      }
    }
    auto const ref = test::ref(response);
    auto const found = queries::minimal_sets(view, *view.snapshot.find(ref.type, ref.id), unlimited());
    BOOST_REQUIRE(found);
    BOOST_TEST(found->are_all);
    std::set<std::set<std::string>> sets;
    for (auto const& set : found->sets) {
      std::set<std::string> names;
      for (auto const vertex : set) names.insert("ContextUnit:" + std::string(view.snapshot.id(vertex)));
      sets.insert(std::move(names));
    }
    BOOST_TEST((sets == expected));
  });
  BOOST_TEST(compared > 10);
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
