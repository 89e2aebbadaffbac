// Claim: node.find, node.count, node.neighbors and node.activity answer the same from columns as from records, to the
// byte: at every moment, while the columns are behind, after revisions, deletions, purges and expiry. Method: random
// histories through the engine, columns that follow now and then, random questions at random moments asked twice.

#include "queries/view/view.hpp"
#include "tests/queries/fixture.hpp"
#include "tests/support/fixtures.hpp"
#include "tests/support/seed.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace whence::test {
namespace {

using queries::Condition;
using schema::RecordType;

struct AskedField {
  RecordType type;
  std::string_view name;
};
constexpr auto asked_fields = std::to_array<AskedField>({
    {RecordType::response, "agent"},
    {RecordType::response, "model"},
    {RecordType::context_unit, "source"},
    {RecordType::message, "topicId"},
    {RecordType::xml_message_attachment, "topicId"},
    {RecordType::discussion, "topic"},
    {RecordType::retrieved_chunk, "document"},
    {RecordType::subject, "topic"},
});

std::string quoted(std::string const& text) {
  return '"' + text + '"';
}

std::int64_t tokens_in(schema::Response const& of) {
  return of.usage->input_tokens.value() + of.usage->output_tokens.value();
}

/// The answer, or the error's text.
template <class Query, class Params>
std::string answered(Query query, queries::View const& view, Params const& params) {
  auto const answer = ask(query, view, params, unlimited());
  return answer ? text_of(answer) : answer.error().message;
}

/// An engine, a random history written to it, and columns that follow it when told to.
class RandomColumns {
 public:
  explicit RandomColumns(std::uint64_t seed, graph::ColumnRoom const& room = {}) : columns(room), random_(seed) {
    fixture.engine.reset();
    fixture.config.keeps_columns = false;
    fixture.open();
  }

  [[nodiscard]] std::size_t below(std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_);
  }
  [[nodiscard]] std::string value(char const* kind) { return kind + std::to_string(below(5)); }
  [[nodiscard]] std::string const& one_of(std::vector<std::string> const& all) { return all[below(all.size())]; }

  void follow() { BOOST_REQUIRE(columns.follow(fixture.engine->snapshot(), fixture.engine->records())); }

  /// One transaction, perhaps a refused one.
  void change() {
    switch (below(10)) {
      case 0:
        return remove();
      case 1:
        return forget();
      case 2:
        return grow();
      default:
        return write();
    }
  }

  /// The same question of columns and of records.
  void compare() {
    auto const head = fixture.engine->snapshot();
    schema::TxId const tx{below(schema::number(head.tx()) + 1)};
    queries::View const plain{head.as_of(tx), &fixture.engine->records(), &fixture.engine->vectors()};
    auto indexed = plain;
    indexed.columns = &columns;
    auto const& field = asked_fields[below(asked_fields.size())];
    queries::NodeFindParams find{field.type, conditions(field), {}, {}};
    auto const by = std::to_array<std::string_view>({"id", "tx", "timestamp", field.name});
    find.order.by = by[below(field.type == RecordType::response ? 4 : 2)];
    if (below(3) == 0) find.order.by = field.name;
    if (field.type == RecordType::response && below(2) == 0) find.order.by = number_field();
    find.order.desc = below(2) == 0;
    auto const found = answered(queries::node_find, plain, find);
    BOOST_TEST(answered(queries::node_find, indexed, find) == found);
    compare_first(indexed, plain, find);
    queries::NodeCountParams const count{find.type, find.where};
    BOOST_TEST(answered(queries::node_count, indexed, count) == answered(queries::node_count, plain, count));
    if (below(4) == 0) {
      queries::NodeActivityParams const activity{.lanes =
                                                     below(2) == 0 ? queries::LaneBy::agent : queries::LaneBy::topic};
      BOOST_TEST(answered(queries::node_activity, indexed, activity) ==
                 answered(queries::node_activity, plain, activity));
    }
    compare_neighbors(indexed, plain);
    ++asked;
  }

