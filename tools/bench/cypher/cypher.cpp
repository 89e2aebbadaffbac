// Questions of the query language beside our own methods, SQLite and Kùzu. A row counts only where all that were asked
// gave the same answer.

#include "graph/walks/walk.hpp"
#include "queries/cypher/query.hpp"
#include "queries/cypher/values/text.hpp"
#include "queries/cypher/whence/view_graph.hpp"
#include "queries/find/activity.hpp"
#include "queries/find/calendar.hpp"
#include "queries/lineage/lineage.hpp"
#include "queries/lineage/paths.hpp"
#include "tools/bench/cypher/kuzu.hpp"
#include "tools/bench/cypher/sqlite_graph.hpp"
#include "tools/bench/engine_fixture.hpp"
#include "tools/bench/parts.hpp"
#include "tools/bench/peers/sqlite.hpp"

#include <algorithm>
#include <ctime>
#include <functional>
#include <iostream>
#include <limits>
#include <optional>
#include <sstream>

namespace whence::bench {
namespace {

using schema::RecordType;

constexpr std::uint32_t batch = 10'000;
constexpr double method_factor = 1.3;  ///< of the time of our own method, at most
constexpr double reach_factor = 5;     ///< ahead of each peer, at least, on reachability

struct Question {
  std::string name;
  std::string cypher;
  queries::cypher::Map params = {};
  std::string sql = {};
  std::vector<std::int64_t> sql_params = {};
  std::string kuzu = {};
  std::map<std::string, std::int64_t> kuzu_params = {};
  double peer_factor = 1;  ///< how many times ahead of each peer is expected
  /// Our own method for the same question: its answer in the same form.
  std::function<std::string(queries::View const&)> method = nullptr;
};

constexpr char const* ancestors_sql =
    "WITH RECURSIVE r(key, d) AS (SELECT ?1, 0 UNION SELECT cause, d + 1 FROM causes, r WHERE effect = r.key AND d < "
    "6) "
    "SELECT count(DISTINCT key) - 1 FROM r";
constexpr char const* impact_sql =
    "WITH RECURSIVE r(key) AS (SELECT ?1 UNION SELECT effect FROM effects, r WHERE cause = r.key) SELECT count(*) - 1 "
    "FROM r";
constexpr char const* shortest_sql =
    "WITH RECURSIVE r(key, d) AS (SELECT ?2, 0 UNION SELECT cause, d + 1 FROM causes, r WHERE effect = r.key) "
    "SELECT d FROM r WHERE key = ?1 LIMIT 1";

queries::Budget unbounded(schema::Interrupt const& never) {
  return {.interrupt = never, .vertices_max = std::numeric_limits<std::uint32_t>::max()};
}

std::string count_of(Result<queries::Lineage> const& found) {
  if (!found) throw std::runtime_error(found.error().message);
  return std::to_string(found->nodes.size());
}

/// The chosen nodes.
struct Chosen {
  std::uint32_t hottest = 0;  ///< the unit that influenced most
  std::uint32_t busiest = 0;  ///< the unit that most responses used
  std::uint32_t middle = 0;   ///< a response in the middle
  std::uint32_t far = 0;      ///< the latest response that is six steps or more behind the hottest unit
};

Chosen choose(graph::Snapshot const& snapshot, std::uint32_t units, std::uint32_t responses) {
  Chosen chosen{.middle = responses / 2};
  std::size_t most_reached = 0;
  std::size_t most_uses = 0;
  schema::NoInterrupt const never;
  for (std::uint32_t unit = 0; unit < units; ++unit) {
    auto const vertex = *snapshot.find(RecordType::context_unit, unit_id(unit));
    auto const uses = snapshot.effects(vertex).size();
    if (uses > most_uses) {
      most_uses = uses;
      chosen.busiest = unit;
    }
    if (unit >= 50 && unit % std::max(1U, units / 500) != 0) continue;
    auto const reach = graph::reach(snapshot, {&vertex, 1}, graph::Direction::descendants, {}, never);
    if (reach->vertices.size() <= most_reached) continue;
    most_reached = reach->vertices.size();
    chosen.hottest = unit;
    graph::VertexId latest{0};
    for (auto i = std::size_t{reach->layer_ends.size() > 5 ? reach->layer_ends[4] : 0}; i < reach->vertices.size();
         ++i) {
      auto const at = reach->vertices[i];
      if (snapshot.type(at) == RecordType::response) latest = std::max(latest, at);
    }
    if (snapshot.type(latest) == RecordType::response)
      chosen.far = static_cast<std::uint32_t>(std::stoul(std::string{snapshot.id(latest).substr(5)}));
  }
  return chosen;
}

queries::NodeRef ref(RecordType type, std::string id) {
  return {type, std::move(id)};
}

std::string activity(queries::View const& view) {
  schema::NoInterrupt const never;
  queries::NodeActivityParams params{.types = schema::RecordTypeSet{}, .lanes = queries::LaneBy::agent};
  params.types->insert(RecordType::response);
  params.period = queries::Period::month;
  auto const found = queries::node_activity(view, params, unbounded(never));
  if (!found) throw std::runtime_error(found.error().message);
  std::vector<std::string> rows;
  for (auto const& lane : found->lanes) {
    for (auto const& each : lane.counts) {
      rows.push_back(lane.name + "," + queries::month_of(queries::start_of(each.period, queries::Period::month)) + "," +
                     std::to_string(each.count));
    }
  }
  std::ranges::sort(rows);
  std::string text;
  for (auto const& row : rows) text += (text.empty() ? "" : ";") + row;
  return text;
}

std::vector<Question> questions_of(Chosen const& chosen) {
  auto const hottest = unit_id(chosen.hottest);
  auto const middle = response_id(chosen.middle);
  auto const far = response_id(chosen.far);
  schema::NoInterrupt static const never;
  return {
      {.name = "lineage of 6 hops",
       .cypher = "MATCH (r:Response {id: $id})<-[:INFLUENCES*1..6]-(n) RETURN count(DISTINCT n)",
       .params = {{"id", middle}},
       .sql = ancestors_sql,
       .sql_params = {response_key(chosen.middle)},
       .kuzu = "MATCH (r:Node {key: $key})<-[:INFLUENCES* SHORTEST 1..6]-(n:Node) RETURN count(*)",
       .kuzu_params = {{"key", response_key(chosen.middle)}},
       .peer_factor = reach_factor,
       .method =
           [middle](queries::View const& view) {
             return count_of(queries::lineage_ancestors(view, {.ref = ref(RecordType::response, middle), .depth = 6},
                                                        unbounded(never)));
           }},
      {.name = "impact of the hottest unit",
       .cypher = "MATCH (u:ContextUnit {id: $id})-[:INFLUENCES*]->(n) RETURN count(DISTINCT n)",
       .params = {{"id", hottest}},
       .sql = impact_sql,
       .sql_params = {unit_key(chosen.hottest)},
       .kuzu = "MATCH (u:Node {key: $key})-[:INFLUENCES* SHORTEST 1..60000]->(n:Node) RETURN count(*)",
       .kuzu_params = {{"key", unit_key(chosen.hottest)}},
       .peer_factor = reach_factor,
       .method =
           [hottest](queries::View const& view) {
             return count_of(
                 queries::lineage_descendants(view, {.ref = ref(RecordType::context_unit, hottest)}, unbounded(never)));
           }},
      {.name = "top 10 by count",
       .cypher = "MATCH (u:ContextUnit)-[:USED_IN]->(r:Response) RETURN u.id AS id, count(r) AS uses "
                 "ORDER BY uses DESC, id LIMIT 10",
       .sql =
           "SELECT id, uses FROM (SELECT unit, count(*) AS uses FROM uses GROUP BY unit ORDER BY uses DESC, unit LIMIT "
           "10) JOIN nodes ON key = unit ORDER BY uses DESC, unit",
       .kuzu =
           "MATCH (u:Node)-[:USED_IN]->(r:Node) RETURN u.id AS id, count(*) AS uses ORDER BY uses DESC, id LIMIT 10"},
      {.name = "shortest path",
       .cypher = "MATCH (a:ContextUnit {id: $from}), (b:Response {id: $to}), p = shortestPath((a)-[:INFLUENCES*]->(b)) "
                 "RETURN length(p)",
       .params = {{"from", hottest}, {"to", far}},
       .sql = shortest_sql,
       .sql_params = {unit_key(chosen.hottest), response_key(chosen.far)},
       .kuzu = "MATCH p = (a:Node {key: $from})-[:INFLUENCES* SHORTEST 1..60000]->(b:Node {key: $to}) RETURN length(p)",
       .kuzu_params = {{"from", unit_key(chosen.hottest)}, {"to", response_key(chosen.far)}},
       .method =
           [hottest, far](queries::View const& view) {
             auto const found = queries::lineage_path(view,
                                                      {.from = ref(RecordType::context_unit, hottest),
                                                       .to = ref(RecordType::response, far),
                                                       .kind = graph::PathKind::shortest},
                                                      1, unbounded(never));
             if (!found) throw std::runtime_error(found.error().message);
             return found->paths.empty() ? std::string{} : std::to_string(found->paths[0].edges.size());
           }},
      {.name = "triangles",
       .cypher = "MATCH (a)-[:INFLUENCES]->(b)-[:INFLUENCES]->(c), (a)-[:INFLUENCES]->(c) RETURN count(*)",
       .sql = "SELECT count(*) FROM effects AS ab JOIN effects AS bc ON bc.cause = ab.effect JOIN effects AS ac ON "
              "ac.cause = ab.cause AND ac.effect = bc.effect",
       .kuzu =
           "MATCH (a:Node)-[:INFLUENCES]->(b:Node)-[:INFLUENCES]->(c:Node), (a)-[:INFLUENCES]->(c) RETURN count(*)"},
      {.name = "two hops: units used beside the busiest",
       .cypher = "MATCH (a:ContextUnit {id: $id})-[:USED_IN]->(:Response)<-[:USED_IN]-(b:ContextUnit) "
                 "RETURN b.id AS id, count(*) AS together ORDER BY together DESC, id LIMIT 10",
       .params = {{"id", unit_id(chosen.busiest)}},
       .sql =
           "SELECT id, together FROM (SELECT b.unit AS other, count(*) AS together FROM uses AS a JOIN used AS b ON "
           "b.response = a.response WHERE a.unit = ?1 AND b.unit <> ?1 GROUP BY b.unit ORDER BY together DESC, b.unit "
           "LIMIT 10) JOIN nodes ON key = other ORDER BY together DESC, other",
       .sql_params = {unit_key(chosen.busiest)},
       .kuzu = "MATCH (a:Node {key: $key})-[:USED_IN]->(r:Node)<-[:USED_IN]-(b:Node) WHERE b.key <> $key "
               "RETURN b.id AS id, count(*) AS together ORDER BY together DESC, id LIMIT 10",
       .kuzu_params = {{"key", unit_key(chosen.busiest)}}},
      {.name = "responses by agent and month",
       .cypher = "MATCH (r:Response) RETURN r.agent AS agent, substring(toString(r.timestamp), 0, 7) AS month, "
                 "count(*) AS responses "
                 "ORDER BY agent, month",
       .sql = "SELECT agent, strftime('%Y-%m', at, 'unixepoch') AS month, count(*) FROM nodes WHERE agent IS NOT NULL "
              "GROUP BY 1, 2 ORDER BY 1, 2",
       .kuzu = "MATCH (r:Node) WHERE r.kind = 'response' RETURN r.agent AS agent, date_trunc('month', r.at) AS month, "
               "count(*) AS responses ORDER BY agent, month",
       .method = activity},
  };
}

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// The median seconds of a call that may be quick, and the answer of the last.
struct Measured {
  double seconds = 0;
  double processor_seconds = 0;  ///< of all threads, the mean of the calls
  std::string answer = {};
};

Measured measure(unsigned repeats, std::function<std::string()> const& ask) {
  Measured made;
  Stopwatch const once;
  made.answer = ask();
  // What takes seconds is asked once more only: its caches are warm.
  constexpr double slow_seconds = 3;
  if (once.seconds() > slow_seconds) {
    auto const used = processor_seconds();
    Stopwatch const again;
    made.answer = ask();
    made.seconds = again.seconds();
    made.processor_seconds = processor_seconds() - used;
    return made;
  }
  auto const calls = static_cast<unsigned>(std::clamp(0.02 / std::max(once.seconds(), 1e-7), 1.0, 2'000.0));
  auto const used = processor_seconds();
  made.seconds = median_seconds(repeats,
                                [&] {
                                  for (unsigned i = 0; i < calls; ++i) made.answer = ask();
                                }) /
                 calls;
  made.processor_seconds = (processor_seconds() - used) / calls / (repeats + 1);
  return made;
}

std::string cell(queries::cypher::Value const& value) {
  return value.find_text() != nullptr ? *value.find_text() : queries::cypher::to_text(value);
}

std::string ask_cypher(queries::cypher::Prepared const& prepared, queries::View const& view, Question const& question) {
  schema::NoInterrupt const never;
  queries::cypher::ViewGraph const graph{view};
  auto rows = queries::cypher::run(prepared, graph, question.params, {.interrupt = never});
  if (!rows) throw std::runtime_error(question.name + ": " + rows.error().message);
  std::string text;
  for (;;) {
    auto const row = rows->next();
    if (!row) throw std::runtime_error(question.name + ": " + row.error().message);
    if (!*row) break;
    if (!text.empty()) text += ';';
    for (std::size_t i = 0; i < (*row)->size(); ++i) text += (i > 0 ? "," : "") + cell((**row)[i]);
  }
  if (auto const error = graph.error()) throw std::runtime_error(error->message);
  return text;
}

/// Answers are compared as bags: all orders asked for are by what is compared.
std::vector<std::string> sorted_rows(std::string const& answer) {
  std::vector<std::string> rows;
  std::istringstream lines{answer};
  for (std::string row; std::getline(lines, row, ';');) rows.push_back(row);
  std::ranges::sort(rows);
  return rows;
}

void compare(Question const& question, queries::View const& view, SqliteGraph& sqlite, Kuzu* kuzu, unsigned repeats) {
  auto const prepared = queries::cypher::prepare(question.cypher);
  if (!prepared) throw std::runtime_error(question.name + ": " + prepared.error().message);
  auto const ours = measure(repeats, [&] { return ask_cypher(*prepared, view, question); });
  Row row{.figure = question.name, .unit = "ms", .better = Better::lower, .whence = ours.seconds * 1e3, .others = {}};
  std::string missed;
  auto processor = "processor " + shown(ours.processor_seconds * 1e3);
  auto const add = [&](std::string const& name, double seconds, double used, std::string const& answer, double factor) {
    processor += ", " + name + " " + shown(used * 1e3);
    if (sorted_rows(answer) != sorted_rows(ours.answer)) {
      missed += " VOID: " + name + " answers " + answer.substr(0, 200) + ", not " + ours.answer.substr(0, 200);
    }
    row.others.emplace_back(name, seconds * 1e3);
    if (seconds < ours.seconds * factor) missed += " missed: " + name + " (" + shown(factor) + "x expected)";
  };
  if (question.method) {
    auto const method = measure(repeats, [&] { return question.method(view); });
    add("own method", method.seconds, method.processor_seconds, method.answer, 1 / method_factor);
  }
  auto const sql = measure(repeats, [&] { return sqlite.ask(question.sql, question.sql_params); });
  add("SQLite", sql.seconds, sql.processor_seconds, sql.answer, question.peer_factor);
  if (kuzu != nullptr) {
    auto const found = kuzu->ask(question.name);
    if (found.seconds) {
      add("Kuzu", *found.seconds, found.processor_seconds, found.answer, question.peer_factor);
    } else {
      row.note = "Kuzu failed: " + found.answer + "; ";
    }
  }
  row.note += missed.empty() ? "reached" : missed.substr(1);
  row.note +=
      "; " + processor + "; answer " + (ours.answer.size() > 60 ? ours.answer.substr(0, 60) + "..." : ours.answer);
  print(row);
}

void load(OpenEngine const& engine, std::vector<Step> const& steps) {
  for (std::size_t begin = 0; begin < steps.size(); begin += batch) {
    engine::WriteBatch records;
    for (auto i = begin; i < std::min(steps.size(), begin + batch); ++i)
      append_dated(steps[i], steps.size(), records.records);
    engine.write(std::move(records));
  }
}

}  // namespace

void run_cypher(Options const& options) {
  Workload workload;
  auto const steps = workload.take(options.responses);
  Scratch const scratch(options.directory + "/cypher");
  { load(OpenEngine(scratch.file("whence")), steps); }
  OpenEngine const engine(scratch.file("whence"));
  queries::View view{engine->snapshot(), &engine->records()};
  view.columns = engine.columns();

  auto const units = steps.back().units.back().number + 1;
  auto const questions = questions_of(choose(view.snapshot, units, static_cast<std::uint32_t>(steps.size())));
  auto const data = dataset_of(steps);
  std::vector<KuzuQuestion> asked;
  for (Question const& question : questions) asked.push_back({question.name, question.kuzu, question.kuzu_params});
  auto const kuzu = Kuzu::start(data, asked, scratch.file("kuzu"), options.repeats);
  SqliteGraph sqlite(scratch.file("graph.db"), data);
  print_title("Cypher, prepared, milliseconds; " + shown(static_cast<double>(data.edges.size())) + " edges, " +
              shown(static_cast<double>(data.rows.size())) +
              " nodes; limits: own method 1.3 times at most, ahead of each "
              "peer, 5 times on lineage and impact");
  if (!kuzu) std::cout << "  without Kuzu: WHENCE_KUZU names no folder in which `npm install kuzu` was run\n";
  for (Question const& question : questions) compare(question, view, sqlite, kuzu.get(), options.repeats);
}

}  // namespace whence::bench
