// Nodes found and counted by a field: from the columns in memory, compared with reading every record of the type (what
// is done for fields without a column), and with the limit that an answer may take.

#include "queries/find/activity.hpp"
#include "queries/find/neighbors.hpp"
#include "queries/find/nodes.hpp"
#include "store/checkpoint/checkpoint.hpp"
#include "tools/bench/engine_fixture.hpp"
#include "tools/bench/parts.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace whence::bench {
namespace {

using queries::Condition;
using schema::RecordType;

constexpr std::uint32_t responses_per_batch = 2'000;
constexpr std::uint32_t topics = 64;
constexpr std::uint32_t uses_of_hot_unit = 19;  ///< one in so many responses: 53,000 of a million
constexpr double limit_ms = 10;
constexpr std::size_t page = 100;

/// Spreads numbers, so that ids are not in order of commit.
std::uint64_t mixed(std::uint64_t number) {
  number = (number ^ (number >> 30U)) * 0xbf58'476d'1ce4'e5b9U;
  number = (number ^ (number >> 27U)) * 0x94d0'49bb'1331'11ebU;
  return number ^ (number >> 31U);
}

std::string hex(std::uint64_t number) {
  std::array<char, 17> text{};
  (void)std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(number));
  return text.data();
}

/// Half of all have the first value, a quarter the second, and so on; the last is rare.
std::uint64_t value_of(std::uint64_t number) {
  return static_cast<std::uint64_t>(std::countr_zero(mixed(number * 2 + 1) | (std::uint64_t{1} << 12U)));
}