  /// Responses with ids in no order, in one transaction.
  void write_many(std::size_t count) {
    std::vector<schema::Record> records = {unit("cu_" + std::to_string(next_++))};
    auto const used = schema::node_id_of(records.front());
    for (std::size_t i = 0; i < count; ++i) {
      auto made = response("resp_" + std::to_string(random_()), {{used, 1.0}});
      made.agent = value("agent");
      made.model = value("model");
      made.timestamp = schema::plus_seconds(made.timestamp, static_cast<int>(below(50)));
      if (below(3) != 0) made.latency_ms = below(20);
      made.token_count.reset();
      if (below(3) != 0) made.usage = schema::Usage{.input_tokens = below(20), .output_tokens = below(20)};
      refs_.push_back("Response:" + made.id);
      responses_.push_back(made);
      records.push_back(std::move(made));
    }
    BOOST_REQUIRE(fixture.engine->write(batch(std::move(records))));
  }

  schema::Response const& response_called(std::string_view id) const {
    return *std::ranges::find(responses_, id, &schema::Response::id);
  }

  /// The first page of a find, compared with the whole answer from records.
  void compare_page() {
    auto const head = fixture.engine->snapshot();
    queries::View const plain{head.as_of(schema::TxId{below(schema::number(head.tx()) + 1)}),
                              &fixture.engine->records()};
    auto indexed = plain;
    indexed.columns = &columns;
    queries::NodeFindParams find{
        RecordType::response, {{"agent", Condition::Op::in, {quoted(value("agent")), quoted("agent0")}}}, {}, {}};
    find.order.by = std::to_array<char const*>({"id", "timestamp", "agent", "model"})[below(4)];
    find.order.desc = below(2) == 0;
    compare_first(indexed, plain, find);
  }

  EngineFixture fixture;
  graph::FieldColumns columns;
  std::size_t asked = 0;
  // Accepted writes.
  std::size_t written = 0;
  std::size_t grown = 0;
  std::size_t removed = 0;
  std::size_t forgotten = 0;

 private:
  static void count(std::size_t& accepted, Result<engine::WriteAnswer> const& answer) { accepted += answer ? 1 : 0; }

  std::vector<Condition> conditions(AskedField const& field) {
    std::string const text = field.name == "agent"      ? value("agent")
                             : field.name == "model"    ? value("model")
                             : field.name == "source"   ? value("source")
                             : field.name == "document" ? value("document")
                                                        : value("topic");
    std::vector<Condition> all;
    std::string const name(field.name);
    switch (below(7)) {
      case 0:
        all = {{name, Condition::Op::in, {quoted(text), quoted("agent1"), quoted("topic1"), quoted("source1")}}};
        break;
      case 1:
        all = {{name, Condition::Op::prefix, {quoted(text.substr(0, 3))}}};
        break;
      case 2:
        all = {{name, Condition::Op::gt, {quoted(text)}}};
        break;
      case 3:
        all = {{name, Condition::Op::contains, {quoted(text.substr(text.size() - 1))}}};
        break;
      default:
        all = {{name, Condition::Op::eq, {quoted(text)}}};
    }
    if (field.type == RecordType::response) {
      if (below(3) == 0) all.push_back({"model", Condition::Op::eq, {quoted(value("model"))}});
      if (below(4) == 0) all.push_back({"content", Condition::Op::contains, {quoted("1")}});
      if (below(4) == 0) all.push_back({"flags", Condition::Op::has, {quoted(flag())}});
      if (below(6) == 0) all.push_back({number_field(), Condition::Op::gte, {std::to_string(below(20))}});
    }
    if (below(4) == 0) all.push_back({"tx", Condition::Op::gte, {std::to_string(below(30))}});
    return all;
  }

  std::string number_field() { return std::to_array<char const*>({"tokens", "latency_ms", "cost"})[below(3)]; }
  std::string flag() { return std::to_array<char const*>({"no_units", "members_dropped"})[below(2)]; }

  /// Numbers that many share, and some do not have.
  void measure(schema::Response& made) {
    if (below(3) != 0) made.latency_ms = static_cast<double>(below(20)) / 2;
    if (below(3) != 0) made.cost = static_cast<double>(below(20)) / 8;
    if (below(3) != 0) made.token_count = static_cast<std::int64_t>(below(20));
    if (below(2) == 0) return;
    auto& usage = made.usage.emplace();
    if (below(2) == 0) usage.input_tokens = static_cast<std::int64_t>(below(20));
    if (below(2) == 0) usage.output_tokens = static_cast<std::int64_t>(below(20));
  }

