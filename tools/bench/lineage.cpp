// Traversals, ids out: one hop, six hops, transitive impact of cold, median, wide and hottest units, a long chain of
// versions; influence with share beside influence alone; what would be lost without a source, whom bad answers rest on,
// the plan of what would be asked again; compared with SQLite, igraph if it is installed, and
// breadth-first search over plain CSR (the limit).

#include "graph/walks/walk.hpp"
#include "queries/impact/blame.hpp"
#include "queries/impact/replay_plan.hpp"
#include "queries/impact/without.hpp"
#include "tools/bench/engine_fixture.hpp"
#include "tools/bench/parts.hpp"
#include "tools/bench/peers/csr.hpp"
#include "tools/bench/peers/igraph.hpp"
#include "tools/bench/peers/sqlite.hpp"

#include <algorithm>
#include <atomic>
#include <iostream>
#include <numeric>
#include <thread>

namespace whence::bench {
namespace {

using graph::Direction;
using schema::RecordType;

/// The workload in every compared representation.
struct Worlds {
  std::vector<Step> const& steps;
  graph::Snapshot snapshot;
  SqlitePeer& sqlite;
  Csr& csr;
  IgraphPeer& igraph;
  std::uint32_t units;  ///< CSR and igraph number units first, then responses
};

/// One traversal: its start, direction and depth.
struct Question {
  std::string name;
  RecordType type;
  std::uint32_t number;
  Direction direction;
  std::uint32_t depth;
};

std::uint32_t csr_number(Worlds const& worlds, Question const& question) {
  return question.type == RecordType::response ? worlds.units + question.number : question.number;
}

std::string id_of(Question const& question) {
  return question.type == RecordType::response ? response_id(question.number) : unit_id(question.number);
}

std::size_t ask_whence(graph::Snapshot const& snapshot, Question const& question, bool is_alone = false) {
  auto const start = snapshot.find(question.type, id_of(question));
  graph::WalkLimits limits;
  limits.depth = question.depth;
  limits.is_alone = is_alone;
  auto const reach = graph::reach(snapshot, std::span{&*start, 1}, question.direction, limits, schema::NoInterrupt{});
  return reach->vertices.size();
}

std::size_t ask_csr(Worlds const& worlds, Question const& question) {
  return worlds.csr.reach(csr_number(worlds, question), question.direction == Direction::ancestors, question.depth)
      .size();
}

/// Seconds of one call of a quick or a slow question.
double seconds_of(unsigned repeats, std::function<std::size_t()> const& ask) {
  Stopwatch const once;
  ask();
  auto const calls = static_cast<unsigned>(std::clamp(0.02 / std::max(once.seconds(), 1e-7), 1.0, 20'000.0));
  return median_seconds(repeats,
                        [&] {
                          for (unsigned i = 0; i < calls; ++i) ask();
                        }) /
         calls;
}

void compare(Worlds const& worlds, Question const& question, unsigned repeats) {
  auto const direction = question.direction == Direction::ancestors ? SqlitePeer::Direction::ancestors
                                                                    : SqlitePeer::Direction::descendants;
  auto const key = question.type == RecordType::response ? response_key(question.number) : unit_key(question.number);
  std::size_t const size = ask_whence(worlds.snapshot, question);
  if (size != ask_csr(worlds, question) || size != worlds.sqlite.reach_by_cte(key, direction, question.depth) ||
      size != worlds.sqlite.reach_by_search(key, direction, question.depth)) {
    throw std::runtime_error(question.name + ": the peers' answers differ");
  }
  double const sqlite =
      std::min(seconds_of(repeats, [&] { return worlds.sqlite.reach_by_cte(key, direction, question.depth); }),
               seconds_of(repeats, [&] { return worlds.sqlite.reach_by_search(key, direction, question.depth); }));
  Row row{.figure = question.name,
          .unit = "us",
          .better = Better::lower,
          .whence = seconds_of(repeats, [&] { return ask_whence(worlds.snapshot, question); }) * 1e6,
          .others = {{"SQLite", sqlite * 1e6}},
          .note = shown(static_cast<double>(size)) + " nodes"};
  if (IgraphPeer::is_available()) {
    auto const ask = [&] {
      return worlds.igraph.reach(csr_number(worlds, question), question.direction == Direction::ancestors,
                                 question.depth);
    };
    row.others.emplace_back("igraph", seconds_of(repeats, ask) * 1e6);
  }
  row.others.emplace_back("CSR (limit)", seconds_of(repeats, [&] { return ask_csr(worlds, question); }) * 1e6);
  print(row);
}

/// A big walk with both cores free, beside the same on one.
void compare_cores(Worlds const& worlds, Question const& question, unsigned repeats) {
  print({.figure = question.name + ", both cores",
         .unit = "us",
         .better = Better::lower,
         .whence = seconds_of(repeats, [&] { return ask_whence(worlds.snapshot, question); }) * 1e6,
         .others = {
             {"one core", seconds_of(repeats, [&] { return ask_whence(worlds.snapshot, question, true); }) * 1e6}}});
}

/// Shares, as the methods about impact answer them, beside the reach that they are summed over.
void compare_share(Worlds const& worlds, Question const& question, unsigned repeats) {
  auto const start = worlds.snapshot.find(question.type, id_of(question));
  std::span const starts{&*start, 1};
  schema::NoInterrupt const interrupt;
  auto const reach_again = [&] { return graph::reach(worlds.snapshot, starts, question.direction, {}, interrupt); };
  auto const reach = reach_again();
  auto const shares = [&] {
    return graph::path_shares(worlds.snapshot, starts, question.direction, {}, *reach, interrupt)->size();
  };
  print({.figure = "share: " + question.name,
         .unit = "us",
         .better = Better::lower,
         .whence = seconds_of(repeats, shares) * 1e6,
         .others = {{"reach alone", seconds_of(repeats, [&] { return reach_again()->vertices.size(); }) * 1e6}},
         .note = shown(static_cast<double>(reach->vertices.size())) + " nodes"});
}

/// The plan of what would be asked again, which reads the record of each call, beside what would be lost.
void compare_plan(OpenEngine& engine, Question const& question, unsigned repeats) {
  queries::View const view{engine->snapshot(), &engine->records()};
  schema::NoInterrupt const never;
  queries::Budget const budget{never, 100'000'000};
  std::vector<queries::NodeRef> const refs{{question.type, id_of(question)}};
  std::size_t calls = 0;
  auto const plan = [&] { calls = queries::impact_replay_plan(view, {.refs = refs}, budget)->calls.size(); };
  auto const without = [&] { return queries::impact_without(view, {.refs = refs}, budget)->answers.size(); };
  double const planned = median_seconds(repeats, plan);
  print({.figure = "replay plan: " + question.name,
         .unit = "us",
         .better = Better::lower,
         .whence = planned * 1e6,
         .others = {{"without", median_seconds(repeats, without) * 1e6}},
         .note = shown(static_cast<double>(calls)) + " calls"});
}

/// What answers would lose without a unit of about 50,000 effects, and whom bad answers rest on when each is rated,
/// beside what is promised of both.
void compare_what_if(OpenEngine& engine, std::vector<Step> const& steps, Question const& source, unsigned repeats) {
  schema::NoInterrupt const never;
  queries::Budget const budget{never, 100'000'000};
  queries::View before{engine->snapshot(), &engine->records()};
  before.columns = engine.columns();
  auto const compare_without = [&](std::string const& figure, bool has_alternatives, double expected_ms) {
    queries::WithoutParams const params{.refs = {{source.type, id_of(source)}}, .alternatives = has_alternatives};
    std::size_t count = 0;
    auto const work = [&] { count = queries::impact_without(before, params, budget)->answers.size(); };
    print({.figure = figure,
           .unit = "ms",
           .better = Better::lower,
           .whence = median_seconds(repeats, work) * 1e3,
           .others = {{"expected under", expected_ms}},
           .note = shown(static_cast<double>(count)) + " answers"});
  };
  compare_without(source.name, true, 1'000);
  compare_without(source.name + ", a page without other sources", false, 50);
  constexpr std::size_t ratings_max = 100'000;
  constexpr std::size_t per_batch = 10'000;
  engine::WriteBatch batch;
  for (std::size_t i = 0; i < std::min(steps.size(), ratings_max); ++i) {
    batch.records.emplace_back(schema::FeedbackRecord{.id = "fb_" + std::to_string(i),
                                                      .response_id = response_id(steps[i].number),
                                                      .timestamp = {.seconds = 1'767'225'600},
                                                      .score = i % 3 == 0 ? -1.0 : 1.0});
    if (batch.records.size() == per_batch) engine.write(std::exchange(batch, {}));
  }
  if (!batch.records.empty()) engine.write(std::move(batch));
  queries::View rated{engine->snapshot(), &engine->records()};
  rated.columns = engine.columns();
  std::uint32_t all = 0;
  auto const blame = [&] { all = queries::impact_blame(rated, {}, budget)->rated; };
  print({.figure = "blame",
         .unit = "ms",
         .better = Better::lower,
         .whence = median_seconds(repeats, blame) * 1e3,
         .others = {{"expected under", 300.0}},
         .note = shown(all) + " rated answers"});
}

/// First versions sorted by their number of descendants.
std::vector<std::pair<std::size_t, std::uint32_t>> units_by_impact(Worlds const& worlds) {
  std::vector<std::pair<std::size_t, std::uint32_t>> found;
  std::uint32_t const stride = std::max(1U, worlds.units / 2'000);
  for (std::uint32_t unit = 0; unit < worlds.units; unit += unit < 50 ? 1 : stride) {
    found.emplace_back(worlds.csr.reach(unit, false, UINT32_MAX).size(), unit);
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// The longest chain of versions: its length and last member.
std::pair<std::uint32_t, std::uint32_t> longest_chain(std::vector<Step> const& steps) {
  std::pair<std::uint32_t, std::uint32_t> longest{0, 0};
  for (Step const& step : steps) {
    for (NewUnit const& unit : step.units) longest = std::max(longest, {unit.version, unit.number});
  }
  return longest;
}

/// Answers per second of `readers` threads together, without helpers if they are alone.
double questions_per_second(engine::Engine& engine, Question const& question, unsigned readers, bool is_alone) {
  std::atomic<std::uint64_t> answered{0};
  std::atomic<bool> is_over{false};
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < readers; ++i) {
    threads.emplace_back([&] {
      while (!is_over) {
        ask_whence(engine.snapshot(), question, is_alone);
        ++answered;
      }
    });
  }
  Stopwatch const watch;
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  is_over = true;
  threads.clear();
  return static_cast<double>(answered) / watch.seconds();
}

void compare_readers(OpenEngine& engine, Question const& question, unsigned repeats, std::string const& name) {
  std::vector<double> one, helped, two;
  for (unsigned i = 0; i < repeats; ++i) {
    one.push_back(questions_per_second(*engine, question, 1, true));
    helped.push_back(questions_per_second(*engine, question, 1, false));
    two.push_back(questions_per_second(*engine, question, 2, false));
  }
  print({.figure = name,
         .unit = "questions/s",
         .better = Better::higher,
         .whence = median(two),
         .others = {{"one reader on one core", median(one)}, {"one reader", median(helped)}}});
}

}  // namespace

void run_lineage(Options const& options) {
  Workload workload;
  auto const steps = workload.take(options.responses);
  Scratch const scratch(options.directory + "/lineage");
  OpenEngine engine(scratch.file("whence"));
  engine.write_all(steps, 10'000);
  SqlitePeer sqlite(scratch.file("tuned.db"), SqlitePeer::Schema::tuned);
  for (std::size_t begin = 0; begin < steps.size(); begin += 10'000) {
    sqlite.write(steps, begin, std::min(steps.size(), begin + 10'000));
  }
  std::uint32_t const units = steps.back().units.back().number + 1;
  std::vector<Csr::Edge> edges;
  for (Step const& step : steps) {
    for (NewUnit const& unit : step.units) {
      if (unit.previous) edges.emplace_back(*unit.previous, unit.number);
      if (unit.made_by) edges.emplace_back(units + *unit.made_by, unit.number);
    }
    for (Use const& use : step.uses) edges.emplace_back(use.unit, units + step.number);
  }
  auto const vertices = units + static_cast<std::uint32_t>(steps.size());
  Csr csr(vertices, edges);
  IgraphPeer igraph(vertices, edges);
  Worlds const worlds{steps, engine->snapshot(), sqlite, csr, igraph, units};
  print_title("Lineage and impact, ids out, microseconds; " + shown(static_cast<double>(edges.size())) + " edges, " +
              shown(static_cast<double>(vertices)) + " nodes");

  auto const by_impact = units_by_impact(worlds);
  auto const unit_at = [&](double share) {
    return by_impact[static_cast<std::size_t>(share * static_cast<double>(by_impact.size() - 1))].second;
  };
  auto const middle = static_cast<std::uint32_t>(steps.size() / 2);
  auto const unbounded = graph::depth_unbounded;
  Question const hottest{"impact of the hottest unit", RecordType::context_unit, by_impact.back().second,
                         Direction::descendants, unbounded};
  Question const questions[] = {
      {"ancestors, 1 hop", RecordType::response, middle, Direction::ancestors, 1},
      {"ancestors, 6 hops", RecordType::response, middle, Direction::ancestors, 6},
      {"impact of a cold unit", RecordType::context_unit, unit_at(0.1), Direction::descendants, unbounded},
      {"impact of a median unit", RecordType::context_unit, unit_at(0.5), Direction::descendants, unbounded},
      {"impact of a wide unit", RecordType::context_unit, unit_at(0.9), Direction::descendants, unbounded},
      hottest,
      {"ancestors of the last of " + shown(longest_chain(steps).first) + " versions", RecordType::context_unit,
       longest_chain(steps).second, Direction::ancestors, unbounded},
  };
  for (Question const& question : questions) compare(worlds, question, options.repeats);
  compare_cores(worlds, hottest, options.repeats);
  compare_share(worlds, hottest, options.repeats);
  compare_share(worlds, questions[std::size(questions) - 1], options.repeats);
  compare_plan(engine, questions[4], options.repeats);
  compare_plan(engine, hottest, options.repeats);
  auto const wide = std::ranges::find_if(by_impact, [](auto const& each) { return each.first >= 50'000; });
  auto const source = wide == by_impact.end() ? hottest.number : wide->second;
  compare_what_if(
      engine, steps,
      {"without a unit of many effects", RecordType::context_unit, source, Direction::descendants, unbounded},
      options.repeats);

  compare_readers(engine, hottest, options.repeats, "two readers, hottest unit");
  std::atomic<bool> is_over{false};
  std::jthread const writer([&] {
    // 2,000 responses a second, each twenty of them durable before the next.
    for (auto due = std::chrono::steady_clock::now(); !is_over; due += std::chrono::milliseconds(10)) {
      engine.write_all(workload.take(20), 20);
      std::this_thread::sleep_until(due);
    }
  });
  compare_readers(engine, hottest, options.repeats, "two readers while 2,000 responses/s are written");
  is_over = true;
}

}  // namespace whence::bench