void append(std::uint32_t number, std::vector<schema::IncomingRecord>& out) {
  schema::Time const time{.seconds = 1'700'000'000 + number, .nanos = 0};
  auto const value = std::to_string(value_of(number));
  auto const unit = "cu_" + hex(mixed(number));
  out.push_back(
      {.record = schema::ContextUnit{
           .id = unit, .type = schema::ContextType::user, .source = "file:source" + value, .timestamp = time}});
  schema::Response response{.id = "resp_" + hex(mixed(number)),
                            .timestamp = time,
                            .agent = "bench:agent" + value,
                            .model = "bench-model-" + std::to_string(number % 5),
                            .content = "The answer to question " + std::to_string(number)};
  bool const is_hot = number > 0 && number % uses_of_hot_unit == 0;
  response.context_units = {{unit, is_hot ? 0.5 : 1.0}};
  if (is_hot) response.context_units.push_back({"cu_" + hex(mixed(0)), 0.5});
  out.push_back({.record = std::move(response)});
  out.push_back({.record = schema::Message{.id = "msg_" + hex(mixed(number)), .topic_id = "topic" + value}});
  schema::RetrievedChunk chunk{.chunk_id = "chunk_" + hex(mixed(number)), .content = "A passage of the document."};
  chunk.metadata = {.document_name = "document" + value, .chunk_index = number};
  out.push_back({.record = std::move(chunk)});
}

void load(OpenEngine const& engine, std::uint32_t responses) {
  engine::WriteBatch first;
  for (std::uint32_t i = 0; i < topics; ++i) {
    first.records.push_back({.record = schema::Topic{.id = "topic" + std::to_string(i)}});
    first.records.push_back({.record = schema::Document{.document_name = "document" + std::to_string(i)}});
  }
  engine.write(std::move(first));
  for (std::uint32_t begin = 0; begin < responses; begin += responses_per_batch) {
    engine::WriteBatch batch;
    for (auto i = begin; i < std::min(responses, begin + responses_per_batch); ++i) append(i, batch.records);
    engine.write(std::move(batch));
  }
}

struct Asked {
  OpenEngine const& engine;
  unsigned repeats;

  [[nodiscard]] queries::View view(bool has_columns, bool is_past) const {
    auto const head = engine->snapshot();
    queries::View view{is_past ? head.as_of(schema::TxId{schema::number(head.tx()) / 2}) : head, &engine->records()};
    if (has_columns) view.columns = engine.columns();
    return view;
  }

  /// Both ways, which must agree.
  void compare(std::string const& figure, std::function<std::uint64_t(queries::View const&)> const& ask,
               bool is_past = false) const {
    std::uint64_t found = 0;
    std::uint64_t expected = 0;
    double const seconds = median_seconds(repeats, [&] { found = ask(view(true, is_past)); });
    Stopwatch const watch;
    expected = ask(view(false, is_past));
    double const before = watch.seconds();
    if (found != expected) throw std::runtime_error("find: columns and records differ");
    print({.figure = figure + ", " + shown(static_cast<double>(found)),
           .unit = "ms",
           .better = Better::lower,
           .whence = seconds * 1e3,
           .others = {{"records read", before * 1e3}, {"limit", limit_ms}}});
  }
};

struct Field {
  RecordType type;
  char const* name;
  char const* value;  ///< without its number
};
constexpr auto fields = std::to_array<Field>({
    {RecordType::response, "agent", "bench:agent"},
    {RecordType::context_unit, "source", "file:source"},
    {RecordType::message, "topicId", "topic"},
    {RecordType::retrieved_chunk, "document", "document"},
});

queries::Budget budget_of_page(schema::Interrupt const& interrupt) {
  return {.interrupt = interrupt, .vertices_max = 10'000'000, .ordered_items = page};
}

void ask_by_field(Asked const& asked, Field const& field) {
  schema::NoInterrupt const never;
  for (int const value : {0, 9}) {
    std::vector<Condition> const where = {
        {field.name, Condition::Op::eq, {'"' + std::string(field.value) + std::to_string(value) + '"'}}};
    std::string const what = std::string(schema::name_of(field.type)) + " by " + field.name +
                             (value == 0 ? ", half of all" : ", one in a thousand");
    for (bool const is_past : {false, true}) {
      std::string const moment = is_past ? ", as of the middle" : "";
      asked.compare(
          "count, " + what + moment,
          [&](queries::View const& view) {
            return queries::node_count(view, {field.type, where}, budget_of_page(never))->count;
          },
          is_past);
      asked.compare(
          "find, first page, " + what + moment,
          [&](queries::View const& view) {
            return queries::node_find(view, {field.type, where, {}, {}}, budget_of_page(never))->nodes.size();
          },
          is_past);
    }
  }
}

void ask_others(Asked const& asked) {
  schema::NoInterrupt const never;
  for (auto const lanes : {queries::LaneBy::agent, queries::LaneBy::topic}) {
    asked.compare(lanes == queries::LaneBy::agent ? "activity by agent, lanes" : "activity by topic, lanes",
                  [&](queries::View const& view) {
                    return queries::node_activity(view, {.lanes = lanes}, budget_of_page(never))->lanes.size();
                  });
  }
  asked.compare("responses, the newest first, first page", [&](queries::View const& view) {
    return queries::node_find(view, {RecordType::response, {}, {"timestamp", true}, {}}, budget_of_page(never))
        ->nodes.size();
  });
  queries::NodeNeighborsParams neighbors{.ref = {RecordType::context_unit, "cu_" + hex(mixed(0))},
                                         .side = queries::Side::effects,
                                         .type = RecordType::response};
  auto const ask = [&](queries::View const& view) {
    return queries::node_neighbors(view, neighbors, page, budget_of_page(never))->total;
  };
  neighbors.group_by = "agent";
  asked.compare("neighbours by agent", ask);
  neighbors.group_by.reset();
  neighbors.order = queries::Order{"model", false};
  asked.compare("neighbours ordered by model", ask);
}

/// Milliseconds that the first count takes right after a start.
double first_count_ms(std::string const& directory) {
  schema::NoInterrupt const never;
  OpenEngine const engine(directory);
  Stopwatch const watch;
  queries::View view{engine->snapshot(), &engine->records()};
  view.columns = engine->columns();
  Field const& field = fields.front();
  std::vector<Condition> const where = {{field.name, Condition::Op::eq, {'"' + std::string(field.value) + "0\""}}};
  if (queries::node_count(view, {field.type, where}, budget_of_page(never))->count == 0)
    throw std::runtime_error("find: nothing is counted");
  return watch.seconds() * 1e3;
}

void measure_starts(std::string const& directory) {
  auto const file = directory + "/" + store::file_name_of(store::CheckpointOf::columns);
  double const with = first_count_ms(directory);
  auto const bytes = std::filesystem::file_size(file);
  store::remove_checkpoint(directory, store::CheckpointOf::columns);
  print({.figure = "first count right after a start",
         .unit = "ms",
         .better = Better::lower,
         .whence = with,
         .others = {{"without a checkpoint of the columns", first_count_ms(directory)}, {"limit", 20}},
         .note = shown(static_cast<double>(bytes) / (1U << 20U)) + " MiB on disk"});
}

}  // namespace

void run_find(Options const& options) {
  Scratch const scratch(options.directory + "/find");
  {
    OpenEngine const engine(scratch.file("store"));
    load(engine, options.responses);
    static_cast<void>(engine.columns());
    engine->finish_checkpoints({});
  }
  print_title("Found by a field, " + shown(options.responses) + " responses, units, messages and chunks each");
  measure_starts(scratch.file("store"));
  OpenEngine const engine(scratch.file("store"));
  auto const figures = engine.columns()->figures();
  std::cout << "  columns built " << shown(figures.build_seconds) << " s after a start, "
            << shown(static_cast<double>(figures.values)) << " values\n";
  print({.figure = "memory of a row, about",
         .unit = "bytes",
         .better = Better::lower,
         .whence = static_cast<double>(figures.bytes) / static_cast<double>(figures.rows),
         .others = {{"its codes and its place by id", 4.0 * 5 / 4 + 4}}});
  Asked const asked{engine, options.repeats};
  for (Field const& field : fields) ask_by_field(asked, field);
  ask_others(asked);
}

}  // namespace whence::bench