  void compare_first(queries::View const& indexed, queries::View const& plain, queries::NodeFindParams const& find) {
    auto const whole = queries::node_find(plain, find, unlimited());
    auto budget = unlimited();
    budget.ordered_items = 1 + below(20);
    auto first = queries::node_find(indexed, find, budget);
    BOOST_REQUIRE(whole.has_value() == first.has_value());
    if (!whole) return;
    auto const shown = std::min(whole->nodes.size(), budget.ordered_items);
    BOOST_TEST(std::equal(whole->nodes.begin(), whole->nodes.begin() + static_cast<std::ptrdiff_t>(shown),
                          first->nodes.begin()));
    std::ranges::sort(first->nodes);
    auto all = whole->nodes;
    std::ranges::sort(all);
    BOOST_TEST((first->nodes == all));
  }

  void compare_neighbors(queries::View const& indexed, queries::View const& plain) {
    if (units_.empty()) return;
    queries::NodeNeighborsParams asked_of{
        .ref = test::ref(one_of(units_)), .side = queries::Side::effects, .type = RecordType::response};
    if (below(2) == 0) {
      asked_of.group_by = below(2) == 0 ? "agent" : "model";
    } else {
      asked_of.order = queries::Order{below(2) == 0 ? "agent" : "model", below(2) == 0};
    }
    if (below(2) == 0) asked_of.where = conditions({RecordType::response, "agent"});
    auto const of = [&](queries::View const& view) {
      auto const answer = ask(queries::node_neighbors, view, asked_of, 3, unlimited());
      return answer ? text_of(answer) : answer.error().message;
    };
    BOOST_TEST(of(indexed) == of(plain));
  }

  void write() {
    std::vector<schema::Record> records;
    for (std::size_t i = 0; i <= below(4); ++i) {
      auto made = unit("cu_" + std::to_string(next_++), value("source"));
      units_.push_back(made.id);
      records.push_back(std::move(made));
    }
    for (std::size_t i = 0; i < below(5); ++i) {
      auto made = response("resp_" + std::to_string(next_++), {{one_of(units_), 1.0}});
      made.agent = value("agent");
      made.model = value("model");
      if (below(2) == 0) made.content = "text " + std::to_string(below(20));
      measure(made);
      refs_.push_back("Response:" + made.id);
      responses_.push_back(made);
      records.push_back(std::move(made));
    }
    if (below(2) == 0) {
      auto const name = "msg_" + std::to_string(next_++);
      records.push_back(message(name, value("topic")));
      refs_.push_back("Message:" + name);
    }
    if (below(2) == 0) {
      schema::Discussion discussion{.user_id = "u", .discussion_id = "d" + std::to_string(below(6))};
      if (below(3) != 0) discussion.topic = value("topic");
      records.push_back(discussion);
    }
    if (below(2) == 0) {
      schema::RetrievedChunk chunk{.chunk_id = "chunk" + std::to_string(next_++), .content = "passage"};
      chunk.metadata.document_name = value("document");
      chunk.metadata.chunk_index = 0;
      records.push_back(schema::Document{.document_name = chunk.metadata.document_name});
      records.push_back(chunk);
      refs_.push_back("RetrievedChunk:" + chunk.chunk_id);
    }
    auto made = batch(std::move(records));
    made.ensure = true;
    count(written, fixture.engine->write(std::move(made)));
  }

  /// A response made from telemetry gets other values.
  void grow() {
    if (responses_.empty()) return write();
    auto& known = responses_[below(responses_.size())];
    known.agent = value("agent");
    if (below(2) == 0) known.model = value("model");
    if (below(2) == 0) measure(known);
    if (below(3) == 0) known.context_units.clear();
    auto made = batch({known});
    made.grows_captured = true;
    made.mode = schema::Mode::capture;
    count(grown, fixture.engine->write(std::move(made)));
  }

  void remove() {
    if (refs_.empty()) return write();
    engine::WriteBatch made;
    made.deletes.push_back(schema::parse_ref(one_of(refs_)).value());
    count(removed, fixture.engine->write(std::move(made)));
  }

  void forget() {
    if (refs_.empty()) return write();
    engine::ContentRemoval removal{.is_purge = below(2) == 0, .found_at = fixture.engine->snapshot().tx()};
    auto const ref = schema::parse_ref(one_of(refs_)).value();
    if (removal.is_purge) {
      removal.refs = {ref};
    } else if (auto const vertex = fixture.engine->snapshot().find(ref.type, ref.id)) {
      removal.old = {*vertex};
    }
    engine::WriteBatch made;
    made.step = removal;
    count(forgotten, fixture.engine->write(std::move(made)));
  }

  std::mt19937_64 random_;
  std::uint32_t next_ = 0;
  std::vector<std::string> units_;
  std::vector<std::string> refs_;
  std::vector<schema::Response> responses_;
};

BOOST_AUTO_TEST_SUITE(columns)

BOOST_AUTO_TEST_CASE(answers_from_columns_equal_those_from_records) {
  auto const seed = seed_from_environment();
  auto const* const wanted = std::getenv("WHENCE_COLUMN_QUESTIONS");
  std::size_t const questions = wanted == nullptr ? 1'000 : std::strtoul(wanted, nullptr, 10);
  std::size_t asked = 0;
  std::array<std::size_t, 4> accepted{};
  for (std::uint64_t history = 0; asked < questions; ++history) {
    BOOST_TEST_CONTEXT("WHENCE_TEST_SEED=" << seed << ", history " << history) {
      // Every other time most values find no room.
      RandomColumns random(seed + history, history % 2 == 0 ? graph::ColumnRoom{}
                                                            : graph::ColumnRoom{.values_min = 2, .rows_a_value = 1000});
      for (int i = 0; i < 40; ++i) {
        random.change();
        if (random.below(3) == 0) random.follow();
        for (int question = 0; question < 5; ++question) random.compare();
      }
      asked += random.asked;
      accepted[0] += random.written;
      accepted[1] += random.grown;
      accepted[2] += random.removed;
      accepted[3] += random.forgotten;
    }
  }
  // Nothing is compared that does not happen: of 40 changes 28 write, the others grow, remove and forget.
  BOOST_TEST_MESSAGE("accepted: " << accepted[0] << ", " << accepted[1] << ", " << accepted[2] << ", " << accepted[3]);
  BOOST_TEST(accepted[0] > asked / 10);
  for (std::size_t const each : accepted) BOOST_TEST(each > asked / 1000);  // a few of a hundred, some 20
}

// Against the definition, with keys that many share and some do not have.
BOOST_AUTO_TEST_CASE(answers_are_in_the_order_of_the_key_then_of_the_id) {
  RandomColumns world(seed_from_environment());
  world.write_many(300);
  auto const head = world.fixture.engine->snapshot();
  queries::View const view{head, &world.fixture.engine->records()};
  for (std::string const by : {"model", "timestamp", "latency_ms", "tokens"}) {
    for (bool const is_descending : {false, true}) {
      auto const key_of = [&](graph::VertexId vertex) -> std::optional<std::string> {
        if (by == "timestamp") return schema::format_rfc3339(*head.time(vertex));
        auto const found = world.response_called(head.id(vertex));
        if (by == "model") return found.model;
        if (by == "tokens") return found.usage ? std::optional{std::to_string(100 + tokens_in(found))} : std::nullopt;
        return found.latency_ms ? std::optional{std::to_string(100 + *found.latency_ms)} : std::nullopt;
      };
      auto const comes_before = [&](graph::VertexId a, graph::VertexId b) {
        auto const key_a = key_of(a);
        auto const key_b = key_of(b);
        if (key_a == key_b) return head.id(a) < head.id(b);
        if (!key_a || !key_b) return key_a.has_value();
        return is_descending ? *key_b < *key_a : *key_a < *key_b;
      };
      auto expected = head.vertices(RecordType::response);
      std::ranges::sort(expected, comes_before);
      for (std::size_t const ordered : {std::size_t{1}, std::size_t{40}, expected.size(), expected.size() + 1}) {
        auto budget = unlimited();
        budget.ordered_items = ordered;
        auto const found =
            queries::node_find(view, {RecordType::response, {}, {by, is_descending}, {}}, budget).value();
        auto const shown = static_cast<std::ptrdiff_t>(std::min(ordered, expected.size()));
        BOOST_TEST(found.nodes.size() == expected.size());
        BOOST_TEST_CONTEXT(by << (is_descending ? ", descending, " : ", ") << shown)
        BOOST_TEST(std::equal(expected.begin(), expected.begin() + shown, found.nodes.begin()));
      }
    }
  }
}

// With so many vertices that the columns keep them in the order of their ids.
BOOST_AUTO_TEST_CASE(first_pages_of_many_are_those_of_the_whole_answer) {
  RandomColumns world(seed_from_environment());
  for (int round = 0; round < 4; ++round) {
    world.write_many(1200);
    world.follow();
    for (int i = 0; i < 20; ++i) world.change();
    if (round % 2 == 0) world.follow();
    for (int question = 0; question < 60; ++question) world.compare_page();
  }
}

BOOST_AUTO_TEST_CASE(values_of_purged_records_leave_the_memory) {
  RandomColumns world(1);
  auto const write_one = [&](std::string const& id, std::string const& agent) {
    auto made = response(id, {{"cu_1", 1.0}});
    made.agent = agent;
    BOOST_REQUIRE(world.fixture.engine->write(batch({unit("cu_1"), made})));
  };
  write_one("resp_1", "somebody");
  write_one("resp_2", "everybody");
  world.follow();
  auto const before = world.columns.figures();
  engine::WriteBatch purge;
  purge.step = engine::ContentRemoval{.is_purge = true, .refs = {{RecordType::response, "resp_1"}}};
  BOOST_REQUIRE(world.fixture.engine->write(std::move(purge)));
  world.follow();
  auto const after = world.columns.figures();
  BOOST_TEST(after.values == before.values - 1);
  BOOST_TEST(after.rows == before.rows);
}

// For ThreadSanitizer first of all: what is asked while the engine's own thread follows is what the records say.
BOOST_AUTO_TEST_CASE(questions_while_the_columns_follow_are_exact) {
  EngineFixture fixture;
  std::atomic<bool> is_done = false;
  std::atomic<std::uint32_t> wrong = 0;
  std::atomic<std::uint32_t> asked = 0;
  auto const ask_on = [&] {
    while (!is_done || asked < 50) {
      queries::View plain{fixture.engine->snapshot(), &fixture.engine->records()};
      auto indexed = plain;
      indexed.columns = fixture.engine->columns();
      queries::NodeFindParams const find{
          RecordType::response, {{"agent", Condition::Op::eq, {quoted("agent" + std::to_string(asked % 3))}}}, {}, {}};
      // A purge shows at once at every moment: what changes meanwhile is not compared.
      auto const before = answered(queries::node_find, plain, find);
      auto const found = answered(queries::node_find, indexed, find);
      if (before == answered(queries::node_find, plain, find) && found != before) ++wrong;
      ++asked;
    }
  };
  std::vector<std::jthread> readers;
  for (int i = 0; i < 2; ++i) readers.emplace_back(ask_on);
  for (int i = 0; i < 150; ++i) {
    auto made = response("resp_" + std::to_string(i), {{"cu_1", 1.0}});
    made.agent = "agent" + std::to_string(i % 3);
    auto given = batch({unit("cu_1"), made});
    if (i % 10 == 9) {
      auto grown = response("resp_" + std::to_string(i - 5), {{"cu_1", 1.0}});
      grown.agent = "agent0";
      given = batch({grown});
      given.grows_captured = true;
    }
    static_cast<void>(fixture.engine->write(std::move(given)));
    if (i % 20 != 19) continue;
    engine::WriteBatch purge;
    purge.step =
        engine::ContentRemoval{.is_purge = true, .refs = {{RecordType::response, "resp_" + std::to_string(i - 10)}}};
    static_cast<void>(fixture.engine->write(std::move(purge)));
  }
  is_done = true;
  readers.clear();
  BOOST_TEST(wrong == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace whence::test
